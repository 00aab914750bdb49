"""Comparing lines: right for any text, readable for usual ones, bounded for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.edits.line_diff import (
    LINES_AT_ONCE,
    DiffBlock,
    compare_lines,
    describe_line_end_changes,
    estimate_counts,
    ignores_line_ends,
    is_dos,
    line_ends_of,
)
from acp_tui.edits.steps import finish_steps

MANY = 50_000
LINES = st.lists(st.sampled_from("abcdefg"), max_size=30)


def changes(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """The lines that are removed and added."""
    blocks = [block for block in finish_steps(compare_lines(old, new)) if not block.same]
    removed = [line for block in blocks for line in old[block.old_start : block.old_end]]
    return removed, [line for block in blocks for line in new[block.new_start : block.new_end]]


@given(LINES, LINES)
def test_blocks_make_up_both_sides(old: list[str], new: list[str]) -> None:
    i = j = 0
    before = None
    for block in finish_steps(compare_lines(old, new)):
        assert (block.old_start, block.new_start) == (i, j)
        assert block.same is not before
        if block.same:
            assert old[i : block.old_end] == new[j : block.new_end]
        i, j, before = block.old_end, block.new_end, block.same
    assert (i, j) == (len(old), len(new))


@given(LINES)
def test_equal_texts_have_no_changes(lines: list[str]) -> None:
    blocks = finish_steps(compare_lines(lines, list(lines)))
    assert (blocks.added, blocks.removed) == (0, 0)


@given(LINES, st.integers(0, 30), LINES)
def test_an_insertion_is_just_that(lines: list[str], at: int, more: list[str]) -> None:
    new = lines[:at] + more + lines[at:]
    blocks = finish_steps(compare_lines(lines, new))
    assert (blocks.added, blocks.removed) == (len(more), 0)


def test_a_new_function_does_not_tear_its_neighbors_apart() -> None:
    old = ["def a():", "    pass", "", "def c():", "    pass", ""]
    new = ["def a():", "    pass", "", "def b():", "    pass", "", "def c():", "    pass", ""]
    assert changes(old, new) == ([], ["def b():", "    pass", ""])


def test_lines_without_one_of_their_own_get_the_fewest_edits() -> None:
    assert changes(list("ababab"), list("abaab")) == (["b"], [])


def test_many_repeated_lines_are_replaced_rather_than_searched_for_ever() -> None:
    old = [str(7 * i % 13) for i in range(MANY)]
    new = [str(5 * i % 13) for i in range(MANY)]
    steps = sum(1 for _ in compare_lines(old, new))
    assert steps < MANY
    blocks = list(finish_steps(compare_lines(old, new)))
    assert blocks[-1].old_end == blocks[-1].new_end == MANY


@pytest.mark.slow
def test_every_second_line_of_many_changed() -> None:
    old = [f"line {i}" for i in range(2 * MANY)]
    new = [line if i % 2 else f"{line} changed" for i, line in enumerate(old)]
    blocks = finish_steps(compare_lines(old, new))
    assert (blocks.added, blocks.removed) == (MANY, MANY)


def test_an_estimate_sees_what_is_new_and_gone_but_not_what_moved() -> None:
    assert estimate_counts(["a", "b", "c"], ["c", "a", "d", "d"]) == (2, 1)


def test_one_block_for_a_new_file() -> None:
    assert list(finish_steps(compare_lines([], ["a", "b"]))) == [DiffBlock(False, 0, 0, 0, 2)]


def test_many_equal_lines_around_a_change_are_left_out_of_it() -> None:
    same = [f"{at}" for at in range(3 * LINES_AT_ONCE)]
    old, new = [*same, "old", *same], [*same, "new", *same]
    assert changes(old, new) == (["old"], ["new"])


def test_many_lines_of_their_own_keep_their_places_among_others() -> None:
    anchors = [f"{at}" for at in range(2 * LINES_AT_ONCE)]
    old = [line for one in anchors for line in (one, "old")]
    new = ["first", *(line for one in anchors for line in (one, "new"))]
    removed, added = changes(old, new)
    assert set(removed) == {"old"}
    assert set(added) == {"first", "new"}


LF = "a\nb\nc\nd\ne\n"
CRLF = LF.replace("\n", "\r\n")
MIXED = CRLF.replace("\r\n", "\n", 1)
BOM = "\ufeff"


@pytest.mark.parametrize(
    ("old", "new", "note", "hidden"),
    [
        (LF, LF, "", False),
        (LF, CRLF, "line ends: LF to CRLF", True),
        ("a\rb\r", "a\nb\n", "line ends: CR to LF", True),
        ("a\r\nb\r\n", "a\rb\r", "line ends: CRLF to CR", True),
        (CRLF, LF, "line ends: CRLF to LF", True),
        ("a\n", "a\r\n", "line ends: LF to CRLF", False),
        (CRLF, MIXED, "line ends: CRLF to mixed", False),
        (MIXED, LF, "line ends: mixed to LF", True),
        (LF, BOM + LF, "BOM added", True),
        (BOM + CRLF, LF, "line ends: CRLF to LF, BOM removed", True),
        (None, CRLF, "", False),
        (CRLF, "", "", False),
        ("a", "a\r\n", "", False),
    ],
)
def test_what_changes_apart_from_the_words_is_named(
    old: str | None, new: str, note: str, hidden: bool
) -> None:
    assert describe_line_end_changes(old, new) == note
    assert ignores_line_ends(old, new) is hidden


def test_line_ends_have_names() -> None:
    assert [line_ends_of(one) for one in ("a", LF, CRLF, MIXED)] == ["", "LF", "CRLF", "mixed"]
    assert is_dos(CRLF)
    assert not is_dos(MIXED)
    assert not is_dos("a\r\nb\r"), "a carriage return alone ends nothing"
