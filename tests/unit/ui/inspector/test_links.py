"""From entries to frames and back, on every kind of entry."""

from acp_tui.debug.log import Log
from acp_tui.protocol.process_events import TerminalExited, TerminalOutput
from acp_tui.recordings.recording import read_events
from acp_tui.state.entries import (
    CompactionEntry,
    MessageEntry,
    PlanSnapshot,
    Role,
    TerminalEntry,
    ToolCallEntry,
)
from acp_tui.state.fold import replay_events
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.inspector.links import EntryFrames, entry_of
from tests.unit.debug.scenes import Wire, read
from tests.unit.ui.inspector.scene import talk


def frames_of(log: Log, session: Session, index: int) -> list[int]:
    search = EntryFrames(log, session, index)
    search.work(float("inf"))
    return search.found


def both(wire: Wire) -> tuple[Log, State]:
    return read(wire.records), replay_events(read_events(wire.records))


def index_of(state: State, kind: type[object]) -> int:
    entries = state.sessions["s"].entries
    return next(index for index, one in enumerate(entries) if isinstance(one, kind))


def test_every_entry_of_a_talk() -> None:
    log, state = both(talk())
    session = state.sessions["s"]
    made = [frames_of(log, session, index) for index in range(len(session.entries))]
    assert made == [[5], [6, 7, 8], [9, 10, 11, 12], [15, 16], [17], [18], [19], [20]]


def test_every_frame_leads_to_its_entry() -> None:
    log, state = both(talk())
    session = state.sessions["s"]
    for index in range(len(session.entries)):
        for frame in frames_of(log, session, index):
            assert entry_of(log, state, frame) == ("s", index)


def test_what_belongs_to_no_entry_leads_to_the_last_before() -> None:
    log, state = both(talk())
    assert entry_of(log, state, 13) == ("s", 2)
    assert entry_of(log, state, 1) is None


def test_where_nothing_was_said_nothing_is_found() -> None:
    log, state = both(Wire().initialized())
    assert entry_of(log, state, 0) is None


def test_chunks_without_an_id_belong_together_until_something_else_comes() -> None:
    wire = Wire().prompted().chunk("a").chunk("b").update("tool_call", toolCallId="t").chunk("c")
    log, state = both(wire.ended())
    session = state.sessions["s"]
    assert [frames_of(log, session, index) for index in (1, 3)] == [[5, 6], [8]]
    assert entry_of(log, state, 6) == ("s", 1)
    assert isinstance(session.entries[1], MessageEntry)


def test_an_id_that_comes_again_leads_to_the_message_of_its_own_turn() -> None:
    wire = Wire().prompted().chunk("a", messageId="m").ended()
    log, state = both(wire.prompt(3).chunk("b", messageId="m").ended(3))
    session = state.sessions["s"]
    assert [frames_of(log, session, index) for index in (1, 4)] == [[5], [8]]
    assert [entry_of(log, state, frame) for frame in (5, 8)] == [("s", 1), ("s", 4)]


def test_calls_that_share_an_id_have_their_own_frames() -> None:
    wire = Wire().prompted().update("tool_call", toolCallId="c", title="one").ended()
    wire.prompt(3).update("tool_call", toolCallId="c", title="two", status="completed")
    wire.update("tool_call", toolCallId="c", title="three")
    log, state = both(wire.update("tool_call_update", toolCallId="c", status="failed").ended(3))
    session = state.sessions["s"]
    places = [at for at, one in enumerate(session.entries) if isinstance(one, ToolCallEntry)]
    assert [frames_of(log, session, place) for place in places] == [[5], [8], [9, 10]]
    assert [entry_of(log, state, frame) for frame in (5, 8, 9, 10)] == [
        ("s", place) for place in (places[0], places[1], places[2], places[2])
    ]


def test_a_plan_has_all_its_versions() -> None:
    entries = [{"content": "tea", "priority": "high", "status": "pending"}]
    wire = Wire().prompted().update("plan", entries=entries).chunk()
    wire.update("plan", entries=entries).ended()
    log, state = both(wire)
    index = index_of(state, PlanSnapshot)
    assert frames_of(log, state.sessions["s"], index) == [5, 7]
    assert [entry_of(log, state, frame) for frame in (5, 7)] == [("s", index)] * 2


