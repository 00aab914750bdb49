"""Read the launcher's lists in the background: the sessions that can be resumed, and the kept runs."""

from collections.abc import Callable, Sequence
from pathlib import Path

from anyio import sleep, to_thread

from acp_tui.index.index import Index
from acp_tui.index.search import RecentSession, recent_sessions
from acp_tui.index.sessions import OpenElsewhere, open_elsewhere
from acp_tui.store.recordings import recordings_in
from acp_tui.ui.launcher.rows import BackgroundSession

MOST_SESSIONS = 500
"""The most sessions that are read from the index."""
KEPT_PERIOD = 2.0
"""Seconds between two readings of the kept runs."""


class LauncherReader:
    """Reads sessions and kept runs in threads, and calls back after each reading."""

    def __init__(
        self, index: Path, folder: Path, read_kept: Callable[[], Sequence[BackgroundSession]]
    ) -> None:
        """`index` is the index file of the recordings in `folder`; `read_kept` asks the kept runs."""
        self._index = index
        self._folder = folder
        self._read_kept = read_kept
        self.sessions: Sequence[RecentSession] = ()
        self.near: Sequence[RecentSession] = ()
        """The sessions whose folders still exist. The others are found only by a search."""
        self.elsewhere: Sequence[OpenElsewhere] = ()
        """The sessions that are open in other acp-tui programs."""
        self.kept: Sequence[BackgroundSession] | None = None
        """The sessions of kept runs; None until they have been read."""

    async def read_sessions(self, changed: Callable[[], None]) -> None:
        """Read the sessions in the index, then update it and read again. Raises OSError or sqlite3.Error."""
        for update in (False, True):
            read = await to_thread.run_sync(self._read, update, abandon_on_cancel=True)
            self.sessions, self.near = read
            changed()
        self.elsewhere = await to_thread.run_sync(
            open_elsewhere, self._folder, abandon_on_cancel=True
        )
        changed()

    def _read(self, update: bool) -> tuple[Sequence[RecentSession], Sequence[RecentSession]]:
        with Index.open(self._index) as index:
            if update:
                index.update(recordings_in(self._folder))
            found = recent_sessions(index, MOST_SESSIONS)
        folders = {one.cwd for one in found if not one.place}
        gone = {folder for folder in folders if not Path(folder).is_dir()}
        return found, [one for one in found if one.place or one.cwd not in gone]

    async def follow_kept(self, changed: Callable[[], None]) -> None:
        """Read the kept runs every few seconds, until canceled."""
        while True:
            kept = await to_thread.run_sync(self._read_kept, abandon_on_cancel=True)
            if kept != self.kept:
                self.kept = kept
                changed()
            await sleep(KEPT_PERIOD)
