"""How much memory a text takes that was read and laid out, and that it is all still there."""

import tracemalloc
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cached_cell_len

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.markdown.document import PAGE, MarkdownDocument, Pages

PALETTE = Palette.from_variables({})
SIZE = 120_000

SHAPES = {
    "paragraphs": "A short paragraph, number {n}, says little.\n\n",
    "emoji": "Fine ✅ and quick 🚀, says number {n}.\n\n",
    "list": "- item **{n}** of the list\n",
    "numbered list": "{n}. one of many items, all of them in order\n",
    "code": "```python\nvalue_{n} = compute({n}, 'text')  # note\n```\n\n",
    "tables": "| name | value {n} |\n|---|--:|\n| one of many | {n} |\n\n",
    "references": "see [the label {n}][l{n}] and [this one {n}] of many\n\n",
}


def laid_out(text: str) -> MarkdownDocument:
    document = MarkdownDocument()
    for at in range(0, len(text), 2000):
        document.append(text[at : at + 2000])
        document.lay_out(80, perf_counter() + 60)
    document.finish()
    document.lay_out(80, perf_counter() + 60)
    return document


def held(text: str) -> int:
    """Bytes that are held when a text was laid out; it is still all there."""
    tracemalloc.start()
    try:
        document = laid_out(text)
        cached_cell_len.cache_clear()
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert document.source(0, document.height - 1).strip() == text.strip()
    return size


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_more_text_takes_at_most_three_times_its_size(shape: str) -> None:
    count = SIZE // len(SHAPES[shape])
    text = "".join([SHAPES[shape].format(n=n) for n in range(count)])
    more = "".join([SHAPES[shape].format(n=n) for n in range(count, 2 * count)])
    held(text)  # fills what is kept of the lines drawn last
    assert held(text + more) - held(text) < 3 * len(more.encode())


@pytest.mark.slow
def test_what_was_drawn_for_one_message_makes_room_for_the_next() -> None:
    documents = [laid_out(f"Message **{n}** says `little`.\n\n- one\n- two\n") for n in range(500)]
    for document in documents:
        for y in range(document.height):
            document.strip(y, PALETTE)
    tracemalloc.start()
    try:
        for document in documents:
            for y in range(document.height):
                document.strip(y, PALETTE)
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 8_000_000


@given(
    pieces=st.lists(st.text() | st.sampled_from(["x" * PAGE, "é" * (PAGE - 1), "👍" * PAGE])),
    cuts=st.tuples(st.integers(min_value=0), st.integers(min_value=0)),
)
def test_any_part_of_a_text_is_found_again(pieces: list[str], cuts: tuple[int, int]) -> None:
    pages = Pages()
    for piece in pieces:
        pages.append(piece.encode("utf-8", "replace").decode())
    text = "".join(piece.encode("utf-8", "replace").decode() for piece in pieces)
    start, end = sorted(cut % (len(text) + 1) for cut in cuts)
    assert pages.slice(start, end) == text[start:end]
    assert pages.read_line(start, PAGE) == _line(text[start:], PAGE)


def _line(text: str, most: int) -> tuple[str, bool]:
    end = text.find("\n", 0, most + 1)
    return (text[:end], True) if end >= 0 else (text[:most], False)
