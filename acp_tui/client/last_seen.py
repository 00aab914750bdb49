"""Stores what an agent reports of itself, for the lists of agents in later runs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from anyio import move_on_after, sleep, to_thread

from acp_tui.client.core import Core
from acp_tui.protocol.events import Responded

LATER = 2.0
"""Seconds after the agent's first response before anything is written, so that the first screen
isn't slowed.
"""
DISK_TIMEOUT = 1.0
"""Seconds that a slow disk may take when the agent is about to end."""


class LastSeen:
    """Stores the agent's version when it starts, and that it works when a turn ends."""

    def __init__(self, core: Core, file: Path) -> None:
        self._core = core
        self._file = file
        core.register(
            responses={"initialize": self._initialized, "session/prompt": self._worked},
        )

    def _initialized(self, event: Responded) -> None:
        initialized = self._core.state.peer.initialized
        if initialized is not None and event.by is None:
            info = initialized.agent_info
            self._core.spawn(self._store_version_later, "" if info is None else info.version)

    def _worked(self, event: Responded) -> None:
        if event.result is not None and event.by is None:
            self._core.spawn(self._store, None, True)

    async def _store_version_later(self, version: str) -> None:
        try:
            await sleep(LATER)
        finally:  # also for an agent that ends earlier
            await self._store(version, False)

    async def _store(self, version: str | None, worked: bool) -> None:
        launch = self._core.launch
        command = launch.argv if launch.remote is None else (launch.remote.url,)
        keep = partial(_store, self._file, command, launch.place, version, worked)
        try:
            with move_on_after(DISK_TIMEOUT, shield=True):
                await to_thread.run_sync(keep, abandon_on_cancel=True)
        except OSError:
            pass  # the list just lacks this agent's facts


def _store(
    file: Path, command: Sequence[str], place: str, version: str | None, worked: bool
) -> None:
    from acp_tui.store.seen_agents import keep_seen, seen_key  # a start doesn't need it

    keep_seen(file, seen_key(command, place), version=version, worked=worked)
