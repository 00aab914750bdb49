"""System prompts that break no rule."""

import pytest

from tests.unit.debug.scenes import Wire

OVERRIDE = {"systemPrompt": {"mode": {"override": {}}}}


@pytest.mark.parametrize("mode", ["append", "override"])
def test_a_mode_that_is_offered_breaks_nothing(mode: str) -> None:
    one = Wire().initialized(agent={"sessionCapabilities": OVERRIDE}).system_prompt(mode)
    two = Wire().initialized_2({"session": OVERRIDE}).system_prompt(mode)
    assert one.found() == two.found() == []


def test_an_agent_that_refuses_an_unknown_mode_breaks_nothing() -> None:
    wire = Wire().initialized(agent={"sessionCapabilities": OVERRIDE})
    prompt = {"mode": "_mine", "content": [{"type": "text", "text": "x"}]}
    params = {"cwd": "/w", "mcpServers": [], "systemPrompt": prompt}
    wire.out(id=1, method="session/new", params=params)
    wire.got(id=1, error={"code": -32602, "message": "no such mode"})
    assert wire.found() == []


def test_an_old_agent_that_knows_no_system_prompts_is_not_blamed_for_opening_the_session() -> None:
    assert Wire().initialized().system_prompt("override").found() == ["system-prompt-not-offered"]


def test_a_session_without_a_system_prompt_breaks_nothing() -> None:
    assert Wire().opened().found() == []
