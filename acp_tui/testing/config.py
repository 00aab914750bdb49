"""The agent under test: `[tool.acp]` in pyproject.toml, or `--acp-agent`."""

import shlex
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

_KINDS: dict[str, type | tuple[type, ...]] = {
    "command": (str, list),
    "env": dict,
    "permissions": str,
    "auth": str,
    "timeout": (int, float),
}
_POLICIES = ("allow", "allow-reads", "reject")
Policy = Literal["allow", "allow-reads", "reject"]


class BadConfigError(Exception):
    """The agent's configuration is invalid; the message says where and why."""


@dataclass(frozen=True)
class AgentConfig:
    """How to start the agent; `timeout` is for its start and each session, in seconds."""

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    permissions: Policy = "reject"
    auth: str | None = None
    timeout: float = 60.0


def agent_config(root: Path, command: str | None) -> AgentConfig:
    """Read the configuration in the pyproject.toml of `root`; `command` replaces its command.

    A first word `python` means the Python that runs the tests. Raises BadConfigError.
    """
    table = _table(root / "pyproject.toml")
    for name, value in table.items():
        if name not in _KINDS or not isinstance(value, _KINDS[name]):
            known = ", ".join(_KINDS)
            raise BadConfigError(f"[tool.acp] {name} = {value!r}: the keys are {known}")
    if table.get("permissions", "reject") not in _POLICIES:
        raise BadConfigError(f"[tool.acp] permissions is one of {', '.join(_POLICIES)}")
    named = table.pop("command", "")
    given = command or named
    words = shlex.split(given) if isinstance(given, str) else [str(word) for word in given]
    if not words:
        raise BadConfigError(
            "no agent to test: name its command with --acp-agent, or in pyproject.toml with\n"
            '[tool.acp]\ncommand = ["my-agent", "--acp"]'
        )
    if words[0] == "python":
        words[0] = sys.executable
    return AgentConfig(tuple(words), **table)


def _table(file: Path) -> dict[str, Any]:
    try:
        whole = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadConfigError(f"{file}: {error}") from error
    return cast("dict[str, Any]", dict(whole.get("tool", {}).get("acp", {})))
