"""The fold over a log of version 2: the same promises, whatever the agent tells in whatever order."""

from base64 import b64encode
from copy import deepcopy
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.events import Event, LocalEvent, Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import (
    Error,
    ErrorCode,
    Failure,
    Notification,
    Request,
    Response,
    encode,
)
from acp_tui.protocol.process_events import ProcessExited, ProcessStarted
from acp_tui.protocol.setup import PromptParams
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.recordings.recording import format_header, format_record, read_events, read_records
from acp_tui.state.entries import Entry
from acp_tui.state.fold import apply_event, replay_events
from acp_tui.state.state import State
from tests.examples import some_of
from tests.properties.test_session import check_places, check_told
from tests.unit.state.conversation import INITIALIZE_2, INITIALIZED_2

# Few ids, so that they meet again.
sessions = st.sampled_from(["s1", "s2"])
calls = st.sampled_from(["t1", "t2"])
terminals = st.sampled_from(["m1", "m2"])
messages = st.sampled_from(["u1", "u2", "a1"])
words = st.sampled_from(["", "a", "\n\n# \u2028 ä", "\ud800"])
content = st.builds(lambda words: {"type": "text", "text": words}, words) | st.just(
    {"type": "_smell", "of": "tea"}
)
contents = st.lists(content, max_size=2) | st.none() | st.just(5)
cancel = st.sampled_from([{"cancel": {}}, {}, None, 5])
coded = st.binary(max_size=4).map(lambda data: b64encode(data).decode()) | st.just("no base64")
change = st.sampled_from(
    [
        {"operation": "modify", "path": "/a"},
        {"operation": "move", "path": "/b", "oldPath": "/a"},
        {"operation": "_swap"},
    ]
)
patch = st.sampled_from(
    [
        None,
        {"format": "git_patch", "text": "diff --git /a /a\n--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n+y\n"},
        {"format": "_words", "text": "x becomes y"},
    ]
)
produced = st.one_of(
    st.builds(lambda one: {"type": "content", "content": one}, content),
    st.builds(lambda id: {"type": "terminal", "terminalId": id}, terminals),
    st.builds(lambda one, text: {"type": "diff", "changes": [one], "patch": text}, change, patch),
    st.just({"type": "_chart"}),
)
background = st.lists(
    st.builds(lambda id: {"type": "tool_call", "toolCallId": id}, calls)
    | st.builds(lambda id: {"type": "terminal", "terminalId": id}, terminals)
    | st.just({"type": "_timer"})
    | st.just({"type": "terminal"}),
    max_size=2,
)
step = {"content": "x", "priority": "_soon", "status": "cancelled"}
plans = st.sampled_from(
    [
        {"type": "items", "planId": "p", "entries": [step]},
        {"type": "items", "planId": "q", "entries": []},
        {"type": "markdown", "planId": "p", "content": "# Tea"},
        {"type": "_graph", "planId": "p"},
        {"type": "items", "planId": "p"},
    ]
)


