"""The bug report of one key: made of what the inspector shows, written where one works."""

import platform
from datetime import datetime
from pathlib import Path
from typing import Any

from acp_tui import __version__
from acp_tui.config.private_files import write_new
from acp_tui.session.state import Peer
from acp_tui.ui.export.files import file_name
from acp_tui.wire.log import Log
from acp_tui.wire.report.bug_report import bug_report, zipped
from acp_tui.wire.report.masked_recording import masked_recording
from acp_tui.wire.report.redaction import Redactor
from acp_tui.wire.view import View


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


def write_shown(
    log: Log, view: View, peer: Peer, folder: Path, when: datetime
) -> tuple[Path, int, str]:
    """Write what a view shows as a recording into a folder; return its path, how many records it
    has, and what was masked. Raises OSError.
    """
    redactor = Redactor()
    redactor.look_at(log.records)
    indexes = [row.index for position in range(len(view)) for row in view[position]]
    data = masked_recording(log, indexes, facts_of(peer), redactor)
    path = folder / file_name(f"frames-{peer.name}", when, "jsonl")
    write_new(path, data)
    return path, len(indexes), redactor.summary()


def write_report(log: Log, focus: int, peer: Peer, folder: Path) -> tuple[Path, str]:
    """Write a zip into a folder; return its path and what was masked. Raises OSError."""
    report = bug_report(log, focus, facts_of(peer))
    name = file_name(f"report-{peer.name}", datetime.now().astimezone(), "zip")
    path = folder / name
    write_new(path, zipped(report.files, path.stem))
    return path, report.masked
