"""The palette: styles of the transcript by role name, made from a theme."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pygments.token import _TokenType as TokenType
from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError

from acp_tui.ui.colors.contrast import TEXT, contrast_of


@dataclass(frozen=True, eq=False, slots=True)
class Palette:
    """The styles of a theme by role name; equal only to itself, so caches can use it as a key."""

    styles: Mapping[str, Style]
    dark: bool = True
    ansi: bool = False
    _tokens: dict[TokenType, Style] = field(default_factory=dict, repr=False)
    _combined: dict[tuple[str | TokenType, ...], Style] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Style:
        return self.styles[name]

    def token(self, kind: TokenType) -> Style:
        """Return the style of a Pygments token type, or of its nearest ancestor that has one."""
        style = self._tokens.get(kind)
        if style is None:
            style = self._tokens[kind] = self._nearest(kind)
        return style

    def combined(self, roles: tuple[str | TokenType, ...]) -> Style:
        """Return the text style with the styles of several roles on top of each other."""
        style = self._combined.get(roles)
        if style is None:
            style = self.styles["text"]
            for role in roles:
                style += self.styles[role] if isinstance(role, str) else self.token(role)
            self._combined[roles] = style
        return style

    def _nearest(self, kind: TokenType) -> Style:
        at: TokenType | None = kind
        while at is not None:
            style = self.styles.get(str(at).lower())
            if style is not None:
                return style
            at = at.parent
        return Style.null()

    @classmethod
    def of(cls, app: App[Any]) -> "Palette":
        """Return the palette of an app's current theme: the same object for all its views."""
        variables = tuple(app.theme_variables.items())
        return _shared(variables, app.current_theme.dark, app.native_ansi_color)

    @classmethod
    def from_variables(
        cls, variables: Mapping[str, str], dark: bool = True, ansi: bool = False
    ) -> "Palette":
        """Create a palette from the variables of a Textual theme.

        `ansi` uses only the terminal's own 16 colors. A variable `transcript-NAME` with a Rich
        style (dashes for dots, as in `transcript-code-inline`) replaces the style NAME.
        """
        styles = _ansi_styles() if ansi else _color_styles(_Colors(variables))
        for name in styles:
            own = variables.get("transcript-" + name.replace(".", "-"))
            if own is not None:
                styles[name] = Style.parse(own)
        return cls(styles, dark, ansi)


@lru_cache(maxsize=8)
def _shared(variables: tuple[tuple[str, str], ...], dark: bool, ansi: bool) -> Palette:
    return Palette.from_variables(dict(variables), dark, ansi)


class _Colors:
    """The colors of a theme, blended to opaque ones and kept readable."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self.background = self._parse_color("background", Color(18, 18, 18))
        self.foreground = self._parse_color("foreground", Color(224, 224, 224))

    def get(self, name: str) -> Color:
        """Return the color of a variable; the foreground if the theme doesn't define it."""
        color = self._parse_color(name, self.foreground)
        return self.background.blend(color, color.a, 1.0)

    def text(self, name: str, on: Color | None = None) -> Color:
        """Return the color of a variable, moved toward the foreground until it is readable."""
        return self.readable(self.get(name), on or self.background)

    def readable(self, color: Color, on: Color) -> Color:
        """Return the color itself if it is readable on `on`, else the nearest one that is."""
        end = self.foreground
        if contrast_of(end.rgb, on.rgb) < TEXT:
            ends = (Color(0, 0, 0), Color(255, 255, 255))
            end = max(ends, key=lambda one: contrast_of(one.rgb, on.rgb))
        for step in range(11):
            mixed = color.blend(end, step / 10, 1.0)
            if contrast_of(mixed.rgb, on.rgb) >= TEXT:
                return mixed
        return end

    def tint(self, name: str, share: float) -> Color:
        """Return the background mixed with a share of a variable's color."""
        return self.background.blend(self.get(name), share, 1.0)

    def muted(self, share: float, on: Color | None = None) -> Color:
        """Return a weaker foreground that is still readable."""
        mixed = self.background.blend(self.foreground, share, 1.0)
        return self.readable(mixed, on or self.background)

    @property
    def words_that_matter_less(self) -> Color:
        """The theme's color for less important words, else a weaker foreground."""
        return self.text("muted") if "muted" in self._variables else self.muted(0.62)

    def _parse_color(self, name: str, default: Color) -> Color:
        try:
            return Color.parse(self._variables[name])
        except (KeyError, ColorParseError):
            return default


