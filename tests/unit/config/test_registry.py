"""The registry's list is read leniently; only what is installed is found."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.errors import ConfigError
from acp_tui.config.registry import Registry, RegistryAgent, installed, read_registry


def program(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def found(**distribution: Any) -> list[list[str]]:
    registry = Registry([RegistryAgent("tea", "Tea", "1.0", distribution)])
    return [one.command for one in installed(registry)]


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


def test_entries_that_cannot_be_used_are_told_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "registry.json"
    tea = {"id": "tea", "distribution": {}, "more": 1}
    entries = [tea, {"id": ""}, [], {"id": "x"}, tea]
    path.write_text(json.dumps({"version": "9", "agents": entries}))
    registry = read_registry(path)
    assert [agent.id for agent in registry.agents] == ["tea"]
    assert len(registry.problems) == 4
    for text in (b"[]", b"{", b'{"agents": 1}', '{"agents": []}'.encode("utf-16")):
        path.write_bytes(text)
        with pytest.raises(ConfigError, match=str(path)):
            read_registry(path)
    with pytest.raises(ConfigError, match="No such file"):
        read_registry(tmp_path / "none.json")
