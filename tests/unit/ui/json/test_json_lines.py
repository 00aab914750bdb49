"""JSON as it is read: an idea of it in one line, or all of it with colors."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_tui.ui.json.json_lines import MOST_ROWS, JsonLines
from tests.unit.ui.lines.drive import (
    PALETTE,
    assert_little_at_once,
    assert_little_taken,
    laid_out,
    styles_of,
)

VALUE = {"command": "ls -la", "env": {}, "tries": [1, 2.5, None, True]}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=15,
)


def opened(value: Any, width: int = 60) -> list[str]:
    return laid_out(JsonLines(value, folded=False), width)


def folded(value: Any, width: int = 60) -> list[str]:
    return laid_out(JsonLines(value), width)


def test_a_value_is_set_out_in_lines() -> None:
    assert (
        opened(VALUE) == json.dumps(VALUE | {"tries": [1, 2.5, None, True]}, indent=2).splitlines()
    )


def test_folded_it_is_one_line() -> None:
    assert folded(VALUE, 80) == [json.dumps(VALUE)]
    assert folded(VALUE, 20) == ['{"command": "ls -la…']


def test_brief_it_is_one_row_only_where_all_of_it_fits() -> None:
    row = json.dumps(VALUE)
    brief = JsonLines(VALUE, folded=False, brief=True)
    assert laid_out(brief, len(row)) == [row]
    assert laid_out(brief, len(row) - 1) == opened(VALUE, len(row) - 1)


@pytest.mark.parametrize("width", range(12, 40))
def test_a_comma_is_never_alone_in_a_row(width: int) -> None:
    rows = opened({"sessionUpdate": "agent_message_chunk", "n": 1}, width)
    assert "," not in [row.strip() for row in rows]
    assert max(map(len, rows)) <= width
    assert "".join(row.strip() for row in rows).replace(" ", "").startswith('{"sessionUpdate":')


def test_text_of_several_lines_is_shown_as_such() -> None:
    assert opened({"content": 'def f():\n\treturn "x"\n', "n": 1}) == [
        "{",
        '  "content":',
        "    │ def f():",
        '    │     return "x"',
        "    │",
        '  "n": 1',
        "}",
    ]
    assert folded({"content": "a\nb"}) == ['{"content": "a\\nb"}']


def test_kinds_of_values_look_different() -> None:
    lines = JsonLines(VALUE, folded=False)
    laid_out(lines, 60)
    assert styles_of(lines, 1, "command")[0] == PALETTE["token.name.tag"]
    assert styles_of(lines, 1, "ls -la")[0] == PALETTE["token.literal.string"]
    assert styles_of(lines, 4, "1")[0] == PALETTE["token.literal.number"]
    assert styles_of(lines, 6, "null")[0] == PALETTE["token.keyword"]


def test_long_lines_wrap_within_their_indent() -> None:
    assert opened({"key": "x" * 40}, 30) == [
        "{",
        '  "key": "' + "x" * 20,
        "  " + "x" * 20 + '"',
        "}",
    ]


def test_escapes_are_seen() -> None:
    assert opened({"a": "\x1b[31m"}) == ["{", '  "a": "\\u001b[31m"', "}"]
    assert opened("one\n\x1b]0;evil\x07two") == ["  │ one", "  │ ␛]0;evil␇two"]


def test_the_source_is_the_whole_value() -> None:
    value = {"text": "line\n" * 10_000, "numbers": list(range(5000))}
    for lines in (JsonLines(value), JsonLines(value, folded=False)):
        laid_out(lines, 60)
        assert json.loads(lines.source(0, lines.height - 1)) == value


def test_part_of_it_is_copied_as_it_is_drawn() -> None:
    lines = JsonLines(VALUE, folded=False)
    laid_out(lines, 60)
    assert lines.source(1, 2) == '  "command": "ls -la",\n  "env": {},'


def test_a_long_value_is_cut_and_says_so() -> None:
    texts = opened(list(range(10_000)))
    assert len(texts) == MOST_ROWS + 1
    assert texts[-1] == "… more (the first 2,000 lines are shown)"


def test_a_string_of_twelve_megabytes_holds_nobody_up() -> None:
    for value in ({"a": "x" * 12_000_000}, "x" * 12_000_000):
        assert_little_taken(JsonLines(value), 80)
        assert_little_taken(JsonLines(value, folded=False), 80)
        assert_little_at_once(JsonLines(value), 80)
        lines = JsonLines(value, folded=False)
        assert_little_at_once(lines, 80)
        assert "…11,996,000morecharacters" in "".join(laid_out(lines, 80)).replace(" ", "")


def test_a_string_of_six_million_lines_holds_nobody_up() -> None:
    lines = JsonLines(["x\n" * 6_000_000], folded=False)
    assert_little_at_once(lines, 80)
    assert laid_out(lines, 80)[-1].startswith("… more")


def test_a_list_of_a_million_holds_nobody_up() -> None:
    value = list(range(1_000_000))
    assert_little_at_once(JsonLines(value, folded=False), 80)
    assert folded(value, 20) == ["[0, 1, 2, 3, 4, 5, …"]


def test_a_value_nested_deeper_than_the_stack() -> None:
    value: list[Any] = []
    for _ in range(50_000):
        value = [value]
    assert folded(value, 20) == ["[" * 19 + "…"]
    assert len(opened(value)) == MOST_ROWS + 1


def test_a_number_too_long_to_write() -> None:
    assert opened(10**10_000) == ["a number of 33,220 bits"]


@settings(deadline=None)
@given(VALUES, st.integers(20, 100))
def test_any_value_at_any_width(value: Any, width: int) -> None:
    assert len(folded(value, width)) == 1
    lines = JsonLines(value, folded=False)
    drawn = laid_out(lines, width)
    laid_out(lines, 300)
    assert laid_out(lines, width) == drawn


def test_a_wrapped_line_of_a_text_goes_on_deeper_beside_the_bar() -> None:
    rows = opened({"text": "    return one_value + another_value\nshort"}, 30)
    assert rows[1:-1] == [
        '  "text":',
        "    │     return one_value +",
        "    │       another_value",
        "    │ short",
    ]


@pytest.mark.parametrize("width", range(8, 30))
def test_a_wrapped_text_of_several_lines_is_all_there_and_never_too_wide(width: int) -> None:
    rows = opened("  one two 漢字漢字 three\nfour", width)
    assert max(map(cell_len, rows)) <= width
    assert "".join("".join(rows).replace("│", "").split()) == "onetwo漢字漢字threefour"
