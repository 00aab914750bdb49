"""Lines to JSON-RPC messages and back."""

from math import inf
from typing import Any

import pytest

from acp_tui.protocol.json_decoder import LONGEST_LINE
from acp_tui.protocol.jsonrpc import (
    Error,
    ErrorCode,
    Failure,
    Malformed,
    Message,
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
    assert both.error.words == 'no (-1), beside the result {"a": 1}'
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
