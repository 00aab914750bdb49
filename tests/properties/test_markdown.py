"""However a text is cut into chunks and whenever someone looks: the end is the same."""

from collections.abc import Iterator
from time import perf_counter

from hypothesis import given, settings
from hypothesis import strategies as st
from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.markdown.document import MarkdownDocument
from tests.examples import some_of

PALETTE = Palette.from_variables({})

PIECES = [
    "# Title", "## **b** #", "Setext\n===", "---", "***", "text", "more words in a line",
    "- item", "* [ ] task", "- [x] done", "1. one", "7) seven", "  - nested", "    deep", "> quote",
    "> - > both", ">", "-", "1.", "#", "```py\ndef f():\n\treturn 1", "```", "~~~", "   ```",
    "| a | b |", "|---|:-:|", "| 1 | 2 \\| 3 |", "|", "a | b\n- | -", "<div>", "<!-- note", "-->",
    "**bold", "*it*", "~~gone~~", "`code", "`` a`b ``", "[link](http://x.org)", "[ref]", "[ref][]",
    "![img](a.png)", "[ref]: http://r.org 'T'", "[^1]", "[^1]: note", "    indented code", "\\*", "&amp;",
    "https://x.org/a_b", "日本語テキスト", "👩‍👩‍👧", "🇩🇪🇫🇷", "e\u0301", "שלום", "\x1b[31mred", "\x1b]0;t\x07",
    "\r", "\x00", "a\tb", "hard  ", "back\\", "\tin", "   日本語テ", "[[[", "***x", "x" * 90,
]  # fmt: skip
markdown = st.lists(
    st.tuples(
        st.sampled_from(PIECES) | st.text(max_size=8), st.sampled_from(["\n", "\n\n", " ", ""])
    ),
    max_size=25,
).map(lambda parts: "".join(piece + end for piece, end in parts))


def drawn(document: MarkdownDocument, width: int) -> list[Strip]:
    while not document.lay_out(width, perf_counter()):
        pass
    return [document.strip(y, PALETTE) for y in range(document.height)]


def chunks(text: str, cuts: list[int]) -> Iterator[str]:
    at = 0
    for cut in sorted(cut % (len(text) + 1) for cut in cuts):
        yield text[at:cut]
        at = cut
    yield text[at:]


@settings(max_examples=some_of(200), deadline=None)
@given(
    text=markdown,
    cuts=st.lists(st.integers(min_value=0), max_size=12),
    looks=st.lists(st.sampled_from([0, 0, 1, 20, 60]), min_size=1),
    width=st.sampled_from([1, 7, 20, 42, 80]),
    keep_lines=st.booleans(),
)
def test_chunks_and_looks_leave_no_trace(
    text: str, cuts: list[int], looks: list[int], width: int, keep_lines: bool
) -> None:
    whole = MarkdownDocument(text, keep_lines=keep_lines)
    whole.finish()
    expected = drawn(whole, width)

    document = MarkdownDocument(keep_lines=keep_lines)
    for index, chunk in enumerate(chunks(text, cuts)):
        document.append(chunk)
        if look := looks[index % len(looks)]:
            for strip in drawn(document, look):
                assert strip.cell_length <= look
    document.finish()
    strips = drawn(document, width)

    assert [strip.text for strip in strips] == [strip.text for strip in expected]
    assert strips == expected
    for y, strip in enumerate(strips):
        assert strip.cell_length == Strip(list(strip)).cell_length <= width
        if width >= 7:
            assert document.plain(y) == strip.text
        document.code_block_at(y)
    if strips:
        assert document.source(0, len(strips) - 1) == whole.source(0, len(strips) - 1)


@settings(max_examples=some_of(150), deadline=None)
@given(text=markdown, width=st.sampled_from([20, 60]))
def test_lines_do_not_jump_while_text_arrives(text: str, width: int) -> None:
    document = MarkdownDocument()
    height = 0
    for char in text:
        document.append(char)
        drawn(document, width)
        assert document.height >= height - 2, text
        height = document.height
