"""The list of recordings, as wide as the terminal."""

import os
import shutil
import sys
from pathlib import Path

from acp_tui.cli.output import Painted, Style, out
from acp_tui.cli.table import fit
from acp_tui.config.recordings import recordings
from acp_tui.formatting import duration, narrow_size
from acp_tui.text import clean_line
from acp_tui.wire.recording import RecordingError, agent_in, read_header

UNBOUND = 160
"""Columns of what no terminal shows."""


def list_recordings(folder: Path) -> int:
    """Print the recordings, the newest first."""
    width = terminal_width()
    found = recordings(folder)
    longest = max((len(path.stem) for path in found), default=0)
    if found:
        out(Painted(f"  #  {'RECORDING':<{longest}}     TOOK    SIZE  AGENT", Style.BOLD))
    for number, path in enumerate(found, 1):
        facts = path.stat()
        took, agent = _header(path, facts.st_mtime)
        size = narrow_size(facts.st_size)
        line = f"{number:>3}  {path.stem:<{longest}}  {took:>7}  {size:>6}  {agent}"
        out(fit(clean_line(line), width).rstrip())
    out(f"{'' if found else 'no recordings yet '}in {folder}")
    return 0


def terminal_width() -> int:
    """Return the terminal's width; in a file or a pipe, lines may be long."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return UNBOUND


def _header(path: Path, written: float) -> tuple[str, str]:
    """Return how long a recording took, up to when it was written last, and its agent."""
    try:
        with path.open("rb") as file:
            facts = read_header(file.readline())
    except (RecordingError, OSError) as error:
        return "", f"({error})"
    started = facts.get("started")
    if isinstance(started, int | float) and 0 < started <= written:
        return duration(written - started), agent_in(facts)
    return "", agent_in(facts)
