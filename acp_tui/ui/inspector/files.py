"""Files that the inspector writes in a thread: recordings of the filtered frames, and bug reports."""

import platform
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from anyio import to_thread
from textual.notifications import SeverityLevel
from textual.widget import Widget

from acp_tui.config.private_files import write_new
from acp_tui.debug.bug_report import bug_report, zip_files
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from acp_tui.log_files import masked_recording
from acp_tui.masking.redactor import Redactor
from acp_tui.state.peer import Peer
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.status import StatusRow, frames_and_events
from acp_tui.ui.new_files import file_name
from acp_tui.version import __version__


def connection_facts(peer: Peer) -> dict[str, Any]:
    """Return the connection's facts, for a recording's header."""
    return {
        "argv": peer.argv,
        **({"url": peer.url} if peer.url else {}),
        "cwd": peer.cwd,
        "version": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


class WritingCanceledError(Exception):
    """The work was canceled; nothing was written."""


class Writing:
    """Work in a thread that can be canceled until it starts to write its file."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_canceled = False
        self._is_final = False

    def cancel(self) -> bool:
        """Cancel the work; return False if its file is already being written."""
        with self._lock:
            self._is_canceled = not self._is_final
            return self._is_canceled

    def pause(self) -> None:
        """Raise WritingCanceledError if the work was canceled."""
        if self._is_canceled:
            raise WritingCanceledError

    def write(self, path: Path, data: bytes) -> None:
        """Write a new file, as the last step. Raises OSError or WritingCanceledError."""
        with self._lock:
            self.pause()
            self._is_final = True
        write_new(path, data)


def write_shown(
    log: Log, view: LogView, peer: Peer, folder: Path, when: datetime, writing: Writing
) -> str:
    """Write a view's records as a recording; return a text with its path, size and number of masked
    secrets.

    Raises OSError or WritingCanceledError.
    """
    redactor = Redactor(writing.pause)
    redactor.scan(log.records)
    indexes = [row.index for position in range(len(view)) for row in view[position]]
    records = (log.records[index] for index in indexes)
    data = masked_recording(records, connection_facts(peer), redactor)
    path = folder / file_name(f"frames-{peer.name}", when, "jsonl")
    writing.write(path, data)
    frames = sum(log.numbers[index] > 0 for index in indexes)
    count = frames_and_events(frames, len(indexes) - frames)
    return f"{path}\n{count}; {redactor.summary()}"


def write_report(log: Log, focus: int, peer: Peer, folder: Path, writing: Writing) -> str:
    """Write a bug report as a zip; return a text with its path and number of masked secrets.

    Raises OSError or WritingCanceledError.
    """
    report = bug_report(log, focus, connection_facts(peer), pause=writing.pause)
    name = file_name(f"report-{peer.name}", datetime.now().astimezone(), "zip")
    path = folder / name
    writing.write(path, zip_files(report.files, path.stem))
    return f"{path}\n{report.masked}"


class InspectorFiles:
    """Writes recordings and bug reports, one at a time; a notification shows the path of each."""

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
        """Whether a file is being written."""
        return self._writing is not None

    @property
    def _folder(self) -> Path:
        return self._folder_for(self._peer.cwd)

    def write_shown(self) -> None:
        """Write the frames that match the filter as a recording."""
        log, view = self._source.log, self._source.view
        if not len(view):
            self._status.show_note("nothing matches the filter")
            return
        when = datetime.now().astimezone()
        self._start_writing(
            "Saved", partial(write_shown, log, view, self._peer, self._folder, when)
        )

    def write_report(self, at: int) -> None:
        """Write a bug report about the record at an index."""
        log = self._source.log
        self._start_writing("Bug report", partial(write_report, log, at, self._peer, self._folder))

    def cancel(self) -> bool:
        """Cancel the file being written; return whether one was canceled."""
        return self._writing is not None and self._writing.cancel()

    def _start_writing(self, title: str, write: Callable[[Writing], str]) -> None:
        if self._writing is None:
            self._writing = Writing()
            self._host.run_worker(self._run_writing(title, write, self._writing), group="report")
        self._status.show_note("writing… Esc cancels")

    async def _run_writing(
        self, title: str, write: Callable[[Writing], str], writing: Writing
    ) -> None:
        severity: SeverityLevel = "information"
        try:
            report = await to_thread.run_sync(write, writing, abandon_on_cancel=True)
        except WritingCanceledError:
            self._status.show_note("canceled: nothing was written")
            return
        except OSError as error:
            report, severity = f"can't write {error.filename}: {error.strerror}", "error"
        finally:
            writing.cancel()
            self._writing = None
        self._host.notify(report, title=title, severity=severity, timeout=10)
