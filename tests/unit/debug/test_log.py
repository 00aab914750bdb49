"""The log as a table, and what a view shows of it."""

from typing import Any

import pytest

from acp_tui.debug.columns import excerpt_record
from acp_tui.debug.exchanges import Exchanges, Status
from acp_tui.debug.filters.completion import complete_filter
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.log import Log
from acp_tui.debug.repeated_chunks import ChunkCache
from acp_tui.debug.view import LogView
from acp_tui.protocol.events import (
    Abandoned,
    AnswerGiven,
    ClientNotice,
    LimitReached,
    NotSent,
    OwnFault,
    TimedOut,
)
from acp_tui.protocol.file_events import (
    AccessAnswered,
    AccessAsked,
    BackupDropped,
    EditCompared,
    EditLooked,
    EditVerdict,
    FileOperation,
    FilesChanged,
    FileWritten,
    UnapprovedChange,
    UndoRefused,
    WriteUndone,
)
from acp_tui.protocol.frames import Direction, Flaw, Frame
from acp_tui.protocol.gate_events import (
    BreakpointSet,
    FaultInjected,
    FaultSet,
    FrameDelayed,
    FrameHeld,
    FrameReleased,
)
from acp_tui.protocol.process_events import (
    AgentLogLine,
    AgentLogOmitted,
    Connecting,
    Disconnected,
    LineUnfinished,
    OutputOmitted,
    ProcessExited,
    ProcessFailed,
    ProcessStarted,
    RestartPlanned,
    RestartStopped,
    StderrLine,
    StderrOmitted,
    StdoutClosed,
    TerminalExited,
    TerminalOutput,
    TransportFact,
)
from tests.unit.debug.scenes import Wire, read


def told_air(**told: Any) -> dict[str, Any]:
    return {"jetbrains": {"air": {"version": 1, **told}}}


def shown(log: Log, expression: str = "", *, fold: bool = True) -> list[tuple[str, int]]:
    view = LogView(log, compile_filter(expression), fold=fold)
    view.catch_up()
    groups = [view[position] for position in range(len(view))]
    return [(one.first.kind or one.first.method, len(one)) for one in groups]


def test_a_request_and_its_answer_know_each_other() -> None:
    log = Wire().opened().log()
    asked, answer = log[2], log[3]
    assert (asked.partner, answer.partner) == (3, 2)
    assert asked.latency == answer.latency == pytest.approx(0.01)
    assert (asked.status, answer.status) == (Status.OK, Status.OK)
    assert (asked.method, answer.method) == ("session/new", "session/new")
    assert (asked.is_answer, answer.is_answer) == (False, True)
    assert (asked.id, answer.id) == (1, 1)
    assert (asked.session, answer.session) == ("", "s")
    assert (asked.direction, answer.direction) == ("out", "in")


def test_unanswered_and_orphans_are_counted() -> None:
    log = (
        Wire().prompted().got(id=77, result={}).got(id=78, error={"code": 1, "message": "x"}).log()
    )
    assert (log.unanswered, log.orphans) == (1, 2)
    assert [row.status for row in (log[4], log[5])] == [Status.PENDING, Status.ORPHAN]


@pytest.mark.parametrize(
    ("ends", "counts"),
    [
        ((), (1, 1)),
        ((TimedOut(9.0, 2, 60.0),), (1, 0)),
        ((ProcessExited(9.0, 1, None),), (1, 0)),
        ((TimedOut(9.0, 2, 60.0), ProcessExited(9.1, 1, None)), (1, 0)),
    ],
)
def test_pending_are_those_whose_status_says_so(ends: Any, counts: tuple[int, int]) -> None:
    wire = Wire().prompted()
    for end in ends:
        wire.happened(end)
    log = wire.log()
    assert (log.unanswered, log.pending) == counts
    assert counts[1] == [log[index].status for index in range(len(log))].count(Status.PENDING)


def test_a_late_answer_leaves_nothing_pending() -> None:
    log = Wire().prompted().happened(TimedOut(9.0, 2, 60.0)).ended().log()
    assert (log.unanswered, log.pending) == (0, 0)


def test_an_error_shows_at_both_ends() -> None:
    log = Wire().prompted().got(id=2, error={"code": -32603, "message": "boom"}).log()
    assert log[4].status is log[5].status is Status.ERROR


def test_both_sides_may_use_one_id() -> None:
    wire = (
        Wire().prompted().ask(2, "fs/read_text_file", path="/a").out(id=2, result={"content": ""})
    )
    log = wire.ended().log()
    assert (log[5].partner, log[4].partner) == (6, 7)


