"""The MCP servers of a session: from files that a person names, and from the project's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.config.named_files import read_file
from acp_tui.config.trust import TrustStore
from acp_tui.workspace.mcp_config import PROJECT_FILE, McpError, servers


class ProjectServers(NamedTuple):
    """The servers of a project's file, which may be started only once a person trusts it."""

    file: Path
    content: bytes
    servers: list[dict[str, Any]]

    @property
    def text(self) -> str:
        """The file as it is, to judge by."""
        return self.content.decode("utf-8", "replace")

    @property
    def left_out(self) -> str:
        """Format the warning that a project's untrusted MCP servers were left out."""
        names = ", ".join(server["name"] for server in self.servers)
        return f"not trusted, so its MCP servers were left out ({names}): {self.file}"


@dataclass(slots=True)
class Gathered:
    """Servers as ACP writes them, and what was left out, in words.

    `project` waits for a person's consent: its file is somebody else's word.
    """

    servers: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    project: ProjectServers | None = None


def gather(named: Sequence[str], cwd: str, store: TrustStore, env: Mapping[str, str]) -> Gathered:
    """Read the named files, then the project's; of two servers with one name the first counts.

    Raises McpError if a file that was named can't be used.
    """
    gathered = Gathered()
    for name in named:
        try:
            text = read_file(Path(name)).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise McpError(f"{name}: can't be read: {error}") from None
        gathered.servers += servers(text, name, env)
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
        found = servers(text, str(file), env, gathered.left_out, folder=file.parent)
    except (McpError, UnicodeDecodeError) as error:
        gathered.left_out.append(str(error))
        return None
    return ProjectServers(file, content, found) if found else None
