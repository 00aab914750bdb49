"""The agent's process, its set-up, and sessions that outlive it."""

from copy import copy
from dataclasses import replace
from typing import Any

import pytest

from acp_tui.protocol.config_options import BooleanConfigOption
from acp_tui.protocol.events import (
    ClientNotice,
    LineDamaged,
    NotSent,
    OwnFault,
    QuirkHelped,
    TimedOut,
    TrustAnswered,
    TrustAsked,
)
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.initialization import AuthMethod
from acp_tui.protocol.process_events import (
    Connecting,
    Disconnected,
    LineUnfinished,
    OutputOmitted,
    ProcessExited,
    ProcessFailed,
    RestartPlanned,
    RestartRequested,
    RestartStopped,
    Stalled,
    StderrLine,
    StderrOmitted,
    StdoutClosed,
    TerminalExited,
    TerminalOutput,
    TransportFact,
)
from acp_tui.state import authentication
from acp_tui.state.changes import EntryChanged, ScreenChanged
from acp_tui.state.entries import MessageEntry, NoticeEntry, TerminalEntry, TurnEndEntry
from acp_tui.state.fold import replay_events
from acp_tui.state.peer import Phase
from acp_tui.state.reducers import terminals
from acp_tui.state.subject import place_words
from tests.unit.state.conversation import INITIALIZED, STARTED, Conversation

NO_SIGN_IN = {"code": -32000, "message": "Sign in first"}


def test_a_place_is_said_and_elsewhere_no_folder_is_ours() -> None:
    talk = Conversation.opened()
    assert place_words(talk.state.peer) == ""
    assert talk.state.folder_here(talk.session) == talk.session.cwd
    talk.happened(STARTED._replace(place="ssh \x1b[31mhost", served="All: there.", elsewhere=True))
    assert place_words(talk.state.peer) == "In ssh host. All: there."
    assert talk.state.folder_here(talk.session) is None


def test_a_project_s_file_waits_for_an_answer_whatever_the_agent_does() -> None:
    talk = Conversation()
    asked = TrustAsked(1.0, "/work/.mcp.json", "{}")
    talk.happened(STARTED)
    assert talk.happened(asked)
    talk.happened(ProcessExited(2.0, 1))
    talk.happened(STARTED)
    assert talk.state.trust is asked
    talk.happened(TrustAnswered(3.0, trusted=False))
    assert talk.state.trust is None


def test_the_phase_follows_the_facts() -> None:
    talk = Conversation()
    peer = lambda: talk.state.peer  # noqa: E731
    assert (peer().phase, peer().name) == (Phase.STARTING, "agent")
    talk.happened(STARTED)
    assert (peer().phase, peer().name) == (Phase.INITIALIZING, "agent")
    assert peer().unreachable_reason is None
    assert not peer().capabilities.load_session
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    assert (peer().phase, peer().name) == (Phase.CONNECTED, "Agent")
    talk.happened(ProcessExited(3.0, 1))
    assert peer().phase is Phase.EXITED


def test_an_agent_that_cannot_start_says_why() -> None:
    talk = Conversation()
    talk.happened(ProcessFailed(1.0, ("agnet",), "no such command: agnet"))
    assert talk.state.peer.phase is Phase.FAILED
    assert talk.state.peer.trouble == "no such command: agnet"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"result": {"protocolVersion": 2}}, "speaks ACP version 2, this client speaks version 1"),
        ({"result": {}}, "initialize: the result can't be read: result.protocolVersion: is"),
        ({"error": {"code": -1, "message": "no", "data": {"why": 1}}}, 'no (-1): {"why": 1}'),
    ],
)
def test_an_agent_that_cannot_be_spoken_with_says_why(answer: dict[str, Any], words: str) -> None:
    talk = Conversation()
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1}, **answer)
    assert talk.state.peer.phase is Phase.FAILED
    assert words in (talk.state.peer.trouble or "")


