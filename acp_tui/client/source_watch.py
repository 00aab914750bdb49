"""Restarts an agent when its source changes."""

from collections.abc import Callable
from pathlib import Path

from anyio.abc import TaskGroup

from acp_tui.client.core import Core
from acp_tui.client.restarts import Restarts
from acp_tui.protocol.events import Event
from acp_tui.protocol.process_events import SourceChanged
from acp_tui.state.changes import Change, TurnChanged

NAMED = 3
"""Changed files that are named; the rest is only counted."""
WATCH_TIMEOUT_MS = 300
"""How often, in milliseconds, the watching thread checks whether it should end."""
QUIET_MS = 200
"""Milliseconds without another change before the agent is restarted: an editor or a build writes
several files at once.
"""


class SourceWatch:
    """Watches the launch's `watched` paths; folders recursively."""

    def __init__(self, core: Core, restarts: Restarts) -> None:
        self._core = core
        self._restarts = restarts
        core.listen(self._follow_turns)

    def watch(self, tasks: TaskGroup) -> None:
        """Start watching, in `tasks`."""
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
        """Restart the agent once no turn is running, if its source changed during one."""
        if any(isinstance(change, TurnChanged) for change in changes):
            self._restart_if_idle()

    def _restart_if_idle(self) -> None:
        state = self._core.state
        if state.peer.restart.source is not None and not any(
            one.turn for one in state.sessions.values()
        ):
            self._restarts.restart()
