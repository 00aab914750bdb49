"""Reads recordings and other programs' logs, lints them, and replays them as sessions and turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from acp_tui.debug.log import Log
from acp_tui.extensions import extensions
from acp_tui.library.turn import Findings, Turn, TurnFollower
from acp_tui.log_files import open_log
from acp_tui.protocol.events import Record
from acp_tui.recordings.recording import Interpreter
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State


@dataclass(frozen=True)
class Recording:
    """The records of a connection. `facts` is the recording's header: the agent's `argv`, the
    folder, when it was `started`. It is empty for another program's log.
    """

    records: Sequence[Record] = field(repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RecordedSession:
    """A session in a recording, with the turns that have ended."""

    session_id: str
    cwd: str
    title: str | None
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class Replay:
    """The agent's name, and the sessions that were opened in a recording."""

    agent: str
    sessions: tuple[RecordedSession, ...]


def read_recording(path: str | PathLike[str]) -> Recording:
    """Read a recording, a bug report, or another program's log of a connection.

    Raises:
        OSError: The file can't be read.
        RecordingError: It is none of these; the text says why.
    """
    opened = open_log(Path(path))
    return Recording(opened.records, opened.facts)


def lint(log: Recording | Sequence[Record], *, notes: bool = False) -> Findings:
    """Return the errors and warnings about broken rules of the protocol, in the order of the
    records. With `notes`, return the notes instead.
    """
    checked = Log.of_all(_records(log), extensions.linter())
    return Findings.among(checked.findings, notes=notes)


def replay(log: Recording | Sequence[Record]) -> Replay:
    """Return the sessions and turns in a recording; no process is started."""
    records = _records(log)
    state, interpreter = State(), Interpreter()
    follower = TurnFollower(state, records)
    turns: list[Turn] = []
    for index, record in enumerate(records):
        event = interpreter.event(record)
        apply_event(state, event)
        turns += [turn for _, turn in follower.follow(event, index)]
    turns = list(map(follower.completed, turns))
    sessions = (
        RecordedSession(
            one.session_id,
            one.cwd,
            one.title,
            tuple(turn for turn in turns if turn.session_id == one.session_id),
        )
        for one in state.sessions.values()
        if one.opened
    )
    return Replay(state.peer.name, tuple(sessions))


def _records(log: Recording | Sequence[Record]) -> Sequence[Record]:
    return log.records if isinstance(log, Recording) else log
