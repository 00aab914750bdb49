"""Starts agents for the library (`open_agent`), and ends everything that they started."""

import os
import warnings
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread

from acp_tui.client.launch import (
    Launch,
    McpServers,
    SessionStart,
    SpanExport,
    TraceIds,
    resolve_program,
)
from acp_tui.client.launch import make_system_prompt as prompt_of
from acp_tui.client.process import watchdog as watching
from acp_tui.client.recorder import recorder_at
from acp_tui.config.limits import Limits
from acp_tui.config.remote import Remote
from acp_tui.config.settings import Protocol
from acp_tui.host.hosts import ClientGroup
from acp_tui.library.agent import Agent, real_folder
from acp_tui.library.connection import ClientConnection
from acp_tui.library.questions import Answers, ElicitationCallback, Permissions, permission_callback
from acp_tui.protocol.initialization import (
    ClientCapabilities,
    ElicitationCapabilities,
    FileSystemCapabilities,
)
from acp_tui.recordings.records import PackedLog
from acp_tui.version import install_command


@dataclass(frozen=True)
class Files:
    """The agent's access to files through the client (`fs/*`).

    Inside the session's folder and `folders` no permission is requested; anywhere else the
    permission callback is called. With `backups`, overwritten content is kept until the agent ends.
    """

    read: bool = True
    write: bool = True
    folders: tuple[str | PathLike[str], ...] = ()
    backups: bool = False


@asynccontextmanager
async def open_agent(  # noqa: PLR0913  the library's keyword arguments
    argv: Sequence[str] | Remote,
    cwd: str | PathLike[str],
    *,
    env: Mapping[str, str] | None = None,
    record: str | PathLike[str] | None = None,
    permissions: Permissions = "reject",
    elicitations: ElicitationCallback | None = None,
    files: Files | None = None,
    terminals: bool = True,
    mcp_servers: Sequence[Mapping[str, Any]] = (),
    system_prompt: str = "",
    auth: str | None = None,
    limits: Limits | None = None,
    protocol: Protocol = "1",
    watchdog: bool = False,
    otel: bool = False,
) -> AsyncIterator[Agent]:
    """Host an agent until the block ends; then everything that it started is ended, too.

    Args:
        argv: The agent's command, which is started without a shell; or its address, a `Remote`.
        cwd: The agent's working directory.
        env: Variables that are added to this process's environment.
        record: The file to record into; by default nothing is recorded.
        permissions: "reject", "allow", "allow-reads", or a callback that answers each request.
        elicitations: A callback that answers the agent's questions; without one, elicitation isn't
            advertised.
        files: The agent's file access; by default it reads and writes in its folder.
        terminals: Whether the agent may run commands through the client.
        mcp_servers: MCP servers for the agent's sessions, in ACP's form.
        system_prompt: Instructions for each session, appended to the agent's own. If the agent lacks
            this capability, opening a session raises NotPossibleError.
        auth: The id of the method to sign in with, if the agent requires it.
        limits: Time limits for responses, in seconds.
        protocol: The version of ACP to speak: "1", "2" (a preview), or "auto" for 2 if the agent
            supports it, else 1.
        watchdog: Start a shell that ends the agent even if this process is killed.
        otel: Export spans and metrics over OTLP/HTTP, configured by the OTEL_* variables.

    Raises:
        AgentStartError: The command can't be started, or `initialize` failed.
        AgentExitedError: The agent exited before it was ready, or the connection was lost.
        AgentTimeoutError: The agent was not ready within its limit.
        ImportError: `otel` needs the extra `otel`.
        OSError: The recording can't be written.
        ValueError: An argument is invalid; the text says which.
    """
    ask = permission_callback(permissions)
    files = files or Files()
    launch = Launch(
        () if isinstance(argv, Remote) else _command(argv),
        real_folder(cwd),
        dict(env or {}),
        remote=argv if isinstance(argv, Remote) else None,
        limits=limits or Limits(),
        protocol=protocol,
        capabilities=_capabilities(files, terminals=terminals, asks=elicitations is not None),
        opening=None,
        additional_directories=tuple(map(real_folder, files.folders)),
        session=SessionStart(prompt_of(system_prompt, "append") if system_prompt else None),
        mcp=McpServers(tuple(mcp_servers)),
        backups=files.backups,
    )
    if watchdog:
        watching.watchdog.start()
    raised: BaseException | None = None
    records = PackedLog()
    async with (
        _exporting(launch, enabled=otel) as launch,
        anyio.create_task_group() as tasks,
    ):
        recorder = recorder_at(Path(record), launch) if record is not None else None
        async with anyio.create_task_group() as clients:
            client = ClientGroup(clients, tasks).start(launch, recorder, records)
            connection = ClientConnection(client, records)
            client.listen(Answers(client, clients, ask, elicitations, connection.fail).follow)
            try:
                await connection.ready()
                yield Agent(connection, auth=auth, recording=recorder.path if recorder else None)
            except (anyio.get_cancelled_exc_class(), GeneratorExit):
                raise
            except BaseException as error:  # to be raised later, outside of the group
                raised = error
            finally:
                connection.close()
            clients.cancel_scope.cancel()
        tasks.cancel_scope.cancel()
    if raised is not None:
        raise raised
    connection.raise_failure()


def _command(argv: Sequence[str]) -> tuple[str, ...]:
    if isinstance(argv, str) or not argv or not all(isinstance(word, str) for word in argv):
        raise ValueError(f"argv is the agent's command as a list of words, not {argv!r}")
    return (resolve_program(argv[0]), *argv[1:])


def _capabilities(files: Files, *, terminals: bool, asks: bool) -> ClientCapabilities:
    """Return the capabilities to advertise: only those that somebody serves."""
    return ClientCapabilities(
        fs=FileSystemCapabilities(read_text_file=files.read, write_text_file=files.write),
        terminal=terminals,
        session={"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
        elicitation=ElicitationCapabilities(form={}, url={}) if asks else None,
    )


@asynccontextmanager
async def _exporting(launch: Launch, *, enabled: bool) -> AsyncIterator[Launch]:
    """Export the events of a launch's agent until the block ends, if `enabled`; warn at the end
    about what could not be exported.
    """
    if not enabled:
        yield launch
        return
    try:
        from acp_tui.telemetry.otlp import Telemetry, current_span
    except ImportError as error:
        words = f"otel=True needs {error.name}: {install_command('otel')}"
        raise ImportError(words, name=error.name) from None
    trace = TraceIds(current_span() or os.environ)
    telemetry = Telemetry(trace.parent)
    try:
        yield replace(launch, export=SpanExport(trace, telemetry.follower))
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(telemetry.close)
        if telemetry.trouble:
            warnings.warn(f"OpenTelemetry export: {telemetry.trouble}", stacklevel=4)
