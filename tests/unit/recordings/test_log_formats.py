"""Other programs' logs, and the directions that some of them don't tell."""

import json
import time
from typing import Any

import pytest

from acp_tui.protocol.events import LineDamaged, Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import ProcessStarted, StderrLine
from acp_tui.recordings.log_formats import read_log
from acp_tui.recordings.recording import RecordingError
from tests.unit.debug.scenes import Wire, read

START = 1_790_000_000_000
"""Milliseconds since 1970."""
ASKED = '{"jsonrpc":"2.0","id":1,"method":"session/list"}'
ANSWERED = '{"jsonrpc":"2.0","id":1,"result":{}}'


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
        return {"seq": 1, "timestamp": START + at, "direction": direction, "kind": "x", "raw": raw}

    export = {
        "version": 1,
        "session": {"startedAt": START, "agentCommand": "npx agent"},
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
    asked = {"seq": 4, "timestamp": START, "direction": "editor-to-agent", "kind": "request"}
    asked["raw"] = '{"jsonrpc":"2.0","id":1,"method":"session/list"}'
    answered = {
        "seq": 5,
        "timestamp": START + 100,
        "direction": "agent-to-editor",
        "kind": "response",
    }
    answered["raw"] = '{"jsonrpc":"2.0","id":1,"result":{}}'
    for some in ([asked], [asked, answered]):
        found = read_log("".join(f"{json.dumps(one)}\n" for one in some))
        assert [one.raw.decode() for one in found] == [one["raw"] for one in some]  # type: ignore[union-attr]
    assert read(found)[0].latency == pytest.approx(0.1)


CAPTURED = [
    [
        {"ts": "2026-11-22T10:00:00.000Z", "direction": "fromClient", "json": ASKED},
        {"ts": "2026-11-22T10:00:00.250Z", "direction": "fromAgent", "json": ANSWERED},
    ],
    [
        {"direction": "OUT", "timestamp": START / 1000, "message": json.loads(ASKED)},
        {"direction": "in", "timestamp": START / 1000 + 0.25, "message": json.loads(ANSWERED)},
    ],
    [
        {"ts": START, "dir": "client->agent", "frame": json.loads(ASKED)},
        {"ts": START + 250, "dir": "agent->client", "frame": json.loads(ANSWERED)},
    ],
    [
        {"time": START * 1e6, "dir": "→", "line": f"{ASKED}\n"},
        {"time": START * 1e6 + 250e6, "dir": "←", "line": ANSWERED},
    ],
]


@pytest.mark.parametrize("entries", CAPTURED)
@pytest.mark.parametrize("shape", ["lines", "array", "object"])
def test_messages_beside_their_direction_and_time(
    entries: list[dict[str, Any]], shape: str
) -> None:
    text = {
        "lines": "".join(f"{json.dumps(one)}\n" for one in entries),
        "array": json.dumps(entries),
        "object": json.dumps({"frames": entries}),
    }[shape]
    table = read(read_log(text))
    assert [(row.direction, row.method, row.status) for row in (table[0], table[1])] == [
        ("out", "session/list", "ok"),
        ("in", "session/list", "ok"),
    ]
    assert table[0].latency == pytest.approx(0.25, abs=1e-3)


def test_a_log_of_the_agent_s_side_is_turned_round() -> None:
    update = {"jsonrpc": "2.0", "method": "session/update", "params": {}}
    custom = {"jsonrpc": "2.0", "method": "_x", "params": {}}
    either = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {}}
    cases = ((update, "in"), (json.loads(ASKED), "out"), (custom, "out"), (either, "out"))
    for first, sent in cases:
        entries = [{"dir": "out", "ts": 1, "frame": first}, {"dir": "in", "ts": None, "frame": {}}]
        frames = read_log("".join(f"{json.dumps(one)}\n" for one in entries))
        assert [one.direction for one in frames] == [sent, "in" if sent == "out" else "out"]  # type: ignore[union-attr]
        assert frames[1].at == 0.0


@pytest.mark.parametrize("no_time", [True, "yesterday", 1e40, float("nan"), [], None])
def test_what_is_no_time_is_that_of_the_entry_before(no_time: Any) -> None:
    entries = [{"dir": "in", "ts": at, "frame": {}} for at in (no_time, 5.0, 7.0, no_time)]
    assert [one.at for one in read_log(json.dumps(entries))] == [0.0, 0.0, 2.0, 2.0]