def test_times_and_sizes() -> None:
    wire = Wire().opened().later(1).chunk()
    row = wire.log()[4]
    assert row.delta == pytest.approx(1.01)
    assert row.time == pytest.approx(1.04)
    assert row.size == len(row.record.raw)  # type: ignore[union-attr]


def test_latencies_by_method() -> None:
    wire = Wire().opened()
    for number in range(100):
        wire.out(id=10 + number, method="session/list", params={})
        wire.later(0.001 * number).got(id=10 + number, result={"sessions": []})
    one = next(one for one in wire.log().latencies() if one.method == "session/list")
    assert (one.count, one.direction) == (100, Direction.OUT)
    assert one.p50 == pytest.approx(0.059)
    assert one.p95 == pytest.approx(0.104)
    assert one.longest == pytest.approx(0.109)


def test_a_log_reads_what_comes_in_slices() -> None:
    records = Wire().opened().records
    growing = records[:1]
    log = Log(growing)
    assert log.catch_up(1) is True
    growing += records[1:]
    assert log.catch_up(1) is False
    assert len(log) == 2
    assert log.catch_up() is True
    assert log[3].partner == 2


def test_a_log_reads_no_more_bytes_at_a_time_than_it_may() -> None:
    records = Wire().chunk().chunk().chunk().records
    log = Log(records)
    first = Log(records[:1])
    first.catch_up()
    assert log.catch_up(size=first[0].size) is False
    assert len(log) == 2
    assert log.catch_up(size=first[0].size) is True


def test_without_a_linter_the_end_of_a_recording_finds_nothing() -> None:
    def wire() -> Wire:
        create = Wire().prompted().ask(4, "terminal/create", command="ls")
        create.out(id=4, result={"terminalId": "t"})
        return create.happened(TerminalExited(101.0, "t", 0, None)).ended()

    log = Log(wire().records)
    log.catch_up()
    log.finish()
    assert list(log.findings) == []
    assert "terminal-unreleased" in wire().found()


def test_chunks_of_one_message_fold() -> None:
    wire = Wire().prompted().chunk().chunk().chunk(kind="agent_thought_chunk")
    wire.chunk(messageId="a").chunk(messageId="a").chunk(messageId="b").ended()
    assert shown(wire.log())[5:] == [
        ("agent_message_chunk", 2),
        ("agent_thought_chunk", 1),
        ("agent_message_chunk", 2),
        ("agent_message_chunk", 1),
        ("session/prompt", 1),
    ]


def test_a_tool_call_between_ends_a_message() -> None:
    wire = Wire().prompted().chunk().update("tool_call", toolCallId="t", title="T").chunk()
    assert shown(wire.log(), "kind:agent_message_chunk") == [("agent_message_chunk", 1)] * 2


def test_interleaved_sessions_fold_once_filtered() -> None:
    wire = Wire().prompted()
    for session in ("s", "other", "s", "other"):
        wire.chunk(session=session)
    assert shown(wire.log(), "kind:*chunk") == [("agent_message_chunk", 1)] * 4
    assert shown(wire.log(), "kind:*chunk session:s") == [("agent_message_chunk", 2)]


def test_stderr_and_terminal_output_fold() -> None:
    wire = Wire().opened()
    for word in "ab":
        wire.happened(StderrLine(101.0, word))
    for terminal in ("t1", "t1", "t2"):
        wire.happened(TerminalOutput(101.0, terminal, b"x"))
    assert shown(wire.log(), "dir:local") == [
        ("stderr_line", 2),
        ("terminal_output", 2),
        ("terminal_output", 1),
    ]


def test_what_is_left_out_of_the_log_counts_with_its_size() -> None:
    wire = Wire().happened(OutputOmitted(101.0, "t1", 7_000, "ab"))
    log = wire.happened(StderrOmitted(102.0, 50, "cd")).log()
    assert [log[0].size, log[1].size] == [7_000, 50]


def test_a_message_can_be_unfolded_and_folded_again() -> None:
    log = Wire().prompted().chunk().chunk().log()
    view = LogView(log)
    view.catch_up()
    assert len(view) == 6
    view.toggle(5)
    assert (len(view), len(view[5])) == (7, 1)
    view.toggle(5)
    assert len(view) == 6
    assert view.position_of(6) == 5
    assert view[-1].last.index == 6


def test_a_view_goes_on_with_its_log() -> None:
    wire = Wire().prompted().chunk()
    log = Log(wire.records)
    log.catch_up()
    view = LogView(log, compile_filter("kind:*chunk"))
    assert view.catch_up(3) is False
    assert view.catch_up() is True
    wire.chunk().chunk()
    log.catch_up()
    view.catch_up()
    assert (len(view), view.matches, view[0].size) == (1, 3, sum(row.size for row in view[0]))


