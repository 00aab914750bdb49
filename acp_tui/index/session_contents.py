"""What was said and done in one session, as its recording has it: all of it, in order."""

from collections.abc import Iterable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

from acp_tui.debug.compare.steps import RecordingPart, parts
from acp_tui.index.passages import ASKS, CALLS, MESSAGES, PassageKind
from acp_tui.log_files import open_log
from acp_tui.recordings.recording import Record


def read_said(recording: Path, session_id: str) -> list[tuple[PassageKind, str]]:
    """Read it from the recording itself: the index holds no text twice, and of a long one the beginning.

    Raises OSError, or ValueError for what is no recording.
    """
    opened = open_log(recording)
    with closing(opened.growing) if opened.growing is not None else nullcontext():
        return said(opened.records, session_id)


def said(records: Iterable[Record], session_id: str) -> list[tuple[PassageKind, str]]:
    """Return the prompts, the agent's messages and the titles of its tool calls."""
    found = [
        one
        for part in parts(records)
        if part.prompt is not None and part.prompt.value.get("sessionId") == session_id
        for one in _said(part)
    ]
    return [(kind, text) for kind, text in found if text.strip()]


def _said(part: RecordingPart) -> Iterator[tuple[PassageKind, str]]:
    titles: dict[Any, str] = {}
    for step in part.steps:
        value = step.value
        if step is part.prompt:
            yield PassageKind.PROMPT, part.words
        elif MESSAGES.get(step.what) is PassageKind.MESSAGE:
            yield PassageKind.MESSAGE, _text(value.get("content"), "text")
        elif step.what in (*CALLS, ASKS):
            call = value.get("toolCall") if step.what == ASKS else value
            title, id_ = _text(call, "title"), _text(call, "toolCallId")
            if title and titles.get(id_) != title:  # an update may say it again
                titles[id_] = title
                yield PassageKind.TOOL, title


def _text(value: Any, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""
