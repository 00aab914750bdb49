"""Whatever comes in, nothing that reads it fails: a slice of `make fuzz` (FUZZ_EXAMPLES=20000)."""

import json
import os
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_tui.debug.filters.language import FilterError, parse_filter
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.frames import Direction, Frame, Framer
from acp_tui.recordings import recording
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State
from acp_tui.ui.markdown.document import MarkdownDocument
from tests.examples import some_of
from tests.security.attacks import FORBIDDEN, attacks

fuzz = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", some_of(60))),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

KEYS = [
    "jsonrpc",
    "id",
    "method",
    "params",
    "result",
    "error",
    "code",
    "message",
    "data",
    "sessionId",
    "update",
    "sessionUpdate",
    "content",
    "type",
    "text",
    "toolCallId",
    "title",
    "kind",
    "status",
    "rawInput",
    "rawOutput",
    "locations",
    "path",
    "line",
    "oldText",
    "newText",
    "terminalId",
    "entries",
    "priority",
    "availableCommands",
    "name",
    "description",
    "input",
    "hint",
    "modes",
    "currentModeId",
    "availableModes",
    "options",
    "optionId",
    "toolCall",
    "requestedSchema",
    "properties",
    "configOptions",
    "currentValue",
    "value",
    "protocolVersion",
    "agentCapabilities",
    "authMethods",
    "sessions",
    "_meta",
]
VALUES = [
    "initialize",
    "session/new",
    "session/load",
    "session/list",
    "session/prompt",
    "session/update",
    "s",
    "t1",
    "session/request_permission",
    "elicitation/create",
    "fs/read_text_file",
    "terminal/create",
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "current_mode_update",
    "notice",
    "available_commands_update",
    "config_option_update",
    "usage_update",
    "session_info_update",
    "text",
    "image",
    "diff",
    "content",
    "terminal",
    "form",
    "url",
    "allow_once",
    "completed",
    "object",
    "string",
]
scalars = st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.sampled_from(VALUES)
values: st.SearchStrategy[Any] = st.recursive(
    scalars | attacks,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | attacks, inner, max_size=5)
    ),
    max_leaves=12,
)
updates = st.fixed_dictionaries(
    {"sessionUpdate": st.sampled_from(VALUES)},
    optional={key: values for key in KEYS if key != "sessionUpdate"},
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0"),
        "id": st.integers(0, 2) | values,
        "method": st.sampled_from(VALUES) | values,
        "params": values
        | st.fixed_dictionaries({"sessionId": st.sampled_from(["s", "z"]), "update": updates}),
        "result": values,
        "error": values,
    },
)
lines = st.binary(max_size=80) | messages.map(lambda value: json.dumps(value).encode())


@fuzz
@given(st.lists(st.tuples(st.sampled_from(Direction), lines), max_size=12))
def test_the_connection_and_the_fold(frames: list[tuple[Direction, bytes]]) -> None:
    connection, state = WireConnection(), State()
    records = []
    for number, (direction, raw) in enumerate(frames, 1):
        frame = Frame(direction, raw, float(number), number)
        records.append(frame)
        apply_event(state, connection.receive(frame))
    kept = [recording.format_header({}), *(recording.format_record(frame) for frame in records)]
    replayed, again = State(), WireConnection()
    for frame in (one for one in recording.read_records(kept) if isinstance(one, Frame)):
        apply_event(replayed, again.receive(frame))
    assert repr(replayed) == repr(state)


@fuzz
@given(st.lists(st.binary(max_size=40), max_size=10), st.integers(1, 60))
def test_the_framer_holds_no_more_than_its_limit(chunks: list[bytes], limit: int) -> None:
    framer = Framer(limit)
    for chunk in chunks:
        for line in framer.feed(chunk):
            jsonrpc.parse(line.raw)
            assert len(line.raw) <= limit
        assert framer._buffered.tell() <= limit
    assert sum(line.size for line in framer.end()) <= sum(map(len, chunks))


@fuzz
@given(st.lists(attacks | st.text("#>-*_`~|[]()<>!\n\t 1a\\", max_size=30), max_size=8), st.data())
def test_markdown(pieces: list[str], data: st.DataObject) -> None:
    document = MarkdownDocument()
    for piece in pieces:
        document.append(piece)
        document.lay_out(data.draw(st.integers(1, 60)), float("inf"))
    document.finish()
    document.lay_out(40, float("inf"))
    for y in range(document.height):
        assert not FORBIDDEN.search(document.plain(y))


@fuzz
@given(st.lists(st.text(max_size=40) | messages.map(json.dumps), max_size=6))
def test_a_damaged_recording_is_read_or_refused_in_words(kept: list[str]) -> None:
    lines = [recording.format_header({}), *(f"{line}\n" for line in kept)]
    try:
        list(recording.read_records(lines))
    except recording.RecordingError as error:
        words = str(error)
    else:
        return
    assert words


@fuzz
@given(st.text("~&|!() \"'\\abmdr:=.*<>0123", max_size=30) | st.text(max_size=20))
def test_a_filter_is_read_or_refused_in_words(text: str) -> None:
    try:
        parse_filter(text)
    except FilterError as error:
        words = str(error)
    else:
        return
    assert words
