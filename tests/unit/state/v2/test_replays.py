"""The end of a replay in version 2, and what is none."""

import pytest

from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.entries import MessageEntry, ToolCallEntry
from tests.unit.state.conversation import INITIALIZE_2, INITIALIZED_2, STARTED, Conversation


def test_the_end_of_a_replay_adds_nothing_to_the_transcript() -> None:
    talk = Conversation.opened_in_2()
    talk.update("agent_message", messageId="m", content=[{"type": "text", "text": "hi"}])
    before = list(talk.session.entries)
    talk.update("replay_complete")
    assert talk.session.entries == before


def connected_again(talk: Conversation, *, replays: bool, state: str) -> None:
    """Lose the connection in a turn, and open the session again, which is in a state then."""
    talk.answer(talk.prompt(), result={"messageId": "u"})
    talk.update("state_update", state="running")
    say(talk, "Hel")
    talk.update("tool_call_update", toolCallId="t", title="Work", status="in_progress")
    talk.happened(ProcessExited(talk.number + 0.5, None, "SIGKILL"))
    talk.happened(STARTED)
    talk.call("initialize", INITIALIZE_2, result=INITIALIZED_2)
    start = {"replayFrom": {"type": "start"}} if replays else {}
    id = talk.call("session/resume", {"sessionId": "s", "cwd": "/work", **start})
    if replays:
        say(talk, "Hel")
        talk.update("replay_complete")
    talk.update("state_update", state=state)
    talk.answer(id, result={})


def say(talk: Conversation, text: str) -> None:
    talk.update("agent_message_chunk", messageId="m", content={"type": "text", "text": text})


@pytest.mark.parametrize("replays", [True, False])
def test_a_turn_that_goes_on_when_the_connection_is_back_is_no_replay(replays: bool) -> None:
    talk = Conversation.opened_in_2()
    connected_again(talk, replays=replays, state="running")
    say(talk, "lo")
    assert texts(talk)[-2:] == ["Hel", "lo"]


def test_a_tool_call_of_such_a_turn_ends_where_it_began() -> None:
    talk = Conversation.opened_in_2()
    connected_again(talk, replays=False, state="running")
    talk.update("tool_call_update", toolCallId="t", status="completed")
    calls = [one for one in talk.session.entries if isinstance(one, ToolCallEntry)]
    assert [(one.title, one.status) for one in calls] == [("Work", "completed")]


def test_what_an_idle_session_repeats_is_a_replay() -> None:
    talk = Conversation.opened_in_2()
    connected_again(talk, replays=False, state="idle")
    say(talk, "Hel")
    assert texts(talk).count("Hel") == 1


def texts(talk: Conversation) -> list[str]:
    return [one.text for one in talk.session.entries if isinstance(one, MessageEntry)]
