"""Frames in, events out: matching both directions without I/O."""

import json
from typing import Any

import pytest

from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.frames import Direction, Flaw, Frame
from acp_tui.protocol.json_decoder import LONGEST_LINE
from acp_tui.protocol.jsonrpc import encode
from acp_tui.protocol.requests import ReadTextFileParams
from acp_tui.protocol.setup import Empty, NewSessionParams, NewSessionResult, PromptResult
from acp_tui.protocol.updates import AgentMessageChunk, SessionNotification
from acp_tui.protocol.wire_events import (
    Notified,
    Requested,
    Responded,
    Stray,
    Unreadable,
    WireEvent,
)

IN, OUT = Direction.IN, Direction.OUT


def take(
    connection: WireConnection, direction: Direction, body: Any, number: int = 1, **rest: Any
) -> WireEvent:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return connection.receive(Frame(direction, raw, 1.0, number, **rest))


def test_a_request_of_ours_is_matched_with_its_answer() -> None:
    connection = WireConnection()
    first = connection.request("session/new", NewSessionParams(cwd="/work"))
    second = connection.request("session/new", NewSessionParams(cwd="/work"))
    assert (first.id, second.id) == (0, 1)
    assert first.params == {"cwd": "/work", "mcpServers": []}
    asked = [connection.receive(Frame(OUT, b"", 1.0, n), m) for n, m in ((1, first), (2, second))]
    assert connection.pending(OUT) == asked
    answer = take(connection, IN, {"id": 1, "result": {"sessionId": "s"}})
    assert isinstance(answer, Responded)
    assert answer.request == asked[1]
    assert isinstance(answer.result, NewSessionResult)
    assert connection.pending(OUT) == [asked[0]]


def test_a_request_of_the_agent_waits_until_we_answer() -> None:
    connection = WireConnection()
    params = {"sessionId": "s", "path": "/a", "line": -1}
    request = take(connection, IN, {"id": 0, "method": "fs/read_text_file", "params": params})
    assert isinstance(request, Requested)
    assert isinstance(request.params, ReadTextFileParams)
    assert request.params.line is None  # a bad value counts as none
    assert connection.is_pending(request)
    assert connection.numbered(request.number) == request
    take(connection, OUT, {"id": 0, "error": {"code": -32002, "message": "no such file"}})
    assert not connection.is_pending(request)
    assert connection.numbered(request.number) is None


def test_the_text_1_is_not_the_number_1_and_both_sides_may_use_the_same_id() -> None:
    connection = WireConnection()
    take(connection, IN, {"id": 1, "method": "_x"})
    take(connection, OUT, {"id": 1, "method": "logout"}, 2)
    assert isinstance(take(connection, IN, {"id": "1", "result": {}}), Stray)
    assert isinstance(take(connection, IN, {"id": 1, "result": {}}), Responded)
    assert isinstance(take(connection, IN, {"id": 1, "result": {}}), Stray)
    assert len(connection.pending(IN)) == 1


def test_an_id_used_twice_is_answered_twice_in_the_order_of_the_requests() -> None:
    connection = WireConnection()
    first = take(connection, IN, {"id": 0, "method": "_x"}, 1)
    second = take(connection, IN, {"id": 0, "method": "_x"}, 2)
    third = take(connection, IN, {"id": 0, "method": "_x"}, 3)
    assert isinstance(first, Requested)
    assert isinstance(second, Requested)
    assert isinstance(third, Requested)
    take(connection, OUT, {"id": 0, "result": {}})
    assert not connection.is_pending(first)
    assert connection.is_pending(second)
    assert connection.with_id(0) == [2, 3]
    take(connection, OUT, {"id": 0, "result": {}})
    assert not connection.is_pending(second)
    assert connection.with_id(0) == [3]
    take(connection, OUT, {"id": 0, "result": {}})
    assert connection.with_id(0) == []


def test_the_agents_requests_that_wait_are_counted_with_their_bytes() -> None:
    connection = WireConnection()
    asked = [{"id": id, "method": "_x", "params": {"a": "b" * id}} for id in (1, 1, 2)]
    for number, one in enumerate(asked, 1):
        take(connection, IN, one, number)
    take(connection, OUT, {"id": 1, "method": "logout"}, 4)
    assert connection.pending_count == 3
    assert connection.waiting_size == sum(len(json.dumps(one)) for one in asked)
    for id in (2, 1, 1):
        take(connection, OUT, {"id": id, "result": {}}, 5)
    assert (connection.pending_count, connection.waiting_size) == (0, 0)
    assert connection.numbered(1) is None
    assert [one.number for one in connection.pending(OUT)] == [4]