def test_a_new_process_leaves_old_requests_unanswered() -> None:
    wire = Wire().prompted().happened(ProcessStarted(101.0, ("a",), "/", 1)).ended()
    assert (wire.log().unanswered, wire.log().orphans) == (1, 1)


def test_completion_offers_fields_and_what_the_log_has() -> None:
    log = read(Wire().prompted().chunk().records)
    texts = [one.text for one in complete_filter("me", 2, log)]
    assert texts == ["method:", "messageId:"]
    assert [one.text for one in complete_filter("method:pro", 10, log)] == ["session/prompt"]
    assert "agent_message_chunk" in [one.text for one in complete_filter("not (kind:", 10, log)]
    joined = {one.text for one in complete_filter("dir:in ", 7, log)}
    assert {"and ", "or ", "not ", "size>"} <= joined
    assert "and " not in {one.text for one in complete_filter("", 0, log)}
    (found,) = complete_filter("status:err", 10, log)
    assert (found.start, found.text) == (7, "error")
    broken = Wire().prompted().ended().chunk().log()
    assert [one.text for one in complete_filter("finding:upd", 11, broken)] == ["update-after-turn"]


PLAN = [
    {"content": "Fill", "status": "completed", "priority": "low"},
    {"content": "Boil", "status": "in_progress", "priority": "low"},
    "not an entry",
]
NAMED = [{"name": "plan"}, {"name": "7"}, {}, {"name": "review"}]


