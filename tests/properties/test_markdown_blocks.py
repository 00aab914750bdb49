"""Reading line by line finds the blocks that markdown-it finds in the whole text."""

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from acp_tui.ui.markdown.blocks import BlockReader
from tests.examples import some_of

Block = tuple[str, str, str]
PARSER = MarkdownIt("commonmark").enable("table")

LINES = [
    "# h", "## b #", "===", "---", "***", "text", "two words", "- item", "* x", "+ y", "1. one", "2. two",
    "10) z", "  - nest", "    deep", "      deeper", "> q", ">> qq", "> - both", ">", "-", "1.", "#",
    "```py", "```", "~~~", "   ```", "| a | b |", "|---|--|", "| 1 | 2 |", "<div>", "<!-- c", "-->",
    "</div>", "<b>x</b>", "", "", "", "\tt", "-\tt", "  para", "   - it", "1.  x\n    y", "-   a\n\n        x",
]  # fmt: skip
OPENS = {"blockquote_open": "quote", "list_item_open": "item"}


def trimmed(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip("\n").split("\n")).strip()


def found_by_markdown_it(text: str) -> list[Block]:
    found: list[Block] = []
    path: list[str] = []
    tokens = PARSER.parse(text)
    for index, token in enumerate(tokens):
        around = " ".join(path)
        if token.type in OPENS:
            path.append(OPENS[token.type])
        elif token.type in ("blockquote_close", "list_item_close"):
            path.pop()
        elif token.type == "paragraph_open":
            found.append(("paragraph", around, trimmed(tokens[index + 1].content)))
        elif token.type == "heading_open":
            found.append(("heading" + token.tag[1], around, trimmed(tokens[index + 1].content)))
        elif token.type in ("fence", "code_block"):
            found.append(("code", around, trimmed(token.content)))
        elif token.type == "html_block":
            found.append(("html", around, trimmed(token.content)))
        elif token.type == "hr":
            found.append(("rule", around, ""))
        elif token.type == "table_open":
            found.append(("table", around, ""))
    return found


def found_line_by_line(text: str) -> list[Block]:
    blocks, at = BlockReader(), 0
    for line in text.split("\n"):
        blocks.read_line(line, at, at + len(line) + 1)
        at += len(line) + 1
    blocks.close()
    return [
        (
            leaf.kind + (str(leaf.level) if leaf.level else ""),
            " ".join(container.kind for container in leaf.path),
            "" if leaf.kind in ("table", "rule") else trimmed(leaf.text),
        )
        for leaf in blocks.leaves
        if leaf.kind != "empty"
    ]


@settings(max_examples=some_of(400), deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=8).map("\n".join))
def test_blocks_are_those_of_commonmark(text: str) -> None:
    assert found_line_by_line(text) == found_by_markdown_it(text)
