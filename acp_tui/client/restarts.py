"""Restarts the agent: at the user's request, or after a failure if the settings say so.

Also negotiates the protocol version, restarting an agent that doesn't know version 2 with 1.
"""

import math

import anyio

from acp_tui.client.core import Core
from acp_tui.config.settings import RestartSettings
from acp_tui.protocol.events import Event, TimedOut
from acp_tui.protocol.process_events import (
    Disconnected,
    Negotiating,
    RestartPlanned,
    RestartRequested,
    RestartStopped,
    StdoutClosed,
)
from acp_tui.state.changes import Change
from acp_tui.state.commands import Restart, StopRestarting
from acp_tui.state.peer import Peer, Phase


class Restarts:
    """Restarts the agent, waiting longer after each failure; after too many, only the user can
    restart it.
    """

    def __init__(self, core: Core) -> None:
        self.over = anyio.Event()
        self._core = core
        self._requested = anyio.Event()
        self._failures: list[float] = []
        self._gave_up = False
        self._countdown = anyio.CancelScope()
        core.register(
            {Restart: lambda _: self._restart_for_user(), StopRestarting: lambda _: self._stop()}
        )
        core.listen(self._follow_event)

    def begin(self) -> None:
        """Prepare for a new process; `over` is set once that process should end."""
        self.over, self._requested = anyio.Event(), anyio.Event()

    def restart(self) -> None:
        """Restart the agent, ending its process if it still runs."""
        self._requested.set()
        self.over.set()

    def _restart_for_user(self) -> None:
        """Restart at the user's request. The user may keep typing: a prompt waits for the new
        process.
        """
        self._core.emit(RestartRequested(self._core.clock()))
        self.restart()

    async def wait(self) -> None:
        """Wait, after the process has ended, until a restart is requested or due."""
        if not self._requested.is_set():
            with anyio.move_on_after(self._plan_restart()) as self._countdown:
                await self._requested.wait()
        if self._requested.is_set():
            self._failures.clear()
        self._gave_up = False

    def _follow_event(self, event: Event, _: list[Change]) -> None:
        """End a process that closed its output or timed out, if it will be restarted."""
        hopeless = isinstance(event, StdoutClosed | TimedOut)
        if (
            hopeless
            and self._restarts_after_failure
            and self._core.state.peer.phase is Phase.FAILED
        ):
            self._gave_up = True
            self.over.set()

    def _stop(self) -> None:
        """Cancel the planned restart."""
        if self._core.state.peer.restart.planned is not None:
            self._countdown.deadline = math.inf
            self._core.emit(RestartStopped(self._core.clock(), "you stopped it"))

    @property
    def _settings(self) -> RestartSettings:
        return self._core.launch.restart

    @property
    def _restarts_after_failure(self) -> bool:
        """Whether a failure causes a restart: by default, only for a remote connection."""
        return self._settings.when == "on-failure" or (
            self._settings.when is None and self._is_remote
        )

    @property
    def _is_remote(self) -> bool:
        return self._core.launch.remote is not None

    def _plan_restart(self) -> float:
        """Return the seconds until the automatic restart, and emit the plan; infinity if there is
        none.
        """
        if not self._restarts_after_failure or not (
            self._gave_up or has_failed(self._core.state.peer)
        ):
            return math.inf
        now, settings = self._core.clock(), self._settings
        self._failures = [at for at in self._failures if now - at < settings.within] + [now]
        count = len(self._failures)
        if count >= settings.most and not self._is_remote:  # a network may be down for long
            why = f"{count} failures within {settings.within:g} s"
            self._core.emit(RestartStopped(now, why))
            return math.inf
        seconds = min(settings.longest_wait, settings.first_wait * 2.0 ** min(count - 1, 30))
        self._core.emit(RestartPlanned(now, seconds, count))
        return seconds


def has_failed(peer: Peer) -> bool:
    """Return whether the agent failed by itself: an error exit, an exit during a turn, or a lost
    connection.
    """
    gone = peer.process.exit
    if isinstance(gone, Disconnected):
        return not gone.asked and not gone.refused
    return gone is not None and not gone.asked and (gone.code != 0 or peer.process.cut)


class Negotiation:
    """Proposes version 2 first, if configured, and version 1 after a failure.

    No process gets a second `initialize`: many agents accept only one.
    """

    def __init__(self, core: Core, restarts: Restarts) -> None:
        self._core = core
        self._restarts = restarts
        core.listen(self._follow_fallback)

    def begin(self) -> None:
        """Record that there is a version to fall back to; called before `initialize` is sent."""
        if self._core.version != 1 and self._core.launch.protocol == "auto":
            self._core.emit(Negotiating(self._core.clock(), self._core.version))

    def _follow_fallback(self, _: Event, changes: list[Change]) -> None:
        """End a process that must be restarted with the fallback version."""
        if changes and self._core.state.peer.fallback:
            self._restarts.over.set()

    def fall_back(self) -> str | None:
        """Switch to version 1 if the process failed in another version; return why, or None."""
        peer = self._core.state.peer
        if not peer.fallback or peer.initialized is not None:
            return None
        self._core.speaks = 1
        return peer.fallback