EXCERPTS = [
    (Wire().chunk("hello"), "hello"),
    (Wire().prompted(), "hi"),
    (Wire().got(id=1, error={"code": 1, "message": "boom"}), "boom"),
    (Wire().update("tool_call", toolCallId="t", title="Edit"), "Edit"),
    (Wire().raw(Direction.IN, b"noise"), "noise"),
    (Wire().happened(StderrLine(1.0, "warn")), "warn"),
    (Wire().happened(TerminalOutput(1.0, "t", b"caf\xc3\xa9 \xff")), "café \ufffd"),
    (Wire().got(id=1, result=5), ""),
    (Wire().update("plan", entries=[]), "plan cleared"),
    (Wire().happened(ProcessStarted(1.0, ("a", "b"), "/", 7)), "a b (pid 7)"),
    (Wire().happened(ProcessFailed(1.0, ("a",), "no a")), "no a"),
    (Wire().happened(ProcessExited(1.0, 3)), "exit code 3"),
    (Wire().happened(Connecting(1.0, "wss://h/acp", "/")), "wss://h/acp"),
    (Wire().happened(TransportFact(1.0, "HTTP 101")), "HTTP 101"),
    (Wire().happened(LineUnfinished(1.0, "host $ ")), "host $ "),
    (Wire().happened(Disconnected(1.0, "cut")), "cut"),
    (Wire().happened(NotSent(1.0, 4, "HTTP 500")), "id 4: HTTP 500"),
    (Wire().happened(BreakpointSet(1.0, "dir:in")), "dir:in"),
    (Wire().happened(BreakpointSet(1.0, "dir:in", on=False)), "dir:in: off"),
    (Wire().happened(FaultSet(1.0, "drop", removed=True)), "drop: removed"),
    (Wire().happened(FrameHeld(1.0, 7, Direction.IN, "m", "id:4")), "#7 m, by id:4"),
    (Wire().happened(FrameDelayed(1.0, 7, 2.5)), "#7 for 2.5 s"),
    (Wire().happened(FrameDelayed(1.0, 7, None)), "#7 until it is acted on"),
    (Wire().happened(FrameReleased(1.0, 7, "edited")), "#7 edited"),
    (
        Wire().happened(FaultInjected(1.0, 7, Direction.IN, "drop", "drop", "dropped")),
        "#7 dropped, by drop",
    ),
    (Wire().happened(RestartPlanned(1.0, 2.0, 2)), "in 2 s, after 2 failures"),
    (Wire().happened(RestartStopped(1.0, "enough")), "enough"),
    (Wire().happened(TerminalExited(1.0, "t", None, "SIGKILL")), "t: SIGKILL"),
    (
        Wire().happened(OutputOmitted(1.0, "t", 7_000, "ab")),
        "7,000 bytes are left out, SHA-256 ab",
    ),
    (
        Wire().happened(StderrOmitted(1.0, 5_000, "cd")),
        "5,000 bytes are left out, SHA-256 cd",
    ),
    (Wire().happened(TimedOut(1.0, 4, 60.0)), "no answer to id 4 within 60 s"),
    (Wire().happened(Abandoned(1.0, 4)), "no answer to id 4, which was canceled"),
    (Wire().happened(AccessAsked(1.0, 1, "s", FileOperation.READ, "/x", "/")), "read /x"),
    (Wire().happened(AccessAnswered(1.0, 1, "allow")), "allow"),
    (Wire().happened(AnswerGiven(1.0, 4, "pts/2")), "#4, on pts/2"),
    (Wire().happened(AnswerGiven(1.0, 4, "", "a program")), "#4, by a program"),
    (Wire().happened(ClientNotice(1.0, "s", "error", "Not sent", "why")), "Not sent: why"),
    (Wire().happened(OwnFault(1.0, "s", "fs/read", "E: a", "")), "in fs/read: E: a"),
    (Wire().happened(LimitReached(1.0, "s", "over")), "over"),
    (Wire().happened(FileWritten(1.0, 5, "s", "/a", True, None, "x")), "made /a"),
    (Wire().happened(FileWritten(1.0, 5, "s", "/a", False, "w", "x")), "wrote /a"),
    (Wire().happened(WriteUndone(1.0, 5, "s")), "undid the write of #5"),
    (
        Wire().happened(UndoRefused(1.0, 5, "s", "gone")),
        "did not undo the write of #5: gone",
    ),
    (Wire().happened(BackupDropped(1.0, 5, "s")), "no backup left for the write of #5"),
    (Wire().happened(FilesChanged(1.0, 5, ["/a", "/b"])), "changed on disk: /a, /b"),
    (Wire().happened(EditLooked(1.0, "s", "t", "/a", remark="gone")), "/a: gone"),
    (Wire().happened(EditLooked(1.0, "s", "t", "/a", line=4)), "/a: line 4"),
    (
        Wire().happened(EditLooked(1.0, "s", "t", "/a", derived=True)),
        "/a: a diff of its input",
    ),
    (
        Wire().happened(EditCompared(1.0, "s", "t", "/a", EditVerdict.DIFFERS, "+1 −0")),
        "differs: /a: +1 −0",
    ),
    (
        Wire().happened(UnapprovedChange(1.0, "s", "/a", "made", "nothing was allowed")),
        "made /a: nothing was allowed",
    ),
    (Wire().happened(StdoutClosed(1.0)), ""),
    (Wire().update("plan", entries=PLAN), "1/3 done Boil"),
    (Wire().update("plan", entries=PLAN[:1]), "1/1 done"),
    (Wire().update("usage_update", used=1200, size=200_000), "1,200 of 200,000 tokens"),
    (Wire().update("available_commands_update", availableCommands=NAMED), "plan 7 review"),
    (Wire().update("config_option_update", configOptions=[{"id": "mode"}]), "mode"),
    (Wire().update("tool_call_update", toolCallId="t", status="failed"), "t"),
    (Wire().out(id=1, result={"sessionId": "s-1"}), "s-1"),
    (
        Wire().out(id=1, result={"protocolVersion": 1, "agentInfo": {"name": "a"}}),
        "version 1 a",
    ),
    (Wire().out(id=1, result={"protocolVersion": 1}), "version 1"),
    (Wire().out(id=1, result=None), ""),
    (Wire().ask(1, "session/request_permission", toolCall={"toolCallId": "call-1"}), "call-1"),
    (Wire().update("tool_call_update", toolCallId="t", rawOutput="made it"), "made it"),
    (Wire().update("tool_call_update", toolCallId="t", rawOutput={"a": 1}), "t"),
    (
        Wire().out(id=1, result={"outcome": {"outcome": "selected", "optionId": "yes"}}),
        "selected yes",
    ),
    (Wire().out(id=1, result={"exitCode": 3, "signal": None}), "exit code 3"),
    (Wire().out(id=1, result={"exitCode": None, "signal": "SIGKILL"}), "SIGKILL"),
    (Wire().out(id=1, result={"output": "hello", "truncated": False}), "hello"),
    (Wire().ask(1, "terminal/release", terminalId="term-1"), "term-1"),
    (
        Wire().ask(1, "terminal/create", command="python", args=["check.py", 3]),
        "python check.py",
    ),
    (Wire().ask(1, "terminal/create", command="make"), "make"),
    (Wire().ask(1, "_session/goal", action="set", objective="all green"), "set all green"),
    (Wire().ask(1, "_session/goal", action="clear"), "clear"),
    (Wire().ask(1, "_session/async_task/stop", asyncTaskId="task-1"), "task-1"),
    (Wire().out(id=1, result={"stopped": False}), "no"),
    (Wire().ask(1, "_session/batch_get", sessionIds=["a", "b"]), "a b"),
    (Wire().out(id=1, result={"subscriptionId": "sub-1"}), "sub-1"),
    (Wire().out(id=1, result={"hooks": [{"key": "lint"}, {"key": "test"}]}), "lint test"),
    (Wire().out(id=1, result={"trusted": True}), "yes"),
    (Wire().update("async_task_state_update", asyncTaskId="t", state="failed"), "failed"),
    (Wire().update("async_task_progress", asyncTaskId="t"), "t"),
    (
        Wire().update("session_info_update", _meta=told_air(goal={"objective": "all green"})),
        "goal active: all green",
    ),
    (
        Wire().update(
            "session_info_update",
            _meta=told_air(sessionFailure={"id": "f", "severity": "error", "title": "No quota"}),
        ),
        "No quota",
    ),
    (
        Wire().out(
            id=1,
            result={
                "stopReason": "end_turn",
                "_meta": told_air(
                    sessionFailure={"id": "f", "severity": "error", "title": "No quota"}
                ),
            },
        ),
        "No quota",
    ),
    (
        Wire().update("session_info_update", _meta=told_air(goal=None, sessionFailure=7)),
        "no goal sessionFailure",
    ),
]


