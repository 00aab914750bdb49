"""Plain text, wrapped and cropped."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.theme import BUILTIN_THEMES

from acp_tui.text import clean_text
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.lines import Wrap
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines, crop_spans

PALETTE = Palette.from_variables(BUILTIN_THEMES["textual-dark"].to_color_system().generate())
FOREVER = float("inf")


def wrapped(text: str, width: int) -> list[str]:
    lines = TextLines(text)
    assert lines.lay_out(width, FOREVER)
    return [lines.plain(y) for y in range(lines.height)]


def test_text_is_wrapped_between_words() -> None:
    assert wrapped("one two three\n\nfour", 8) == ["one two", "three", "", "four"]


def test_a_word_that_is_too_long_is_cut() -> None:
    assert wrapped("abcdefghij kl", 4) == ["abcd", "efgh", "ij", "kl"]


def test_wide_and_joined_characters_are_not_split() -> None:
    family = "👩‍👩‍👧"
    assert wrapped(f"{family}{family}{family}", 4) == [family * 2, family]
    assert wrapped("日本語", 5) == ["日本", "語"]


def test_escapes_never_reach_a_line() -> None:
    assert wrapped("a\x1b[31mred\x1b[0m \x07b", 20) == ["ared ␇b"]


@given(st.text(st.sampled_from("ab 日\u0301👩‍\n\t"), max_size=60), st.integers(2, 12))
def test_no_line_is_wider_than_asked_and_no_letter_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(clean_text(text).split())


@given(st.text(max_size=40), st.integers(1, 30))
def test_a_strip_says_what_plain_says(text: str, width: int) -> None:
    lines = TextLines(text)
    lines.lay_out(width, FOREVER)
    for y in range(lines.height):
        assert lines.strip(y, PALETTE).text == lines.plain(y)


def test_what_has_a_mark_is_wrapped_beside_it() -> None:
    lines = TextLines("one two\nthree four", mark="☐ ")
    lines.lay_out(9, FOREVER)
    shown = [lines.plain(y) for y in range(lines.height)]
    assert shown == ["☐ one two", "  three", "  four"]
    assert [lines.wrap_at(y) for y in range(3)] == [None, None, Wrap(2, " ")]
    assert lines.source(0, 2) == "☐ one two\nthree four"


def test_a_huge_line_is_wrapped_in_slices() -> None:
    lines = TextLines("x" * 4_000_000)
    heights = [0]
    while not lines.lay_out(80, 0.0):  # out of time: as little as goes at once
        heights.append(lines.height)
    assert len(heights) > 150
    assert max(after - before for before, after in pairwise(heights)) < 1000
    assert lines.plain(100) == "x" * 80


def test_a_head_crops_its_beginning_to_keep_its_end() -> None:
    head = LineHead(lambda: [StyledSpan("a very long title indeed")], lambda: [StyledSpan(" ✓ 3s")])
    head.lay_out(16, FOREVER)
    assert head.plain(0) == "a very lon… ✓ 3s"


def test_cropped_spans_keep_their_styles() -> None:
    assert crop_spans([StyledSpan("abc", "error"), StyledSpan("def")], 5) == [
        StyledSpan("abc", "error"),
        StyledSpan("d…"),
    ]
