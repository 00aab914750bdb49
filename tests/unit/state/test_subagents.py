"""Sessions that the agent opens for subagents, and what sessions say to each other."""

from typing import Any

import pytest

from acp_tui.protocol.events import ProcessExited
from acp_tui.state.entries import MessageEntry, NoticeEntry
from tests.unit.state.conversation import STARTED, Conversation


def told(talk: Conversation) -> list[tuple[str, str | None]]:
    entries = talk.session.entries
    return [(one.title, one.description) for one in entries if isinstance(one, NoticeEntry)]


def announced(**more: Any) -> Conversation:
    talk = Conversation.opened()
    talk.update("subagent_update", sessionId="c", title="Taster", **more)
    return talk


def test_a_child_works_in_its_parents_folder_and_says_what_it_does() -> None:
    talk = announced(description="Tastes", cwd="/", state={"state": "running"})
    child = talk.state.sessions["c"]
    assert child.opened
    assert child.cwd == talk.session.cwd
    assert told(talk) == [("Subagent Taster: working", "Tastes")]
    talk.update("subagent_update", sessionId="c", state={"state": "idle"})
    assert told(talk) == [("Subagent Taster: ready", "Tastes")]
    talk.update("subagent_update", sessionId="c", state=None, description=None, title=None)
    assert told(talk) == [("Subagent c: not known what it does", None)]


def test_what_a_child_says_stands_in_its_own_transcript() -> None:
    talk = announced()
    talk.say("hot", session_id="c")
    (entry,) = talk.state.sessions["c"].entries
    assert isinstance(entry, MessageEntry)
    assert entry.text == "hot"


@pytest.mark.parametrize(
    ("capabilities", "allowed"), [(None, False), ({}, False), ({"cancel": {}}, True)]
)
def test_a_child_may_be_cancelled_where_that_is_said(
    capabilities: dict[str, Any] | None, allowed: bool
) -> None:
    talk = announced(capabilities={"cancel": {}})
    talk.update("subagent_update", sessionId="c", capabilities=capabilities)
    about = talk.state.sessions["c"].subagent
    assert about is not None
    assert about.can_cancel is allowed


def test_a_session_of_the_persons_own_is_nobodys_child() -> None:
    talk = Conversation.opened()
    talk.update("subagent_update", sessionId="s", title="Me?")
    assert talk.session.subagent is None
    assert told(talk) == []


def test_a_child_ends_with_its_process_and_is_not_brought_back() -> None:
    talk = announced()
    child = talk.state.sessions["c"]
    talk.happened(ProcessExited(5.0, 1))
    assert child.opened
    assert not child.lost
    talk.happened(STARTED)
    assert (child.opened, child.closed) == (False, True)


def test_messages_between_sessions_are_written_over_and_grow() -> None:
    talk = announced()
    piece = {"type": "text", "text": "hot"}
    talk.update("session_message_chunk", messageId="m", content=piece)
    talk.update("session_message", messageId="m", senderSessionId="s", recipientSessionId="c")
    talk.update("session_message_chunk", messageId="m", content={**piece, "text": "?"})
    assert told(talk)[1:] == [("Message from s to Taster", "hot?")]
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    talk.update("session_message", messageId="m", senderSessionId="c", content=[piece, image])
    assert told(talk)[1:] == [("Message from Taster to ?", "hot[image]")]
    talk.update("session_message", messageId="m", content=None)
    assert told(talk)[1:] == [("Message from Taster to ?", "")]
    talk.update("session_message", messageId="n")
    assert told(talk)[2:] == [("Message from ? to ?", None)]
