"""MCP servers for the agent, from files in the form that most clients share.

    {"mcpServers": {"name": {"command": "npx", "args": [...], "env": {...}},
                    "other": {"type": "http", "url": "https://…", "headers": {...}}}}

`${NAME}` and `${NAME:-default}` stand for environment variables.
"""

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROJECT_FILE = ".mcp.json"
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class McpError(Exception):
    """A file of MCP servers is invalid; the message says where and why."""


def servers(
    text: str,
    origin: str,
    env: Mapping[str, str],
    faults: list[str] | None = None,
    *,
    folder: Path | None = None,
) -> list[dict[str, Any]]:
    """Read the servers in a file, in ACP's form. Raises McpError.

    A relative path to a program is one below `folder`, or below where the person is.

    With `faults`, a server that can't be used is said there, and the others count.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise McpError(f"{origin}: not JSON: {error}") from None
    named = value.get("mcpServers") if isinstance(value, dict) else None
    if not isinstance(named, dict):
        raise McpError(f'{origin}: there is no object "mcpServers"')
    found = []
    for name, entry in named.items():
        where = f"{origin}: mcpServers.{name}"
        try:
            if not isinstance(entry, dict):
                raise McpError(f"{where}: not an object")
            found.append(_server(name, _expanded(entry, where, env), where, folder))
        except McpError as error:
            if faults is None:
                raise
            faults.append(f"{error}; this server is left out")
    return found


def _server(name: str, entry: dict[str, Any], where: str, folder: Path | None) -> dict[str, Any]:
    kind = entry.get("type", "http" if "url" in entry else "stdio")
    if kind == "streamable-http":
        kind = "http"
    if kind in ("http", "sse"):
        headers = _pairs(entry.get("headers", {}), f"{where}.headers")
        url = _text(entry, "url", where)
        return {"type": kind, "name": name, "url": url, "headers": headers}
    if kind != "stdio":
        raise McpError(f'{where}.type: one of "stdio", "http", "sse", not {kind!r}')
    args = entry.get("args", [])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise McpError(f"{where}.args: not a list of texts")
    command = _absolute(_text(entry, "command", where), where, folder)
    env = _pairs(entry.get("env", {}), f"{where}.env")
    return {"name": name, "command": command, "args": args, "env": env}


def _absolute(command: str, where: str, folder: Path | None) -> str:
    program = os.path.expanduser(command)  # noqa: PTH111
    if folder is not None and Path(program).name != program:
        program = str(folder / program)
    found = shutil.which(program)
    if found is None:
        raise McpError(f"{where}.command: {command!r} is not installed, or not on PATH")
    return str(Path(found).absolute())


def _text(entry: dict[str, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        raise McpError(f"{where}.{key}: missing, or not a text")
    return value


def _pairs(values: Any, where: str) -> list[dict[str, str]]:
    if not isinstance(values, dict) or not all(isinstance(one, str) for one in values.values()):
        raise McpError(f"{where}: not an object of texts")
    return [{"name": name, "value": value} for name, value in values.items()]


def _expanded(value: Any, where: str, env: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _expanded(one, f"{where}.{key}", env) for key, one in value.items()}
    if isinstance(value, list):
        return [_expanded(one, where, env) for one in value]
    if not isinstance(value, str):
        return value

    def replaced(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        if name not in env and default is None:
            raise McpError(f"{where}: the environment variable {name} is not set")
        return env.get(name) or default or ""

    return _VARIABLE.sub(replaced, value)
