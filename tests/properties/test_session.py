"""The state is a fold over the log: whatever happens, in whatever order, its promises hold."""

from copy import deepcopy
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from acp_tui.protocol.config_options import SetConfigOptionParams, SetModeParams
from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.events import (
    ClientNotice,
    Event,
    LocalEvent,
    NotSent,
    Record,
    SignedIn,
    TimedOut,
    TrustAnswered,
    TrustAsked,
)
from acp_tui.protocol.file_events import (
    AccessAnswered,
    AccessAsked,
    BackupDropped,
    FileOperation,
    FileWritten,
    UndoRefused,
    WriteUndone,
)
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.initialization import AuthenticateParams, InitializeParams
from acp_tui.protocol.jsonrpc import (
    Error,
    ErrorCode,
    Failure,
    Notification,
    Request,
    Response,
    encode,
)
from acp_tui.protocol.model import Model
from acp_tui.protocol.process_events import (
    Connecting,
    Disconnected,
    ProcessExited,
    ProcessFailed,
    ProcessStarted,
    Stalled,
    StderrLine,
    StdoutClosed,
    TerminalExited,
    TerminalOutput,
    TransportFact,
)
from acp_tui.protocol.requests import (
    CancelRequestParams,
    RequestPermissionParams,
    RequestPermissionResult,
)
from acp_tui.protocol.setup import (
    ListSessionsParams,
    NewSessionParams,
    OpenSessionParams,
    PromptParams,
    SessionParams,
)
from acp_tui.protocol.wire_events import Requested, Unreadable
from acp_tui.recordings.recording import format_header, format_record, read_events, read_records
from acp_tui.state.changes import (
    Change,
    EntryAdded,
    EntryChanged,
    NoticeAdded,
    ScreenChanged,
    TerminalChanged,
    TurnChanged,
)
from acp_tui.state.elicitations import answer_elicitation
from acp_tui.state.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    PlanSnapshot,
    TerminalEntry,
    ToolCallEntry,
)
from acp_tui.state.fold import apply_event, replay_events
from acp_tui.state.reducers.permissions import ALLOW_FOLDER, ALLOW_ONCE, CANCELLED
from acp_tui.state.session import Session
from acp_tui.state.state import State
from tests.examples import some_of

# Few ids, so that they meet again.
sessions = st.sampled_from(["s1", "s2"])
calls = st.sampled_from(["t1", "t2"])
words = st.sampled_from(["", "a", "do it", "\n\n# \u2028 ä", "\ud800"])
request_ids = st.sampled_from([0, 1, "0", "x\ud800", None, 2.5])

text = st.builds(lambda words: {"type": "text", "text": words}, words)
image = st.just({"type": "image", "data": "AA==", "mimeType": "image/png"})
content = text | image
items = st.lists(
    st.builds(lambda one: {"type": "content", "content": one}, content)
    | st.just({"type": "diff", "path": "/a", "newText": "b"})
    | st.builds(lambda id: {"type": "terminal", "terminalId": id}, st.sampled_from(["m1", "m2"]))
    | st.just({"type": "hologram"}),
    max_size=2,
)
mode_option = {
    "type": "select",
    "id": "mode",
    "name": "Mode",
    "category": "mode",
    "currentValue": "ask",
    "options": [{"value": "ask", "name": "Ask"}],
}
modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}