def test_several_plans_are_one_entry() -> None:
    step = {"content": "tea", "priority": "high", "status": "pending"}
    plan = {"type": "items", "planId": "a", "entries": [step]}
    wire = Wire().prompted().update("plan_update", plan=plan).chunk()
    log, state = both(wire.update("plan_removed", planId="a").ended())
    index = index_of(state, PlanSnapshot)
    assert frames_of(log, state.sessions["s"], index) == [5, 7]
    assert entry_of(log, state, 7) == ("s", index)


def test_a_plan_that_was_not_kept_leads_to_what_was_there() -> None:
    log, state = both(Wire().prompted().update("plan", entries="nonsense").ended())
    assert entry_of(log, state, 5) is not None


def test_a_terminal_has_its_output_and_its_end() -> None:
    wire = Wire().prompted().ask(9, "terminal/create", command="ls")
    wire.out(id=9, result={"terminalId": "t1"})
    wire.later(0.1).happened(TerminalOutput(wire.at, "t1", b"a"))
    wire.happened(TerminalOutput(wire.at, "t2", b"b")).happened(
        TerminalExited(wire.at, "t1", 0, None)
    )
    wire.ask(10, "terminal/release", terminalId="t1").out(id=10, result={}).ended()
    log, state = both(wire)
    index = index_of(state, TerminalEntry)
    frames = frames_of(log, state.sessions["s"], index)
    assert frames == [5, 6, 7, 9, 10, 11]
    assert all(entry_of(log, state, frame) == ("s", index) for frame in frames)


def test_a_compaction_has_its_updates() -> None:
    wire = Wire().prompted().update("compaction_update", compactionId="c", status="in_progress")
    wire.chunk().update("compaction_update", compactionId="c", status="completed").ended()
    log, state = both(wire)
    index = index_of(state, CompactionEntry)
    assert frames_of(log, state.sessions["s"], index) == [5, 7]
    assert [entry_of(log, state, frame) for frame in (5, 7)] == [("s", index)] * 2


def test_an_entry_that_is_not_in_the_log_has_no_frames() -> None:
    log, state = both(talk())
    short = read(talk().records[:4])
    assert frames_of(short, state.sessions["s"], 2) == []
    assert len(log) > 4


def test_version_2_is_led_by_its_ids() -> None:
    """Whole messages, pieces of tool calls, terminals of the agent's, and what is asked about them."""
    wire = Wire().opened_2().prompt(2).accepted_2()
    begin = len(wire.records)
    content = [{"type": "text", "text": "One"}]
    wire.update("agent_message", messageId="a", content=content)
    wire.update("tool_call_update", toolCallId="c").update("terminal_update", terminalId="t")
    wire.chunk(" more", messageId="a")
    piece = {"type": "content", "content": content[0]}
    wire.update("tool_call_content_chunk", toolCallId="c", content=piece)
    wire.update("terminal_output_chunk", terminalId="t", data="")
    option = {"optionId": "y", "name": "Yes", "kind": "allow_once"}
    subjects = (
        {"type": "tool_call", "toolCall": {"toolCallId": "c"}},
        {"type": "command", "command": "ls", "cwd": "/work", "toolCallId": "c"},
    )
    for id, subject in enumerate(subjects, 70):
        params = {"title": "?", "subject": subject, "options": [option]}
        wire.ask(id, "session/request_permission", **params)
    for id, (method, name) in enumerate(
        (("tool_call/cancel", "toolCallId"), ("terminal/cancel", "terminalId")), 80
    ):
        params = {"sessionId": "s", name: "c" if name == "toolCallId" else "t"}
        wire.out(id=id, method=method, params=params)
    log, state = both(wire)
    session = state.sessions["s"]
    places = [session.indexes.message_ids[Role.AGENT, "a"], session.indexes.tool_calls["c"]]
    places.append(session.indexes.terminals["s/t"])
    told = [[at - begin for at in frames_of(log, session, index)] for index in places]
    assert told == [[0, 3], [1, 4, 6, 7, 8], [2, 5, 9]]
    for index, frames in zip(places, told, strict=True):
        for frame in frames:
            assert entry_of(log, state, frame + begin) == ("s", index)