def test_an_excerpt_says_what_tells_most() -> None:
    for wire, words in EXCERPTS:
        assert excerpt_record(wire.records[-1]) == words


def test_the_agents_own_log_is_read_like_its_stderr() -> None:
    wire = Wire().prompted()
    for text in ("one", "two"):
        wire.happened(AgentLogLine(102.0, text))
    log = wire.happened(StderrLine(102.0, "x")).happened(AgentLogOmitted(102.0, 50, "cd")).log()
    assert shown(log, "kind:agent_log_line") == [("agent_log_line", 2)]
    assert shown(log, "text:two") == [("agent_log_line", 1)]
    assert shown(log)[-3:] == [("agent_log_line", 2), ("stderr_line", 1), ("agent_log_omitted", 1)]
    assert [row.size for row in (log[5], log[-1])] == [3, 50]
    assert excerpt_record(wire.records[-1]) == "50 bytes are left out, SHA-256 cd"


def test_a_log_knows_how_many_frames_and_sessions_it_has_and_which_rows_fold() -> None:
    wire = Wire().opened().prompt(2).chunk("a").chunk("b").ended(2)
    wire.happened(StdoutClosed(wire.at))
    log = wire.log()
    assert (log.frame_count, log.session_count) == (8, 1)
    assert Wire().log().frame_count == 0
    view = LogView(log)
    view.catch_up()
    folds = [view.folds(view[at]) for at in range(len(view))]
    assert folds.count(True) == 1
    assert len(view[folds.index(True)]) == 2
    view.toggle(folds.index(True))
    assert [view.folds(view[at]) for at in range(len(view))].count(True) == 2


def chunk(said: bytes) -> Frame:
    """A chunk with these bytes between the quotes of its text."""
    update = b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%b"}}' % said
    params = b'{"sessionId":"s","update":%b}' % update
    raw = b'{"jsonrpc":"2.0","method":"session/update","params":%b}' % params
    return Frame(Direction.IN, raw, 1.0, 1, size=len(raw))


def after(frame: Frame) -> ChunkCache:
    repeats = ChunkCache()
    repeats.learn(Exchanges(lambda *_: pytest.fail("nothing was asked")).read(0, frame))
    return repeats


def test_a_chunk_with_another_text_is_the_last_one_again() -> None:
    repeats = after(chunk(b"one"))
    for said in (b"two", b"", rb"a \"word\"\n", rb"\u00e9", "\u00e9".encode()):
        assert repeats.has(chunk(said))


def test_a_text_that_ends_early_or_is_none_makes_another_frame() -> None:
    repeats = after(chunk(b"one"))
    for said in (b'two","more":"', b'two"', b"\\", rb"\x", b"\xff", b"line\nline"):
        assert not repeats.has(chunk(said))


def test_a_frame_with_a_flaw_or_from_the_other_side_is_no_chunk_again() -> None:
    frame = chunk(b"one")
    repeats = after(frame)
    assert not repeats.has(frame._replace(direction=Direction.OUT))
    assert not repeats.has(frame._replace(flaw=Flaw.OVERSIZED))


def test_only_a_chunk_with_one_text_is_a_pattern() -> None:
    many = Wire().chunk("one", _meta={"text": "two"}).update("tool_call", toolCallId="t", text="x")
    for frame in many.records:
        assert isinstance(frame, Frame)
        assert not after(frame).has(frame)
