import pytest

from acp_tui.config.known_agents import KNOWN_AGENTS, how_to_speak_acp, name_of_command
from tests.installed import ROOT

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


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        ([], ""),
        (["/opt/bin/my-agent", "--acp"], "my-agent"),
        (["claude"], "Claude Code"),
        (["/usr/bin/claude-agent-acp"], "Claude Code"),
        (["npx", "--yes", "@agentclientprotocol/claude-agent-acp@0.9.1"], "Claude Code"),
        (["npx", "-y", "@someone/some-agent@2", "acp"], "some-agent"),
        (["uvx", "fast-agent-acp", "-x"], "fast-agent"),
        (["npx"], "npx"),
    ],
)
def test_an_agent_is_called_by_its_command_until_it_reports_a_name(
    argv: list[str], name: str
) -> None:
    assert name_of_command(argv) == name


def test_each_is_started_by_its_program_or_by_npx() -> None:
    for known in KNOWN_AGENTS.values():
        assert known.has_adapter or known.words.startswith(known.program)
        assert not known.fetched or known.fetched[:2] == ("npx", "--yes")


def test_the_readme_starts_them_as_the_program_does() -> None:
    rows = (ROOT / "README.md").read_text("utf-8").splitlines()
    known = {one.title: one for one in KNOWN_AGENTS.values()}
    shown = [row.strip("| ").split(" | ") for row in rows if "| `acp-tui " in row]
    assert len(shown) > 10
    for title, name, command, sign_in in shown:
        agent = known[title]
        assert (name, command) == (f"`acp-tui {agent.program}`", f"`{agent.words}`")
        assert sign_in == agent.sign_in


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 130
