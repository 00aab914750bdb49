"""Heights against a plain list of numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.lines.lines import Heights

heights = st.lists(st.integers(0, 9), min_size=1, max_size=80)


def naive_lines(heights: list[int]) -> list[tuple[int, int]]:
    return [(index, line) for index, height in enumerate(heights) for line in range(height)]


@given(heights)
def test_every_line_is_found_where_a_list_of_lines_has_it(numbers: list[int]) -> None:
    tree = Heights(numbers)
    lines = naive_lines(numbers)
    assert tree.total == len(lines)
    assert [tree.locate(y) for y in range(tree.total)] == lines
    assert [tree.offset(index) for index in range(len(numbers) + 1)] == [
        sum(numbers[:index]) for index in range(len(numbers) + 1)
    ]


@given(heights, st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 9)), max_size=40))
def test_changes_and_additions_keep_all_sums_right(
    numbers: list[int], steps: list[tuple[int, int]]
) -> None:
    tree = Heights(numbers)
    expected = list(numbers)
    for at, height in steps:
        if at % 3 == 0:
            tree.append(height)
            expected.append(height)
        else:
            tree[at % len(expected)] = height
            expected[at % len(expected)] = height
    assert [tree[index] for index in range(len(tree))] == expected
    assert [tree.locate(y) for y in range(tree.total)] == naive_lines(expected)


@pytest.mark.parametrize("y", [-1, 3])
def test_a_line_outside_is_refused(y: int) -> None:
    with pytest.raises(IndexError, match="of 3"):
        Heights([1, 2]).locate(y)
