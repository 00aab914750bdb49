"""Lines to JSON-RPC messages and back."""

import json
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.json_decoder import LONGEST_LINE
from acp_tui.protocol.jsonrpc import (
    Error,
    ErrorCode,
    Failure,
    LinePart,
    Malformed,
    Message,
    Multiline,
    Notification,
    Request,
    Response,
    encode,
    parse,
)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id":0,"method":"m"}', Request(0, "m")),
        (b'{"id":"a","method":"m","params":[]}', Request("a", "m", [])),
        (b'{"id":null,"method":"m"}', Request(None, "m")),
        (b'{"id":1.5,"method":"m"}', Request(1.5, "m")),
        (b'{"method":"m","params":{}}', Notification("m", {})),
        (b'{"id":1,"result":null}', Response(1, None)),
        (b'{"id":1,"result":{},"error":null}', Response(1, {})),
        (b'{"id":1,"error":{"code":-1,"message":"no"}}', Failure(1, Error(-1, "no"))),
        (b'{"error":{"code":-1,"message":"no"}}', Failure(None, Error(-1, "no"))),
        (
            b'{"id":1,"error":"broken"}',
            Failure(1, Error(ErrorCode.INTERNAL_ERROR, "broken")),
        ),
        (
            b'{"id":1,"error":{"code":"x","data":7}}',
            Failure(1, Error(ErrorCode.INTERNAL_ERROR, "(the error has no message)", 7)),
        ),
        (b'{"method":"m\xff"}', Notification("m\ufffd")),
        (b'\xef\xbb\xbf {"method":"m"}', Notification("m")),
        (b'{"id":1,"error":{"code":-7.0,"message":"no"}}', Failure(1, Error(-7, "no"))),
        (b'{"method":"m","params":[%b]}' % (b"9" * 5000), Notification("m", [inf])),
    ],
)
def test_messages_are_told_apart(line: bytes, message: Message) -> None:
    assert parse(line) == message


@pytest.mark.parametrize(
    ("line", "reason", "wants_answer"),
    [
        (b"npm WARN deprecated", "not JSON", False),
        (b"5 warnings", "not JSON", False),
        (b'{"method" "m"}', "not JSON from character 11 on", False),
        (b'{"method":"m"} and more', "more after the JSON, from character 16 on", False),
        (b"\xef\xbb\xbf", "nothing but a byte order mark", False),
        (b"caf\xe9", "not UTF-8: byte 0xe9 at 3", False),
        (b"\xff\xfe{\0", "UTF-16 instead of UTF-8", False),
        (b"[" * 100_000, "nested deeper than the 200 levels", True),
        (b'["\\ud800",%b' % (b"[" * 300), "not JSON from character 311 on", False),
        (b'["\\ud800",%b]' % (b"[" * 300 + b"]" * 300), "nested deeper than the 200 levels", True),
        (b'["\\ud800",%b]' % (b"[" * 30_000 + b"]" * 30_000), "nested deeper than the 200", True),
        (b"[%b0]" % (b"[]," * 500_000), "more than the 500,000 arrays and objects", True),
        (b"x" * (LONGEST_LINE + 1), "longer than the 16 MiB", True),
        (b"[" * 200 + b"]" * 200, "a batch", True),
        (b"null", "a bare null", False),
        (b'"text"', "a bare string", False),
        (b"true", "a bare boolean", False),
        (b"12", "a bare number", False),
        (b"[]", "a batch", True),
        (b'{"method":5,"id":1}', "the method is not a string", True),
        (b'{"method":5}', "the method is not a string", False),
        (b'{"method":"m","id":true}', "the id is neither", True),
        (b'{"method":"m","id":1e999}', "the id is neither", True),
        (b'{"id":[],"result":1}', "the id is neither", False),
        (b'{"id":1,"time":2}', "neither a request", False),
        (b'{"result":1}', "neither a request", False),
        (b"{}", "neither a request", False),
    ],
)
def test_all_else_is_malformed_and_says_why(line: bytes, reason: str, wants_answer: bool) -> None:
    message = parse(line)
    assert isinstance(message, Malformed)
    assert reason in message.reason
    assert message.wants_answer is wants_answer


