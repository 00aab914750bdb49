"""Writes the pages of docs/ that are made from code: python -m tests.pages"""

from collections.abc import Callable
from pathlib import Path

from acp_tui.config.settings_table import all_settings
from acp_tui.config.settings_text import toml_value
from tests.check_page import check_page
from tests.findings_page import findings_page
from tests.keys_page import keys_page
from tests.themes_page import themes_page

DOCS = Path(__file__).parents[1] / "docs"
BEGIN = "<!-- `make pages` writes what follows -->"
END = "<!-- end of the table -->"


def settings_page(page: str) -> str:
    """Return docs/settings.md with the table of all settings as the code has it."""
    lines = [
        "| Setting | What it may be | Default | What it does | A change holds | Variable | Option |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in all_settings():
        name = f"`{one.name}` \\*" if one.in_projects else f"`{one.name}`"
        default = "" if one.default in (None, "", [], {}) else f"`{toml_value(one.default)}`"
        variable = f"`{one.variable}`" if one.variable else ""
        flag = ", ".join(f"`{each}`" for each in one.flag.split(", ") if each)
        holds = one.takes_effect.replace("from now on", "at once")
        cells = (name, one.kind, default, one.words, holds, variable, flag)
        lines.append(f"| {' | '.join(cells)} |")
    before, _, rest = page.partition(BEGIN)
    table = "\n".join(lines)
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.partition(END)[2]}"


PAGES: dict[str, Callable[[str], str]] = {
    "check.md": lambda _: check_page(),
    "findings.md": lambda _: findings_page(),
    "keys.md": lambda _: keys_page(),
    "settings.md": lambda page: themes_page(settings_page(page)),
}
"""Each page, and what returns it as the code has it, given the page as it is."""


def main() -> None:
    """Write each page that differs, and print its name."""
    for name, make_page in PAGES.items():
        page = DOCS / name
        old = page.read_text("utf-8")
        if (new := make_page(old)) != old:
            page.write_text(new, "utf-8")
            print(f"docs/{name}")


if __name__ == "__main__":
    main()
