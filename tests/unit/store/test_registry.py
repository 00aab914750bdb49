"""The registry's list is read leniently; only what is installed is found."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.toml_files import ConfigError
from acp_tui.store.registry import Registry, RegistryAgent, parse_registry, read_registry
from acp_tui.store.registry_starts import installed_agents


def program(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def found(**distribution: Any) -> list[list[str]]:
    registry = Registry([RegistryAgent("tea", "Tea", "1.0", distribution)])
    return [one.command for one in installed_agents(registry)]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    program(folder / "npm")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_what_is_on_path_is_installed(programs: Path) -> None:
    program(programs / "tea-agent")
    facts = os.uname()
    target = {"archive": "https://example.org/x.tgz", "cmd": "./tea-agent", "args": ["acp"]}
    machine = {"arm64": "aarch64"}.get(facts.machine, facts.machine)
    system = f"{facts.sysname.lower()}-{machine}"
    assert found(binary={system: target}) == [[str(programs / "tea-agent"), "acp"]]
    assert found(binary={"windows-x86_64": target}) == []
    assert found(uvx={"package": "tea-agent==0.1"}) == [[str(programs / "tea-agent")]]
    assert found(uvx={"package": "other-agent@2"}) == []


def test_a_package_of_npm_is_found_by_what_it_says_of_its_programs(programs: Path) -> None:
    package = programs.parent / "lib/node_modules/@tea/agent/package.json"
    package.parent.mkdir(parents=True)
    way = {"package": "@tea/agent@1.0.0", "args": ["--acp"]}
    package.write_text(json.dumps({"bin": {"steep": "x.js"}}))
    assert found(npx=way) == []  # described, but not linked
    program(programs / "steep")
    assert found(npx=way) == [[str(programs / "steep"), "--acp"]]
    package.write_text(json.dumps({"bin": {"../../../steep": "x.js"}}))
    assert found(npx=way) == []
    package.write_text("no JSON")
    assert found(npx=way) == []
    assert found(npx={"package": "../../x"}) == []
    program(programs / "agent")  # installed by another than npm
    assert found(npx=way) == [[str(programs / "agent"), "--acp"]]


SYSTEM = "linux-x86_64"
ENTRY: dict[str, Any] = {
    "id": "tea",
    "name": "Tea",
    "version": "1.0.0",
    "description": "steeps",
    "license_url": "https://example.org/license",
    "distribution": {"npx": {"package": "tea@1"}},
}
TARGET = {"archive": "https://example.org/tea.tgz", "cmd": "./tea", "sha256": "aB" * 32}


def read(**changes: Any) -> Registry:
    data = json.dumps({"agents": [{**ENTRY, **changes}, {**ENTRY, "id": "pot"}]})
    registry = parse_registry(data.encode(), "list")
    assert registry.agents[-1].id == "pot"  # whatever its neighbor is
    return registry


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ([], "is no table"),
        ({**TARGET, "sha256": "zz"}, "its sha256 'zz' isn't 64 hexadecimal digits"),
        ({**TARGET, "archive": "http://example.org/x"}, "isn't at https://"),
        ({**TARGET, "archive": "https://[/x"}, "is no address"),
        ({**TARGET, "archive": None}, "it has no archive"),
        ({**TARGET, "cmd": ""}, "it has no cmd"),
    ],
)
def test_an_archive_that_nobody_can_vouch_for_is_left_out(target: Any, words: str) -> None:
    more = {"npx": {"package": "tea@1"}}
    for others, left in (({}, []), ({"darwin-aarch64": TARGET}, ["darwin-aarch64"])):
        registry = read(distribution={"binary": {SYSTEM: target, **others}, **more})
        (problem,) = registry.problems
        assert problem.startswith(f"list: tea: binary {SYSTEM}: ")
        assert words in problem
        ways = registry.agents[0].distribution
        assert (list(ways.get("binary", {})), "npx" in ways) == (left, True)
    alone = read(distribution={"binary": {SYSTEM: target}})
    assert [one.id for one in alone.agents] == ["pot"]
    assert alone.problems[0].startswith(f"list: agent 1 (tea): binary {SYSTEM}")


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ({"foo": {"package": "tea"}}, "distribution 'foo' isn't known"),
        ({"npx": []}, "npx is no table"),
        ({"npx": {}}, "npx: it has no package"),
        ({"npx": {"package": "--evil"}}, "npx: its package '--evil' is none"),
        ({"uvx": {"package": "tea", "cmd": "-x"}}, "uvx: its cmd '-x' is none"),
    ],
)
def test_ways_that_cannot_be_used_are_told_with_their_reason(
    way: dict[str, Any], words: str
) -> None:
    assert read(distribution=way).problems == [f"list: agent 1 (tea): {words}: left out"]
    both = read(distribution={**way, "binary": {SYSTEM: TARGET}})
    assert both.problems == [f"list: tea: {words}: left out"]
    assert list(both.agents[0].distribution) == ["binary"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": "Tea.2"}, "its id isn't made of small letters, digits and hyphens"),
        ({"version": "notsemver"}, "its version 'notsemver' isn't of the form 1.2.3"),
        ({"version": ""}, "it has no version"),
        ({"name": 3}, "it has no name"),
        ({"description": None}, "it has no description"),
        (
            {"distribution": {"npx": {"package": "tea", "args": [1]}}},
            "npx: its args are no list of texts",
        ),
        (
            {"distribution": {"uvx": {"package": "tea", "env": {"A": 1}}}},
            "uvx: its env has more than texts",
        ),
        ({"distribution": {"npx": {"package": "tea", "pkg": "x"}}}, "npx: 'pkg' isn't known"),
        (
            {"distribution": {"binary": {"plan9-mips": TARGET}}},
            "binary plan9-mips: there is no such system",
        ),
        (
            {"distribution": {"binary": {SYSTEM: {**TARGET, "x": 1}}}},
            f"binary {SYSTEM}: 'x' isn't known",
        ),
    ],
)
def test_what_breaks_the_schema_is_told_and_used(changes: dict[str, Any], words: str) -> None:
    registry = read(**changes)
    id = changes.get("id", "tea")
    assert registry.doubts == [f"list: {id}: {words}"]
    assert registry.problems == []
    assert [one.id for one in registry.agents] == [id, "pot"]


def test_agents_without_a_license_url_are_reported_in_one_line_and_used() -> None:
    registry = read(license_url=None, preview={"version": "2.0.0", "distribution": WAY})
    assert registry.doubts == ["list: no license_url: tea"]
    assert [one.id for one in registry.agents] == ["tea", "tea@preview", "pot"]


def test_a_program_of_a_package_may_be_named(programs: Path) -> None:
    registry = read(distribution={"uvx": {"package": "tea==1", "cmd": "brew"}})
    assert (registry.problems, registry.doubts) == ([], [])


def test_entries_that_cannot_be_used_are_told_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "registry.json"
    tea = {**ENTRY, "more": 1}
    entries = [tea, {"id": ""}, [], {"id": "x"}, tea]
    path.write_text(json.dumps({"version": "9", "agents": entries}))
    registry = read_registry(path)
    assert [agent.id for agent in registry.agents] == ["tea"]
    assert len(registry.problems) == 4
    assert registry.doubts == []
    for text in (b"[]", b"{", b'{"agents": 1}', '{"agents": []}'.encode("utf-16")):
        path.write_bytes(text)
        with pytest.raises(ConfigError, match=str(path)):
            read_registry(path)
    with pytest.raises(ConfigError, match="No such file"):
        read_registry(tmp_path / "none.json")


WAY = {"npx": {"package": "tea@1.0.0"}}
PREVIEW_WAY = {"npx": {"package": "tea@1.1.0-beta.2"}}


def parsed(**entry: Any) -> Registry:
    whole = {
        "id": "tea",
        "name": "Tea",
        "version": "1.0.0",
        "description": "d",
        "distribution": WAY,
    }
    return parse_registry(json.dumps({"agents": [{**whole, **entry}]}).encode(), "list")


def test_a_preview_is_an_agent_of_its_own_with_its_own_version_and_ways() -> None:
    preview = {"version": "1.1.0-beta.2", "distribution": PREVIEW_WAY}
    stable, beta = parsed(preview=preview, license_url="https://example.org/license").agents
    assert (stable.id, stable.version, stable.is_preview) == ("tea", "1.0.0", False)
    assert (beta.id, beta.name, beta.version) == ("tea@preview", "Tea (preview)", "1.1.0-beta.2")
    assert beta.distribution == PREVIEW_WAY
    assert stable.license_url == beta.license_url == "https://example.org/license"


@pytest.mark.parametrize(
    ("preview", "words"),
    [
        ("soon", "its preview has no distribution"),
        ({"version": "2.0.0"}, "its preview has no distribution"),
        ({"distribution": {"npx": {"package": "--x"}}}, "preview: npx: its package '--x' is none"),
    ],
)
def test_a_preview_that_cannot_be_used_is_left_out_and_its_agent_stays(
    preview: Any, words: str
) -> None:
    registry = parsed(preview=preview)
    assert [one.id for one in registry.agents] == ["tea"]
    assert registry.problems == [f"list: tea: {words}: left out"]


def test_the_program_of_the_released_agent_is_not_taken_for_its_preview(programs: Path) -> None:
    program(programs / "tea")
    registry = parsed(preview={"version": "2.0.0", "distribution": PREVIEW_WAY})
    assert [one.agent.id for one in installed_agents(registry)] == ["tea"]
