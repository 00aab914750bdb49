"""Sessions that other acp-tui have open now, as the recordings that they write tell."""

from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import NamedTuple

from acp_tui.log_files import open_log
from acp_tui.recordings.recording import RecordingError, events
from acp_tui.state.fold import replay
from acp_tui.store.recordings import in_use, recordings


class OpenElsewhere(NamedTuple):
    """A session that another acp-tui has open, by its id and its agent's folder and command.

    `pid` is that of the other acp-tui, None where its recording doesn't have it.
    """

    session_id: str
    cwd: str
    command: tuple[str, ...]
    pid: int | None
    is_working: bool

    @property
    def words(self) -> str:
        """Return where it is open, and whether a turn runs there."""
        pid = "" if self.pid is None else f" (pid {self.pid})"
        return f"open in another terminal{pid}{', a turn is running' if self.is_working else ''}"


def open_elsewhere(
    folder: Path, agent: tuple[str, Sequence[str]] | None = None
) -> list[OpenElsewhere]:
    """List what is open by the recordings in a folder; only of an `agent` with that folder and command, if
    given. A recording that can't be read is left out.
    """
    found = list[OpenElsewhere]()
    for path in recordings(folder):
        if in_use(path):
            found += _open_in(path, agent)
    return found


def _open_in(path: Path, agent: tuple[str, Sequence[str]] | None) -> Iterator[OpenElsewhere]:
    try:
        opened = open_log(path)
        with closing(opened.growing) if opened.growing is not None else nullcontext():
            facts = opened.facts
            argv, pid = facts.get("argv"), facts.get("pid")
            command = tuple(
                map(str, argv if isinstance(argv, list) and argv else [facts.get("url")])
            )
            cwd = str(facts.get("cwd"))
            if agent is not None and (cwd, command) != (agent[0], tuple(agent[1])):
                return
            state = replay(events(opened.records))
    except (OSError, RecordingError):
        return
    for one in state.open_sessions():
        known = pid if isinstance(pid, int) else None
        yield OpenElsewhere(one.session_id, cwd, command, known, one.works)
