"""Writes what the inspector shows into files, in a thread, until somebody gives it up."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from anyio import to_thread
from textual.notifications import SeverityLevel
from textual.widget import Widget

from acp_tui.state.state import Peer
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.report import GivenUpError, Writing, write_report, write_shown
from acp_tui.ui.inspector.status import StatusRow


class InspectorFiles:
    """Recordings and bug reports, one at a time; a notice says where each one is."""

    def __init__(
        self,
        host: Widget,
        status: StatusRow,
        source: LogSource,
        peer: Peer,
        folder_for: Callable[[str | None], Path],
    ) -> None:
        self._host = host
        self._status = status
        self._source = source
        self._peer = peer
        self._folder_for = folder_for
        self._writing: Writing | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a file is being made."""
        return self._writing is not None

    @property
    def _folder(self) -> Path:
        return self._folder_for(self._peer.cwd)

    def write_shown(self) -> None:
        """Write what the filter shows."""
        log, view = self._source.log, self._source.view
        if not len(view):
            self._status.say("nothing passes the filter")
            return
        when = datetime.now().astimezone()
        self._write("Saved", partial(write_shown, log, view, self._peer, self._folder, when))

    def write_report(self, at: int) -> None:
        """Write a bug report about the record at an index."""
        log = self._source.log
        self._write("Bug report", partial(write_report, log, at, self._peer, self._folder))

    def give_up(self) -> bool:
        """Give up what is being written; return whether there was anything, and time for it."""
        return self._writing is not None and self._writing.give_up()

    def _write(self, title: str, write: Callable[[Writing], str]) -> None:
        if self._writing is None:
            self._writing = Writing()
            self._host.run_worker(self._written(title, write, self._writing), group="report")
        self._status.say("writing… Esc gives it up")

    async def _written(self, title: str, write: Callable[[Writing], str], writing: Writing) -> None:
        severity: SeverityLevel = "information"
        try:
            told = await to_thread.run_sync(write, writing, abandon_on_cancel=True)
        except GivenUpError:
            self._status.say("given up: nothing was written")
            return
        except OSError as error:
            told, severity = f"can't write {error.filename}: {error.strerror}", "error"
        finally:
            writing.give_up()
            self._writing = None
        self._host.notify(told, title=title, severity=severity, timeout=10, markup=False)