def _update(kind: str, /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An update of a kind; the fields that begin with `maybe_` are left out now and then."""
    optional = {name: field for name, field in fields.items() if name.startswith("maybe_")}
    needed = {name: field for name, field in fields.items() if name not in optional}
    return st.fixed_dictionaries(
        {"sessionUpdate": st.just(kind), **needed},
        optional={name.removeprefix("maybe_"): field for name, field in optional.items()},
    )


tool_call = _update(
    "tool_call_update",
    toolCallId=calls,
    maybe_title=words | st.none(),
    maybe_kind=st.sampled_from(["edit", "_dance", None, 5]),
    maybe_status=st.sampled_from(
        ["pending", "in_progress", "paused", "completed", "failed", "cancelled", "_new", None, 5]
    ),
    maybe_content=st.lists(produced, max_size=2) | st.none(),
    maybe_rawInput=st.sampled_from([{"x": [1]}, None]),
    maybe_capabilities=cancel,
)
updates = st.one_of(
    *(
        _update(f"{kind}_chunk", messageId=messages, content=content)
        for kind in ("user_message", "agent_message", "agent_thought")
    ),
    *(
        _update(kind, messageId=messages, maybe_content=contents)
        for kind in ("user_message", "agent_message", "agent_thought")
    ),
    tool_call,
    _update("tool_call_content_chunk", toolCallId=calls, content=produced),
    _update(
        "terminal_update",
        terminalId=terminals,
        maybe_command=words | st.none(),
        maybe_cwd=st.sampled_from(["/a", None]),
        maybe_output=st.builds(lambda data: {"data": data}, coded) | st.none(),
        maybe_exitStatus=st.sampled_from([{}, {"exitCode": 1}, {"signal": "HUP"}, None]),
        maybe_size=st.sampled_from([{"cols": 9, "rows": 2}, {"cols": 0}, None]),
        maybe_capabilities=cancel,
    ),
    _update("terminal_output_chunk", terminalId=terminals, data=coded),
    _update("plan_update", plan=plans),
    _update("plan_removed", planId=st.sampled_from(["p", "q"])),
    _update("session_info_update", maybe_title=words | st.none()),
    _update("compaction_update", compactionId=calls, status=words, maybe_summary=contents),
    _update("brand_new", x=words),
)
states = _update(
    "state_update",
    state=st.sampled_from(["running", "idle", "idle", "requires_action", "unknown", "_new"]),
    maybe_stopReason=st.sampled_from(["end_turn", "cancelled", "error", "_new", None]),
    maybe_background=background | st.none(),
    maybe_error=st.sampled_from([{"code": -32002, "message": "no"}, {"code": "x"}]),
)
subjects = st.one_of(
    tool_call.map(lambda update: {"type": "tool_call", "toolCall": update}),
    st.builds(
        lambda id: {"type": "command", "command": "ls", "cwd": "/a", "toolCallId": id},
        calls | st.none(),
    ),
    st.sampled_from([{"type": "_spell"}, {"type": "command"}, None]),
)
OPTIONS = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]


class Connected2(RuleBasedStateMachine):
    """Both sides of version 2, with two sessions, and whatever becomes of the process."""

    def __init__(self) -> None:
        super().__init__()
        self.connection = WireConnection()
        self.state = State()
        self.log: list[Record] = []
        self.asked = 0
        self.start()

    # How things get into the log

    def now(self) -> float:
        return float(len(self.log))

    def happened(self, event: LocalEvent) -> None:
        self.log.append(event)
        self.fold(event)

    def take(self, direction: Direction, raw: bytes) -> Event:
        frame = Frame(direction, raw, self.now(), len(self.log) + 1)
        self.log.append(frame)
        event = self.connection.receive(frame)
        self.fold(event)
        return event

    def fold(self, event: Event) -> None:
        before = deepcopy(self.state)
        lists: dict[str, list[Entry]] = {
            id: session.entries for id, session in self.state.sessions.items()
        }
        check_told(before, self.state, apply_event(self.state, event), lists)

    def call(self, method: str, params: dict[str, Any]) -> Requested:
        self.asked += 1
        event = self.take(Direction.OUT, encode(Request(self.asked, method, params)))
        assert isinstance(event, Requested)
        return event

    def agent(self, message: Request | Notification | Response | Failure) -> Event:
        return self.take(Direction.IN, encode(message))

    # What both sides do

    def start(self) -> None:
        self.connection = WireConnection()
        self.happened(ProcessStarted(self.now(), ("agent",), "/work", 7))
        self.agent(Response(self.call("initialize", INITIALIZE_2).id, INITIALIZED_2))
        for session_id in ("s1", "s2"):
            request = self.call("session/new", {"cwd": "/work", "mcpServers": []})
            self.agent(Response(request.id, {"sessionId": session_id}))

    @rule()
    def restart(self) -> None:
        self.happened(ProcessExited(self.now(), 1, None))
        assert not any(session.is_working for session in self.state.sessions.values())
        self.start()

    @rule(session_id=sessions, update=updates)
    def tell(self, session_id: str, update: dict[str, Any]) -> None:
        params = {"sessionId": session_id, "update": update}
        self.agent(Notification("session/update", params))

    @rule(session_id=sessions, update=states)
    def tell_state(self, session_id: str, update: dict[str, Any]) -> None:
        self.tell(session_id, update)
        session = self.state.sessions[session_id]
        assert session.reported.activity == update["state"]
        if update["state"] == "idle":
            assert session.reported.active is None

    @rule(session_id=sessions, text=words)
    def prompt(self, session_id: str, text: str) -> None:
        if self.state.sessions[session_id].turn is None:
            prompt = [{"type": "text", "text": text}]
            self.call("session/prompt", {"sessionId": session_id, "prompt": prompt})

    @precondition(lambda self: self.connection.pending(Direction.OUT))
    @rule(data=st.data(), message_id=messages, fails=st.booleans())
    def accept(self, data: st.DataObject, message_id: str, fails: bool) -> None:
        request = data.draw(st.sampled_from(self.connection.pending(Direction.OUT)))
        if fails:
            self.agent(Failure(request.id, Error(ErrorCode.INVALID_PARAMS, "No")))
        else:
            result = {"messageId": message_id} if request.method == "session/prompt" else {}
            self.agent(Response(request.id, result))

    @rule(session_id=sessions)
    def cancel(self, session_id: str) -> None:
        raw = encode(Notification("session/cancel", {"sessionId": session_id}))
        self.take(Direction.OUT, raw)

    @rule(session_id=sessions, id=calls, terminal=st.booleans())
    def stop(self, session_id: str, id: str, terminal: bool) -> None:
        if terminal:
            self.call("terminal/cancel", {"sessionId": session_id, "terminalId": f"m{id[1:]}"})
        else:
            self.call("tool_call/cancel", {"sessionId": session_id, "toolCallId": id})

    @rule(session_id=sessions, subject=subjects)
    def ask(self, session_id: str, subject: Any) -> None:
        params = {"sessionId": session_id, "title": "?", "subject": subject, "options": OPTIONS}
        self.asked += 1
        self.agent(Request(self.asked, "session/request_permission", params))

    @precondition(lambda self: self.connection.pending(Direction.IN))
    @rule(data=st.data(), id=st.sampled_from(["yes", None]))
    def answer(self, data: st.DataObject, id: str | None) -> None:
        request = data.draw(st.sampled_from(self.connection.pending(Direction.IN)))
        outcome = {"outcome": "selected", "optionId": id} if id else {"outcome": "cancelled"}
        event = self.take(Direction.OUT, encode(Response(request.id, {"outcome": outcome})))
        assert isinstance(event, Responded)

    # What always holds

    @invariant()
    def the_recording_gives_the_same_state(self) -> None:
        lines = [format_header({}), *(format_record(record) + "\n" for record in self.log)]
        recorded = list(read_records(lines))
        assert recorded == self.log
        assert replay_events(read_events(recorded)) == self.state

    @invariant()
    def ids_lead_to_their_entries(self) -> None:
        for session in self.state.sessions.values():
            check_places(session)

    @invariant()
    def questions_belong_to_unanswered_requests(self) -> None:
        unanswered = {one.number for one in self.connection.pending(Direction.IN)}
        assert {one.number for one in self.state.waiting_permissions()} <= unanswered

    @invariant()
    def a_turn_belongs_to_a_prompt_and_only_one_is_shown(self) -> None:
        for session in self.state.sessions.values():
            if session.turn is not None:
                assert isinstance(session.turn.request.params, PromptParams)
                assert sum(entry is session.turn.prompt for entry in session.entries) == 1

    @invariant()
    def nothing_can_be_stopped_that_is_over(self) -> None:
        for terminal in self.state.terminals.values():
            assert terminal.ended is None or not (terminal.can_cancel or terminal.stop_requested)
        for session in self.state.sessions.values():
            for call in filter(None, map(session.tool_call, session.indexes.tool_calls)):
                assert not call.finished or not (call.can_cancel or call.stop_requested)


Connected2.TestCase.settings = settings(
    max_examples=some_of(50), stateful_step_count=40, deadline=None
)
TestConnected2 = Connected2.TestCase
