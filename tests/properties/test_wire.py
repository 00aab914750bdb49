"""The wire's promises, for any bytes and any text."""

import json
import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.frames import Direction, Flaw, Frame, Framer, Line
from acp_tui.protocol.jsonrpc import (
    Error,
    Failure,
    Malformed,
    Notification,
    Request,
    Response,
    encode,
    parse,
)
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.recordings.recording import format_header, format_record, read_records
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State
from acp_tui.text import Cleaner, clean_line, clean_text

LIMIT = 16
"""A small line limit, so that random lines pass it."""


def _as_json_reads_it(text: str) -> str:
    """Two halves of a character side by side are that character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


texts = st.text(st.characters(exclude_categories=())).map(_as_json_reads_it)
numbers = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
ids = st.none() | st.integers() | texts | numbers
messages = st.one_of(
    st.builds(Request, ids, texts, values),
    st.builds(Notification, texts, values),
    st.builds(Response, ids, values),
    st.builds(Failure, ids, st.builds(Error, st.integers(), texts, values, st.none())),
)

streams = st.lists(
    st.sampled_from([b"\n", b"\r\n", b" ", b"\r", b"{}", b"0123456789", b"\xc3\xa4", b"\xff"])
).map(b"".join)


def _cut(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[a:b] for a, b in pairwise(places)]


def _lines(chunks: list[bytes]) -> list[Line]:
    framer = Framer(LIMIT)
    lines = [line for chunk in chunks for line in framer.feed(chunk)]
    return [*lines, *framer.end()]


@given(streams | st.binary(max_size=80), st.lists(st.integers(0, 1000)))
def test_however_a_stream_is_cut_it_gives_the_same_lines(data: bytes, cuts: list[int]) -> None:
    assert _lines(_cut(data, cuts)) == _lines([data])


@given(streams)
def test_nothing_of_a_stream_is_lost_but_padding_and_what_is_over_the_limit(data: bytes) -> None:
    lines = _lines([data])
    taken = [line.raw for line in lines if line.flaw is not Flaw.OVERSIZED]
    expected = [
        part.removesuffix(b"\r")
        for part in data.split(b"\n")
        if part.removesuffix(b"\r").strip() and len(part) <= LIMIT
    ]
    assert taken == expected
    assert [line.size for line in lines if line.flaw is Flaw.OVERSIZED] == [
        len(part) for part in data.split(b"\n") if len(part) > LIMIT
    ]


@given(messages)
def test_a_message_reads_back_as_it_was_written(
    message: Request | Notification | Response | Failure,
) -> None:
    assert parse(encode(message)) == message


@given(messages)
def test_a_message_is_one_line_for_every_reader(
    message: Request | Notification | Response | Failure,
) -> None:
    line = encode(message).decode("utf-8", "strict")
    assert len(line.splitlines()) == 1


@given(st.binary() | values.map(lambda value: json.dumps(value).encode()))
def test_reading_never_fails(raw: bytes) -> None:
    message = parse(raw)
    assert isinstance(message, Request | Notification | Response | Failure | Malformed)


# Values of the right shape here and there, so that the models are entered and not just refused.
words = st.sampled_from(
    [
        "s",
        "text",
        "image",
        "content",
        "diff",
        "terminal",
        "select",
        "boolean",
        "tool_call",
        "high",
        "1",
        "completed",
        "session/new",
    ]
)
keys = st.sampled_from(
    [
        "sessionId",
        "update",
        "sessionUpdate",
        "content",
        "type",
        "text",
        "toolCallId",
        "toolCall",
        "title",
        "status",
        "kind",
        "entries",
        "options",
        "optionId",
        "name",
        "id",
        "configOptions",
        "availableModes",
        "currentModeId",
        "modes",
        "resource",
        "uri",
        "data",
        "availableCommands",
        "used",
        "size",
        "cost",
        "summary",
        "compactionId",
        "path",
        "newText",
        "line",
        "prompt",
        "outcome",
        "protocolVersion",
        "authMethods",
        "agentCapabilities",
        "stopReason",
        "terminalId",
        "command",
        "args",
        "env",
        "rawInput",
        "locations",
        "_meta",
        "category",
        "currentValue",
    ]
)
kinds = st.sampled_from(
    [
        "user_message_chunk",
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update",
        "plan",
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "session_info_update",
        "usage_update",
        "notice",
        "compaction_update",
        "compaction_summary_chunk",
        "brand_new",
    ]
)
odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=15,
)
odd_updates = st.builds(
    lambda kind, rest, session_id: {
        "sessionId": session_id,
        "update": {"toolCallId": "t", "content": {"type": "text", "text": ""}}
        | rest
        | {"sessionUpdate": kind},
    },
    kinds,
    st.dictionaries(keys, odd, max_size=8),
    st.just("s") | odd,
)
methods = st.sampled_from([*AGENT_METHODS, *CLIENT_METHODS, "_vendor/x"])


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), methods, odd | odd_updates, odd), max_size=6))
def test_no_params_and_no_results_can_stop_the_reader(
    calls: list[tuple[bool, str, object, object]],
) -> None:
    """Whatever an agent sends, and whatever it answers, there is an event, and it folds."""
    connection, state = WireConnection(), State()
    for number, (ours, method, params, result) in enumerate(calls):
        asks, answers = (Direction.OUT, Direction.IN) if ours else (Direction.IN, Direction.OUT)
        body = {"jsonrpc": "2.0", "method": method, "params": params}
        apply_event(state, connection.receive(_frame(asks, body)))
        apply_event(state, connection.receive(_frame(asks, body | {"id": number})))
        assert len(connection.pending(asks)) == 1
        apply_event(state, connection.receive(_frame(answers, {"id": number, "result": result})))
        assert not connection.pending(asks)


def _frame(direction: Direction, body: object) -> Frame:
    raw = json.dumps(body).encode()
    return Frame(direction, raw, 1.0, size=len(raw))


@given(
    st.sampled_from(Direction),
    st.binary(),
    numbers,
    st.sampled_from([None, *Flaw]),
    st.integers(0, 99),
)
def test_a_recorded_frame_reads_back_byte_for_byte(
    direction: Direction, raw: bytes, at: float, flaw: Flaw | None, size: int
) -> None:
    frame = Frame(direction, raw, at, 7, flaw, size)
    assert list(read_records([format_header({}), format_record(frame) + "\n"])) == [frame]


pieces = ["\x1b", *"[]P^_X\\0;m?$! aä日\t~", "\x1b[31m", "\x1b]0;t", "\x1b(B"]
controls = [*"\x07\x9b\x9d\x90\x9c\x9e\r\n\x00\x7f\x85", "\r\n"]
unseen = [*"\u202e\u2066\u200f\u061c\u2028\ufeff\U000e0041\ud800"]
hostile = st.lists(st.sampled_from([*pieces, *controls, *unseen])).map("".join)


@given(hostile | texts)
def test_clean_text_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    cleaned = clean_text(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", cleaned)
    assert not re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]", cleaned)
    cleaned.encode()
    assert clean_text(cleaned) == cleaned


@given(hostile)
def test_a_clean_line_is_one_line(text: str) -> None:
    assert len(clean_line(text).splitlines()) <= 1


@given(st.lists(hostile | texts, max_size=8))
def test_text_cleaned_in_pieces_is_the_whole_text_cleaned(pieces: list[str]) -> None:
    cleaner = Cleaner()
    parts = [cleaner.feed(piece) for piece in pieces]
    assert "".join(parts) + cleaner.finish() == clean_text("".join(pieces))
