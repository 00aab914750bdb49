"""The list of recordings, as wide as the terminal."""

import os
import shutil
import sys
from pathlib import Path

from acp_tui.cli.output import Painted, Style, out
from acp_tui.cli.table import fit
from acp_tui.formatting import duration, narrow_size
from acp_tui.index.beginnings import Beginning, beginning
from acp_tui.recordings.recording import RecordingError
from acp_tui.store.recordings import recordings
from acp_tui.text import clean_line

UNBOUND = 160
"""Columns of what no terminal shows."""
_AGENT = 16
"""The most columns of an agent's name."""
_PROMPT = 24
"""Columns that a prompt gets before how long it took, and its size, are shown."""


def list_recordings(folder: Path) -> int:
    """Print the recordings, the newest first."""
    width = terminal_width()
    found = recordings(folder)
    begun = [(path, _begun(path)) for path in found]
    name = max((len(path.stem) for path in found), default=0)
    agent = min(_AGENT, max((len(clean_line(one.agent)) for _, one in begun), default=0))
    is_wide = width >= 5 + name + 19 + agent + 2 + _PROMPT
    if found:
        facts = "     TOOK    SIZE" if is_wide else ""
        head = f"  #  {'RECORDING':<{name}}{facts}  {fit('AGENT', max(agent, 5))}  PROMPT"
        out(Painted(fit(head, width).rstrip(), Style.BOLD))
    for number, (path, one) in enumerate(begun, 1):
        facts = _took_and_size(path, one) if is_wide else ""
        said = fit(clean_line(one.agent), max(agent, 5))
        line = f"{number:>3}  {path.stem:<{name}}{facts}  {said}  {' '.join(one.prompt.split())}"
        out(fit(clean_line(line), width).rstrip())
    out(f"{'' if found else 'no recordings yet '}in {folder}")
    return 0


def terminal_width() -> int:
    """Return the terminal's width; in a file or a pipe, lines may be long."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return UNBOUND


def _begun(path: Path) -> Beginning:
    """Read how a recording begins; why it can't be read stands where its prompt would."""
    try:
        return beginning(path)
    except (RecordingError, OSError) as error:
        return Beginning(None, "", f"({error})")


def _took_and_size(path: Path, one: Beginning) -> str:
    """Say how long a recording took, up to when it was written last, and its size."""
    facts = path.stat()
    started, written = one.started, facts.st_mtime
    took = ""
    if isinstance(started, int | float) and 0 < started <= written:
        took = duration(written - started)
    return f"  {took:>7}  {narrow_size(facts.st_size):>6}"
