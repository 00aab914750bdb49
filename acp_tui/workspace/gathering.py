"""The MCP servers of a session: from files that a person names, and from the project's own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp_tui.workspace.mcp import PROJECT_FILE, McpError, described, servers
from acp_tui.workspace.trust import TrustStore

Consent = Callable[[Path, list[str]], bool]
"""Asks a person whether a project's servers, in lines to judge by, may be started."""


@dataclass(slots=True)
class Gathered:
    """Servers as ACP writes them, and what was left out, in words."""

    servers: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def gather(
    named: Sequence[str], cwd: str, store: TrustStore, consent: Consent, env: Mapping[str, str]
) -> Gathered:
    """Read the files that were named, then the project's; of two of one name the first counts.

    The project's file is somebody else's word until a person has agreed to its content.
    Raises McpError if a file that was named can't be used.
    """
    gathered = Gathered()
    for name in named:
        try:
            text = Path(name).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise McpError(f"{name}: can't be read: {error}") from None
        gathered.servers += servers(text, name, env)
    _project(Path(cwd, PROJECT_FILE), gathered, store, consent, env)
    first: dict[str, dict[str, Any]] = {}
    for server in gathered.servers:
        first.setdefault(server["name"], server)
    gathered.servers = list(first.values())
    return gathered


def _project(
    file: Path, gathered: Gathered, store: TrustStore, consent: Consent, env: Mapping[str, str]
) -> None:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        gathered.left_out.append(f"{file}: can't be read: {error.strerror}")
        return
    try:
        found = servers(content.decode(), str(file), env)
    except (McpError, UnicodeDecodeError) as error:
        gathered.left_out.append(str(error))
        return
    if not found:
        return
    if store.trusts(content) or consent(file, [described(server) for server in found]):
        gathered.servers += found
        return
    names = ", ".join(server["name"] for server in found)
    gathered.left_out.append(f"{file} is not trusted; its MCP servers were left out: {names}")
