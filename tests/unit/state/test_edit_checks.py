"""A question about an edit is answered once its files were looked at."""

from dataclasses import replace

from acp_tui.protocol.events import EditLooked
from acp_tui.state.edit_checks import is_compared
from acp_tui.state.state import Permission
from tests.unit.state.conversation import Conversation

DIFF = {"type": "diff", "path": "/work/a", "oldText": "old", "newText": "new"}
OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]


def asked(**call: object) -> tuple[Conversation, Permission]:
    talk = Conversation.opened()
    talk.prompt()
    talk.asks("session/request_permission", toolCall={"toolCallId": "t", **call}, options=OPTIONS)
    return talk, talk.session.permissions[0]


def test_an_edit_is_looked_at_once_something_was_said_of_it() -> None:
    talk, permission = asked(content=[DIFF])
    assert not is_compared(talk.state, permission)
    talk.happened(EditLooked(9.0, "s", "t", "/work/a", 0, first=True, line=1))
    assert is_compared(talk.state, permission)


def test_nothing_is_waited_for_that_never_comes() -> None:
    for call in ({"kind": "execute", "rawInput": {"command": "ls"}}, {"title": "Look"}):
        talk, permission = asked(**call)
        assert is_compared(talk.state, permission)
    talk, permission = asked(content=[DIFF])
    assert is_compared(talk.state, replace(permission, tool_call=None))
    talk.state.peer.elsewhere = True
    assert is_compared(talk.state, permission)
