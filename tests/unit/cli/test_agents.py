"""The list of agents: those that can be started here stand before those that would be fetched."""

import pytest

from acp_tui.cli.agents import _describe_agent, _print_table
from acp_tui.store.named_agents import AgentOrigin, NamedAgent, StartState
from acp_tui.store.seen_agents import SeenAgent


def test_agents_that_are_here_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    states = {"amber": StartState.FETCHED, "birch": StartState.READY, "cedar": StartState.FETCHED}
    agents = [NamedAgent(name, AgentOrigin.REGISTRY, state, None) for name, state in states.items()]
    _print_table(agents, dict.fromkeys(states, SeenAgent("", None)))
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["birch", "amber", "cedar"]


def test_a_version_that_is_any_text_passes_for_no_row(capsys: pytest.CaptureFixture[str]) -> None:
    agent = NamedAgent("amber", AgentOrigin.REGISTRY, StartState.READY, None)
    seen = SeenAgent("1.0\n  command   true" + " " * 300 + "x", None)
    _describe_agent(agent, seen)
    assert capsys.readouterr().out.splitlines()[0].endswith("1.0⏎  command   true ⋯ 300 spaces ⋯ x")
    _print_table([agent], {"amber": seen})
    assert max(map(len, capsys.readouterr().out.splitlines())) < 80
