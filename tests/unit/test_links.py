"""The links of the documents lead somewhere, and the pages stay few and readable."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "examples").glob("**/*.md")),
]
LONGEST_CELL = 200
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)")


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub derives them."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    dead = []
    for path, anchor in LINK.findall(FENCED.sub("", page.read_text("utf-8"))):
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(f"{path}#{anchor}")
    assert dead == []


def test_code_names_pages_that_exist() -> None:
    """Help, errors and comments refer to pages by their paths."""
    files = [*(ROOT / "acp_tui").rglob("*.py"), *(ROOT / "tests" / "unit").rglob("*.py")]
    named = {
        name for file in files for name in re.findall(r"docs/\w+\.md", file.read_text("utf-8"))
    }
    assert len(named) >= 5
    assert [one for one in sorted(named) if not (ROOT / one).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_tables_can_be_read(page: Path) -> None:
    rows = re.findall(r"^\|(.*)\|$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    cells = [cell.strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)]
    assert [cell for cell in cells if len(cell) > LONGEST_CELL] == []