def test_requests_whose_frames_have_one_number_get_their_own_answers() -> None:
    connection = WireConnection()
    for id, path in enumerate(("/a", "/b")):
        asked = {
            "id": id,
            "method": "fs/read_text_file",
            "params": {"sessionId": "s", "path": path},
        }
        take(connection, IN, asked, number=0)
    assert connection.with_id(1) == [0]
    for id, path in enumerate(("/a", "/b")):
        answer = take(connection, OUT, {"id": id, "result": {"content": ""}}, number=0)
        assert isinstance(answer, Responded)
        assert isinstance(answer.request.params, ReadTextFileParams)
        assert answer.request.params.path == path


def test_unknown_methods_and_bad_params_say_what_is_wrong() -> None:
    connection = WireConnection()
    unknown = take(connection, IN, {"method": "_vendor/status", "params": {"a": 1}})
    assert isinstance(unknown, Notified)
    assert (unknown.problem, unknown.raw) == ("unknown method _vendor/status", {"a": 1})
    bad = take(connection, IN, {"id": 1, "method": "terminal/create", "params": {"sessionId": "s"}})
    assert isinstance(bad, Requested)
    assert (bad.params, bad.problem) == (None, "params.command: is missing")
    scalar = take(connection, IN, {"id": 2, "method": "terminal/create", "params": 5})
    assert isinstance(scalar, Requested)
    assert scalar.problem == "params: must be an object, but is an integer: 5"


def test_results_are_read_as_their_method_says() -> None:
    connection = WireConnection()
    for id, method in enumerate(["authenticate", "session/prompt", "session/prompt", "_vendor/x"]):
        take(connection, OUT, {"id": id, "method": method})
    null = take(connection, IN, {"id": 0, "result": None})
    assert isinstance(null, Responded)
    assert isinstance(null.result, Empty)  # the documentation's empty result
    unreadable = take(connection, IN, {"id": 1, "result": None})
    assert isinstance(unreadable, Responded)
    assert (unreadable.result, unreadable.problem) == (
        None,
        "result: must be an object, but is null",
    )
    unheard = take(connection, IN, {"id": 2, "result": {"stopReason": "bored"}})
    assert isinstance(unheard, Responded)
    assert isinstance(unheard.result, PromptResult)
    assert unheard.result.stop_reason == "bored"
    vendors = take(connection, IN, {"id": 3, "result": {"a": 1}})
    assert isinstance(vendors, Responded)
    assert (vendors.result, vendors.problem, vendors.raw) == (None, None, {"a": 1})


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"question": "?"}, "params.sessionId: is missing"),
        ({"sessionId": "s", "question": 5}, "params.question: must be a string, but is 5"),
        ({"sessionId": "s", "question": "?", "multiple": []}, "params.multiple: must be a boolean"),
    ],
)
def test_params_of_an_extension_are_told_of_in_the_same_words(params: Any, told: str) -> None:
    event = take(
        WireConnection(), IN, {"id": 1, "method": "_agentao.cn/ask_user", "params": params}
    )
    assert isinstance(event, Requested)
    assert (event.problem or "").startswith(told)


@pytest.mark.parametrize("name", ["\ud800", "a\udfffb"])
def test_half_a_character_in_a_name_loses_no_message(name: str) -> None:
    content = {"type": "text", "text": "words", name: [{name: 1}]}
    update = {"sessionUpdate": "agent_message_chunk", "content": content, name: "x"}
    params = {"sessionId": "s", "update": update, "_meta": {name: name}, name: None}
    event = take(WireConnection(), IN, {"method": "session/update", "params": params})
    assert isinstance(event, Notified)
    assert isinstance(event.params, SessionNotification), event.problem
    assert isinstance(event.params.update, AgentMessageChunk)
    assert isinstance(event.params.update.content, TextContent)
    assert event.params.update.content.text == "words"
    assert event.raw == params  # what stands there is shown as it came


def test_a_broken_message_with_half_a_character_is_told_of() -> None:
    params = {"sessionId": "s", "update": {"\ud800": 1}}
    event = take(WireConnection(), IN, {"method": "session/update", "params": params})
    assert isinstance(event, Notified)
    assert event.problem == "params.update.sessionUpdate: is missing"


def test_a_broken_message_may_be_as_deep_as_json_can_be_read() -> None:
    deep = b'{"a":' * 190 + b"1" + b"}" * 190
    raw = b'{"method":"session/update","params":{"sessionId":5,"update":%b}}' % deep
    event = take(WireConnection(), IN, raw)
    assert isinstance(event, Notified), event
    assert event.problem == "params.sessionId: must be a string, but is an integer: 5"


def test_lines_that_are_no_messages_are_told_with_their_beginning() -> None:
    connection = WireConnection()
    noise = take(connection, IN, b"npm WARN " + b"x" * 1000)
    assert isinstance(noise, Unreadable)
    assert noise.excerpt.startswith("npm WARN x")
    assert len(noise.excerpt) == 200
    batch = take(connection, IN, b"[]")
    assert isinstance(batch, Unreadable)
    assert batch.wants_answer
    assert batch.error.code == -32600
    long = take(connection, IN, b"{", flaw=Flaw.OVERSIZED, size=12_000_000)
    assert isinstance(long, Unreadable)
    assert "12,000,000 bytes" in long.reason
    cut = take(connection, IN, b'{"method":', flaw=Flaw.UNFINISHED)
    assert isinstance(cut, Unreadable)
    assert cut.reason.startswith("the output ended in mid-line; not JSON")


