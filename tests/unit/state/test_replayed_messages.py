"""Messages of a replay without ids: whole ones in a row are several, pieces are one."""

import pytest

from acp_tui.state.entries import MessageEntry
from tests.unit.state.conversation import Conversation

IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}


def replayed(*chunks: tuple[str, str]) -> list[str]:
    """The messages that these chunks become, each of a role and a text."""
    talk = Conversation.opened()
    kinds = {"user": "user_message_chunk", "agent": "agent_message_chunk"}
    for role, text in chunks:
        if text == "IMAGE":
            talk.update(kinds[role], content=IMAGE)
        else:
            talk.say(text, kinds[role])
    return [one.text for one in talk.session.entries if isinstance(one, MessageEntry)]


@pytest.mark.parametrize(
    "texts",
    [
        ("<session_context>\nIn /work.\n</session_context>", "Read a.py"),
        ("first question", "second question", "continue"),
        ("Stop!", "go on then"),
    ],
)
def test_prompts_in_a_row_are_several(texts: tuple[str, ...]) -> None:
    assert replayed(*(("user", text) for text in texts)) == [*texts]


@pytest.mark.parametrize(
    "texts",
    [
        ("I read the file.", "It is **empty**."),
        ("Next step: `a.py`", "## Done\n\nAll tests pass."),
    ],
)
def test_sentences_of_an_agent_in_a_row_are_several(texts: tuple[str, ...]) -> None:
    assert replayed(*(("agent", text) for text in texts)) == [*texts]


def test_an_agent_whose_messages_came_whole_before_sends_whole_ones() -> None:
    chunks = [
        ("agent", "first answer"),
        ("user", "and then"),
        ("agent", "second answer"),
        ("agent", ""),
        ("agent", "third answer"),
    ]
    assert replayed(*chunks) == ["first answer", "and then", "second answer", "third answer"]


@pytest.mark.parametrize(
    "pieces",
    [
        ("He", "llo"),
        ("Hello", " world"),
        ("Hello ", "world"),
        ("Look at a", ".py. Then", " stop"),
        ("import os; path.", "join"),
        ("one two", "three four"),
        ("one two", " three.", "Four five"),
        ("I see it.", ""),
        ("", "I see it."),
        ("I see it.", ") And"),
        ("| a | b |\n", "|---|---|\n"),
    ],
)
def test_pieces_of_a_message_are_one(pieces: tuple[str, ...]) -> None:
    assert replayed(*(("agent", piece) for piece in pieces)) == ["".join(pieces)]


@pytest.mark.parametrize("pieces", [("hell", "o you"), ("Please fix", ", soon"), ("Fix", " it")])
def test_pieces_of_a_prompt_are_one(pieces: tuple[str, ...]) -> None:
    assert replayed(*(("user", piece) for piece in pieces)) == ["".join(pieces)]


def test_content_that_is_no_text_belongs_to_the_message_around_it() -> None:
    chunks = [("user", "Look at this:"), ("user", "IMAGE"), ("user", "What is it?")]
    assert replayed(*chunks) == ["Look at this:What is it?"]


def test_in_a_turn_all_chunks_in_a_row_are_one() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.say("I read the file.")
    talk.say("It is empty.")
    assert talk.session.entries[-1].text == "I read the file.It is empty."  # type: ignore[union-attr]