def test_a_request_without_an_answer_is_named_and_a_late_answer_still_counts() -> None:
    talk = Conversation()
    talk.happened(STARTED)
    id = talk.call("initialize", {"protocolVersion": 1})
    talk.happened(TimedOut(60.0, id, 60.0))
    assert talk.state.peer.trouble == "no answer to initialize within 60 s"
    assert not talk.state.calls
    talk.call("authenticate", {"methodId": "key"})
    talk.happened(TimedOut(61.0, id, 60.0))
    assert len(talk.state.calls) == 1
    talk.answer(id, result=INITIALIZED)
    assert talk.state.peer.phase is Phase.CONNECTED


def test_a_restart_by_itself_is_planned_and_stopped() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.happened(ProcessExited(1.0, 0))
    assert talk.state.peer.process.cut
    talk.happened(RestartPlanned(1.0, 2.0, 1))
    assert talk.state.peer.restart.planned == RestartPlanned(1.0, 2.0, 1)
    talk.happened(RestartStopped(2.0, "enough"))
    assert (talk.state.peer.restart.planned, talk.state.peer.restart.stopped) == (None, "enough")
    talk.happened(STARTED)
    assert talk.state.peer.restart.stopped is None


def test_a_restart_is_waited_for_while_the_old_process_still_ends() -> None:
    talk = Conversation.opened()
    talk.happened(StdoutClosed(1.0))
    assert talk.state.peer.phase is Phase.FAILED
    talk.happened(RestartRequested(2.0))
    assert talk.state.peer.phase is Phase.STARTING
    talk.happened(ProcessExited(3.0, None, "SIGKILL", asked=True))
    assert talk.state.peer.phase is Phase.STARTING
    talk.happened(STARTED)
    assert talk.state.peer.phase is Phase.INITIALIZING


def test_a_restart_that_fails_is_waited_for_no_longer() -> None:
    talk = Conversation.opened()
    talk.happened(RestartRequested(2.0))
    talk.happened(ProcessFailed(3.0, ("agent",), "not found"))
    assert talk.state.peer.phase is Phase.FAILED


def test_stderr_and_a_full_pipe_are_told() -> None:
    talk = Conversation.opened()
    talk.happened(StderrLine(1.0, "warning"))
    talk.happened(StderrOmitted(1.0, 5_000, "cd"))
    left_out = "[5,000 bytes of stderr are left out here]"
    assert list(talk.state.peer.output.stderr) == ["warning", left_out]
    talk.happened(Stalled(2.0, 10))
    talk.happened(Stalled(3.0, 20))
    assert (talk.state.peer.waiting, talk.state.peer.stalled) == (20, 2.0)
    talk.happened(Stalled(4.0, 0))
    assert talk.state.peer.stalled is None


def test_closed_output_is_trouble_while_the_process_lives_and_no_more_than_its_exit_after() -> None:
    talk = Conversation.opened()
    talk.happened(StdoutClosed(1.0))
    assert talk.state.peer.unreachable_reason == "the agent closed its output"
    assert talk.state.peer.trouble == "the agent closed its output but still runs"
    talk.happened(ProcessExited(2.0, 0))
    assert talk.state.peer.trouble is None
    talk = Conversation.opened()
    talk.happened(ProcessExited(1.0, 0))
    talk.happened(StdoutClosed(2.0))
    assert talk.state.peer.trouble is None


@pytest.mark.parametrize(
    ("asked", "lost"), [(False, "the agent was killed by SIGTERM"), (True, "the agent was ended")]
)
def test_a_turn_that_we_end_with_its_agent_is_not_the_agent_s_fault(asked: bool, lost: str) -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.happened(ProcessExited(2.0, None, "SIGTERM", asked))
    (end,) = [one for one in talk.session.entries if isinstance(one, TurnEndEntry)]
    assert end.lost == lost


