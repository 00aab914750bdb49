"""Requests of ours that get no answer, as the fold sees them."""

import pytest

from acp_tui.protocol.events import Abandoned, TimedOut
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.peer import Phase
from tests.unit.state.conversation import INITIALIZED, STARTED, Conversation
from tests.unit.state.test_restart import HERE, replayed, restarted, texts
from tests.unit.state.test_session_setup import OLD, started


def taken_back(talk: Conversation, id: int) -> None:
    """A person cancels a request, and no answer comes."""
    talk.frame(Direction.OUT, {"method": "$/cancel_request", "params": {"requestId": id}})
    talk.happened(Abandoned(50.0, id))


def test_a_list_that_does_not_come_is_told_beside_the_sessions() -> None:
    talk = Conversation.opened()
    id = talk.call("session/list", {})
    talk.happened(TimedOut(50.0, id, 60.0))
    assert not talk.state.catalogue.loading
    assert not talk.state.calls
    assert talk.state.notices[-1].title == "no answer to session/list within 60 s"
    assert talk.state.peer.phase is Phase.CONNECTED


def test_what_was_taken_back_is_told_once() -> None:
    talk = Conversation.opened()
    id = talk.call("session/close", {"sessionId": "s"})
    taken_back(talk, id)
    assert (talk.state.calls, talk.state.cancelled_calls) == ({}, {})
    talk.answer(id, error={"code": -32800, "message": "cancelled"})
    assert len(talk.session.entries) == 1
    assert talk.state.notices == []


@pytest.mark.parametrize("end", [TimedOut(50.0, 7, 60.0), ProcessExited(50.0, 1, None)])
def test_words_that_nobody_took_are_not_lost(end: TimedOut | ProcessExited) -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.call("session/list", {})
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    prompt = [{"type": "text", "text": "and "}, image, {"type": "text", "text": "salt"}]
    id = talk.call("_session/steering", {"sessionId": "s", "prompt": prompt})
    talk.happened(end._replace(id=id) if isinstance(end, TimedOut) else end)
    notice = talk.session.entries[-1]
    assert isinstance(notice, NoticeEntry)
    assert (notice.severity, notice.description) == ("error", "and salt")


def test_without_a_session_a_cancelled_one_is_the_agent_s_trouble() -> None:
    for answered in (True, False):
        talk = started()
        id = talk.call("session/new", {"cwd": "/work"})
        if answered:
            talk.answer(id, error={"code": -32800, "message": "cancelled"})
        else:
            taken_back(talk, id)
        assert "session/new was canceled" in str(talk.state.peer.trouble)


def test_who_chooses_among_sessions_goes_on_choosing() -> None:
    talk = started()
    talk.call("session/list", {}, result={"sessions": []})
    id = talk.call("session/load", OLD)
    taken_back(talk, id)
    assert talk.state.peer.trouble is None


def test_a_sign_in_without_an_answer_can_be_tried_again() -> None:
    talk = started()
    talk.call("authenticate", {"methodId": "a"})
    talk.happened(TimedOut(1.0, talk.id, 600.0))
    assert talk.state.peer.sign_in is None
    talk.state.peer.trouble = None
    talk.call("session/new", {"cwd": "/"}, error={"code": -32000, "message": "sign in"})
    id = talk.call("authenticate", {"methodId": "a"})
    talk.happened(TimedOut(2.0, id, 600.0))
    sign_in = talk.state.peer.sign_in
    assert sign_in is not None
    assert sign_in.trying is None
    assert "within 600 s" in str(sign_in.failure)


def test_what_a_load_still_replays_after_it_was_given_up_is_not_shown_twice() -> None:
    talk = Conversation.opened("old")
    talk.say("kept", session_id="old")
    id = talk.call("session/load", OLD)
    talk.say("ke", session_id="old")
    talk.happened(TimedOut(9.0, id, 5.0))
    talk.say("pt", session_id="old")
    assert texts(talk.state.sessions["old"].entries)[0] == "kept"
    talk.answer(id, result={})
    assert talk.state.sessions["old"].opening.replay is not None
    prompt = {"sessionId": "old", "prompt": [{"type": "text", "text": "Go on"}]}
    talk.call("session/prompt", prompt)
    talk.say("new", session_id="old")
    assert texts(talk.state.sessions["old"].entries)[-2:] == ["Go on", "new"]


def test_a_first_load_that_comes_late_is_whole() -> None:
    talk = started()
    id = talk.call("session/load", OLD)
    talk.say("one ", session_id="old")
    talk.happened(TimedOut(9.0, id, 5.0))
    assert talk.state.peer.phase is Phase.NO_SESSION
    talk.say("two", session_id="old")
    talk.answer(id, result={})
    assert texts(talk.state.sessions["old"].entries) == ["one two"]
    assert talk.state.peer.phase is Phase.CONNECTED


def test_a_lost_session_stays_as_it_was_and_the_next_turn_is_shown() -> None:
    talk = restarted()
    before = texts(talk.session.entries)
    id = talk.call("session/load", HERE)
    replayed(talk, "First?")
    talk.happened(TimedOut(9.0, id, 5.0))
    replayed(talk, "Second?")
    assert texts(talk.session.entries)[:2] == before
    assert talk.session.opening.loading is None
    talk.prompt("Third?")
    talk.say("Three.")
    assert texts(talk.session.entries)[-2:] == ["Third?", "Three."]


@pytest.mark.parametrize("direction", ["agent", "client"])
def test_the_agent_was_heard_when_it_spoke_or_got_an_answer(direction: str) -> None:
    talk = Conversation()
    talk.happened(STARTED)
    id = talk.call("initialize", {"protocolVersion": 1})
    assert talk.state.last_received is None
    talk.answer(id, result=INITIALIZED)
    assert talk.state.last_received == talk.number
    if direction == "agent":
        talk.frame_bytes(b"noise")
        assert talk.state.last_received == talk.number
    else:
        asked = talk.asks("session/request_permission", toolCall={"toolCallId": "t"}, options=[])
        talk.call("session/list", {})
        assert talk.state.last_received == talk.number - 1
        talk.settle(asked, result={"outcome": {"outcome": "cancelled"}})
        assert talk.state.last_received == talk.number
