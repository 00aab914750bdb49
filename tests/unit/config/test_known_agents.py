import pytest

from acp_tui.config.known_agents import KNOWN_AGENTS, how_to_speak_acp

ADAPTER = "npx --yes @agentclientprotocol/claude-agent-acp"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["claude"], f"Claude Code speaks ACP through {ADAPTER}: acp-tui claude starts it."),
        (["/usr/bin/claude", "--model", "x"], f"Claude Code speaks ACP through {ADAPTER}"),
        (["gemini"], "Gemini CLI speaks ACP as gemini --experimental-acp: acp-tui gemini"),
        (["droid"], "Factory Droid speaks ACP as droid exec --output-format acp-daemon"),
        (["vibe"], "Mistral Vibe speaks ACP through vibe-acp"),
    ],
)
def test_a_program_is_named_that_speaks_no_acp_so(argv: list[str], words: str) -> None:
    assert how_to_speak_acp(argv).startswith(words)


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["my-agent"],
        ["claude-agent-acp"],
        ["gemini", "--acp"],
        ["goose", "acp"],
        ["droid", "exec", "--output-format", "acp-daemon", "--more"],
        ["grok", "agent", "stdio"],
    ],
)
def test_nothing_is_said_of_what_may_speak_acp(argv: list[str]) -> None:
    assert how_to_speak_acp(argv) == ""


def test_each_is_started_by_its_program_or_by_npx() -> None:
    for known in KNOWN_AGENTS.values():
        assert known.has_adapter or known.words.startswith(known.program)
        assert not known.fetched or known.fetched[:2] == ("npx", "--yes")
