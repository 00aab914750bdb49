"""The prompt that an agent suggests, until one is sent."""

from typing import Any

import pytest

from tests.unit.state.conversation import Conversation

IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def suggest(talk: Conversation, *prompts: list[dict[str, Any]]) -> None:
    talk.update("prompt_suggestions_update", suggestions=[{"prompt": one} for one in prompts])


@pytest.mark.parametrize("talk", [Conversation.opened(), Conversation.opened_in_2()])
def test_the_first_suggestion_with_a_text_counts_until_a_prompt_is_sent(talk: Conversation) -> None:
    suggest(talk, [IMAGE], [text(" ")], [text("run "), IMAGE, text("the tests ")], [text("stop")])
    assert talk.session.suggested_prompt == "run the tests"
    talk.update("usage_update", used=1, size=2)
    assert talk.session.suggested_prompt == "run the tests"
    talk.call("session/prompt", {"sessionId": "s", "prompt": [text("no")]})
    assert talk.session.suggested_prompt == ""


def test_an_empty_list_withdraws_a_suggestion() -> None:
    talk = Conversation.opened()
    suggest(talk, [text("run the tests")])
    suggest(talk)
    assert talk.session.suggested_prompt == ""


def test_a_suggestion_that_nobody_reads_to_its_end_is_none() -> None:
    talk = Conversation.opened()
    suggest(talk, [text("x" * 3000)], [text("run it")])
    assert talk.session.suggested_prompt == "run it"


def test_what_is_replayed_leaves_a_suggestion_as_it_is() -> None:
    talk = Conversation.opened()
    talk.call("session/load", {"sessionId": "s", "cwd": "/work", "mcpServers": []})
    suggest(talk, [text("run the tests")])
    assert talk.session.suggested_prompt == "run the tests"


@pytest.mark.parametrize(
    ("suggested", "shown"),
    [
        ({"suggestions": [{"text": " "}, {"text": "run it "}, {"text": "stop"}]}, "run it"),
        ({"suggestions": []}, ""),
        ({"suggestions": [{"text": 5}, "x", {}, None]}, ""),
        ({"suggestions": "run it"}, "before"),
        ({}, "before"),
        ("run it", "before"),
        (None, "before"),
    ],
)
def test_a_suggestion_may_come_in_meta(suggested: Any, shown: str) -> None:
    talk = Conversation.opened()
    suggest(talk, [text("before")])
    talk.update("session_info_update", title="T", _meta={"promptSuggestions": suggested})
    assert talk.session.suggested_prompt == shown
    assert talk.session.title == "T"


def test_a_fact_without_meta_leaves_a_suggestion_as_it_is() -> None:
    talk = Conversation.opened()
    suggest(talk, [text("before")])
    talk.update("session_info_update", title="T")
    assert talk.session.suggested_prompt == "before"
