"""Reads the agents in the settings of other clients: Zed, JetBrains and acpx."""

import json
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from acp_tui.config.settings import AgentSettings
from acp_tui.config.toml_files import ConfigError

_ZED_ON_MACOS = (
    ("Library/Application Support/Zed/settings.json",) if sys.platform == "darwin" else ()
)
_STRANGE = re.compile(r"[^a-z0-9_-]+")
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMAS = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


@dataclass(frozen=True, slots=True)
class Foreign:
    """The agents in another client's settings, by our names, and what is wrong with the others."""

    agents: dict[str, AgentSettings] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Program:
    """Another client: its settings files, below the home folder, and the key of its agents in them."""

    files: tuple[str, ...]
    key: str


PROGRAMS: Mapping[str, _Program] = {
    "zed": _Program((*_ZED_ON_MACOS, ".config/zed/settings.json"), "agent_servers"),
    "jetbrains": _Program((".jetbrains/acp.json",), "agent_servers"),
    "acpx": _Program((".acpx/config.json",), "agents"),
}
"""The clients whose agents can be imported."""


def settings_of(program: str) -> Path:
    """Return a client's settings file: the first that exists, else the first possible path."""
    paths = [Path.home() / one for one in PROGRAMS[program].files]
    return next((one for one in paths if one.exists()), paths[0])


def read_foreign(program: str, path: Path) -> Foreign:
    """Read the agents in a client's settings.

    Raises:
        ConfigError: the file can't be read, or has no agents.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: can't be read: {error}") from None
    try:
        value = json.loads(_as_strict_json(text))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON: {error}") from None
    key = PROGRAMS[program].key
    entries = value.get(key) if isinstance(value, dict) else None
    if not isinstance(entries, dict) or not entries:
        raise ConfigError(f'{path}: it names no agents: there is nothing under "{key}"')
    found = Foreign()
    for name, entry in entries.items():
        _add_agent(found, name, entry)
    return found


def _add_agent(found: Foreign, name: str, entry: Any) -> None:
    ours = _STRANGE.sub("-", name.lower()).strip("-") or "agent"
    if isinstance(entry, dict) and entry.get("type") in ("registry", "extension"):
        found.problems.append(f"{name}: comes from the {entry['type']}, see: acp-tui agents {ours}")
    elif ours in found.agents:
        found.problems.append(f"{name}: another agent here is called {ours}, too")
    else:
        try:
            found.agents[ours] = _settings(entry)
        except (ValueError, ValidationError):
            found.problems.append(f"{name}: it names no command that could be imported")


def _settings(entry: Any) -> AgentSettings:
    """Convert an entry to our settings. Raises ValueError if it has no usable command."""
    if not isinstance(entry, dict):
        raise ValueError
    argv = entry.get("argv")
    command = argv if isinstance(argv, list) else _command(entry)
    if not command or not all(isinstance(one, str) for one in command):
        raise ValueError
    env = entry.get("env")
    variables = env.items() if isinstance(env, dict) else ()
    named = {name: value for name, value in variables if isinstance(value, str)}
    if any("\0" in one for one in (*command, *named, *named.values())):
        raise ValueError
    return AgentSettings(command=command, env=named)


def _command(entry: Mapping[str, Any]) -> list[Any]:
    command, args = entry.get("command"), entry.get("args")
    if isinstance(command, dict):  # used by earlier versions of Zed
        return _command({"command": command.get("path"), "args": command.get("args")})
    if not isinstance(command, str):
        raise ValueError
    return [command, *args] if isinstance(args, list) else shlex.split(command)


def _as_strict_json(text: str) -> str:
    """Remove comments and trailing commas, which editors allow in JSON."""
    for pattern in (_COMMENTS, _COMMAS):
        text = pattern.sub(lambda match: match[1] or "", text)
    return text