def test_times_without_a_zone_are_read_alike_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    times = ("2026-10-25T02:59:59", "2026-10-25T03:00:01")  # clocks go back between them there
    entries = [{"dir": "in", "ts": at, "frame": {}} for at in times]
    found = read_log(json.dumps(entries))
    monkeypatch.undo()
    time.tzset()
    assert [one.at for one in found] == [0.0, 2.0]


def test_of_a_conductors_trace_the_hop_of_the_client_is_read() -> None:
    def hop(kind: str, at: float, source: str, target: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "ts": at, "from": source, "to": target, **more}

    call = {"protocol": "acp", "id": 1, "method": "session/list", "session": None, "params": {}}
    note = {"protocol": "acp", "method": "session/update", "session": "s", "params": {"a": 1}}
    trace = [
        hop("request", 0.0, "client", "proxy:0", **call),
        hop("request", 0.1, "proxy:0", "agent", **call),
        {"type": "trace", "ts": 0.2, "component": "agent", "level": "warn", "message": "slow"},
        {"type": "trace", "ts": 0.2, "component": "agent", "message": "x", "fields": {"n": 1}},
        hop("notification", 0.3, "agent", "client", **{**note, "protocol": "mcp"}),
        hop("notification", 0.3, "proxy:0", "Client", **note),
        hop("response", 0.5, "proxy:0", "client", id=1, is_error=False, payload={"sessions": []}),
        hop("response", 0.6, "proxy:0", "client", id=2, is_error=True, payload={"code": 1}),
    ]
    found = read_log("".join(f"{json.dumps(one)}\n" for one in trace))
    assert found[1:3] == [StderrLine(0.2, "agent warn slow"), StderrLine(0.2, 'agent x {"n": 1}')]
    frames = [json.loads(one.raw) for one in found if isinstance(one, Frame)]
    assert frames == [
        {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}},
        {"jsonrpc": "2.0", "method": "session/update", "params": {"a": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}},
        {"jsonrpc": "2.0", "id": 2, "error": {"code": 1}},
    ]
    assert read(found)[0].latency == pytest.approx(0.5)
    with pytest.raises(RecordingError, match="no message from a client"):
        read_log(json.dumps(trace[1:3]))


def test_a_damaged_line_of_a_known_log_is_told_at_its_end() -> None:
    first = json.dumps({"ts": START, "direction": "fromClient", "json": ASKED})
    *_, half, other = read_log(f'{first}\n\n{first[:20]}\n"text"\n')
    assert isinstance(half, LineDamaged)
    assert (half.line, half.reason) == (first[:20], "line 3: not an entry of this log")
    assert isinstance(other, LineDamaged)


def test_plain_messages_may_stand_in_an_object_too() -> None:
    (found,) = read_log(json.dumps({"messages": [json.loads(ASKED)]}))
    assert isinstance(found, Frame)
    assert json.loads(found.raw) == json.loads(ASKED)


def test_where_nothing_has_a_time_nothing_took_any() -> None:
    assert read(read_log(lines(Wire().opened().records)))[1].latency is None


@pytest.mark.parametrize(
    "text",
    [
        "[[5]]",
        *(
            "",
            "hello\nworld\n",
            "[]",
            "{}",
            '[{"_direction":"up"}]',
            '{"messages":[{"raw":1}]}',
            "5",
        ),
        '[{"_direction":"incoming"}, 5]',
        '[{"type":"trace","ts":1}, 5]',
        '[{"dir":"in","raw":"{}"}, {"dir":"up","raw":"{}"}]',
        '[{"dir":"in","raw":"{}"}, 5]',
        '[{"dir":5,"raw":"{}"}]',
        '[{"direction":"north","raw":"{}"}]',
    ],
)
def test_what_is_no_log_is_an_error_that_names_those_that_can_be_read(text: str) -> None:
    with pytest.raises(RecordingError, match=r"(?s)can be read.*Zed.*conductor.*ts, dir, frame"):
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


def test_a_log_that_nests_deep_is_read() -> None:
    deep = f"{'[' * 180}{']' * 180}"
    (frame,) = read_log(f'[{{"jsonrpc": "2.0", "method": "_x", "params": {{"a": {deep}}}}}]')
    assert isinstance(frame, Frame)
    assert deep.encode() in frame.raw


def test_a_log_in_one_piece_that_nests_too_deep_is_refused() -> None:
    with pytest.raises(RecordingError):
        read_log(f'[{{"jsonrpc": "2.0", "method": "_x", "params": {"[" * 5_000 + "]" * 5_000}}}]')
