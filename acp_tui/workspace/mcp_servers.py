"""Reads the MCP servers of a session from files in the format that most clients share.

The user names such files; a project's own file counts only once it is trusted.
"""

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.config.private_files import read_file
from acp_tui.config.trust import TrustStore

PROJECT_FILE = ".mcp.json"
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class McpError(Exception):
    """A file with MCP servers is invalid; the message says where and why."""


def read_servers(
    text: str,
    origin: str,
    env: Mapping[str, str],
    faults: list[str] | None = None,
    *,
    folder: Path | None = None,
) -> list[dict[str, Any]]:
    """Return the servers in a file, in ACP's form. Raises McpError.

    A relative path to a program is relative to `folder`, or to our working directory without one.

    With `faults`, servers that can't be used are reported there, and the others are returned.
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


class ProjectServers(NamedTuple):
    """The servers from a project's file, which may only be started once the user trusts it."""

    file: Path
    content: bytes
    servers: list[dict[str, Any]]

    @property
    def text(self) -> str:
        """The file's text, for the user to judge."""
        return self.content.decode("utf-8", "replace")

    @property
    def left_out(self) -> str:
        """The warning that a project's untrusted MCP servers were left out."""
        names = ", ".join(server["name"] for server in self.servers)
        return f"not trusted, so its MCP servers were left out ({names}): {self.file}"


@dataclass(slots=True)
class Gathered:
    """MCP servers in ACP's form, and messages about those that were left out.

    `project` waits for the user's consent, since others may have written its file.
    """

    servers: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    project: ProjectServers | None = None


def gather_servers(
    named: Sequence[str], cwd: str, store: TrustStore, env: Mapping[str, str]
) -> Gathered:
    """Read the named files, then the project's; of two servers with the same name, the first
    counts.

    Raises McpError if a named file can't be used.
    """
    gathered = Gathered()
    for name in named:
        try:
            text = read_file(Path(name)).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise McpError(f"{name}: can't be read: {error}") from None
        gathered.servers += read_servers(text, name, env)
    project = _project(Path(cwd, PROJECT_FILE), gathered, env)
    if project is not None and store.trusts(project.content, project.file):
        gathered.servers += project.servers
    else:
        gathered.project = project
    gathered.servers = of_each_name(gathered.servers)
    return gathered


def of_each_name(servers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first server of each name."""
    first: dict[str, dict[str, Any]] = {}
    for server in servers:
        first.setdefault(server["name"], server)
    return list(first.values())


def _project(file: Path, gathered: Gathered, env: Mapping[str, str]) -> ProjectServers | None:
    if not file.is_file():
        if file.exists():
            gathered.left_out.append(f"{file}: left out: it is not a regular file")
        return None
    try:
        content = file.read_bytes()
    except OSError as error:
        gathered.left_out.append(f"{file}: can't be read: {error.strerror}")
        return None
    try:
        text = content.decode()
        found = read_servers(text, str(file), env, gathered.left_out, folder=file.parent)
    except (McpError, UnicodeDecodeError) as error:
        gathered.left_out.append(str(error))
        return None
    return ProjectServers(file, content, found) if found else None