def test_replayed_events_give_the_state_again() -> None:
    happened = [STARTED, StderrLine(1.0, "warning"), ProcessExited(2.0, 1)]
    talk = Conversation()
    for event in happened:
        talk.happened(event)
    assert replay_events(happened) == talk.state


def test_noise_and_answers_to_nothing_change_nothing_but_that_the_agent_was_heard() -> None:
    talk = Conversation.opened()
    before = copy(talk.state)
    talk.frame(Direction.IN, {"id": 99, "result": {}})
    talk.frame(Direction.IN, {})
    assert replace(before, last_received=talk.state.last_received) == talk.state
    assert talk.state.last_received != before.last_received


def test_after_a_restart_the_transcript_goes_on_in_the_new_session() -> None:
    talk = Conversation.opened("old")
    talk.say("before", session_id="old")
    talk.happened(ProcessExited(8.0, 1))
    talk.happened(STARTED)
    talk.update("plan", entries=[{"content": "a"}])
    talk.update("tool_call", toolCallId="t", title="Early")
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
    assert list(talk.state.sessions) == ["s"]
    said, notice, _, call = talk.session.entries
    assert isinstance(said, MessageEntry)
    assert said.ended is not None
    assert isinstance(notice, NoticeEntry)
    assert call is talk.session.tool_call("t")
    talk.update("plan", entries=[{"content": "b"}])
    assert len(talk.session.entries) == 4


def test_a_turn_that_was_lost_is_shown_again_once_its_agent_is_restarted() -> None:
    talk = Conversation.opened()
    talk.prompt("Tea?")
    talk.happened(ProcessExited(8.0, 1))
    (lost,) = [at for at, one in enumerate(talk.session.entries) if isinstance(one, TurnEndEntry)]
    assert EntryChanged("s", lost) in talk.happened(STARTED)
    assert EntryChanged("s", lost) not in talk.happened(STARTED)


def test_a_session_that_says_nothing_yet_takes_the_lost_transcript_over() -> None:
    talk = Conversation.opened("old")
    talk.say("before", session_id="old")
    talk.happened(STARTED)
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
    assert len(talk.session.entries) == 2


def test_an_agent_that_gives_the_same_id_again_goes_on_in_the_same_transcript() -> None:
    """And what it numbers anew is not taken for what it numbered before."""
    for _ in range(2):  # also when nothing was asked in between
        talk = Conversation.opened()
        talk.update("tool_call", toolCallId="t", title="One")
        talk.happened(STARTED)
        talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
        talk.happened(STARTED)
        talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
        talk.update("tool_call", toolCallId="t", title="Two")
    assert [type(one).__name__ for one in talk.session.entries] == [
        "ToolCallEntry",
        "NoticeEntry",
        "NoticeEntry",
        "ToolCallEntry",
    ]
    assert talk.session.opened
    assert not talk.session.lost


def test_what_the_client_says_stands_in_the_transcript() -> None:
    talk = Conversation.opened()
    talk.happened(ClientNotice(1.0, "s", "error", "Not sent", "The agent isn't running."))
    (notice,) = talk.session.entries
    assert isinstance(notice, NoticeEntry)
    assert notice.ours


def test_a_fault_of_our_own_is_told_where_it_was_and_is_no_trouble_of_the_agents() -> None:
    talk = Conversation.opened()
    talk.happened(OwnFault(1.0, "s", "fs/read_text_file", "ValueError: oh", "Traceback"))
    (notice,) = talk.session.entries
    assert isinstance(notice, NoticeEntry)
    assert (notice.severity, notice.ours) == ("error", True)
    assert notice.title == "A bug in acp-tui, in fs/read_text_file"
    assert notice.description is not None
    assert "ValueError: oh" in notice.description
    for session_id in (None, "never opened"):
        talk.happened(OwnFault(2.0, session_id, "the thread recorder", "ValueError: oh", "T"))
    assert [one.severity for one in talk.state.notices] == ["warning", "warning"]
    assert talk.state.peer.trouble is None


