"""Writes the pages of docs/ that are made from code: python -m tests.pages"""

from collections.abc import Callable
from pathlib import Path

from acp_tui.check.page import check_page
from acp_tui.config.settings_page import settings_page
from acp_tui.debug.lint.rules_page import findings_page
from acp_tui.ui.help.keys_page import keys_page
from acp_tui.ui.settings.themes_page import themes_page

DOCS = Path(__file__).parents[1] / "docs"
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
