"""Which system prompts an agent takes, and what a session was opened with."""

from typing import Any

import pytest

from acp_tui.protocol.content import ResourceLink, TextContent
from acp_tui.protocol.setup import SystemPrompt
from tests.unit.state.conversation import STARTED, Conversation

TEXT = TextContent(text="Be brief.")


def talking(offered: dict[str, Any]) -> Conversation:
    talk = Conversation()
    talk.happened(STARTED)
    capabilities = {"sessionCapabilities": offered}
    result = {"protocolVersion": 1, "agentCapabilities": capabilities}
    talk.call("initialize", {"protocolVersion": 1}, result=result)
    return talk


@pytest.mark.parametrize(
    ("offered", "mode", "is_taken"),
    [
        ({}, "append", False),
        ({"systemPrompt": None}, "append", False),
        ({"systemPrompt": {}}, "append", True),
        ({"systemPrompt": {}}, "override", False),
        ({"systemPrompt": {"mode": {}}}, "override", False),
        ({"systemPrompt": {"mode": {"override": {}}}}, "override", True),
        ({"systemPrompt": {"mode": {"override": {}}}}, "append", True),
    ],
)
def test_a_system_prompt_is_taken_in_the_modes_that_are_offered(
    offered: dict[str, Any], mode: str, is_taken: bool
) -> None:
    why = talking(offered).state.peer.refuses_prompt(SystemPrompt(mode=mode, content=[TEXT]))
    assert (why is None) == is_taken


def test_a_session_has_the_system_prompt_that_it_was_opened_with_last() -> None:
    talk = talking({"systemPrompt": {}, "resume": {}})
    prompt = {"mode": "append", "content": [{"type": "text", "text": "Be brief."}]}
    talk.call("session/new", {"cwd": "/w", "systemPrompt": prompt}, result={"sessionId": "s"})
    assert talk.state.sessions["s"].system_prompt == SystemPrompt(mode="append", content=[TEXT])
    talk.call("session/resume", {"cwd": "/w", "sessionId": "s"}, result={})
    assert talk.state.sessions["s"].system_prompt is None


def test_the_text_of_a_system_prompt_leaves_out_what_is_no_text() -> None:
    link = ResourceLink(name="a", uri="file:///a")
    prompt = SystemPrompt(mode="append", content=[TEXT, link, TextContent(text="Be kind.")])
    assert prompt.text == "Be brief.\n\nBe kind."