def test_a_refused_session_offers_to_sign_in_and_goes_on_after_it() -> None:
    talk = Conversation()
    talk.happened(STARTED)
    methods = [{"id": "key", "name": "Key"}]
    initialized = {**INITIALIZED, "authMethods": methods}
    talk.call("initialize", {"protocolVersion": 1}, result=initialized)
    talk.call("session/new", {"cwd": "/work"}, error=NO_SIGN_IN)
    assert talk.state.peer.phase is Phase.SIGN_IN
    sign_in = talk.state.peer.sign_in
    assert sign_in is not None
    assert [method.id for method in sign_in.methods] == ["key"]
    id = talk.call("authenticate", {"methodId": "key"})
    assert sign_in.trying == "key"
    talk.answer(id, error={"code": -1, "message": "wrong"})
    assert sign_in.failure is not None
    assert sign_in.trying is None
    talk.call("authenticate", {"methodId": "key"}, result=None)
    assert talk.state.peer.phase is Phase.CONNECTED


def test_our_terminals_are_entries_until_a_tool_call_shows_them() -> None:
    talk = Conversation.opened()
    talk.asks("terminal/create", {"result": {"terminalId": "m"}}, command="make", args=["all"])
    terminal = talk.state.terminals["m"]
    assert (terminal.command, terminal.args) == ("make", ["all"])
    shown = {"type": "terminal", "terminalId": "m"}
    for _ in range(2):
        talk.update("tool_call", toolCallId="t", title="Build", content=[shown])
    (entry, _) = talk.session.entries
    assert isinstance(entry, TerminalEntry)
    assert entry.embedded
    talk.happened(TerminalOutput(1.0, "m", b"built "))
    talk.happened(TerminalOutput(2.0, "m", b"all\n"))
    talk.happened(TerminalExited(3.0, "m", 0, None))
    talk.asks("terminal/release", {"result": {}}, terminalId="m")
    assert terminal.output == b"built all\n"
    assert (terminal.exit_code, terminal.ended) == (0, 3.0)
    assert talk.happened(TerminalOutput(4.0, "unknown", b"")) == []


