"""Other programs' logs, and the directions that some of them don't tell."""

import json
from typing import Any

import pytest

from acp_tui.protocol.events import ProcessStarted, StderrLine
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.wire.imports import read_log
from acp_tui.wire.recording import Record, RecordingError
from tests.unit.wire.scenes import Wire, read


def lines(records: list[Record]) -> str:
    return "".join(f"{one.raw.decode()}\n" for one in records if isinstance(one, Frame))


def test_plain_messages_get_their_directions() -> None:
    wire = Wire().prompted().chunk()
    wire.ask(2, "fs/read_text_file", path="/a").out(id=2, result={"content": "x"})
    wire.ended().raw(Direction.IN, b"noise")
    found = read_log(lines(wire.records))
    assert [one.direction for one in found] == [one.direction for one in wire.records]  # type: ignore[union-attr]
    assert read(found).orphans == 0


def test_noise_before_the_first_message_is_kept() -> None:
    first, *_ = read_log('[info] starting\n{"jsonrpc":"2.0","id":0,"method":"initialize"}\n')
    assert isinstance(first, Frame)
    assert first.raw == b"[info] starting"


def test_what_zed_copies() -> None:
    def entry(direction: str, kind: str, id: Any, method: str, params: Any) -> dict[str, Any]:
        return {
            "_direction": direction,
            "_type": kind,
            "id": id,
            "method": method,
            "params": params,
        }

    log = [
        entry("outgoing", "request", 0, "initialize", {"protocolVersion": 1}),
        entry("incoming", "response", 0, "initialize", {"protocolVersion": 1}),
        entry("stderr", "stderr", None, "stderr", "warning: x"),
        entry("incoming", "notification", None, "session/update", {"sessionId": "s"}),
        entry("outgoing", "request", 1, "session/new", {}),
        entry("incoming", "response", 1, "session/new", {"code": -32000, "message": "sign in"}),
    ]
    found = read_log(json.dumps(log, indent=2))
    assert found[2] == StderrLine(0.0, "warning: x")
    table = read(found)
    assert [row.status.value for row in (table[0], table[1], table[4], table[5])] == [
        "ok",
        "ok",
        "error",
        "error",
    ]
    assert (table[3].direction, table[3].id) == ("in", None)


def test_an_export_of_acp_devtools() -> None:
    def message(at: int, direction: str, raw: str) -> dict[str, Any]:
        return {"seq": 1, "timestamp": 1000 + at, "direction": direction, "kind": "x", "raw": raw}

    export = {
        "version": 1,
        "session": {"startedAt": 1000, "agentCommand": "npx agent"},
        "messages": [
            message(0, "editor-to-agent", '{"jsonrpc":"2.0","id":1,"method":"session/list"}'),
            message(250, "agent-to-editor", '{"jsonrpc":"2.0","id":1,"result":{}}'),
            message(300, "agent-to-editor", "noise"),
        ],
    }
    started, *frames = read_log(json.dumps(export))
    assert started == ProcessStarted(0.0, ("npx", "agent"), "", 0)
    table = read([started, *frames])
    assert table[1].latency == pytest.approx(0.25)
    assert table[3].status == "unreadable"


def test_messages_that_acp_devtools_lists_one_a_line() -> None:
    asked = {"seq": 4, "timestamp": 5000, "direction": "editor-to-agent", "kind": "request"}
    asked["raw"] = '{"jsonrpc":"2.0","id":1,"method":"session/list"}'
    answered = {"seq": 5, "timestamp": 5100, "direction": "agent-to-editor", "kind": "response"}
    answered["raw"] = '{"jsonrpc":"2.0","id":1,"result":{}}'
    for some in ([asked], [asked, answered]):
        found = read_log("".join(f"{json.dumps(one)}\n" for one in some))
        assert [one.raw.decode() for one in found] == [one["raw"] for one in some]  # type: ignore[union-attr]
    assert read(found)[0].latency == pytest.approx(0.1)


def test_where_nothing_has_a_time_nothing_took_any() -> None:
    assert read(read_log(lines(Wire().opened().records)))[1].latency is None


@pytest.mark.parametrize(
    "text",
    ["", "hello\nworld\n", "[]", "{}", '[{"_direction":"up"}]', '{"messages":[{"raw":1}]}', "5"],
)
def test_what_is_no_log_is_an_error(text: str) -> None:
    with pytest.raises(RecordingError):
        read_log(text)


def test_a_long_text_without_any_message_is_given_up_early() -> None:
    message = '{"jsonrpc":"2.0","id":0,"method":"initialize"}\n'
    with pytest.raises(RecordingError, match="no line is a JSON-RPC message"):
        read_log("noise\n" * 20 + message)
    assert len(read_log("noise\n" * 19 + message)) == 20


def test_an_answer_that_nobody_waits_for_came_from_the_agent() -> None:
    (found,) = read_log('{"jsonrpc":"2.0","id":9,"result":{}}')
    assert isinstance(found, Frame)
    assert found.direction is Direction.IN


def test_a_command_with_an_open_quote_is_kept_as_one_word() -> None:
    export = {"session": {"agentCommand": "agent 'its name"}, "messages": []}
    (started,) = read_log(json.dumps(export))
    assert isinstance(started, ProcessStarted)
    assert started.argv == ("agent 'its name",)


def test_a_copy_in_which_somebody_broke_a_line_can_be_read() -> None:
    one = {"_direction": "outgoing", "_type": "request", "id": 1, "method": "session/prompt"}
    text = json.dumps([{**one, "params": {"prompt": [{"type": "text", "text": "a LF b"}]}}])
    (frame,) = read_log(text.replace("LF", "\n"))
    assert isinstance(frame, Frame)
    assert b"a \\n b" in frame.raw
