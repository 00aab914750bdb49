"""Installed agents of the registry, and how to fetch and start the others."""

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
"""The version at the end of a package specifier."""
_FETCHING = {
    "npx": (["npx", "--yes"], ["npx", "--yes", "--package"]),
    "uvx": (["uvx"], ["uvx", "--from"]),
}
"""By kind, the command that fetches a package and runs its only program, and the one for a named
program.
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """An agent that is installed here, with its command and variables."""

    agent: RegistryAgent
    command: list[str]
    env: dict[str, str]


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive to fetch; `program` is a path inside it."""

    url: str
    sha256: str
    program: str


@dataclass(frozen=True, slots=True)
class StartWay:
    """How to start an agent that isn't installed: a `command` that fetches its package, or an
    archive with the program that the command begins with.
    """

    command: list[str]
    env: dict[str, str]
    archive: Archive | None = None


def installed_agents(registry: Registry) -> list[Installed]:
    """Return the agents whose programs are on PATH or in npm's global folder.

    Previews are excluded, as an installed program is probably the release.
    """
    found = [(agent, _command(agent)) for agent in registry.agents if not agent.is_preview]
    return [Installed(agent, command[0], command[1]) for agent, command in found if command]


def _command(agent: RegistryAgent) -> tuple[list[str], dict[str, str]] | None:
    """Return an agent's command and variables on this machine; None if it isn't installed."""
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
    """Return the binary target for this machine; empty if there is none."""
    facts = os.uname()
    machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(facts.machine, facts.machine)
    target = way.get(f"{facts.sysname.lower()}-{machine}")
    return target if isinstance(target, dict) else {}


def _package(kind: str, package: Any) -> str | None:
    """Return the program of an installed package: the one that npm knows, else the one named after
    the package.
    """
    if not isinstance(package, str):
        return None
    name = _PACKAGE_VERSION.sub("", package)
    if kind == "npx":
        return _npm_program(name) or shutil.which(name.rpartition("/")[2])
    return shutil.which(name) if kind == "uvx" else None


def _npm_program(name: str) -> str | None:
    """Return the program of a package in npm's global folder: the one that npx would run."""
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
    """Return the ways to fetch and start an agent on this machine, in the registry's order."""
    return [start for kind, way in agent.distribution.items() if (start := _start_way(kind, way))]


def _start_way(kind: str, way: Mapping[str, Any]) -> StartWay | None:
    if kind == "binary":
        way = _target(way)
        url, program = way.get("archive"), way.get("cmd")
        if not isinstance(url, str) or not isinstance(program, str) or not program:
            return None
        sha256 = way.get("sha256")
        archive = Archive(url, sha256 if isinstance(sha256, str) else "", program)
        return StartWay([program, *_words(way.get("args"))], _variables(way.get("env")), archive)
    package, program = way.get("package"), way.get("cmd")
    if kind not in _FETCHING or not isinstance(package, str) or _is_option(package):
        return None
    by_name, by_package = _FETCHING[kind]
    command = [*by_name, package]
    if isinstance(program, str):
        if _is_option(program):
            return None
        command = [*by_package, package, program]
    return StartWay([*command, *_words(way.get("args"))], _variables(way.get("env")))


def _is_option(word: str) -> bool:
    """Return whether a word is empty, or would be parsed as an option."""
    return not word or word.startswith("-")


def _words(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _variables(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(name): text for name, text in value.items() if isinstance(text, str)}