def test_a_whole_message_without_its_newline_is_a_message() -> None:
    event = take(WireConnection(), IN, b'{"method":"_x"}', flaw=Flaw.UNFINISHED)
    assert isinstance(event, Notified)


def test_a_message_that_nests_deep_is_read() -> None:
    deep = b'{"a":' * 190 + b"1" + b"}" * 190
    update = b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"","x":%s}}'
    params = b'{"sessionId":"s","update":%s}' % (update % deep)
    event = take(WireConnection(), IN, b'{"method":"session/update","params":%s}' % params)
    assert isinstance(event, Notified)
    assert isinstance(event.params, SessionNotification)
    assert isinstance(event.params.update, AgentMessageChunk)


def test_a_message_on_several_lines_is_told_of_as_one_and_not_obeyed() -> None:
    connection = WireConnection()
    take(connection, OUT, {"id": 1, "method": "session/new", "params": {}})
    *parts, whole = [
        take(connection, IN, line.encode(), number)
        for number, line in enumerate(json.dumps({"id": 1, "result": {}}, indent=2).split("\n"), 2)
    ]
    assert [part.lines for part in parts if isinstance(part, Unreadable)] == [1, 2, 3]
    assert isinstance(whole, Unreadable)
    assert (whole.lines, whole.number, whole.value) == (4, 5, {"id": 1, "result": {}})
    assert (
        whole.reason == "one message on 4 lines, so it can't be read: each must be on a single line"
    )
    assert whole.excerpt == '{ "id": 1, "result": {} }'
    assert len(connection.pending(OUT)) == 1


@pytest.mark.parametrize(
    ("lines", "reason", "wants_answer"),
    [
        ([b"{", b'"id": 1, "method": "m"', b"}"], "one message on 3 lines", True),
        ([b"{", b'"method": "m"', b"}"], "one message on 3 lines", False),
        ([b"{", b'"method": 5, "id": 1', b"}"], "the method is not a string", True),
        ([b"{", b'"a": [', b"[]", b"]", b"}"], "neither a request", False),
    ],
)
def test_who_asks_on_several_lines_may_wait_for_an_answer(
    lines: list[bytes], reason: str, wants_answer: bool
) -> None:
    connection = WireConnection()
    *parts, whole = [take(connection, IN, line) for line in lines]
    assert not any(part.wants_answer for part in parts if isinstance(part, Unreadable))
    assert isinstance(whole, Unreadable)
    assert whole.reason.startswith(reason)
    assert whole.wants_answer is wants_answer


def test_a_message_in_between_ends_what_was_begun() -> None:
    connection = WireConnection()
    take(connection, IN, b"{")
    assert isinstance(take(connection, IN, {"method": "_x"}), Notified)
    alone = take(connection, IN, b"}")
    assert isinstance(alone, Unreadable)
    assert (alone.lines, alone.value) == (0, None)
    take(connection, IN, b"{")
    take(connection, IN, b"x", flaw=Flaw.OVERSIZED, size=9)
    assert take(connection, IN, b"}") == alone
    take(connection, IN, b"{")
    take(connection, OUT, {"method": "_x"})
    take(connection, OUT, b"no message of ours, as a recording may hold one")
    last = take(connection, IN, b"}", flaw=Flaw.UNFINISHED)
    assert isinstance(last, Unreadable)
    assert (last.lines, last.value) == (2, {})


@pytest.mark.parametrize(
    ("line", "flaw", "reason"),
    [
        (
            b'{"id":1,"result":"%b"}' % (b"x" * LONGEST_LINE),
            None,
            "longer than the 16 MiB that are read",
        ),
        (
            b'{"id":1,"result":%b}' % (b"[" * 300),
            None,
            "nested deeper than the 200 levels that are read",
        ),
        (b'{"id":1,"result":', Flaw.OVERSIZED, "over the limit and was skipped"),
    ],
    ids=["long", "deep", "skipped"],
)
def test_a_line_over_a_limit_is_a_parse_error(line: bytes, flaw: Flaw | None, reason: str) -> None:
    connection = WireConnection()
    sent = connection.request("session/new", NewSessionParams(cwd="/w"))
    take(connection, OUT, encode(sent))
    event = take(connection, IN, line, 2, flaw=flaw, size=len(line))
    assert isinstance(event, Unreadable)
    assert reason in event.reason
    assert (event.wants_answer, event.error.code) == (True, -32700)
    assert line.startswith(event.excerpt.encode())
    assert len(connection.pending(OUT)) == 1
