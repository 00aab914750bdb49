"""The section on themes in `docs/settings.md`: how to write one, and all that it can change."""

from collections.abc import Iterable

from acp_tui.config.paths import shipped_themes
from acp_tui.config.themes import ThemeFile
from acp_tui.config.toml_files import read_toml
from acp_tui.ui.colors import palette
from acp_tui.ui.colors.theme import to_textual

COLORS = {
    "background": "behind everything",
    "surface": "behind dialogs",
    "panel": "behind fields, and frames without the focus",
    "foreground": "text",
    "muted": "less important text",
    "primary": "marks, links, headings, frames that have the focus, your own prompts",
    "secondary": "types in code, headings of diff hunks",
    "accent": "inline code, numbers, headings of the third level",
    "success": "success, and added lines",
    "warning": "questions, and matches of a search",
    "error": "failures, and removed lines",
}
"""The colors that every theme has, and what each is for."""
EXAMPLE = """description = "Sea at night"
dark = true
background = "#0b1420"
surface = "#101c2b"
panel = "#1a2a3d"
foreground = "#d6e2ee"
muted = "#93a7bb"
primary = "#6cb6ff"
secondary = "#57c7c0"
accent = "#c9a5f0"
success = "#7fd08a"
warning = "#e8c06a"
error = "#f08a8a"

[variables]
transcript-heading1 = "bold #ffd479"
transcript-diff-hunk = "italic"
"""


BEGIN = "<!-- `make pages` writes the section on themes -->"
END = "<!-- end of the themes -->"


def themes_page(page: str) -> str:
    """Return the page with the section on themes as the code has it."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "\n\n" + _section() + "\n" + END + rest.partition(END)[2]


def _section() -> str:
    files = sorted(shipped_themes().glob("*.toml"))
    shipped = [(file.stem, read_toml(file, ThemeFile)) for file in files]
    lines = [
        "## Themes",
        "",
        "F3 lists the themes and previews the one that you mark; Enter keeps it, and Esc restores the previous one."
        ' You can also choose one with `theme = "NAME"` in the settings or with `--theme NAME`.',
        "",
        "A theme is one TOML file. To write your own, copy one into `themes/` next to your settings (on Linux"
        " `~/.config/acp-tui/themes/NAME.toml`) and change it. Your theme replaces a shipped theme of the same name. While"
        " it is in use, the screen follows each change that you save; a mistake is reported with its line and column, and"
        " changes nothing.",
        "",
        "### Shipped themes",
        "",
        "| Theme | What it is |",
        "| --- | --- |",
        *(f"| `{name}` | {theme.description} |" for name, theme in shipped),
        "",
        "`terminal` uses the colors of your terminal, and is the default if the terminal has no true color. With"
        " `NO_COLOR`, no theme has colors; signs and reversed text show what is marked, found, added or removed.",
        "",
        "### Write a theme",
        "",
        "```toml",
        *EXAMPLE.strip().splitlines(),
        "```",
        "",
        "`dark` is true if the background is dark. Colors are `#rrggbb`, or the terminal's own: `ansi_blue`,"
        " `ansi_bright_red`, `ansi_default`. With `ansi = true`, only the terminal's own colors are used.",
        "",
        "| Color | What it is for |",
        "| --- | --- |",
        *(f"| `{name}` | {words} |" for name, words in COLORS.items()),
        "",
        "Text stays readable: a color whose contrast with its background is below 4.5:1 is moved toward the"
        " foreground until it reaches that.",
        "",
        "### Single styles",
        "",
        "In `[variables]`, `transcript-NAME` replaces one style of the transcript. Its value is a style as"
        " [Rich](https://rich.readthedocs.io/en/stable/style.html) writes it: `bold #ffd479 on #202020`. The names:",
        "",
        *_in_lines(f"`{name.replace('.', '-')}`" for name in sorted(_names())),
        "",
        "Any [variable of Textual](https://textual.textualize.io/guide/design/#theme-variables) can be set,"
        " too. acp-tui sets these:",
        "",
        *_in_lines(f"`{name}`" for name in sorted(to_textual("night", _night()).variables)),
        "",
    ]
    return "\n".join(lines)


def _night() -> ThemeFile:
    return read_toml(shipped_themes() / "night.toml", ThemeFile)


def _names() -> list[str]:
    night = to_textual("night", _night())
    return list(palette.Palette.from_variables(night.variables).styles)


def _in_lines(words: Iterable[str]) -> list[str]:
    return [", ".join(words)]
