"""Terminals that the agent runs in version 2: their output, their size, their end."""

from base64 import b64encode
from typing import Any

import pytest

from acp_tui.state.entries import RawEntry, TerminalEntry
from acp_tui.state.state import Terminal
from tests.unit.state.conversation import Conversation


def coded(data: bytes) -> str:
    return b64encode(data).decode()


def changed(talk: Conversation, **fields: Any) -> Terminal:
    talk.update("terminal_update", terminalId="t", **fields)
    return talk.state.terminals["s/t"]


def prints(talk: Conversation, data: bytes) -> Terminal:
    talk.update("terminal_output_chunk", terminalId="t", data=coded(data))
    return talk.state.terminals["s/t"]


@pytest.mark.check(131)
def test_pieces_are_decoded_each_by_itself_and_may_split_a_character() -> None:
    talk = Conversation.opened_in_2()
    whole = "\x1b[1mTee für zwei\x1b[0m\n".encode()
    for at in range(len(whole)):
        prints(talk, whole[at : at + 1])
    assert talk.state.terminals["s/t"].output == whole


def test_fields_are_left_cleared_or_replaced() -> None:
    talk = Conversation.opened_in_2()
    size = {"cols": 120, "rows": 40}
    changed(talk, command="make tea", cwd="/work", size=size, output={"data": coded(b"hot")})
    terminal = changed(talk, command=1, cwd=2, size={"cols": 0, "rows": 1}, output={"data": "?"})
    assert (terminal.command, terminal.cwd, terminal.size) == ("make tea", "/work", (120, 40))
    assert terminal.output == b"hot"
    terminal = changed(talk, command=None, cwd=None, size=None, output=None)
    assert (terminal.command, terminal.cwd, terminal.size) == ("", None, None)
    assert terminal.output == b""


@pytest.mark.check(132)
def test_a_snapshot_replaces_the_output_and_pieces_go_on_after_it() -> None:
    talk = Conversation.opened_in_2()
    before = prints(talk, b"cold").version
    terminal = changed(talk, output={"data": coded(b"hot")})
    assert terminal.version > before
    assert prints(talk, b" tea").output == b"hot tea"


@pytest.mark.check(133)
def test_it_has_exited_once_that_is_told_even_if_nobody_knows_how() -> None:
    talk = Conversation.opened_in_2()
    terminal = changed(talk, exitStatus={"exitCode": -1, "signal": 9}, capabilities={"cancel": {}})
    assert (terminal.exit_code, terminal.signal, terminal.can_cancel) == (-1, None, False)
    assert terminal.ended is not None
    assert changed(talk, exitStatus=None).ended is None
    assert changed(talk, exitStatus={}).ended is not None


def test_it_is_shown_on_its_own_unless_a_tool_call_shows_it() -> None:
    talk = Conversation.opened_in_2()
    changed(talk)
    own = talk.session.entries[-1]
    assert isinstance(own, TerminalEntry)
    assert not own.embedded
    talk.update(
        "tool_call_update", toolCallId="c", content=[{"type": "terminal", "terminalId": "t"}]
    )
    assert own.embedded
    talk.update(
        "tool_call_update", toolCallId="d", content=[{"type": "terminal", "terminalId": "u"}]
    )
    talk.update("terminal_update", terminalId="u")
    later = talk.session.entries[-1]
    assert isinstance(later, TerminalEntry)
    assert later.embedded


@pytest.mark.check(134)
def test_what_is_no_base64_is_kept_as_it_came() -> None:
    talk = Conversation.opened_in_2()
    for data in ("a", "ä===", "YQ==YQ==", 3):
        talk.update("terminal_output_chunk", terminalId="t", data=data)
    assert all(isinstance(entry, RawEntry) for entry in talk.session.entries)
    assert talk.state.terminals == {}
