from typing import Any

from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.changes import TerminalChanged
from acp_tui.state.subject import commands_in_terminals
from tests.unit.state.conversation import Conversation


def shown(talk: Conversation, session_id: str = "s", **meta: Any) -> list[Any]:
    return talk.update("tool_call_update", session_id, toolCallId="t", _meta=meta)


def test_its_output_grows_until_it_ends() -> None:
    talk = Conversation.opened()
    talk.update("tool_call", toolCallId="t", title="Run")
    shown(talk, terminal_info={"terminal_id": "x", "cwd": "/work"})
    assert talk.state.terminals["x"].command == ""  # a title isn't one
    talk.update("tool_call_update", toolCallId="t", rawInput={"command": "make"})
    shown(talk, terminal_output={"terminal_id": "x", "data": "one\n"})
    changes = shown(talk, terminal_output_delta={"terminal_id": "x", "data": "two\n"})
    assert TerminalChanged("x") in changes
    shown(talk, terminal_exit={"terminal_id": "x", "exit_code": 2, "signal": None})
    terminal = talk.state.terminals["x"]
    assert (terminal.command, terminal.cwd, terminal.output) == ("make", "/work", b"one\ntwo\n")
    assert terminal.exit_code == 2
    assert terminal.ended is not None


def test_without_an_id_it_is_the_tool_call_s() -> None:
    talk = Conversation.opened()
    talk.update("tool_call", toolCallId="t", title="Run it")
    shown(talk, terminal_exit={"exit_code": None, "signal": "SIGTERM"})
    assert talk.state.terminals["t"].signal == "SIGTERM"
    assert talk.state.terminals["t"].command == ""


def test_a_replay_does_not_double_its_output() -> None:
    talk = Conversation.opened()
    for _ in range(2):
        shown(talk, terminal_info={"terminal_id": "x"}, terminal_output={"data": "one"})
    assert talk.state.terminals["x"].output == b"one"


def test_what_makes_no_sense_is_left_out() -> None:
    talk = Conversation.opened()
    shown(talk, terminal_info=3, terminal_output=["x"])
    assert talk.state.terminals == {}
    shown(talk, terminal_output={"data": 3}, terminal_exit={"exit_code": "x", "signal": 9})
    assert talk.state.terminals["t"].output == b""
    assert talk.state.terminals["t"].exit_code is None


def test_an_agent_can_write_neither_to_ours_nor_to_another_session_s() -> None:
    talk = Conversation.opened()
    talk.asks("terminal/create", {"result": {"terminalId": "ours"}}, command="ls")
    shown(talk, terminal_output={"terminal_id": "ours", "data": "forged"})
    shown(talk, terminal_output={"terminal_id": "x", "data": "real"})
    shown(talk, "other", terminal_output={"terminal_id": "x", "data": "forged"})
    assert talk.state.terminals["ours"].output == b""
    assert talk.state.terminals["x"].output == b"real"


def test_it_ends_with_the_agent() -> None:
    talk = Conversation.opened()
    talk.asks("terminal/create", {"result": {"terminalId": "ours"}}, command="ls")
    shown(talk, terminal_output={"terminal_id": "x", "data": "…"})
    assert TerminalChanged("x") in talk.happened(ProcessExited(9.0, 1))
    assert talk.state.terminals["x"].ended == 9.0


def test_no_question_says_of_it_what_only_its_tool_call_has_said() -> None:
    talk = Conversation.opened()
    content = [{"type": "terminal", "terminalId": "x"}]
    call = {"toolCallId": "t", "title": "Terminal", "kind": "execute", "content": content}
    talk.update("tool_call", **call, rawInput={}, _meta={"terminal_info": {"terminal_id": "x"}})
    assert talk.state.terminals["x"].command == ""
    for given in ({}, {"command": "make"}):
        shown(talk, terminal_info={"terminal_id": "x"})
        talk.update("tool_call_update", toolCallId="t", rawInput=given)
        asked = {"toolCallId": "t", "title": "touch tea", "rawInput": {"command": "touch tea"}}
        talk.asks("session/request_permission", toolCall=asked, options=[])
        question = talk.state.waiting_permissions()[-1]
        assert commands_in_terminals(talk.state, question) == []
