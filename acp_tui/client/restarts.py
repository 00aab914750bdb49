"""Restarts an agent: when a person asks for it, after a failure if the settings say so, or when its source
has changed; then restores its sessions (ACP: Session Setup).

An agent that doesn't know version 2 is started again for version 1.
"""

import math
from collections import deque
from collections.abc import Callable
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.core import Core
from acp_tui.client.sessions import Sessions
from acp_tui.config.settings import RestartSettings
from acp_tui.protocol.events import Event, TimedOut
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.process_events import (
    Disconnected,
    Negotiating,
    RestartPlanned,
    RestartRequested,
    RestartStopped,
    SourceChanged,
    StdoutClosed,
)
from acp_tui.protocol.setup import OpenSessionParams
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.state.changes import Change, TurnChanged
from acp_tui.state.commands import Restart, StopRestarting
from acp_tui.state.peer import Peer, Phase

NAMED = 3
"""How many changed files are named."""
WATCH_TIMEOUT_MS = 300
"""Milliseconds after which the watching thread checks whether it should end."""
QUIET_MS = 200
"""Milliseconds without another change: an editor or a build writes several files at once."""
WAYS = ("session/resume", "session/load", "session/new")
"""Methods to restore a session, best first: the last always works, but the agent loses its memory.
"""


class Restarts:
    """Waits longer after each failure; after too many, only the user can restart the agent."""

    def __init__(self, core: Core) -> None:
        self.over = anyio.Event()
        self._core = core
        self._asked = anyio.Event()
        self._failures: list[float] = []
        self._gave_up = False
        self._countdown = anyio.CancelScope()
        core.register({Restart: lambda _: self._restart(), StopRestarting: lambda _: self._stop()})
        core.listen(self._follow_event)

    def begin(self) -> None:
        """Watch a new process: `over` is set once it is to be ended."""
        self.over, self._asked = anyio.Event(), anyio.Event()

    def again(self) -> None:
        """End the process, if it runs, and start it again."""
        self._asked.set()
        self.over.set()

    def _restart(self) -> None:
        """Restart for the user, who may go on typing: a prompt waits for the new process."""
        self._core.emit(RestartRequested(self._core.clock()))
        self.again()

    async def wait(self) -> None:
        """Wait until a restart is requested or due; the process has ended."""
        if not self._asked.is_set():
            with anyio.move_on_after(self._plan_restart()) as self._countdown:
                await self._asked.wait()
        if self._asked.is_set():
            self._failures.clear()
        self._gave_up = False

    def _follow_event(self, event: Event, _: list[Change]) -> None:
        """End a process that closed its output or timed out, if it will be restarted automatically."""
        hopeless = isinstance(event, StdoutClosed | TimedOut)
        if hopeless and self._wanted and self._core.state.peer.phase is Phase.FAILED:
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
    def _wanted(self) -> bool:
        """Return whether a failure causes a restart: by default, only of a remote connection."""
        return self._settings.when == "on-failure" or (
            self._settings.when is None and self._is_remote
        )

    @property
    def _is_remote(self) -> bool:
        return self._core.launch.remote is not None

    def _plan_restart(self) -> float:
        """Return the seconds until the automatic restart, and report them."""
        if not self._wanted or not (self._gave_up or has_failed(self._core.state.peer)):
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
    """Return whether the agent failed by itself: with an error, during a turn, or by a lost
    connection.
    """
    gone = peer.process.exit
    if isinstance(gone, Disconnected):
        return not gone.asked and not gone.refused
    return gone is not None and not gone.asked and (gone.code != 0 or peer.process.cut)


class Negotiation:
    """Asks for version 2 first, if configured, and for version 1 after a failure.

    One process is never asked twice: many agents accept only one `initialize`.
    """

    def __init__(self, core: Core, restarts: Restarts) -> None:
        self._core = core
        self._restarts = restarts
        core.listen(self._follow_fallback)

    def begin(self) -> None:
        """Record, before `initialize` is sent, that there is a version to fall back to."""
        if self._core.version != 1 and self._core.launch.protocol == "auto":
            self._core.emit(Negotiating(self._core.clock(), self._core.version))

    def _follow_fallback(self, _: Event, changes: list[Change]) -> None:
        """End a process with which no version can be negotiated."""
        if changes and self._core.state.peer.fallback:
            self._restarts.over.set()

    def fall_back(self) -> str | None:
        """Switch to version 1 if the ended process failed in another version; return why."""
        peer = self._core.state.peer
        if not peer.fallback or peer.initialized is not None:
            return None
        self._core.speaks = 1
        return peer.fallback