def test_of_much_output_the_end_is_kept() -> None:
    talk = Conversation.opened()
    talk.asks("terminal/create", {"result": {"terminalId": "m"}}, command="yes")
    piece = b"y" * (terminals.KEPT_OUTPUT_BYTES // 2)
    for _ in range(3):
        talk.happened(TerminalOutput(1.0, "m", piece))
    terminal = talk.state.terminals["m"]
    assert (len(terminal.output), terminal.dropped) == (terminals.KEPT_OUTPUT_BYTES, len(piece))
    talk.happened(TerminalOutput(2.0, "m", piece * 3))  # one piece is never cut
    assert (len(terminal.output), terminal.dropped) == (3 * len(piece), 3 * len(piece))


def test_what_is_left_out_of_the_log_is_not_shown_but_counted() -> None:
    talk = Conversation.opened()
    talk.asks("terminal/create", {"result": {"terminalId": "m"}}, command="yes")
    talk.happened(TerminalOutput(1.0, "m", b"the beginning"))
    talk.happened(OutputOmitted(2.0, "m", 1_000, "00"))
    talk.happened(TerminalOutput(2.0, "m", b"the end"))
    terminal = talk.state.terminals["m"]
    assert (terminal.output, terminal.dropped) == (b"the end", 1_000 + len("the beginning"))
    assert talk.happened(OutputOmitted(3.0, "unknown", 1, "00")) == []


def test_modes_and_options_set_by_us_hold_even_if_the_agent_does_not_repeat_them() -> None:
    talk = Conversation.opened()
    set_mode: dict[str, Any] = {"sessionId": "s", "modeId": "code"}
    talk.call("session/set_mode", set_mode, result={})
    assert talk.session.config.modes is None
    modes = {"currentModeId": "ask", "availableModes": [{"id": "code", "name": "Code"}]}
    talk.call("session/new", {"cwd": "/"}, result={"sessionId": "s", "modes": modes})
    talk.call("session/set_mode", set_mode, error={"code": -1, "message": "no"})
    assert talk.session.config.mode == "ask"
    talk.call("session/set_mode", set_mode, result={})
    assert talk.session.config.mode == "Code"
    option = {"type": "boolean", "id": "b", "name": "B", "currentValue": True}
    set_option: dict[str, Any] = {"sessionId": "s", "configId": "b", "value": True}
    talk.call("session/set_config_option", set_option, result={"configOptions": [option]})
    talk.call("session/set_config_option", set_option, result={})
    assert len(talk.session.config.options or []) == 1


@pytest.mark.parametrize("result", [{}, None, {"configOptions": []}, {"configOptions": None}])
def test_an_answer_without_the_options_leaves_them_to_the_update_that_follows(result: Any) -> None:
    option = {"type": "boolean", "id": "b", "name": "B", "currentValue": False}
    talk = Conversation.opened(configOptions=[option])
    before = len(talk.session.entries)
    params = {"sessionId": "s", "configId": "b", "type": "boolean", "value": True}
    asked = talk.call("session/set_config_option", params)
    talk.answer(asked, result=result)
    assert talk.session.config.options
    assert talk.session.config.unconfirmed == {"b": True}
    talk.update("config_option_update", configOptions=[{**option, "currentValue": True}])
    assert talk.session.config.unconfirmed == {}
    (known,) = talk.session.config.options
    assert isinstance(known, BooleanConfigOption)
    assert known.current_value is True
    assert len(talk.session.entries) == before
    assert talk.state.notices == []


def test_an_update_before_an_empty_answer_confirms_an_option() -> None:
    option = {"type": "boolean", "id": "b", "name": "B", "currentValue": False}
    talk = Conversation.opened(configOptions=[option])
    params = {"sessionId": "s", "configId": "b", "type": "boolean", "value": True}
    asked = talk.call("session/set_config_option", params)
    talk.update("config_option_update", configOptions=[{**option, "currentValue": True}])
    talk.answer(asked, result={})
    assert talk.session.config.unconfirmed == {}
    talk.call("session/set_config_option", {**params, "value": False}, result={})
    assert talk.session.config.unconfirmed == {"b": False}
    listed = {"configOptions": [option]}
    talk.call("session/set_config_option", {**params, "value": False}, result=listed)
    assert talk.session.config.unconfirmed == {}


def test_of_several_lost_sessions_the_one_with_the_new_id_goes_on() -> None:
    talk = Conversation.opened()
    talk.say("in s")
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "other"})
    talk.say("in the other", session_id="other")
    talk.happened(STARTED)
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
    assert len(talk.session.entries) == 2
    assert len(talk.state.sessions["other"].entries) == 1


def test_a_quirk_stands_beside_the_agent_until_its_process_is_over() -> None:
    talk = Conversation.opened()
    quirk = QuirkHelped(1.0, "missing-file-is-empty", "It can't take the error.")
    talk.happened(quirk)
    assert talk.state.peer.quirks == [quirk]
    talk.happened(STARTED)
    assert talk.state.peer.quirks == []


def test_a_damaged_line_of_a_recording_changes_nothing() -> None:
    talk = Conversation.opened()
    entries = list(talk.session.entries)
    assert talk.happened(LineDamaged(2.0, '{"cut', "no JSON")) == []
    assert (talk.session.entries, talk.state.peer.phase) == (entries, Phase.CONNECTED)


CONNECTING = Connecting(0.0, "wss://agents.example:8443/acp", "/work")


