"""Skills of an agent of version 2: a prompt that begins with one names it in a block."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.state.entries import MessageEntry
from tests.fake_agent.script import Played, Script
from tests.hosting import hosting

pytestmark = pytest.mark.anyio

SKILL = {"type": "skill", "name": "tidy", "description": "Tidies up", "path": "/skills/SKILL.md"}
COMMAND = {"type": "command", "name": "plan", "description": "Plans"}
TIDY = {"type": "skill", "name": "tidy"}


@pytest.mark.parametrize(
    ("takes_skills", "text", "sent"),
    [
        (True, "/tidy the desk", [TIDY, {"type": "text", "text": "the desk"}]),
        (True, "/tidy\nthe desk", [TIDY, {"type": "text", "text": "the desk"}]),
        (True, "/tidy", [TIDY]),
        (True, "/plan it", [{"type": "text", "text": "/plan it"}]),
        (True, " /tidy", [{"type": "text", "text": " /tidy"}]),
        (True, "say /tidy", [{"type": "text", "text": "say /tidy"}]),
        (False, "/tidy the desk", [{"type": "text", "text": "/tidy the desk"}]),
    ],
)
async def test_a_prompt_that_begins_with_a_skill_names_it_in_a_block(
    takes_skills: bool, text: str, sent: list[dict[str, Any]], tmp_path: Path
) -> None:
    prompts = {"skill": True} if takes_skills else {}
    named = {"agentCapabilities": {"promptCapabilities": prompts}}
    script = Script().initialize(named).new_session()
    script.update("available_commands_update", availableCommands=[SKILL, COMMAND])
    argv = script.prompt().end_turn().argv(tmp_path)
    unstable = capabilities_to_offer(unstable=True)
    async with hosting(argv, tmp_path, protocol="2", capabilities=unstable) as host:
        await host.opened()
        await host.until(lambda: host.session.commands)
        assert [one.is_skill for one in host.session.commands] == [True, False]
        await host.turn(text)
        (prompt,) = [one for one in host.entries if isinstance(one, MessageEntry)]
        assert prompt.text.split() == text.split()
    played = Played(tmp_path)
    [initialized] = played.calls("initialize")
    assert initialized["params"]["capabilities"]["session"]["commands"] == {"skill": {}}
    [asked] = played.calls("session/prompt")
    assert asked["params"]["prompt"] == sent
