"""Starts an agent again that failed: when a person wants it, or by itself where that was asked for."""

import math
from collections.abc import Callable

import anyio

from acp_tui.config.settings import RestartSettings
from acp_tui.protocol.events import LocalEvent, RestartPlanned, RestartStopped
from acp_tui.session.state import Peer, State


class Restarting:
    """Waits longer after each failure; after too many it leaves the agent to the person."""

    def __init__(
        self,
        state: State,
        settings: RestartSettings,
        clock: Callable[[], float],
        happened: Callable[[LocalEvent], None],
    ) -> None:
        self._state = state
        self._settings = settings
        self._clock = clock
        self._happened = happened
        self._failures: list[float] = []
        self._countdown = anyio.CancelScope()

    async def wait(self, asked: anyio.Event) -> None:
        """The process has ended: wait until a restart is asked for, or due."""
        with anyio.move_on_after(self._plan()) as self._countdown:
            await asked.wait()
        if asked.is_set():
            self._failures.clear()

    def stop(self) -> None:
        """A person wants no restart."""
        if self._state.peer.restart is not None:
            self._countdown.deadline = math.inf
            self._happened(RestartStopped(self._clock(), "you stopped it"))

    def _plan(self) -> float:
        """The seconds until it is started by itself; tells them."""
        if self._settings.when == "never" or not failed(self._state.peer):
            return math.inf
        now, settings = self._clock(), self._settings
        self._failures = [at for at in self._failures if now - at < settings.within] + [now]
        count = len(self._failures)
        if count >= settings.most:
            why = f"{count} failures within {settings.within:g} s"
            self._happened(RestartStopped(now, why))
            return math.inf
        seconds = min(settings.longest_wait, settings.first_wait * 2.0 ** (count - 1))
        self._happened(RestartPlanned(now, seconds, count))
        return seconds


def failed(peer: Peer) -> bool:
    """Whether the agent ended by itself, and not well: exit code 0 is well but in mid-turn."""
    gone = peer.exit
    return gone is not None and not gone.asked and (gone.code != 0 or peer.cut)
