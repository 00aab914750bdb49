"""JSON on several lines, put together."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.jsonrpc import LinePart, Multiline

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


def fed(*lines: bytes) -> list[LinePart | None]:
    put_together = Multiline()
    return [put_together.feed(line) for line in lines]


def lines_of(value: Any, indent: int = 2) -> list[bytes]:
    return json.dumps(value, indent=indent).encode().split(b"\n")


@given(st.dictionaries(st.text(max_size=4), json_values, min_size=1), st.sampled_from([0, 1, 2, 8]))
def test_whatever_is_printed_prettily_is_one_object(value: dict[str, Any], indent: int) -> None:
    lines = lines_of(value, indent)
    *parts, last = fed(*lines)
    assert [part and part.line for part in parts] == list(range(1, len(lines)))
    assert last is not None
    assert (last.line, last.value) == (len(lines), value)
    assert json.loads(last.joined) == value


@given(st.lists(st.sampled_from([b"{", b"}", b'"a": 1,', b"[", b"]", b"npm", b'"', b"}{"])))
def test_no_order_of_lines_breaks_it(lines: list[bytes]) -> None:
    put_together = Multiline()
    for line in lines:
        part = put_together.feed(line)
        assert put_together.is_open == (part is not None and part.value is None)


@pytest.mark.parametrize(
    "lines",
    [
        [b"npm warn"],
        [b"{ starting up"],
        [b'{"level": "info"}'],
        [b"["],
        [b"}"],
        [b'{"unclosed'],
    ],
)
def test_what_does_not_go_on_stands_alone(lines: list[bytes]) -> None:
    assert fed(*lines) == [None]


def test_what_is_no_json_in_the_end_was_so_many_lines() -> None:
    assert [part and part.line for part in fed(b"{", b'"a" 1', b"}", b"}")] == [1, 2, None, None]


def test_another_object_may_begin_where_one_does_not_go_on() -> None:
    first, second, broken, third, last = fed(b"{", b'"a":', b"{ no", b"{", b"}")
    assert [one and one.line for one in (first, second, broken, third)] == [1, 2, None, 1]
    assert last == LinePart(2, {}, b"{ }")


def test_a_byte_order_mark_before_it_is_passed_over() -> None:
    assert fed(b"\xef\xbb\xbf{", b"}")[1] == LinePart(2, {}, b"{ }")


def test_the_very_last_line_can_end_an_object_but_not_begin_one() -> None:
    put_together = Multiline()
    assert put_together.feed(b"{", is_last=True) is None
    put_together.feed(b"{")
    assert put_together.feed(b"}", is_last=True) == LinePart(2, {}, b"{ }")


def test_no_more_is_held_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonrpc, "MOST_BYTES", 20)
    assert fed(b"{", b'"a": "' + b"x" * 20 + b'"', b"}") == [LinePart(1), None, None]
    monkeypatch.setattr(jsonrpc, "MOST_LINES", 3)
    assert fed(b"{", b"[", b"]", b"}") == [LinePart(1), LinePart(2), LinePart(3), None]
