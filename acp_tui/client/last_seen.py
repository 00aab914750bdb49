"""Stores an agent's version, its last successful turn and its quota for later runs."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import move_on_after, sleep, to_thread

from acp_tui.client.core import Core
from acp_tui.client.launch import Launch
from acp_tui.protocol.events import Event, SignedIn
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.state.changes import Change, TurnChanged

if TYPE_CHECKING:
    from acp_tui.protocol.quota import QuotaWindow

WRITE_DELAY = 2.0
"""Seconds before anything is written, so that the first screen isn't slowed and a quota that
changes often is written once.
"""
DISK_TIMEOUT = 1.0
"""Seconds to wait for a slow disk when the agent is about to end."""


class LastSeen:
    """Stores the agent's version at its start, the time of each successful turn, and the quota."""

    def __init__(self, core: Core, file: Path) -> None:
        self._core = core
        self._file = file
        self._quota: dict[str, QuotaWindow] = {}
        """The quota as last stored; only changes are written."""
        self._storing_quota = False
        core.register(
            responses={"initialize": self._initialized, "session/prompt": self._turn_ended},
        )
        core.listen(self._follow_quota)

    def _initialized(self, event: Responded) -> None:
        initialized = self._core.state.peer.initialized
        if initialized is not None and event.by is None:
            info = initialized.agent_info
            self._core.spawn(self._store_version_later, "" if info is None else info.version)

    def _turn_ended(self, event: Responded) -> None:
        if event.result is not None and event.by is None:
            self._core.spawn(self._store_version, None, True)

    def _follow_quota(self, event: Event, changes: list[Change]) -> None:
        """Store a changed quota soon after a turn begins or ends, or when another account may have
        signed in.
        """
        is_new = self._core.state.quota != self._quota
        is_due = is_new and any(isinstance(one, TurnChanged) for one in changes)
        if (is_due or may_change_account(event)) and not self._storing_quota:
            self._storing_quota = True
            self._core.spawn(self._store_quota_later)

    async def _store_quota_later(self) -> None:
        try:
            await sleep(WRITE_DELAY)
        finally:
            self._storing_quota, self._quota = False, dict(self._core.state.quota)
            windows = tuple(self._quota.values())
            await self._write_file(partial(_store_quota, self._file, self._core.launch, windows))

    async def _store_version_later(self, version: str) -> None:
        try:
            await sleep(WRITE_DELAY)
        finally:  # also if the agent ends earlier
            await self._store_version(version, False)

    async def _store_version(self, version: str | None, worked: bool) -> None:
        await self._write_file(partial(_store_seen, self._file, self._core.launch, version, worked))

    async def _write_file(self, write: Callable[[], None]) -> None:
        try:
            with move_on_after(DISK_TIMEOUT, shield=True):
                await to_thread.run_sync(write, abandon_on_cancel=True)
        except OSError:
            pass  # the list of agents then lacks these facts


def _store_seen(file: Path, launch: Launch, version: str | None, worked: bool) -> None:
    from acp_tui.store.seen_agents import seen_key, write_seen  # not needed at the start

    key = seen_key(_command(launch), launch.place)
    write_seen(file, key, version=version, worked=worked)


def _store_quota(file: Path, launch: Launch, windows: "Sequence[QuotaWindow]") -> None:
    from acp_tui.store.seen_agents import write_quota

    write_quota(file, quota_key(launch), windows)


def may_change_account(event: Event) -> bool:
    """Return whether another account, whose quota isn't known, may be in use after this event."""
    match event:
        case Responded(request=Requested(call="authenticate" | "logout"), error=None):
            return True
        case SignedIn(exit_code=0):
            return True
    return False


def quota_key(launch: Launch) -> str:
    """Return the key under which an agent's quota is stored. It includes the environment, which may
    select another account.
    """
    from acp_tui.store.seen_agents import seen_key

    env = (f"{name}={value}" for name, value in sorted(launch.env.items()))
    return seen_key([*_command(launch), *env], launch.place)


def _command(launch: Launch) -> Sequence[str]:
    return launch.argv if launch.remote is None else (launch.remote.url,)
