"""A prompt that was sent more than once: the last turn, and the one before it, in the same log."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from acp_tui.debug.compare.steps import PROMPT, RecordingPart, parts
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import ProcessExited, ProcessStarted, Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Request

SLICE = 64
"""Records between two pauses."""


class RepeatedPrompt(NamedTuple):
    """A prompt that went out, and the place of its frame."""

    place: int
    session_id: str
    words: str


def find_rerun(
    records: Sequence[Record], session_id: str
) -> Generator[None, None, tuple[RepeatedPrompt, RepeatedPrompt] | None]:
    """Find the last prompt of a session, and before it the same words in any session.

    It may take long, and pauses after some records; None if there are no two.
    """
    last: RepeatedPrompt | None = None
    for place in range(len(records) - 1, -1, -1):
        if place % SLICE == 0:
            yield
        found = prompt_at(place, records[place])
        if found is None:
            continue
        if last is None:
            last = found if found.session_id == session_id else None
        elif found.words == last.words:
            return found, last
    return None


def turn_at(
    records: Sequence[Record], prompt: RepeatedPrompt
) -> Generator[None, None, RecordingPart]:
    """Read the turn of a prompt: up to the next one of its session, or the end of the process."""
    found = [records[prompt.place]]
    for place in range(prompt.place + 1, len(records)):
        if place % SLICE == 0:
            yield
        record = records[place]
        if isinstance(record, ProcessExited | ProcessStarted):
            break
        later = prompt_at(place, record)
        if later is not None and later.session_id == prompt.session_id:
            break
        found.append(record)
    return parts(found)[1]


def prompt_at(place: int, record: Record) -> RepeatedPrompt | None:
    """Return the prompt that a record is; None for all else."""
    if not isinstance(record, Frame) or record.direction is not Direction.OUT:
        return None
    if PROMPT.encode() not in record.raw:
        return None
    message = jsonrpc.parse(record.raw)
    if not isinstance(message, Request) or message.method != PROMPT:
        return None
    params = message.params
    if not isinstance(params, dict):
        return None
    part = parts([record])[1]
    return RepeatedPrompt(place, str(params.get("sessionId")), part.words)