def test_a_connection_is_named_by_where_it_goes_and_ends_in_its_own_words() -> None:
    talk = Conversation()
    talk.happened(CONNECTING)
    peer = talk.state.peer
    assert (peer.phase, peer.name) == (Phase.INITIALIZING, "agents.example:8443")
    assert talk.happened(TransportFact(1.0, "connected")) == []
    terminal = AuthMethod(id="login", name="Log in", type="terminal", args=["rm"])
    assert (
        authentication.sign_in_program(peer, terminal) is None
    )  # the arguments of no program here
    talk.happened(Disconnected(2.0, "the connection was cut"))
    assert (peer.phase, peer.unreachable_reason) == (
        Phase.EXITED,
        "disconnected: the connection was cut",
    )


@pytest.mark.parametrize(
    ("end", "lost"),
    [
        (Disconnected(9.0, "the connection was cut"), "disconnected: the connection was cut"),
        (Disconnected(9.0, "we left", asked=True), "the connection was ended"),
        (CONNECTING, "the connection was opened again"),
    ],
)
def test_nothing_waits_when_a_connection_is_lost(end: Disconnected | Connecting, lost: str) -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.happened(end)
    assert not talk.state.calls
    (ended,) = [one for one in talk.session.entries if isinstance(one, TurnEndEntry)]
    assert ended.lost == lost


def test_after_a_lost_connection_a_session_goes_on() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.happened(Disconnected(9.0, "the connection was cut"))
    talk.happened(CONNECTING)
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    params = {"sessionId": talk.session.session_id, "cwd": "/work", "mcpServers": []}
    talk.call("session/resume", params, result={})
    notice = talk.session.entries[-1]
    assert isinstance(notice, NoticeEntry)
    assert notice.title == "Connected again"


def test_a_request_that_never_got_to_the_agent_ends_as_an_error() -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    talk.happened(NotSent(5.0, id, "HTTP 500 Internal Server Error"))
    (ended,) = [one for one in talk.session.entries if isinstance(one, TurnEndEntry)]
    assert "HTTP 500 Internal Server Error" in (ended.error or "")
    assert talk.session.turn is None
    assert talk.happened(NotSent(6.0, id, "again")) == []


def starting() -> Conversation:
    talk = Conversation()
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1})
    return talk


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"Welcome!", "The agent printed a line that is no message:"),
        (
            b'$ {"jsonrpc": "2.0", "id": 1, "result": {}}',
            "Not read from the agent: other text before a message on one line, "
            "so it can't be read: response to 1:",
        ),
        (
            b'{"jsonrpc": "2.0", "id": 1, "result": {}} [ready]',
            "Not read from the agent: other text after a message on one line, "
            "so it can't be read: response to 1:",
        ),
    ],
)
def test_what_an_agent_prints_in_place_of_its_first_answer_is_kept(line: bytes, why: str) -> None:
    talk = starting()
    assert talk.frame_bytes(line) == [ScreenChanged()]
    assert talk.state.peer.output.noise == (why, line.decode())
    talk.happened(TimedOut(9.0, 1, 60.0))
    assert line.decode() in str(talk.state.peer.trouble)


def test_what_an_agent_prints_in_place_of_its_session_is_kept() -> None:
    talk = Conversation()
    talk.happened(STARTED)
    talk.frame_bytes(b"Welcome!")
    talk.answer(talk.call("initialize", {"protocolVersion": 1}), result=INITIALIZED)
    assert talk.state.peer.output.noise is None
    id = talk.call("session/new", {"cwd": "/p", "mcpServers": []})
    line = b'DEBUG: {"jsonrpc": "2.0", "id": 2, "result": {"sessionId": "s"}}'
    assert talk.frame_bytes(line) == [ScreenChanged()]
    why, kept = talk.state.peer.output.noise or ("", "")
    assert why.startswith("Not read from the agent: other text before a message on one line")
    assert kept == line.decode()
    talk.happened(TimedOut(9.0, id, 60.0))
    assert "the last line on its stdout is no message: DEBUG: {" in str(talk.state.peer.trouble)


