"""The bug report of one key: made of what the inspector shows, written where one works."""

import platform
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any

from acp_tui.config.private_files import write_new
from acp_tui.debug.bug_report import bug_report, zipped
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from acp_tui.log_files import masked_recording
from acp_tui.masking.redactor import Redactor
from acp_tui.state.state import Peer
from acp_tui.ui.inspector.status import frames_and_events
from acp_tui.ui.new_files import file_name
from acp_tui.version import __version__


def facts_of(peer: Peer) -> dict[str, Any]:
    """What is known of the connection, as a recording's header tells it."""
    return {
        "argv": peer.argv,
        **({"url": peer.url} if peer.url else {}),
        "cwd": peer.cwd,
        "version": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


class GivenUpError(Exception):
    """The work was given up, and nothing was written."""


class Writing:
    """Work in a thread that may be given up until its file is being written."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._given_up = False
        self._is_final = False

    def give_up(self) -> bool:
        """End the work, unless it is too late for that."""
        with self._lock:
            self._given_up = not self._is_final
            return self._given_up

    def pause(self) -> None:
        """Raise GivenUpError if the work was given up."""
        if self._given_up:
            raise GivenUpError

    def write(self, path: Path, data: bytes) -> None:
        """Write a new file, the last step. Raises OSError and GivenUpError."""
        with self._lock:
            self.pause()
            self._is_final = True
        write_new(path, data)


def write_shown(
    log: Log, view: LogView, peer: Peer, folder: Path, when: datetime, writing: Writing
) -> str:
    """Write what a view shows as a recording into a folder; say where, how much is in it, and
    what was masked. Raises OSError and GivenUpError.
    """
    redactor = Redactor(writing.pause)
    redactor.look_at(log.records)
    indexes = [row.index for position in range(len(view)) for row in view[position]]
    records = (log.records[index] for index in indexes)
    data = masked_recording(records, facts_of(peer), redactor)
    path = folder / file_name(f"frames-{peer.name}", when, "jsonl")
    writing.write(path, data)
    frames = sum(log.numbers[index] > 0 for index in indexes)
    count = frames_and_events(frames, len(indexes) - frames)
    return f"{path}\n{count}; {redactor.summary()}"


def write_report(log: Log, focus: int, peer: Peer, folder: Path, writing: Writing) -> str:
    """Write a zip into a folder; say where, and what was masked. Raises OSError and GivenUpError."""
    report = bug_report(log, focus, facts_of(peer), pause=writing.pause)
    name = file_name(f"report-{peer.name}", datetime.now().astimezone(), "zip")
    path = folder / name
    writing.write(path, zipped(report.files, path.stem))
    return f"{path}\n{report.masked}"
