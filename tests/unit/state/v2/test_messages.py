"""Messages of version 2: whole ones, patches of them by their ids, and the echo of a prompt."""

from typing import Any

import pytest

from acp_tui.state.entries import MessageEntry, Role
from tests.unit.state.conversation import Conversation


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words}]


def told(talk: Conversation) -> list[tuple[Role, str]]:
    entries = [entry for entry in talk.session.entries if isinstance(entry, MessageEntry)]
    return [(entry.role, entry.text) for entry in entries]


@pytest.mark.check(120)
def test_chunks_are_appended_to_the_message_of_their_id_wherever_it_stands() -> None:
    talk = Conversation.opened_in_2()
    talk.say("One", messageId="a")
    talk.say("Hm", "agent_thought_chunk", messageId="a")
    talk.say("Two", messageId="b")
    talk.say(" more", messageId="a")
    assert told(talk) == [(Role.AGENT, "One more"), (Role.THOUGHT, "Hm"), (Role.AGENT, "Two")]


@pytest.mark.check(121)
@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("agent_message", Role.AGENT),
        ("agent_thought", Role.THOUGHT),
        ("user_message", Role.USER),
    ],
)
def test_a_message_is_left_cleared_or_replaced(kind: str, role: Role) -> None:
    talk = Conversation.opened_in_2()
    talk.update(kind, messageId="m", content=text("First"))
    talk.update(kind, messageId="m")
    talk.update(kind, messageId="m", content=3)
    assert told(talk) == [(role, "First")]
    talk.update(kind, messageId="m", content=text("Second"))
    talk.say(" and more", f"{kind}_chunk", messageId="m")
    assert told(talk) == [(role, "Second and more")]
    talk.update(kind, messageId="m", content=None)
    assert told(talk) == [(role, "")]


@pytest.mark.check(121)
def test_a_message_of_an_earlier_turn_can_still_be_patched() -> None:
    talk = Conversation.opened_in_2()
    talk.say("Wrong", messageId="a")
    talk.prompt()
    talk.update("agent_message", messageId="a", content=text("Right"))
    assert told(talk) == [(Role.AGENT, "Right"), (Role.USER, "Hello")]


@pytest.mark.check(122)
@pytest.mark.parametrize("early", [True, False])
def test_the_echo_of_a_prompt_is_shown_once_and_in_the_agents_words(early: bool) -> None:
    talk = Conversation.opened_in_2()
    id = talk.prompt()
    if early:
        talk.update("user_message", messageId="u", content=text("Hello!"))
    talk.answer(id, result={"messageId": "u"})
    if not early:
        talk.update("user_message", messageId="u", content=text("Hello!"))
    talk.say("Hi", messageId="a")
    assert told(talk) == [(Role.USER, "Hello!"), (Role.AGENT, "Hi")]
    assert talk.session.turn is not None


@pytest.mark.check(122)
@pytest.mark.parametrize("early", [True, False])
def test_the_echo_may_come_in_pieces(early: bool) -> None:
    talk = Conversation.opened_in_2()
    id = talk.prompt()
    pieces = ["Hel", "lo", "!"]
    for piece in pieces[: 2 if early else 0]:
        talk.say(piece, "user_message_chunk", messageId="u")
    talk.answer(id, result={"messageId": "u"})
    for piece in pieces[2 if early else 0 :]:
        talk.say(piece, "user_message_chunk", messageId="u")
    assert told(talk) == [(Role.USER, "Hello!")]


@pytest.mark.check(123)
def test_a_prompt_without_an_echo_stays_as_it_was_sent() -> None:
    talk = Conversation.opened_in_2()
    talk.answer(talk.prompt(), result={"messageId": "u"})
    talk.update("user_message", messageId="u")
    assert told(talk) == [(Role.USER, "Hello")]


