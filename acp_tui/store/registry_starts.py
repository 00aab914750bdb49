"""How an agent of the registry is started on this machine: as it is installed, or fetched first."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_tui.config.known_agents import known_command
from acp_tui.store.registry import KINDS, Registry, RegistryAgent

_PACKAGE_VERSION = re.compile(r"(?<=.)@[^/]*$|[=<>~!].*$")
"""The version at the end of a package's name."""
_FETCHING = {
    "npx": (["npx", "--yes"], ["npx", "--yes", "--package"]),
    "uvx": (["uvx"], ["uvx", "--from"]),
}
"""By kind, the words that fetch a package and run its only program, or a named program of it."""


@dataclass(frozen=True, slots=True)
class Installed:
    """An agent that is installed here, and how it is started."""

    agent: RegistryAgent
    command: list[str]
    env: dict[str, str]


@dataclass(frozen=True, slots=True)
class Archive:
    """The source of a program that has to be fetched: `program` is a path inside of it."""

    url: str
    sha256: str
    program: str


@dataclass(frozen=True, slots=True)
class StartWay:
    """The way to start an agent that isn't installed: a `command` that fetches its package, or an
    archive with the program that the command begins with.
    """

    command: list[str]
    env: dict[str, str]
    archive: Archive | None = None


def installed_agents(registry: Registry) -> list[Installed]:
    """List the agents whose programs are on PATH, or in npm's global folder; no previews, as the program
    found there is likely the released one.
    """
    found = [(agent, _command(agent)) for agent in registry.agents if not agent.is_preview]
    return [Installed(agent, command[0], command[1]) for agent, command in found if command]


def _command(agent: RegistryAgent) -> tuple[list[str], dict[str, str]] | None:
    """Return how an agent is started here, and with which variables; None if it isn't there."""
    known = known_command(agent.id)
    for kind, way in agent.distribution.items():
        target = _target(way) if kind == "binary" else way
        if known is not None and target and kind in KINDS:
            program: str | None = known[0]
        elif kind == "binary":
            name = target.get("cmd")
            program = shutil.which(Path(name).name) if isinstance(name, str) and name else None
        else:
            program = _package(kind, target.get("package"))
        if program is not None:
            return [program, *_words(target.get("args"))], _variables(target.get("env"))
    return None if known is None else (known, {})


def _target(way: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the target for this machine."""
    facts = os.uname()
    machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(facts.machine, facts.machine)
    target = way.get(f"{facts.sysname.lower()}-{machine}")
    return target if isinstance(target, dict) else {}


def _package(kind: str, package: Any) -> str | None:
    """Find the program of an installed package: by the package's name, unless npm knows another."""
    if not isinstance(package, str):
        return None
    name = _PACKAGE_VERSION.sub("", package)
    if kind == "npx":
        return _npm_program(name) or shutil.which(name.rpartition("/")[2])
    return shutil.which(name) if kind == "uvx" else None


def _npm_program(name: str) -> str | None:
    """Find the program of a package in npm's global folder: the one that npx would run."""
    npm = shutil.which("npm")
    if npm is None or ".." in name.split("/"):
        return None
    folder = Path(npm).parent
    try:
        described = json.loads(
            (folder.parent / "lib/node_modules" / name / "package.json").read_text()
        )
    except (OSError, ValueError, RecursionError):
        return None
    programs = described.get("bin") if isinstance(described, dict) else None
    last = name.rpartition("/")[2]
    names = list(programs) if isinstance(programs, dict) else [last]
    chosen = last if last in names else names[0] if names else last
    path = folder / str(chosen)
    return str(path) if os.access(path, os.X_OK) and path.parent == folder else None


def ways_to_start(agent: RegistryAgent) -> list[StartWay]:
    """List the ways to fetch and start an agent that isn't installed here, in the registry's order."""
    return [way for kind, said in agent.distribution.items() if (way := _start_way(kind, said))]


def _start_way(kind: str, said: Mapping[str, Any]) -> StartWay | None:
    if kind == "binary":
        said = _target(said)
        url, program = said.get("archive"), said.get("cmd")
        if not isinstance(url, str) or not isinstance(program, str) or not program:
            return None
        sha256 = said.get("sha256")
        archive = Archive(url, sha256 if isinstance(sha256, str) else "", program)
        return StartWay([program, *_words(said.get("args"))], _variables(said.get("env")), archive)
    package, program = said.get("package"), said.get("cmd")
    if kind not in _FETCHING or not isinstance(package, str) or _is_option(package):
        return None
    by_name, by_package = _FETCHING[kind]
    command = [*by_name, package]
    if isinstance(program, str):
        if _is_option(program):
            return None
        command = [*by_package, package, program]
    return StartWay([*command, *_words(said.get("args"))], _variables(said.get("env")))


def _is_option(word: str) -> bool:
    """Return whether a word is empty, or would be parsed as an option."""
    return not word or word.startswith("-")


def _words(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _variables(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(name): text for name, text in value.items() if isinstance(text, str)}
