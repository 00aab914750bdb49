"""A name means an agent of the settings, then of the registry, then a program; others stay here."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.foreign_agents import read_foreign, settings_of
from acp_tui.config.layers import load_settings
from acp_tui.config.settings import AgentSettings
from acp_tui.config.settings_text import agent_table, append_to_settings
from acp_tui.config.toml_files import ConfigError
from acp_tui.store.accepted_commands import AcceptedAgents
from acp_tui.store.named_agents import (
    AgentOrigin,
    NamedAgent,
    StartState,
    agents_of,
    find_agents,
    nearest_agents,
    nearest_names,
)
from acp_tui.store.registry import Registry, RegistryAgent


def program(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    for name in ("npx", "uvx", "steep"):
        program(folder / name)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def listed(id: str, version: str = "1.0.0", **distribution: Any) -> RegistryAgent:
    return RegistryAgent(id, id.title(), version, distribution)


def binary(cmd: str, **more: Any) -> dict[str, Any]:
    facts = os.uname()
    machine = {"arm64": "aarch64"}.get(facts.machine, facts.machine)
    target = {"archive": "https://example.org/tea.tar.gz", "cmd": cmd, **more}
    return {f"{facts.sysname.lower()}-{machine}": target}


def named(tmp_path: Path, *agents: RegistryAgent, **known: AgentSettings) -> list[NamedAgent]:
    return agents_of(known, Registry(list(agents)), tmp_path / "fetched")


def command(agent: NamedAgent) -> list[str]:
    assert agent.settings is not None
    return agent.settings.command


def test_the_settings_come_before_the_registry(tmp_path: Path, programs: Path) -> None:
    mine = AgentSettings(command=["steep"])
    agents = named(tmp_path, listed("tea", npx={"package": "tea@1"}), tea=mine)
    (found,) = find_agents("tea", agents)
    assert (found.origin, found.state, found.settings) == (
        AgentOrigin.SETTINGS,
        StartState.READY,
        mine,
    )


def test_the_beginning_of_one_name_is_enough(tmp_path: Path, programs: Path) -> None:
    way = {"package": "tea@1"}
    agents = named(tmp_path, listed("tea-acp", npx=way), listed("tea", npx=way))
    assert [one.name for one in find_agents("tea", agents)] == ["tea"]
    assert [one.name for one in find_agents("tea", agents[:1])] == ["tea-acp"]
    several = named(tmp_path, listed("tea-acp", npx=way), listed("tea-pot", npx=way))
    assert [one.name for one in find_agents("tea", several)] == ["tea-acp", "tea-pot"]
    assert find_agents("te", agents) == []


def test_a_program_on_path_comes_last(tmp_path: Path, programs: Path) -> None:
    (found,) = find_agents("steep", [])
    assert (found.origin, command(found)) == (AgentOrigin.PATH, [str(programs / "steep")])
    assert nearest_names("steap", ["steep", "brew"]) == ["steep"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("clade", "claude"), ("claude-apc", "claude"), ("github-copilot-cil", "copilot")],
)
def test_a_well_known_agent_is_proposed_by_the_word_that_readme_has(
    tmp_path: Path, programs: Path, typed: str, meant: str
) -> None:
    for agents in ([], named(tmp_path, listed("claude-acp", npx={"package": "claude@1"}))):
        assert nearest_agents(typed, agents)[0] == meant
        assert f"`acp-tui {meant}`" in Path("README.md").read_text("utf-8")
        assert find_agents(meant, agents)


def test_an_agent_of_the_settings_is_proposed_by_its_name_there(tmp_path: Path) -> None:
    mine = named(tmp_path, cursor=AgentSettings(command=["steep"]))
    assert nearest_agents("cursr", mine)[0] == "cursor"


def test_a_program_of_a_folder_is_another_one_in_each_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = AcceptedAgents(tmp_path / "accepted.json")
    for folder in ("one", "other"):
        program(tmp_path / folder / "agent")
    monkeypatch.chdir(tmp_path / "one")
    [one] = find_agents("./agent", [])
    assert command(one) == [str(tmp_path / "one" / "agent")]
    accepted.accept("./agent", command(one), {})
    monkeypatch.chdir(tmp_path / "other")
    [other] = find_agents("./agent", [])
    assert accepted.accepts("./agent", command(one), {})
    assert not accepted.accepts("./agent", command(other), {})


def test_well_known_agents_are_found_on_path(tmp_path: Path, programs: Path) -> None:
    assert named(tmp_path) == []
    for name in ("gemini", "copilot"):
        program(programs / name)
    gemini, copilot = named(tmp_path)
    assert (gemini.name, gemini.origin, gemini.state) == (
        "gemini",
        AgentOrigin.PATH,
        StartState.READY,
    )
    assert command(gemini) == [str(programs / "gemini"), "--experimental-acp"]
    assert find_agents("copilot", [gemini, copilot]) == [copilot]
    assert command(copilot)[1:] == ["--acp"]
    mine = AgentSettings(command=["steep"])
    assert [one.origin for one in named(tmp_path, gemini=mine)] == [
        AgentOrigin.SETTINGS,
        AgentOrigin.PATH,
    ]


def test_a_program_that_speaks_no_acp_means_its_adapter(tmp_path: Path, programs: Path) -> None:
    program(programs / "claude")
    (claude,) = named(tmp_path)
    assert find_agents("claude", [claude]) == [claude]
    assert (claude.name, claude.state) == ("claude-acp", StartState.FETCHED)
    assert command(claude) == ["npx", "--yes", "@agentclientprotocol/claude-agent-acp"]
    program(programs / "claude-agent-acp")
    (claude,) = named(tmp_path)
    assert claude.state is StartState.READY
    assert command(claude) == [str(programs / "claude-agent-acp")]


def test_a_well_known_agent_is_found_where_nothing_of_it_is(tmp_path: Path, programs: Path) -> None:
    assert named(tmp_path) == []
    (codex,) = find_agents("codex", [])
    assert (codex.name, codex.state) == ("codex-acp", StartState.FETCHED)
    (goose,) = find_agents("goose", [])
    assert (goose.state, command(goose)) == (StartState.MISSING, ["goose", "acp"])
    (programs / "npx").unlink()
    (codex,) = find_agents("codex", [])
    assert codex.state is StartState.MISSING


def test_a_command_of_the_registry_comes_before_ours(tmp_path: Path, programs: Path) -> None:
    program(programs / "claude")
    way = {"package": "@agentclientprotocol/claude-agent-acp@0.65.0"}
    (found,) = find_agents("claude", named(tmp_path, listed("claude-acp", npx=way)))
    assert command(found)[-1] == "@agentclientprotocol/claude-agent-acp@0.65.0"


def test_the_registry_says_with_which_arguments_a_program_on_path_is_started(
    tmp_path: Path, programs: Path
) -> None:
    way = {"package": "@google/gemini-cli@0.54.0", "args": ["--acp"], "env": {"A": "1"}}
    (found,) = named(tmp_path, listed("gemini", npx=way))
    assert found.state is StartState.FETCHED
    program(programs / "gemini")
    (found,) = named(tmp_path, listed("gemini", npx=way))
    assert (found.origin, found.state) == (AgentOrigin.REGISTRY, StartState.READY)
    assert command(found) == [str(programs / "gemini"), "--acp"]
    assert found.settings is not None
    assert found.settings.env == {"A": "1"}
    elsewhere = {"plan9-mips": {"archive": "https://example.org/x", "cmd": "gemini"}}
    (found,) = named(tmp_path, listed("gemini", binary=elsewhere))
    assert command(found) == [str(programs / "gemini"), "--experimental-acp"]


def test_what_is_not_there_is_not_installed(tmp_path: Path, programs: Path) -> None:
    (programs / "npx").unlink()
    away = AgentSettings(command=["no-such-program"])
    home = AgentSettings(command=["~/bin/no-such-program"])
    found = named(tmp_path, listed("tea", npx={"package": "tea@1"}), away=away, home=home)
    assert {one.state for one in found} == {StartState.MISSING}


def test_a_program_in_the_home_folder_is_installed(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (found,) = named(tmp_path, mine=AgentSettings(command=["~/bin/steep"]))
    assert found.state is StartState.READY


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        ({"npx": {"package": "tea@1", "args": ["--acp"]}}, ["npx", "--yes", "tea@1", "--acp"]),
        (
            {"npx": {"package": "tea@1", "cmd": "brew"}},
            ["npx", "--yes", "--package", "tea@1", "brew"],
        ),
        ({"uvx": {"package": "tea==1"}}, ["uvx", "tea==1"]),
        (
            {"uvx": {"package": "tea==1", "cmd": "brew", "args": ["x"]}},
            ["uvx", "--from", "tea==1", "brew", "x"],
        ),
    ],
)
def test_a_package_is_fetched_by_a_command(
    tmp_path: Path, programs: Path, distribution: dict[str, Any], expected: list[str]
) -> None:
    (found,) = named(tmp_path, listed("tea", **distribution))
    assert (found.state, command(found)) == (StartState.FETCHED, expected)


@pytest.mark.parametrize(
    "distribution",
    [
        {"npx": {"package": "--evil"}},
        {"npx": {"package": "tea", "cmd": "--evil"}},
        {"npx": {"package": ""}},
        {"npx": {}},
        {"pipx": {"package": "tea"}},
        {"binary": binary("../../x")},
        {"binary": binary("/bin/sh")},
        {"binary": binary(".")},
        {"binary": binary("./a\0b")},
        {"binary": binary("./" + "a" * 5000)},
        {"binary": {"plan9-mips": {"archive": "https://example.org/x", "cmd": "x"}}},
        {"binary": binary("x", archive=1)},
        {},
    ],
)
def test_what_is_not_a_plain_command_cannot_be_started(
    tmp_path: Path, programs: Path, distribution: dict[str, Any]
) -> None:
    (found,) = named(tmp_path, listed("tea", **distribution))
    assert (found.state, found.settings) == (StartState.UNUSABLE, None)


def test_an_archive_is_fetched_into_a_folder_of_its_own(tmp_path: Path, programs: Path) -> None:
    agent = listed("tea", binary=binary("./bin/tea", args=["acp"], sha256="ab"))
    (found,) = named(tmp_path, agent)
    folder = tmp_path / "fetched" / "tea" / "1.0.0"
    assert found.state is StartState.FETCHED
    assert found.folder == folder
    assert command(found) == [str(folder / "bin/tea"), "acp"]
    program(folder / "bin/tea")
    assert named(tmp_path, agent)[0].state is StartState.READY
    assert named(tmp_path, listed("tea", "../..", binary=binary("tea")))[0].settings is None


def test_another_command_is_another_question(tmp_path: Path) -> None:
    accepted = AcceptedAgents(tmp_path / "state" / "accepted.json")
    assert not accepted.accepts("tea", ["tea"], {})
    accepted.accept("tea", ["tea"], {})
    accepted.accept("pot", ["pot"], {"A": "1"})
    assert accepted.accepts("tea", ["tea"], {})
    assert not accepted.accepts("tea", ["tea", "--yolo"], {})
    assert not accepted.accepts("tea", ["tea"], {"LD_PRELOAD": "x"})
    assert accepted.forget("tea")
    assert not accepted.forget("tea")
    assert not accepted.accepts("tea", ["tea"], {})
    assert accepted.accepts("pot", ["pot"], {"A": "1"})
    for text in ("[]", "{", "[" * 100_000):
        (tmp_path / "state" / "accepted.json").write_text(text)
        assert not accepted.accepts("pot", ["pot"], {"A": "1"})


ZED = """
// mine
{
  "theme": "x", /* "agent_servers" */
  "agent_servers": {
    "My Agent": {"type": "custom", "command": "node", "args": ["x.js", "// no comment,}"], "env": {"A": "1", "B": 2}},
    "claude-acp": {"type": "registry"},
    "Old": {"command": {"path": "old", "args": ["--acp"]}},
    "old": {"command": "again"},
    "bad": {"command": 3}, "worse": [], "none": {"command": " "}, "nul": {"command": "a\\u0000b"},
  },
}
"""


def test_the_agents_of_an_editor_are_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(ZED)
    found = read_foreign("zed", path)
    assert {name: (one.command, one.env) for name, one in found.agents.items()} == {
        "my-agent": (["node", "x.js", "// no comment,}"], {"A": "1"}),
        "old": (["old", "--acp"], {}),
    }
    assert [one.partition(":")[0] for one in found.problems] == [
        "claude-acp",
        "old",
        "bad",
        "worse",
        "none",
        "nul",
    ]


def test_the_agents_of_acpx_are_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(
        '{"agents": {"a": {"argv": ["x", "y z"]}, "b": {"command": "x --acp"}, '
        '"c": {"command": "x", "args": ["y z"]}, "d": {"argv": []}}}'
    )
    found = read_foreign("acpx", path)
    assert {name: one.command for name, one in found.agents.items()} == {
        "a": ["x", "y z"],
        "b": ["x", "--acp"],
        "c": ["x", "y z"],
    }


def test_settings_that_name_no_agents_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = settings_of("jetbrains")
    assert path == tmp_path / ".jetbrains/acp.json"
    with pytest.raises(ConfigError, match="can't be read"):
        read_foreign("jetbrains", path)
    path.parent.mkdir()
    for text, words in (("{", "not JSON"), ("[]", "names no agents"), ("{}", "agent_servers")):
        path.write_text(text)
        with pytest.raises(ConfigError, match=words):
            read_foreign("jetbrains", path)


@pytest.mark.parametrize(
    "before", ["", 'theme = "day"', 'theme = "day"\n', "[agents.x]\ncommand = ['x']\n"]
)
def test_a_table_is_added_and_read_again(tmp_path: Path, before: str) -> None:
    path = tmp_path / "dotfiles" / "settings.toml"
    path.parent.mkdir()
    path.write_text(before)
    link = tmp_path / "settings.toml"
    link.symlink_to(path)
    agent = AgentSettings(command=['te"a', "\\n\n\x7f\x00é"], env={"A B": "1", "C": "'"})
    append_to_settings(link, agent_table("tea pot", agent))
    assert path.read_text().startswith(before)
    assert link.is_symlink()
    assert load_settings(link).agents["tea pot"] == agent


def test_what_cannot_be_seen_is_written_by_its_number() -> None:
    text = agent_table("tea", AgentSettings(command=["a\u202eb\u200bc", "é"]))
    assert text == '[agents.tea]\ncommand = ["a\\u202eb\\u200bc", "é"]\n'


def test_what_would_break_the_settings_is_not_added(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[agents.tea]\ncommand = ['x']\n")
    with pytest.raises(ConfigError, match="can't be added"):
        append_to_settings(path, agent_table("tea", AgentSettings(command=["y"])))
    assert tomllib.loads(path.read_text())["agents"]["tea"]["command"] == ["x"]


def test_only_a_name_that_says_so_means_a_preview(programs: Path, tmp_path: Path) -> None:
    agents = named(
        tmp_path,
        listed("tea-acp", npx={"package": "tea@1"}),
        listed("tea-acp@preview", "1.1.0", npx={"package": "tea@1.1.0"}),
        listed("cup", npx={"package": "cup@1"}),
    )
    assert [one.name for one in find_agents("tea", agents)] == ["tea-acp"]
    [beta] = find_agents("tea@preview", agents)
    assert beta.name == "tea-acp@preview"
    assert command(beta) == ["npx", "--yes", "tea@1.1.0"]
    assert find_agents("tea-acp@preview", agents) == [beta]
    assert find_agents("cup@preview", agents) == []


def test_settings_of_an_agent_do_not_hide_its_preview(programs: Path, tmp_path: Path) -> None:
    mine = AgentSettings(command=["steep"])
    preview = listed("tea@preview", npx={"package": "tea@2"})
    agents = named(tmp_path, listed("tea", npx={"package": "tea@1"}), preview, tea=mine)
    assert [one.name for one in find_agents("tea@preview", agents)] == ["tea@preview"]