def test_lines_with_lost_messages_are_reported_once_a_turn_with_the_last() -> None:
    talk = Conversation.opened()
    talk.frame_bytes(b"npm warn")
    talk.frame_bytes(b'warn {"jsonrpc":"2.0","method":"_a"}', Direction.OUT)
    assert talk.session.entries == []
    talk.frame_bytes(b'warn {"jsonrpc":"2.0","method":"_a"}')
    id = talk.prompt("go")
    glued = b'{"jsonrpc":"2.0","method":"_b"}{"jsonrpc":"2.0","id":1,"result":{}}'
    talk.frame_bytes(glued)
    talk.frame_bytes(glued.replace(b"_b", b"_c"))
    talk.frame_bytes(b"{")
    talk.frame_bytes(b'"jsonrpc":"2.0","method":"_d"}')
    talk.answer(id, result={"stopReason": "end_turn"})
    before, during = [one for one in talk.session.entries if isinstance(one, NoticeEntry)]
    assert (before.severity, before.title) == ("warning", "1 line from the agent not read")
    assert (before.description or "").startswith(
        "other text before a message on one line, so it can't be read: _a:\nwarn {"
    )
    talk.frame_bytes(b'warn {"jsonrpc":"2.0","method":"_e"}')
    assert during.title == "3 lines from the agent not read"
    assert before.title == "2 lines from the agent not read"
    assert (during.description or "").startswith("the last one: one message on 2 lines")


def test_a_lost_message_is_reported_in_the_session_that_it_names() -> None:
    talk = Conversation.opened()
    first = talk.session
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "other"})
    talk.frame_bytes(
        b'warn {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other"}}'
    )
    assert first.entries == []
    assert [type(one) for one in talk.state.session("other").entries] == [NoticeEntry]


def test_a_line_that_an_agent_does_not_end_is_kept_until_it_has_ended() -> None:
    talk = starting()
    talk.happened(LineUnfinished(2.0, "sam@host $ "))
    why = "The agent printed this, and has not ended the line:"
    assert talk.state.peer.output.noise == (why, "sam@host $ ")
    talk.frame_bytes(b"sam@host $ done")
    assert talk.state.peer.output.noise == (
        "The agent printed a line that is no message:",
        "sam@host $ done",
    )


def test_the_lines_before_the_last_that_an_agent_prints_are_kept_until_it_answers() -> None:
    talk = Conversation()
    talk.happened(STARTED)
    id = talk.call("initialize", {"protocolVersion": 1})
    for line in (b"0", b"1", b"2", b"Sign in at https://example.org/a", b"Or:"):
        talk.frame_bytes(line + b" ...")
    talk.happened(LineUnfinished(2.0, "> "))
    talk.happened(LineUnfinished(3.0, "> wait"))
    before = ["1 ...", "2 ...", "Sign in at https://example.org/a ...", "Or: ..."]
    assert [*talk.state.peer.output.noise_before] == before
    talk.answer(id, result=INITIALIZED)
    assert [*talk.state.peer.output.noise_before] == []


def test_what_an_agent_prints_after_its_first_answer_is_only_in_the_log() -> None:
    talk = Conversation.opened()
    assert talk.frame_bytes(b"Welcome!") == []
    assert talk.state.peer.output.noise is None


def test_an_agent_on_the_network_has_no_stdout_in_words() -> None:
    talk = Conversation()
    talk.happened(CONNECTING)
    talk.answer(talk.call("initialize", {"protocolVersion": 1}), result=INITIALIZED)
    id = talk.call("session/new", {"cwd": "/p", "mcpServers": []})
    talk.frame_bytes(b"Welcome!")
    talk.happened(TimedOut(9.0, id, 60.0))
    assert "the last line from it is no message: Welcome!" in str(talk.state.peer.trouble)