def _update(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    optional = {name: field for name, field in fields.items() if name.startswith("maybe_")}
    needed = {name: field for name, field in fields.items() if name not in optional}
    return st.fixed_dictionaries(
        {"sessionUpdate": st.just(kind), **needed},
        optional={name.removeprefix("maybe_"): field for name, field in optional.items()},
    )


chunks = st.one_of(
    _update(kind, content=content, maybe_messageId=st.sampled_from(["m1", "m2", None]))
    for kind in ("agent_message_chunk", "agent_thought_chunk", "user_message_chunk")
)
tool_calls = st.one_of(
    _update(
        kind,
        toolCallId=calls,
        maybe_title=words,
        maybe_status=st.sampled_from(
            ["pending", "in_progress", "completed", "failed", "paused", None]
        ),
        maybe_kind=st.sampled_from(["edit", "dance", None]),
        maybe_content=items,
        maybe_rawInput=st.just({"x": [1]}),
    )
    for kind in ("tool_call", "tool_call_update")
)
others = st.one_of(
    _update("plan", entries=st.lists(st.just({"content": "x", "status": "pending"}), max_size=2)),
    _update("available_commands_update", availableCommands=st.just([{"name": "go"}])),
    _update("current_mode_update", modeId=words),
    _update("config_option_update", configOptions=st.just([mode_option])),
    _update("session_info_update", maybe_title=words | st.none(), maybe_updatedAt=words),
    _update("usage_update", used=st.integers(0, 9), size=st.just(9)),
    _update("notice", severity=words, title=words),
    _update(
        "compaction_update",
        compactionId=calls,
        status=words,
        maybe_summary=st.lists(content, max_size=2) | st.none(),
        maybe_error=words | st.none(),
    ),
    _update("compaction_summary_chunk", compactionId=calls, content=content),
    _update("plan_update", plan=st.just({"type": "markdown", "planId": "p", "content": "x"})),
    _update("plan_removed", planId=st.just("p")),
    _update("brand_new", x=st.none()),
    _update("plan", entries=st.just(None)),
    st.just({"sessionUpdate": 5}),
)
results = st.one_of(
    st.none(),
    st.just({}),
    st.just({"protocolVersion": 1, "authMethods": [{"id": "key", "name": "Key"}]}),
    st.just({"protocolVersion": 1, "agentInfo": {"name": "a", "version": "1"}}),
    st.just({"protocolVersion": 2}),
    st.builds(lambda id: {"sessionId": id, "modes": modes}, sessions),
    st.builds(lambda id: {"sessionId": id, "configOptions": [mode_option]}, sessions),
    st.just({"stopReason": "end_turn"}),
    st.just({"stopReason": "cancelled", "usage": {"totalTokens": 5}}),
    st.just({"configOptions": [mode_option]}),
)
RIGHT_RESULTS = {
    "initialize": {"protocolVersion": 1, "agentInfo": {"name": "a", "version": "1"}},
    "session/new": {"sessionId": "s1", "modes": modes},
    "session/fork": {"sessionId": "s2"},
    "session/list": {"sessions": [{"sessionId": "s1", "cwd": "/", "title": "T"}]},
    "session/prompt": {"stopReason": "end_turn"},
    "session/set_config_option": {"configOptions": [mode_option]},
}
errors = st.sampled_from(
    [
        Error(ErrorCode.AUTH_REQUIRED, "Sign in"),
        Error(ErrorCode.AUTH_REQUIRED, "Sign in", {"authMethods": [{"id": "k", "name": "K"}, 5]}),
        Error(ErrorCode.INTERNAL_ERROR, "No", {"details": "why"}),
    ]
)
option = {"optionId": "yes\ud800", "name": "Yes", "kind": "allow_once"}
questions = st.sampled_from(
    [
        {"message": "?", "mode": "form", "requestedSchema": {"properties": {"words": {}}}},
        {"message": "?", "mode": "url", "url": "https://x.org", "elicitationId": "e1"},
        {"message": "?", "mode": "smell"},
        {"question": "?", "options": ["a"]},
    ]
)
garbage = st.binary(max_size=12) | st.sampled_from(
    [b"npm WARN", b"null", b"7", b'{"id": 1}', b'{"method": 5, "id": 1}', b"[]", b"[{}]", b"\xff{"]
)


class Connected(RuleBasedStateMachine):
    """A client without I/O beside a lawless agent; frames and events go the client's way."""

    def __init__(self) -> None:
        super().__init__()
        self.connection = WireConnection()
        self.state = State()
        self.log: list[Record] = []
        self.number = 0
        self.running = False
        self.answers: list[bytes] = []
        self.prompts: dict[str, int] = {}

    # The way of the client

    def now(self) -> float:
        return float(len(self.log))

    def take(
        self,
        direction: Direction,
        raw: bytes,
        message: Request | Notification | Response | Failure | None = None,
    ) -> Event:
        self.number += 1
        frame = Frame(direction, raw, self.now(), self.number, size=len(raw))
        self.log.append(frame)
        event = self.connection.receive(frame, message)
        self.fold(event)
        return event

    def happened(self, event: LocalEvent) -> None:
        self.log.append(event)
        self.fold(event)

    def fold(self, event: Event) -> None:
        before = deepcopy(self.state)
        lists = {one.session_id: one.entries for one in self.state.sessions.values()}
        changes = apply_event(self.state, event)
        check_told(before, self.state, changes, lists)
        _check_cancelled(before, self.state)

    def send(self, message: Request | Notification | Response | Failure) -> None:
        self.take(Direction.OUT, encode(message), message)

    def call(self, method: str, params: Model) -> None:
        self.send(self.connection.request(method, params))

    def agent(self, message: Request | Notification | Response | Failure) -> Event:
        raw = encode(message)
        if isinstance(message, Response | Failure):
            self.answers.append(raw)
        return self.take(Direction.IN, raw)

    def answer(self, request: Requested, result: dict[str, Any]) -> None:
        assert self.connection.is_pending(request)
        self.send(Response(request.id, result))

    # The process

    @precondition(lambda self: not self.running)
    @rule()
    def start(self) -> None:
        self.connection = WireConnection()
        self.running = True
        self.happened(ProcessStarted(self.now(), ("agent", "--acp"), "/work", 7))
        self.call("initialize", InitializeParams())

    @rule(session_id=sessions)
    def open(self, session_id: str) -> None:
        """The ordinary way to a session, after whatever came before."""
        if not self.running:
            self.start()
        self.new_session()
        request = self.connection.pending(Direction.OUT)[-1]
        self.agent(Response(request.id, {"sessionId": session_id, "modes": modes}))

    @precondition(lambda self: self.running)
    @rule(session_id=sessions)
    def restart(self, session_id: str) -> None:
        self.exit(1)
        self.start()
        self.open(session_id)

    @precondition(lambda self: not self.running)
    @rule()
    def cannot_start(self) -> None:
        self.happened(ProcessFailed(self.now(), ("agent",), "no such command"))

    @precondition(lambda self: self.running)
    @rule(code=st.sampled_from([0, 1, None]))
    def exit(self, code: int | None) -> None:
        self.running = False
        self.happened(ProcessExited(self.now(), code, None if code is not None else "SIGKILL"))
        self.check_all_over()

    @precondition(lambda self: not self.running)
    @rule(data=st.data(), refused=st.booleans())
    def connect(self, data: st.DataObject, refused: bool) -> None:
        """A connection in place of a process, which may be lost at once, or after a call."""
        self.connection = WireConnection()
        self.happened(Connecting(self.now(), "ws://host/acp", "/work"))
        self.happened(TransportFact(self.now(), "connected"))
        self.call("initialize", InitializeParams())
        if data.draw(st.booleans()):
            (request,) = self.connection.pending(Direction.OUT)
            self.happened(NotSent(self.now(), request.id, "HTTP 500"))
        self.happened(Disconnected(self.now(), "cut", refused=refused))
        self.check_all_over()

    @precondition(lambda self: self.running)
    @rule()
    def close_stdout(self) -> None:
        self.happened(StdoutClosed(self.now()))
        self.check_all_over()

    def check_all_over(self) -> None:
        assert not self.state.calls
        for session in self.state.sessions.values():
            assert session.turn is None
            assert not session.permissions
            assert all(_finished(session))

    @rule(waiting=st.sampled_from([0, 10]), text=words)
    def remark(self, waiting: int, text: str) -> None:
        self.happened(StderrLine(self.now(), text))
        self.happened(Stalled(self.now(), waiting))

    @rule(session_id=sessions)
    def say(self, session_id: str) -> None:
        self.happened(ClientNotice(self.now(), session_id, "info", "Note"))

    # What the person does

    @precondition(lambda self: self.running)
    @rule()
    def new_session(self) -> None:
        self.call("session/new", NewSessionParams(cwd="/work"))

    @rule(session_id=sessions, text=words)
    def prompt(self, session_id: str, text: str) -> None:
        """Also just after the end, when the news has not reached the person."""
        params = PromptParams(session_id=session_id, prompt=[TextContent(text=text)])
        self.call("session/prompt", params)
        self.prompts[session_id] = self.number

    @precondition(lambda self: self.running)
    @rule(session_id=sessions)
    def set_up(self, session_id: str) -> None:
        self.call("session/set_mode", SetModeParams(session_id=session_id, mode_id="ask"))
        params = SetConfigOptionParams(session_id=session_id, config_id="mode", value="ask")
        self.call("session/set_config_option", params)

    @precondition(lambda self: self.running)
    @rule(session_id=sessions, method=st.sampled_from(["load", "resume", "fork"]))
    def open_again(self, session_id: str, method: str) -> None:
        session = self.state.sessions.get(session_id)
        if session is None or (session.turn is None and session.opening.loading is None):
            params = OpenSessionParams(session_id=session_id, cwd="/work")
            self.call(f"session/{method}", params)

    @precondition(lambda self: self.running)
    @rule(session_id=sessions, method=st.sampled_from(["close", "delete"]))
    def end_session(self, session_id: str, method: str) -> None:
        self.call(f"session/{method}", SessionParams(session_id=session_id))

    @precondition(lambda self: self.running)
    @rule(cursor=st.sampled_from([None, "2"]))
    def list_sessions(self, cursor: str | None) -> None:
        self.call("session/list", ListSessionsParams(cursor=cursor))

    @precondition(lambda self: self.running and self.state.calls)
    @rule(data=st.data())
    def take_back(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(list(self.state.calls.values())))
        params = CancelRequestParams(request_id=call.id).wire()
        self.send(Notification("$/cancel_request", params))

    @precondition(lambda self: self.state.elicitations)
    @rule(data=st.data(), action=st.sampled_from(["accept", "decline", "cancel"]))
    def answer_elicitation(self, data: st.DataObject, action: str) -> None:
        number = data.draw(st.sampled_from(self.state.elicitations)).number
        request = next(one for one in self.connection.pending(Direction.IN) if one.number == number)
        self.answer(request, answer_elicitation(request, action, {"words": "yes"}).wire())

    @rule(trusted=st.sampled_from([None, False, True]))
    def project_is_judged(self, trusted: bool | None) -> None:
        asked = TrustAsked(self.now(), "/w/.mcp.json", "{}")
        self.happened(asked if trusted is None else TrustAnswered(self.now(), trusted))

    @rule(code=st.sampled_from([0, 1]))
    def program_ends(self, code: int) -> None:
        self.happened(SignedIn(self.now(), "key", code))

    @precondition(lambda self: self.running)
    @rule()
    def sign_in(self) -> None:
        self.call("authenticate", AuthenticateParams(method_id="key"))

    @precondition(lambda self: self.running)
    @rule(session_id=sessions)
    def cancel(self, session_id: str) -> None:
        session = self.state.sessions.get(session_id)
        if session is None or session.turn is None:
            return
        params = SessionParams(session_id=session_id).wire()
        self.send(Notification("session/cancel", params))
        assert all(_finished(session, session.turn.started))
        waiting = {permission.number: permission for permission in session.permissions}
        asked = self.connection.pending(Direction.IN)
        shared = [request.id for request in asked if request.number not in waiting]
        for number in waiting:
            self.decide(number, None)
        left = [request for request in asked if self.state.permission(request.number)]
        assert all(one.id in shared for one in left if one.number in waiting)

    @precondition(lambda self: self.state.waiting_permissions())
    @rule(data=st.data())
    def answer_question(self, data: st.DataObject) -> None:
        permission = data.draw(st.sampled_from(self.state.waiting_permissions()))
        options = [None, *(option.option_id for option in permission.options)]
        self.decide(permission.number, data.draw(st.sampled_from(options)))

    def decide(self, number: int, option_id: str | None) -> None:
        permission = self.state.permission(number)
        if permission is None:
            return
        request = next(one for one in self.connection.pending(Direction.IN) if one.number == number)
        if permission.access is not None:
            self.happened(AccessAnswered(self.now(), number, option_id or CANCELLED))
            granted = option_id in (ALLOW_ONCE, ALLOW_FOLDER)
            self.answer(request, {"content": ""} if granted else {})
        elif option_id is None:
            self.answer(request, RequestPermissionResult.cancelled().wire())
        else:
            self.answer(request, RequestPermissionResult.selected(option_id).wire())

    # What the agent does

    @precondition(lambda self: self.connection.pending(Direction.OUT))
    @rule(data=st.data())
    def answer_rightly(self, data: st.DataObject) -> None:
        request = data.draw(st.sampled_from(self.connection.pending(Direction.OUT)))
        self.agent(Response(request.id, RIGHT_RESULTS.get(request.method, {})))

    @precondition(lambda self: self.connection.pending(Direction.OUT))
    @rule(data=st.data(), result=results)
    def answer_anything(self, data: st.DataObject, result: Any) -> None:
        request = data.draw(st.sampled_from(self.connection.pending(Direction.OUT)))
        self.agent(Response(request.id, result))

    @precondition(lambda self: self.connection.pending(Direction.OUT))
    @rule(data=st.data(), error=errors)
    def refuse(self, data: st.DataObject, error: Error) -> None:
        request = data.draw(st.sampled_from(self.connection.pending(Direction.OUT)))
        self.agent(Failure(request.id, error))

    @precondition(lambda self: self.connection.pending(Direction.OUT))
    @rule(data=st.data())
    def time_out(self, data: st.DataObject) -> None:
        request = data.draw(st.sampled_from(self.connection.pending(Direction.OUT)))
        self.happened(TimedOut(self.now(), request.id, 60))

    @precondition(lambda self: self.answers)
    @rule(data=st.data())
    def answer_twice(self, data: st.DataObject) -> None:
        self.take(Direction.IN, data.draw(st.sampled_from(self.answers)))

    @rule(id=request_ids)
    def answer_nothing(self, id: Any) -> None:
        self.agent(Response(id, {}))

    @rule(session_id=sessions, update=chunks)
    def chunk(self, session_id: str, update: dict[str, Any]) -> None:
        self.update(session_id, update)

    @rule(session_id=sessions, update=tool_calls)
    def tool_call(self, session_id: str, update: dict[str, Any]) -> None:
        session = self.state.sessions.get(session_id)
        known = session.tool_call(update["toolCallId"]) if session is not None else None
        cancelled = known is not None and known.status == "cancelled"
        self.update(session_id, update)
        if cancelled and update["sessionUpdate"] == "tool_call_update":
            assert known is not None
            assert known.finished

    @rule(call=calls, status=st.sampled_from(["in_progress", "completed"]))
    def cancelled_turn(self, call: str, status: str) -> None:
        """A turn that is cancelled and ends, after whatever other turns have left unfinished: rules at
        random rarely come in this order.
        """
        self.open("s1")
        update = {"sessionUpdate": "tool_call", "toolCallId": call, "title": "Boil water"}
        self.update("s1", update)
        self.prompt("s1", "go on")
        self.update("s1", {**update, "toolCallId": "t3", "status": status})
        self.cancel("s1")
        (*_, request) = self.connection.pending(Direction.OUT)
        self.agent(Response(request.id, {"stopReason": "cancelled"}))

    @rule(session_id=sessions | st.none(), update=others)
    def other_update(self, session_id: str | None, update: dict[str, Any]) -> None:
        self.update(session_id, update)

    def update(self, session_id: str | None, update: dict[str, Any]) -> None:
        params = {"sessionId": session_id, "update": update}
        self.agent(Notification("session/update", params))

    @rule(raw=garbage)
    def babble(self, raw: bytes) -> None:
        event = self.take(Direction.IN, raw)
        if isinstance(event, Unreadable) and event.wants_answer and self.running:
            self.send(Failure(None, Error(ErrorCode.INVALID_REQUEST, event.reason)))

    @rule(
        session_id=sessions,
        id=request_ids,
        call=calls,
        options=st.lists(st.just(option), max_size=2),
    )
    def ask_permission(
        self, session_id: str, id: Any, call: str, options: list[dict[str, str]]
    ) -> None:
        params = {
            "sessionId": session_id,
            "toolCall": {"toolCallId": call},
            "options": options,
        }
        request = self.agent(Request(id, "session/request_permission", params))
        turn = self.state.sessions[session_id].turn
        late = turn is not None and turn.cancelled is not None
        if self.running and (not options or late):
            assert isinstance(request, Requested)
            self.settle(request)

    def settle(self, request: Requested) -> None:
        """Answer as the client does: by the id, which an agent may have given twice."""
        assert isinstance(request.params, RequestPermissionParams)
        self.answer(request, RequestPermissionResult.cancelled().wire())

    @precondition(lambda self: self.running)
    @rule(session_id=sessions | st.none(), id=request_ids, question=questions)
    def elicit(self, session_id: str | None, id: Any, question: dict[str, Any]) -> None:
        method = "_agentao.cn/ask_user" if "question" in question else "elicitation/create"
        self.agent(Request(id, method, {"sessionId": session_id or "s1", **question}))

    @rule(id=st.sampled_from(["e1", "e2"]))
    def complete(self, id: str) -> None:
        self.agent(Notification("elicitation/complete", {"elicitationId": id}))

    @precondition(lambda self: self.running)
    @rule(session_id=sessions, id=request_ids, write=st.booleans())
    def ask_for_file(self, session_id: str, id: Any, write: bool) -> None:
        method = "fs/write_text_file" if write else "fs/read_text_file"
        params = {"sessionId": session_id, "path": "/etc/x", "content": "new"}
        request = self.agent(Request(id, method, params))
        assert isinstance(request, Requested)
        operation = FileOperation.WRITE if write else FileOperation.READ
        self.happened(
            AccessAsked(
                self.now(), request.number, session_id, operation, "/etc/x", "/etc", "new", None
            )
        )

    @precondition(lambda self: self.running)
    @rule(session_id=sessions, id=request_ids, changed=st.booleans(), kept=st.booleans())
    def write_file(self, session_id: str, id: Any, changed: bool, kept: bool) -> None:
        params = {"sessionId": session_id, "path": "/work/x", "content": "new"}
        request = self.agent(Request(id, "fs/write_text_file", params))
        assert isinstance(request, Requested)
        facts = ("/work/x", False, "old", "new", changed, kept)
        self.happened(FileWritten(self.now(), request.number, session_id, *facts))
        self.answer(request, {})

    @rule(data=st.data(), kind=st.sampled_from([WriteUndone, UndoRefused, BackupDropped]))
    def try_to_take_back(self, data: st.DataObject, kind: Any) -> None:
        kept = [
            (session.session_id, one.number)
            for session in self.state.sessions.values()
            for one in session.writes
            if one.has_backup
        ]
        if kept:
            session_id, number = data.draw(st.sampled_from(kept))
            reason = ["It has changed."] if kind is UndoRefused else []
            self.happened(kind(self.now(), number, session_id, *reason))

    @precondition(lambda self: self.running)
    @rule(session_id=sessions, id=request_ids, terminal_id=st.sampled_from(["m1", "m2"]))
    def create_terminal(self, session_id: str, id: Any, terminal_id: str) -> None:
        if terminal_id in self.state.terminals:
            return
        params = {"sessionId": session_id, "command": "ls", "args": ["-l"]}
        request = self.agent(Request(id, "terminal/create", params))
        assert isinstance(request, Requested)
        self.answer(request, {"terminalId": terminal_id})

    @rule(terminal_id=st.sampled_from(["m1", "m2"]), data=st.binary(max_size=5))
    def terminal_prints(self, terminal_id: str, data: bytes) -> None:
        self.happened(TerminalOutput(self.now(), terminal_id, data))

    @rule(terminal_id=st.sampled_from(["m1", "m2"]), code=st.sampled_from([0, None]))
    def terminal_exits(self, terminal_id: str, code: int | None) -> None:
        self.happened(TerminalExited(self.now(), terminal_id, code, None if code == 0 else "HUP"))

    @precondition(lambda self: self.running and self.connection.pending(Direction.IN))
    @rule(data=st.data())
    def give_up_asking(self, data: st.DataObject) -> None:
        """The agent wants no answer any more (`$/cancel_request`) and gets this one."""
        request = data.draw(st.sampled_from(self.connection.pending(Direction.IN)))
        self.send(Failure(request.id, Error(ErrorCode.REQUEST_CANCELLED, "Request cancelled")))

    @precondition(lambda self: self.running)
    @rule(
        session_id=sessions,
        id=request_ids,
        terminal_id=st.sampled_from(["m1", "m2"]),
        known=st.booleans(),
    )
    def release(self, session_id: str, id: Any, terminal_id: str, known: bool) -> None:
        params = {"sessionId": session_id, "terminalId": terminal_id}
        request = self.agent(Request(id, "terminal/release", params))
        assert isinstance(request, Requested)
        if known:
            self.answer(request, {})
        else:
            self.send(Failure(id, Error(ErrorCode.INVALID_PARAMS, "Unknown terminal")))

    # What always holds

    @invariant()
    def the_recording_gives_the_same_state(self) -> None:
        lines = [format_header({}), *(format_record(record) + "\n" for record in self.log)]
        recorded = list(read_records(lines))
        assert recorded == self.log
        assert replay_events(read_events(recorded)) == self.state

    @invariant()
    def questions_belong_to_unanswered_requests(self) -> None:
        unanswered = {one.number for one in self.connection.pending(Direction.IN)}
        assert {one.number for one in self.state.waiting_permissions()} <= unanswered
        assert {one.number for one in self.state.elicitations} <= unanswered

    @invariant()
    def a_turn_lasts_as_long_as_its_newest_prompt_is_unanswered(self) -> None:
        newest: dict[str, Requested] = {}
        for request in self.connection.pending(Direction.OUT):
            if isinstance(request.params, PromptParams):
                newest[request.params.session_id] = request
        for session in self.state.sessions.values():
            if session.turn is not None:
                assert session.turn.request == newest[session.session_id]
        if self.state.peer.unreachable_reason is None and self.running:
            turns = [one for one in self.state.sessions.values() if one.turn is not None]
            last = {id for id, one in newest.items() if one.number == self.prompts.get(id)}
            assert {one.session_id for one in turns} == last

    @invariant()
    def nothing_is_awaited_from_an_agent_that_is_gone(self) -> None:
        if self.state.peer.unreachable_reason is not None:
            assert not self.state.calls
            assert not self.state.waiting_permissions()
            assert all(session.turn is None for session in self.state.sessions.values())

    @invariant()
    def only_the_last_entry_still_grows(self) -> None:
        for session in self.state.sessions.values():
            for entry in session.entries[:-1]:
                assert isinstance(entry, ToolCallEntry) or entry.ended is not None

    @invariant()
    def ids_lead_to_their_entries(self) -> None:
        for session in self.state.sessions.values():
            check_places(session)


def _finished(session: Session, since: float = 0.0) -> list[bool]:
    """Whether each of the tool calls is over that was heard of since then."""
    calls = [one for one in session.entries if isinstance(one, ToolCallEntry)]
    return [one.finished for one in calls if one.updated_at >= since]


def check_places(session: Session) -> None:
    for call_id, index in session.indexes.tool_calls.items():
        call = session.entries[index]
        assert isinstance(call, ToolCallEntry)
        assert call.tool_call_id == call_id
        assert session.tool_call(call_id) is call
    for (role, message_id), index in session.indexes.messages.items():
        message = session.entries[index]
        assert isinstance(message, MessageEntry)
        assert (message.role, message.message_id) == (role, message_id)
    for (role, _), index in session.indexes.message_ids.items():
        message = session.entries[index]
        assert isinstance(message, MessageEntry)
        assert message.role == role
    for compaction_id, index in session.indexes.compactions.items():
        compaction = session.entries[index]
        assert isinstance(compaction, CompactionEntry)
        assert compaction.compaction_id == compaction_id
    for terminal_id, index in session.indexes.terminals.items():
        terminal = session.entries[index]
        assert isinstance(terminal, TerminalEntry)
        assert terminal.terminal_id == terminal_id
    if session.plan.snapshot is not None:
        plan = session.entries[session.plan.snapshot]
        assert isinstance(plan, PlanSnapshot)
        assert plan.versions[-1] == session.plan.steps


def _facts(session: Session) -> tuple[object, ...]:
    """What a screen shows of a session, beside its entries and its turn."""
    return (
        session.plan.steps,
        session.commands,
        (session.config.modes, session.config.options, session.config.models),
        (session.title, session.updated_at),
        (session.usage.used, session.usage.size, session.usage.cost),
        session.permissions,
        (session.opened, session.cwd),
        (session.reported.activity, session.reported.background),
    )


def _turn(session: Session) -> object:
    turn = session.turn
    return (turn and (turn.request.number, turn.cancelled)), session.reported.active


def check_told(
    before: State, after: State, changes: list[Change], lists: dict[str, list[Entry]]
) -> None:
    """What moved was told, so that a view which draws only what it is told is right. `lists` are
    those that had the entries of each session.
    """
    moved = ScreenChanged() in changes
    for session in after.sessions.values():
        old = before.sessions.get(session.session_id, Session(session.session_id))
        assert moved or _facts(session) == _facts(old)
        if moved and session.entries is not lists.get(session.session_id):
            continue  # a view draws all of it
        for index, entry in enumerate(session.entries):
            place = (session.session_id, index)
            if index >= len(old.entries):
                assert EntryAdded(*place) in changes
            elif entry != old.entries[index]:
                assert EntryChanged(*place) in changes
        assert _turn(session) == _turn(old) or TurnChanged(session.session_id) in changes
    for terminal_id, terminal in after.terminals.items():
        told = TerminalChanged(terminal_id) in changes
        assert told or terminal == before.terminals.get(terminal_id)
    asked = (before.elicitations, before.awaited) == (after.elicitations, after.awaited)
    same = (before.catalogue, before.peer) == (after.catalogue, after.peer)
    assert moved or (asked and same)
    for index in range(len(before.notices), len(after.notices)):
        assert NoticeAdded(index) in changes


def _check_cancelled(before: State, after: State) -> None:
    """When a cancelled turn ends, none of its tool calls goes on. One of an earlier turn may: it is a
    command in the background, which a cancel doesn't concern.
    """
    for session_id, old in before.sessions.items():
        session = after.sessions.get(session_id)
        if session is None:
            continue
        if old.turn is not None and old.turn.cancelled is not None and session.turn is None:
            assert all(_finished(session, old.turn.started))


Connected.TestCase.settings = settings(
    max_examples=some_of(50), stateful_step_count=40, deadline=None
)
TestConnected = Connected.TestCase
