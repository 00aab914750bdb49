"""Code that a tool call interrupts stays code, also without message ids."""

import pytest

from acp_tui.state.entries import MessageEntry
from acp_tui.state.split_messages import ends_in_code
from tests.unit.state.conversation import Conversation


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
