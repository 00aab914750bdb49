"""The beginning of a recording: the agent's name, and the first prompt that a person wrote."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from acp_tui.index.passages import PassageKind, checked_log, digest
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.recording import RecordingError, agent_in, parse_record, read_header

_BEGINNING_BYTES = 256 * 1024
"""Bytes within which the first prompt is looked for."""


class Beginning(NamedTuple):
    """The content of a recording's first records. `agent` is its program if it has no name."""

    started: object
    agent: str
    prompt: str


BEGIN = "This is what was said in an earlier session, which you don't remember:"
END = "That was the earlier session. Now:"
SAID = "I said: "
_UNKNOWN = "(told of an earlier session)"
_ANSWERED = "\n\nYou "


def own_words(prompt: str) -> str:
    """Return what a person wrote behind what is retold; if that is nothing, the first prompt there."""
    while prompt.startswith(BEGIN):
        retold, _, own = prompt.partition(f"\n\n{END}")
        if own.strip():
            return own.strip()
        quoted = (line.removeprefix(">").removeprefix(" ") for line in retold.split("\n")[2:])
        first = "\n".join(quoted).partition(SAID)[2]
        prompt = first.partition(_ANSWERED)[0] or _UNKNOWN
    return prompt


def beginning(path: Path) -> Beginning:
    """Read the first records of a recording, up to the first prompt. Raises RecordingError, OSError."""
    with path.open("rb") as file:
        facts = read_header(file.readline(_BEGINNING_BYTES))
        records = list(_until_prompt(file.readlines(_BEGINNING_BYTES)))
        found = digest(records, checked_log(records))
    argv = facts.get("argv")
    program = Path(str(argv[0])).name if isinstance(argv, list) and argv else ""
    prompts = (one.text for one in found.passages if one.kind is PassageKind.PROMPT)
    agent = found.agent or program or agent_in(facts)
    return Beginning(facts.get("started"), agent, own_words(next(prompts, "")))


def _until_prompt(lines: list[bytes]) -> Iterator[Record]:
    """Yield records up to the first prompt; what is damaged is left out."""
    for line in lines:
        with suppress(RecordingError):
            record = parse_record(line)
            yield record
            if _is_prompt(record):
                return


def _is_prompt(record: Record) -> bool:
    return (
        isinstance(record, Frame)
        and record.direction is Direction.OUT
        and b'"session/prompt"' in record.raw
    )