class SourceWatch:
    """Watches the paths of the launch. A folder includes everything below it."""

    def __init__(self, core: Core, restarts: Restarts) -> None:
        self._core = core
        self._restarts = restarts
        core.listen(self._follow_turns)

    def watch(self, tasks: TaskGroup) -> None:
        """Watch for as long as these tasks run."""
        folders = {path for path in self._core.launch.watched if path.is_dir()}
        files = {path for path in self._core.launch.watched if path not in folders}
        if folders:
            tasks.start_soon(self._watch_paths, folders, lambda _: True, True)
        if files:  # watch their folders, since an editor may replace a file
            tasks.start_soon(
                self._watch_paths, {file.parent for file in files}, files.__contains__, False
            )

    async def _watch_paths(
        self, places: set[Path], counts: Callable[[Path], bool], below: bool
    ) -> None:
        from watchfiles import awatch

        try:
            async for changes in awatch(
                *places, step=QUIET_MS, rust_timeout=WATCH_TIMEOUT_MS, recursive=below
            ):
                changed = sorted({Path(name) for _, name in changes if counts(Path(name))})
                if changed:  # without an editor's temporary files, which are gone by now
                    self._changed([one for one in changed if one.exists()] or changed)
        except OSError as error:
            words = f"{error}; restart the agent by hand"
            self._core.notify(None, "error", "Its source is no longer watched", words)

    def _changed(self, files: list[Path]) -> None:
        names = tuple(file.name for file in files[:NAMED])
        self._core.emit(SourceChanged(self._core.clock(), names, len(files) - len(names)))
        self._restart_if_idle()

    def _follow_turns(self, _: Event, changes: list[Change]) -> None:
        """Restart after the last turn."""
        if any(isinstance(change, TurnChanged) for change in changes):
            self._restart_if_idle()

    def _restart_if_idle(self) -> None:
        state = self._core.state
        if state.peer.restart.source is not None and not any(
            one.turn for one in state.sessions.values()
        ):
            self._restarts.again()


class SessionRecovery:
    """Restores one session after another, each by the first method that works.

    A method in which the agent died twice, or that timed out, is not tried again: each restart
    would end the same way.
    """

    def __init__(self, core: Core, sessions: Sessions) -> None:
        self._core = core
        self._sessions = sessions
        self._lost: deque[str] = deque()
        self._ways: deque[str] = deque()
        self._left: set[tuple[str, str]] = set()
        self._died: set[tuple[str, str]] = set()
        core.register(responses=dict.fromkeys(WAYS, self._answered))

    def begin(self) -> bool:
        """Start to restore sessions after a restart; return False if there are none."""
        if self._ways:
            # Try a method again after one death: that may be chance, and the next method may lose the history.
            way = (self._lost[0], self._ways[0])
            (self._left if way in self._died else self._died).add(way)
        sessions = self._core.state.sessions.values()
        self._lost = deque(one.session_id for one in sessions if one.lost)
        self._next()
        return bool(self._lost)

    def _answered(self, event: Responded) -> None:
        """Continue with the next session, or after an error with the next method.

        A request refused for lack of authentication is repeated after the sign-in.
        """
        if not self._concerns(event.request):
            return
        if event.error is not None and event.error.code == ErrorCode.AUTH_REQUIRED:
            return
        self._ways.popleft()
        if event.result is not None:
            self._left = {one for one in self._left if one[0] != self._lost[0]}
            self._died = {one for one in self._died if one[0] != self._lost[0]}
        if event.result is None and self._ways:
            self._sessions.reopen(self._lost[0], self._ways[0])
        else:
            self._lost.popleft()
            self._next()

    def unanswered(self, call: Requested) -> None:
        """Give up on the session whose request timed out, and continue with the next."""
        if self._concerns(call):
            self._left.add((self._lost[0], self._ways[0]))
            self._lost.popleft()
            self._next()

    def _concerns(self, call: Requested) -> bool:
        if not self._ways or call.call != self._ways[0]:
            return False
        params = call.params
        return not isinstance(params, OpenSessionParams) or params.session_id == self._lost[0]

    def _next(self) -> None:
        """Restore the next session that is still lost."""
        while self._lost and not self._is_lost(self._lost[0]):
            self._lost.popleft()
        if not self._lost:
            self._ways.clear()
            return
        session_id = self._lost[0]
        said = bool(self._core.state.sessions[session_id].entries)
        self._ways = deque(
            way
            for way in (WAYS[:-1] if said else ())
            if self._core.state.peer.offers(way) and (session_id, way) not in self._left
        )
        self._ways.append(WAYS[-1])
        self._sessions.reopen(session_id, self._ways[0])

    def _is_lost(self, session_id: str) -> bool:
        session = self._core.state.sessions.get(session_id)
        return session is not None and session.lost