def test_space_around_a_message_is_none_of_it() -> None:
    assert parse(b' {"method":"m"}\t ') == Notification("m", None)
    assert parse(b'{"method":"m"} ') == Notification("m", None)


def test_a_line_holds_nothing_that_a_reader_could_cut_at() -> None:
    line = encode(Notification("m", {"text": "a\nb\x85c\u2028d\u2029e"}))
    assert (
        line == b'{"jsonrpc":"2.0","method":"m","params":{"text":"a\\nb\\u0085c\\u2028d\\u2029e"}}'
    )


def test_an_id_that_is_no_text_goes_back_as_it_came() -> None:
    request = parse(b'{"id":"\\ud800","method":"m"}')
    assert isinstance(request, Request)
    assert encode(Response(request.id, {})) == b'{"jsonrpc":"2.0","id":"\\ud800","result":{}}'


def test_an_error_is_told_in_json_not_in_python() -> None:
    told = Error(ErrorCode.INTERNAL_ERROR, "no", {"why": ["é", None, True]}).words
    assert told == 'no (-32603): {"why": ["é", null, true]}'
    assert Error(-1, "no").words == "no (-1)"
    assert parse(b'{"id":1,"error":[null]}') == Failure(
        1, Error(ErrorCode.INTERNAL_ERROR, "[null]")
    )


def test_an_answer_with_both_or_neither_is_an_error_that_says_so() -> None:
    both = parse(b'{"id":1,"result":{"a":1},"error":{"code":-1,"message":"no"}}')
    assert both == Failure(1, Error(-1, "no", None, {"a": 1}))
    assert both.error.words == 'no (-1), with the result {"a": 1}'
    assert parse(b'{"id":1,"result":1,"error":"no"}') == Failure(1, Error(-32603, "no", None, 1))
    neither = Failure(1, Error(-32603, "a response with neither a result nor an error"))
    assert parse(b'{"jsonrpc":"2.0","id":1}') == neither
    assert parse(b'{"jsonrpc":"2.0","id":1,"error":null}') == neither


def test_an_error_is_written_with_its_data_only_when_there_is_some() -> None:
    plain = encode(Failure(1, Error(ErrorCode.INTERNAL_ERROR, "no")))
    assert plain == b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}'
    assert b'"data":{"why":1}' in encode(Failure(1, Error(-1, "no", {"why": 1})))


def test_a_request_without_params_has_none() -> None:
    assert encode(Request("a", "logout")) == b'{"jsonrpc":"2.0","id":"a","method":"logout"}'


def test_a_null_beside_a_result_or_an_error_hides_neither() -> None:
    assert parse(b'{"id":1,"result":{},"error":null}') == Response(1, {})
    error = b'{"id":1,"result":null,"error":{"code":-32603,"message":"no"}}'
    assert parse(error) == Failure(1, Error(-32603, "no"))


def test_errors_are_the_same_by_all_that_they_say() -> None:
    error = Error(1, "no", {"a": [1]})
    assert error == Error(1, "no", {"a": [1]})
    assert error != Error(1, "no", {"a": [2]})
    assert len({Error(1, "no"), Error(1, "no"), Error(2, "no")}) == 2


@pytest.mark.parametrize(
    ("data", "details"),
    [
        (None, ""),
        ("a\nb", "a\nb"),
        ({"details": 'a "b"\nc'}, 'a "b"\nc'),
        ({"details": 1}, '{"details": 1}'),
        ({"sessionId": "s"}, '{"sessionId": "s"}'),
        ({"details": "a", "more": "b"}, '{"details": "a", "more": "b"}'),
    ],
)
def test_what_came_with_an_error_is_told_as_text_where_it_is_one(data: Any, details: str) -> None:
    assert Error(-1, "no", data).details == details


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