def test_a_message_that_was_not_the_prompt_gets_its_own_place() -> None:
    talk = Conversation.opened_in_2()
    id = talk.prompt()
    talk.update("user_message", messageId="other", content=text("From elsewhere"))
    talk.answer(id, result={"messageId": "u"})
    talk.update("user_message", messageId="u", content=text("Hello!"))
    talk.say(" too", "user_message_chunk", messageId="other")
    assert told(talk) == [(Role.USER, "Hello!"), (Role.USER, "From elsewhere too")]


def test_of_two_messages_before_the_answer_the_one_that_it_names_is_the_prompt() -> None:
    talk = Conversation.opened_in_2()
    id = talk.prompt()
    talk.update("user_message", messageId="other", content=text("From elsewhere"))
    talk.update("user_message", messageId="u", content=text("Hello!"))
    talk.answer(id, result={"messageId": "u"})
    assert told(talk) == [(Role.USER, "Hello!"), (Role.USER, ""), (Role.USER, "From elsewhere")]


def test_a_prompt_that_was_over_before_its_answer_stays_so() -> None:
    talk = Conversation.opened_in_2()
    id = talk.prompt()
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason="end_turn")
    before = list(talk.session.entries)
    talk.answer(id, result={"messageId": "u"})
    assert talk.session.entries == before
    assert talk.session.turn is None


@pytest.mark.check(124)
def test_a_malformed_message_is_kept_as_it_came_and_changes_nothing() -> None:
    talk = Conversation.opened_in_2()
    talk.update("agent_message", messageId=3, content=text("No"))
    talk.update("agent_message_chunk", content={"type": "text", "text": "no id"})
    assert told(talk) == []
    assert [type(entry).__name__ for entry in talk.session.entries] == ["RawEntry", "RawEntry"]


def test_a_prompt_that_the_agent_rewords_keeps_what_was_sent() -> None:
    talk = Conversation.opened_in_2()
    id = talk.prompt()
    assert talk.session.turn is not None
    prompt = talk.session.turn.prompt
    for words, reworded in (("Hello", False), ("Hell", True), ("Delete all", True)):
        talk.update("user_message", messageId="u", content=text(words))
        assert (prompt.is_reworded, prompt.own_text) == (reworded, "Hello")
    talk.answer(id, result={"messageId": "other"})
    assert not prompt.is_reworded
    assert prompt.text == "Hello"


@pytest.mark.parametrize("kind", ["user_message", "user_message_chunk"])
def test_what_was_sent_stays_so_after_its_turn(kind: str) -> None:
    talk = Conversation.opened_in_2()
    id = talk.prompt()
    (prompt,) = talk.session.entries
    assert isinstance(prompt, MessageEntry)
    talk.answer(id, result={"messageId": "u"})
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason="end_turn")
    assert talk.session.turn is None
    said = text("Delete all")
    talk.update(kind, messageId="u", content=said if kind == "user_message" else said[0])
    assert (prompt.is_reworded, prompt.own_text, prompt.text) == (True, "Hello", "Delete all")


LINK = {"type": "resource_link", "name": "yes.md", "uri": "file:///yes.md"}


@pytest.mark.parametrize(
    ("added", "reworded"), [([], False), ([LINK], True), ([LINK | {"size": 3}], True)]
)
def test_what_the_agent_adds_to_a_prompt_without_words_is_not_the_persons(
    added: list[dict[str, Any]], reworded: bool
) -> None:
    talk = Conversation.opened_in_2()
    talk.answer(talk.prompt(), result={"messageId": "u"})
    talk.update("user_message", messageId="u", content=[*text("Hello"), *added])
    (prompt,) = talk.session.entries
    assert isinstance(prompt, MessageEntry)
    assert prompt.is_reworded == reworded
    assert prompt.own_text == "Hello"


def test_what_was_not_sent_from_here_is_as_the_agent_tells_it() -> None:
    talk = Conversation.opened_in_2()
    for words in ("Hello", "Make tea"):
        talk.update("user_message", messageId="u", content=text(words))
    (told,) = talk.session.entries
    assert isinstance(told, MessageEntry)
    assert (told.text, told.sent, told.is_reworded) == ("Make tea", None, False)