def _color_styles(colors: _Colors) -> dict[str, Style]:
    """Return the styles in true color."""
    text = colors.foreground
    code = colors.tint("foreground", 0.06)
    added, removed = colors.tint("success", 0.16), colors.tint("error", 0.18)
    added_word, removed_word = colors.tint("success", 0.38), colors.tint("error", 0.42)
    found, current = colors.tint("warning", 0.35), colors.get("warning")
    chosen, own = colors.tint("primary", 0.5), colors.tint("primary", 0.1)
    shown = colors.tint("primary", 0.25)
    added_shown, removed_shown = (one.blend(shown, 0.3, 1.0) for one in (added_word, removed_word))

    def named(name: str, on: Color | None = None) -> Color:
        return colors.text(name, on)

    def style(color: Color, on: Color | None = None, look: str = "") -> Style:
        return Style.parse(look) + Style(
            color=color.rich_color, bgcolor=on.rich_color if on else None
        )

    muted = colors.words_that_matter_less
    return {
        "text": style(text),
        "muted": style(muted),
        "heading1": style(text, look="bold underline"),
        "heading2": style(named("primary"), look="bold"),
        "heading3": style(named("accent"), look="bold italic"),
        "heading4": style(text, look="underline"),
        "heading5": style(text, look="italic"),
        "heading6": style(muted, look="italic underline"),
        "strong": Style.parse("bold"),
        "emphasis": Style.parse("italic"),
        "strike": Style.parse("strike"),
        "code.inline": style(named("accent", code), code),
        "code.block": style(text, code),
        "code.label": style(colors.muted(0.62, code), code, look="italic"),
        "code.continuation": style(colors.muted(0.5, code), code),
        "quote": style(colors.muted(0.8), look="italic"),
        "quote.bar": style(named("primary")),
        "list.marker": style(named("primary"), look="bold"),
        "task.done": style(named("success")),
        "task.open": style(named("warning")),
        "table.border": style(colors.muted(0.5)),
        "table.header": style(named("primary"), look="bold"),
        "link": style(named("primary"), look="underline"),
        "image": style(named("accent")),
        "rule": style(colors.muted(0.5)),
        "html": style(muted),
        "footnote": style(named("primary")),
        "diff.added": style(colors.readable(text, added), added),
        "diff.removed": style(colors.readable(text, removed), removed),
        "diff.added.word": style(colors.readable(text, added_word), added_word, look="bold"),
        "diff.removed.word": style(colors.readable(text, removed_word), removed_word, look="bold"),
        "diff.added.shown": style(colors.readable(text, added_shown), added_shown),
        "diff.removed.shown": style(colors.readable(text, removed_shown), removed_shown),
        "diff.hunk": style(named("secondary"), colors.tint("primary", 0.12)),
        "success": style(named("success")),
        "warning": style(named("warning")),
        "error": style(named("error"), look="bold"),
        "accent": style(named("accent")),
        "user": style(colors.readable(text, own), own),
        "user.bar": style(named("primary", own), own),
        "cursor": style(named("primary"), look="bold"),
        "below": style(colors.readable(text, chosen), chosen, look="bold"),
        "search.match": style(colors.readable(text, found), found),
        "search.current": style(colors.readable(text, current), current, look="bold"),
        "selection": style(colors.readable(text, chosen), chosen),
        "row.chosen": style(muted, look="reverse"),
        "row.shown": style(colors.readable(text, shown), shown),
        "token": style(text),
        "token.comment": style(colors.muted(0.55, code), look="italic"),
        "token.keyword": style(named("primary", code), look="bold"),
        "token.keyword.type": style(named("secondary", code)),
        "token.name.builtin": style(named("secondary", code)),
        "token.name.class": style(named("warning", code), look="bold"),
        "token.name.decorator": style(named("accent", code)),
        "token.name.exception": style(named("error", code)),
        "token.name.function": style(named("warning", code)),
        "token.name.tag": style(named("primary", code)),
        "token.name.attribute": style(named("accent", code)),
        "token.literal.number": style(named("accent", code)),
        "token.literal.string": style(named("success", code)),
        "token.literal.string.escape": style(named("accent", code), look="bold"),
        "token.operator.word": style(named("primary", code), look="bold"),
        "token.generic.heading": Style.parse("bold"),
        "token.generic.deleted": style(named("error", code)),
        "token.generic.inserted": style(named("success", code)),
        "token.error": style(named("error", code)),
    }


def _ansi_styles() -> dict[str, Style]:
    """Return the styles in the terminal's own 16 colors, whose appearance the terminal decides."""
    return {name: Style.parse(look) for name, look in _ANSI.items()}


_ANSI = {  # matches and selections must be visible without colors, too
    "text": "none",
    "muted": "dim",
    "heading1": "bold underline",
    "heading2": "bold blue",
    "heading3": "bold italic magenta",
    "heading4": "underline",
    "heading5": "italic",
    "heading6": "dim italic underline",
    "strong": "bold",
    "emphasis": "italic",
    "strike": "strike",
    "code.inline": "cyan",
    "code.block": "none",
    "code.label": "dim italic",
    "code.continuation": "dim",
    "quote": "italic",
    "quote.bar": "blue",
    "list.marker": "bold blue",
    "task.done": "green",
    "task.open": "yellow",
    "table.border": "dim",
    "table.header": "bold blue",
    "link": "underline blue",
    "image": "magenta",
    "rule": "dim",
    "html": "dim",
    "footnote": "blue",
    "diff.added": "green",
    "diff.removed": "red",
    "diff.added.word": "bold reverse green",
    "diff.removed.word": "bold reverse red",
    "diff.added.shown": "bold green",
    "diff.removed.shown": "bold red",
    "diff.hunk": "cyan",
    "success": "green",
    "warning": "yellow",
    "error": "bold red",
    "accent": "magenta",
    "user": "none",
    "user.bar": "blue",
    "cursor": "bold magenta",
    "below": "bold reverse",
    "search.match": "reverse yellow",
    "search.current": "bold underline reverse bright_yellow",
    "selection": "reverse",
    "row.chosen": "reverse",
    "row.shown": "bold",
    "token": "none",
    "token.comment": "dim italic",
    "token.keyword": "bold blue",
    "token.keyword.type": "cyan",
    "token.name.builtin": "cyan",
    "token.name.class": "bold yellow",
    "token.name.decorator": "magenta",
    "token.name.exception": "red",
    "token.name.function": "yellow",
    "token.name.tag": "blue",
    "token.name.attribute": "magenta",
    "token.literal.number": "magenta",
    "token.literal.string": "green",
    "token.literal.string.escape": "bold magenta",
    "token.operator.word": "bold blue",
    "token.generic.heading": "bold",
    "token.generic.deleted": "red",
    "token.generic.inserted": "green",
    "token.error": "red",
}
