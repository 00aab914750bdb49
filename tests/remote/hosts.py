"""A host of an agent over a network, with what tests look at."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from acp_tui.client.launch import Launch
from acp_tui.config.remote import Remote
from acp_tui.config.settings import RestartSettings
from acp_tui.protocol.process_events import Connecting, Disconnected, TransportFact
from acp_tui.recordings import recording
from acp_tui.state.commands import AnswerPermission
from acp_tui.state.fold import replay_events
from tests.hosting import Host, running
from tests.remote.bridge import COOKIE

SECRETS = ("very-secret-4711", COOKIE)
SCHEMES = ("ws", "http")
SOON = RestartSettings(first_wait=0.01, longest_wait=0.05)
LATER = RestartSettings(first_wait=60.0)
NEVER = RestartSettings(when="never")


class RemoteHost(Host):
    """Hosts a client of an agent elsewhere."""

    @property
    def facts(self) -> list[str]:
        return [event.what for event in self.events if isinstance(event, TransportFact)]

    @property
    def lost(self) -> list[Disconnected]:
        return [event for event in self.events if isinstance(event, Disconnected)]

    @property
    def attempts(self) -> int:
        return sum(isinstance(event, Connecting) for event in self.events)

    async def allow(self) -> None:
        (permission,) = await self.permission()
        self.do(AnswerPermission(permission.number, "yes"))

    async def disconnected(self) -> Disconnected:
        await self.until(lambda: self.lost)
        return self.lost[-1]


@asynccontextmanager
async def reaching(
    remote: str | Remote, folder: Path, restart: RestartSettings = NEVER, **launch: Any
) -> AsyncIterator[RemoteHost]:
    """Reach an agent until the block ends; a replay of what was recorded gives the same state, and
    nothing secret is in it.
    """
    remote = Remote(remote) if isinstance(remote, str) else remote
    host = RemoteHost(Launch((), str(folder), remote=remote, restart=restart, **launch))
    async with running(host):
        yield host
    lines = [
        recording.format_header({}),
        *(recording.format_record(record) for record in host.records),
    ]
    assert replay_events(recording.read_events(recording.read_records(lines))) == host.state
    assert not [secret for secret in SECRETS if secret in "".join(lines)]
