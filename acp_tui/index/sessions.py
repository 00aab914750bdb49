"""Sessions read from recordings: those open in another acp-tui now, and the messages of one."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.debug.compare.steps import RecordingPart, split_at_turns
from acp_tui.index.passages import ASKS, MESSAGES, PassageKind
from acp_tui.log_files import open_log
from acp_tui.protocol.events import Record
from acp_tui.protocol.json_parts import text_at
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES
from acp_tui.recordings.recording import RecordingError, read_events
from acp_tui.state.fold import replay_events
from acp_tui.store.files_in_use import in_use
from acp_tui.store.recordings import recordings_in


class OpenElsewhere(NamedTuple):
    """A session that another acp-tui has open, by its id and its agent's folder and command.

    `pid` is that of the other acp-tui, None if its `recording` doesn't have it.
    """

    session_id: str
    cwd: str
    command: tuple[str, ...]
    pid: int | None
    is_working: bool
    recording: Path

    @property
    def words(self) -> str:
        """Describe the process that has the session open, and whether it is running a turn."""
        pid = "" if self.pid is None else f" (pid {self.pid})"
        return f"open in another terminal{pid}{', a turn is running' if self.is_working else ''}"


def open_elsewhere(
    folder: Path, agent: tuple[str, Sequence[str]] | None = None
) -> list[OpenElsewhere]:
    """List the sessions that are open elsewhere, by the recordings in a folder; optionally only
    those of an `agent`, by its working directory and command. Unreadable recordings are skipped.
    """
    found = list[OpenElsewhere]()
    for path in recordings_in(folder):
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
            state = replay_events(read_events(opened.records))
    except (OSError, RecordingError):
        return
    for one in state.open_sessions():
        known = pid if isinstance(pid, int) else None
        yield OpenElsewhere(one.session_id, cwd, command, known, one.is_working, path)


def read_session_texts(recording: Path, session_id: str) -> list[tuple[PassageKind, str]]:
    """Read the texts of a session from the recording itself, as the index drops repeated texts and
    cuts long ones.

    Raises OSError and RecordingError.
    """
    opened = open_log(recording)
    with closing(opened.growing) if opened.growing is not None else nullcontext():
        return session_texts(opened.records, session_id)


def session_texts(records: Iterable[Record], session_id: str) -> list[tuple[PassageKind, str]]:
    """Return a session's prompts, its agent's messages and the titles of its tool calls."""
    found = [
        one
        for part in split_at_turns(records)
        if part.prompt is not None and part.prompt.value.get("sessionId") == session_id
        for one in _texts_of_turn(part)
    ]
    return [(kind, text) for kind, text in found if text.strip()]


def _texts_of_turn(part: RecordingPart) -> Iterator[tuple[PassageKind, str]]:
    titles: dict[Any, str] = {}
    for step in part.steps:
        value = step.value
        if step is part.prompt:
            yield PassageKind.PROMPT, part.words
        elif MESSAGES.get(step.what) is PassageKind.MESSAGE:
            yield PassageKind.MESSAGE, text_at(value, "content", "text")
        elif step.what in (*TOOL_CALL_UPDATES, ASKS):
            call = value.get("toolCall") if step.what == ASKS else value
            title, id_ = text_at(call, "title"), text_at(call, "toolCallId")
            if title and titles.get(id_) != title:  # an update may repeat it
                titles[id_] = title
                yield PassageKind.TOOL, title
