"""A prompt whose answer was lost with the connection is resent if its key makes that safe."""

from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.process_events import (
    ProcessExited,
    RestartPlanned,
    RestartRequested,
    RestartStopped,
)
from acp_tui.state.entries import MessageEntry, NoticeEntry, TurnEndEntry
from tests.unit.state.conversation import INITIALIZE_2, INITIALIZED_2, STARTED, Conversation

HERE = {"sessionId": "s", "cwd": "/work", "mcpServers": []}


def prompted(key: str | None) -> Conversation:
    talk = Conversation.opened_in_2()
    send(talk, key)
    return talk


def send(talk: Conversation, key: str | None) -> int:
    block = {"type": "text", "text": "Hello"}
    named = {} if key is None else {"idempotencyKey": key}
    return talk.call("session/prompt", {"sessionId": "s", "prompt": [block], **named})


def connected_again(talk: Conversation, *between: LocalEvent) -> str:
    """Lose the connection and resume the session; return what is said of that."""
    for event in (ProcessExited(talk.number + 0.5, None, "SIGKILL"), *between, STARTED):
        talk.happened(event)
    talk.call("initialize", INITIALIZE_2, result=INITIALIZED_2)
    talk.call("session/resume", HERE, result={})
    notice = talk.session.entries[-1]
    assert isinstance(notice, NoticeEntry)
    return str(notice.description)


def test_a_prompt_that_is_sent_again_stands_in_the_transcript_once() -> None:
    talk = prompted("k")
    assert "is sent again, with its key" in connected_again(talk)
    id = send(talk, "k")
    talk.answer(id, result={"messageId": "u"})
    talk.say("back")
    talk.update("state_update", state="idle", stopReason="end_turn")
    prompts = [one for one in talk.session.entries if isinstance(one, MessageEntry) and one.ours]
    ends = [one for one in talk.session.entries if isinstance(one, TurnEndEntry)]
    assert len(prompts) == 1
    assert [one.lost is None for one in ends] == [False, True]


def test_it_is_sent_again_once() -> None:
    talk = prompted("k")
    connected_again(talk)
    send(talk, "k")
    assert "is not sent again" in connected_again(talk)
    assert talk.session.unanswered is None


def test_without_a_key_or_once_it_was_accepted_or_canceled_it_is_not_sent_again() -> None:
    talk = prompted(None)
    assert "is not sent again" in connected_again(talk)
    accepted = prompted("k")
    accepted.answer(accepted.id, result={"messageId": "u"})
    assert "is not sent again" in connected_again(accepted)
    canceled = prompted("k")
    canceled.cancel()
    assert "is not sent again" in connected_again(canceled)


def test_another_prompt_takes_its_place() -> None:
    talk = prompted("k")
    connected_again(talk)
    send(talk, "other")
    prompts = [one for one in talk.session.entries if isinstance(one, MessageEntry) and one.ours]
    assert len(prompts) == 2
    assert talk.session.unanswered is None


def test_a_turn_ends_that_the_agent_had_done_before_the_connection_came_back() -> None:
    talk = prompted("k")
    connected_again(talk)
    talk.update("state_update", state="idle", stopReason="end_turn")
    id = send(talk, "k")
    talk.answer(id, result={"messageId": "u"})
    assert talk.session.turn is None


def test_once_a_person_has_stopped_the_connection_it_is_not_sent_again() -> None:
    """They press Esc while it is waited for, and may connect by hand much later."""
    talk = prompted("k")
    stopped = RestartPlanned(9.0, 5.0, 1), RestartStopped(9.5, "you stopped it")
    assert "is not sent again" in connected_again(talk, *stopped)
    assert talk.session.unanswered is None


def test_a_prompt_in_the_middle_of_which_a_person_restarts_is_not_sent_again() -> None:
    """They may do so to stop what it does."""
    talk = prompted("k")
    talk.happened(RestartRequested(9.0))
    assert "is not sent again" in connected_again(talk)
    assert talk.session.unanswered is None


def test_a_person_who_connects_at_once_does_not_keep_a_prompt_from_being_sent_again() -> None:
    talk = prompted("k")
    planned = RestartPlanned(9.0, 5.0, 1), RestartRequested(9.5)
    assert "is sent again, with its key" in connected_again(talk, *planned)


def test_what_a_person_sent_as_raw_json_is_not_sent_again() -> None:
    talk = Conversation.opened_in_2()
    block = {"type": "text", "text": "Hello"}
    params = {"sessionId": "s", "prompt": [block], "idempotencyKey": "k"}
    talk.by_hand(id=9, method="session/prompt", params=params)
    assert talk.session.turn is not None
    assert "is not sent again" in connected_again(talk)
