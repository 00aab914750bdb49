"""Starts an agent again that failed: when a person wants it, or by itself where that was asked for."""

import math
from collections.abc import Callable

import anyio

from acp_tui.config.settings import RestartSettings
from acp_tui.protocol.events import (
    LocalEvent,
    RestartPlanned,
    RestartStopped,
    StdoutClosed,
    TimedOut,
)
from acp_tui.session.state import Peer, Phase, State


class Restarts:
    """Waits longer after each failure; after too many it leaves the agent to the person."""

    def __init__(
        self,
        state: State,
        settings: RestartSettings,
        clock: Callable[[], float],
        emit: Callable[[LocalEvent], None],
    ) -> None:
        self._state = state
        self._settings = settings
        self._clock = clock
        self._emit = emit
        self._failures: list[float] = []
        self._gave_up = False
        self._countdown = anyio.CancelScope()

    def gives_up(self, event: LocalEvent) -> bool:
        """Whether a process that still runs is to be ended because of this: it closed its output, or
        did not get ready in time, and is to be started again by itself.
        """
        hopeless = isinstance(event, StdoutClosed | TimedOut)
        if hopeless and self._wanted and self._state.peer.phase is Phase.FAILED:
            self._gave_up = True
        return self._gave_up

    async def wait(self, asked: anyio.Event) -> None:
        """The process has ended: wait until a restart is asked for, or due."""
        if not asked.is_set():
            with anyio.move_on_after(self._plan()) as self._countdown:
                await asked.wait()
        if asked.is_set():
            self._failures.clear()
        self._gave_up = False

    def stop(self) -> None:
        """A person wants no restart."""
        if self._state.peer.restart is not None:
            self._countdown.deadline = math.inf
            self._emit(RestartStopped(self._clock(), "you stopped it"))

    @property
    def _wanted(self) -> bool:
        return self._settings.when == "on-failure"

    def _plan(self) -> float:
        """The seconds until it is started by itself; tells them."""
        if not self._wanted or not (self._gave_up or failed(self._state.peer)):
            return math.inf
        now, settings = self._clock(), self._settings
        self._failures = [at for at in self._failures if now - at < settings.within] + [now]
        count = len(self._failures)
        if count >= settings.most:
            why = f"{count} failures within {settings.within:g} s"
            self._emit(RestartStopped(now, why))
            return math.inf
        seconds = min(settings.longest_wait, settings.first_wait * 2.0 ** (count - 1))
        self._emit(RestartPlanned(now, seconds, count))
        return seconds


def failed(peer: Peer) -> bool:
    """Whether the agent ended by itself, and not well: exit code 0 is well but in mid-turn."""
    gone = peer.exit
    return gone is not None and not gone.asked and (gone.code != 0 or peer.cut)
