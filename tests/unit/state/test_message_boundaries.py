"""Messages of a replay without ids: whole ones in a row are several, pieces are one."""

import pytest

from acp_tui.state.entries import MessageEntry
from acp_tui.state.message_boundaries import ends_in_code
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
        ("- one\n- two", "- three"),
        ("1. one\n2. two", "1. three"),
        ("Like so:\n```\nls\n```", "so it is done"),
        ("I have read the file", "Now the tests are run", "All of them pass"),
        ("as in line 3", "```py\nx = 1\n```", "~~~\ny\n~~~", "## Done"),
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
        ("| a ", "| b |"),
        ("x = 5 ", "- 3"),
        ("so x = 5", "- 3"),
        ("Like so:\n```", "py\nx"),
        ("Like so:\n```\nf(x)", "Bar()"),
        ("Like so:\n```\n- a", "- b\n```"),
        ("I like C", "# a lot"),
        ("It is written in Java", "Script and in C"),
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


def messages(talk: Conversation) -> list[str]:
    return [one.text for one in talk.session.entries if isinstance(one, MessageEntry)][1:]


def test_code_goes_on_in_its_message_after_what_came_between() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.say("See:\n\n```python\none = 1\n")
    talk.say("Hm.", "agent_thought_chunk")
    talk.update("tool_call", toolCallId="t", title="Look it up")
    talk.say("two = ")
    talk.say("2\n```\n")
    talk.say("After")
    assert messages(talk) == ["See:\n\n```python\none = 1\ntwo = 2\n```\nAfter", "Hm."]
    talk.update("tool_call", toolCallId="u", title="And this")
    talk.say("Done")
    assert messages(talk)[-1] == "Done"


def test_a_thought_does_not_go_on_with_the_code_of_a_message() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.say("```\none\n")
    talk.update("tool_call", toolCallId="t", title="Look it up")
    talk.say("two\n")
    talk.say("Hm.", "agent_thought_chunk")
    assert messages(talk) == ["```\none\ntwo\n", "Hm."]


def test_the_code_of_a_turn_ends_with_it() -> None:
    talk = Conversation.opened()
    asked = talk.prompt()
    talk.say("```\none\n")
    talk.answer(asked, result={"stopReason": "end_turn"})
    talk.say("two")
    talk.prompt()
    talk.say("three")
    assert messages(talk) == ["```\none\n", "two", "Hello", "three"]


def test_a_message_whose_code_is_closed_is_over() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.say("```\none\n```\n")
    talk.update("tool_call", toolCallId="t", title="Look it up")
    talk.say("two")
    assert messages(talk) == ["```\none\n```\n", "two"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("| a | b |\n|---|---|\n| 1 ", "| 2 |\n"),
        ("| a | b |\n|---|---|\n|", " 1 | 2 |\n"),
        ("| a | b |\n|---|---|\n", "| 1 | 2 |\n"),
        ("| a | b |\n|---|---|", "\n| 1 | 2 |\n"),
        ("| a", " | b |\n|---|---|\n"),
        ("See [the ", "docs](https://x.y)"),
        ("See [the docs](https://", "x.y)"),
    ],
)
def test_a_table_or_a_link_goes_on_in_its_message_after_what_came_between(
    before: str, after: str
) -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.say(before)
    talk.update("tool_call", toolCallId="t", title="Look it up")
    talk.say(after)
    assert messages(talk) == [before + after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |", "Done"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "Done"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\n", "| c |"),
        ("| a | b\n|---|---\n| 1 | 2", "Done"),
        ("See [the docs](https://x.y)", "Done"),
        ("See [1]", "Done"),
        ("| a | b |\n|---|---|\nSee", "| c |"),
        ("a [\n", "Done"),
    ],
)
def test_a_message_whose_table_or_link_is_whole_is_over(before: str, after: str) -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.say(before)
    talk.update("tool_call", toolCallId="t", title="Look it up")
    talk.say(after)
    assert messages(talk) == [before, after]


def test_only_so_far_is_searched_for_a_message() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.say("```\none\n")
    for number in range(100):
        talk.update("tool_call", toolCallId=str(number), title="Look it up")
    talk.say("two")
    assert messages(talk) == ["```\none\n", "two"]


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("```\na", True),
        ("- x\n  ~~~sh\n  a", True),
        ("````\n```\na", True),
        ("```\n```py\na", True),
        ("```\na\n```", False),
        ("~~~\na\n~~~~ \nb", False),
        ("```a``` b", False),
        ("a ``` b", False),
        ("~~~ ` \na", True),
    ],
)
def test_code_is_open_until_its_fence_comes_again(text: str, is_open: bool) -> None:
    assert ends_in_code(text) is is_open
