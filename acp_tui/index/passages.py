"""The searchable passages of a recording: prompts, messages, commands, files, changes, errors."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from acp_tui.debug.compare.steps import EXIT, STDERR, RecordingPart, RecordingStep, split_at_turns
from acp_tui.debug.compare.values import ABSENT
from acp_tui.debug.log import Log
from acp_tui.extensions import extensions
from acp_tui.protocol.events import Record
from acp_tui.protocol.findings import Severity
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_parts import list_at, number_at, text_at, value_at
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES
from acp_tui.protocol.process_events import ProcessStarted
from acp_tui.recordings.recording import RecordingError, agent_in, parse_record, read_header

_DEAREST = 1e12
"""The highest plausible cost."""
_BEGINNING = 100
"""Number of first records in which the start of the process is searched for."""
_LONGEST_NAME = 200
"""Most characters of an agent's name, and of its version."""
LONGEST_PASSAGE = 100_000
"""Most characters of a passage; the rest of a longer one isn't searched."""
MOST_CONTENTS = 2_000_000
"""Most characters of changes and inputs of one recording; later ones aren't searched."""
ASKS = "session/request_permission"
_BEGINNINGS = ("session/new", "session/fork")
_FILES = ("fs/read_text_file", "fs/write_text_file")
_BEGINNING_BYTES = 256 * 1024
"""Bytes of a recording that are searched for the first prompt."""
BEGIN = "This is what was said in an earlier session, which you don't remember:"
END = "That was the earlier session. Now:"
SAID = "I said: "
"""Phrases in a prompt that continues an earlier session: around that session's messages, and before
each prompt in it.
"""
_UNKNOWN = "(told of an earlier session)"
_ANSWERED = "\n\nYou "


class PassageKind(StrEnum):
    """The kinds of passages."""

    PROMPT = "prompt"
    MESSAGE = "message"
    THOUGHT = "thought"
    TOOL = "tool"
    COMMAND = "command"
    FILE = "file"
    CHANGE = "change"
    INPUT = "input"
    ERROR = "error"
    STDERR = "stderr"
    FINDING = "finding"


MESSAGES = {
    "agent_message_chunk": PassageKind.MESSAGE,
    "agent_thought_chunk": PassageKind.THOUGHT,
}
_CONTENTS = (PassageKind.CHANGE, PassageKind.INPUT)


class Passage(NamedTuple):
    """A text, with its `frame` (0 for a local event), time (by the recording's clock), turn (0
    before the first one) and session.
    """

    kind: PassageKind
    text: str
    frame: int
    at: float
    turn: int
    session_id: str


class Digest(NamedTuple):
    """A summary of a recording: its passages, its agent and place, and the costs of its sessions."""

    passages: Sequence[Passage] = ()
    agent: str = ""
    version: str = ""
    place: str = ""
    turns: int = 0
    costs: Mapping[str, float] = MappingProxyType({})
    reopens: bool | None = None
    """Whether the agent can reopen earlier sessions; None if its recording doesn't say."""
    new_sessions: Sequence[str] = ()
    """The sessions that began in it; the same id in an earlier recording is another session."""


def digest_recording(records: Sequence[Record], log: Log) -> Digest:
    """Summarize a whole recording; `log` has its findings."""
    found = split_at_turns(records, stderr=True)
    reader = _PassageReader()
    for turn, part in enumerate(found):
        reader.part(turn, part)
    passages = [*reader.passages, *_finding_passages(records, found, log)]
    texts = (one._replace(text=one.text[:LONGEST_PASSAGE]) for one in passages if one.text.strip())
    agent, version = (one[:_LONGEST_NAME] for one in reader.agent)
    place, turns = _place_of_agent(records), len(found) - 1
    new_sessions = sorted(reader.new_sessions)
    return Digest(
        list(texts), agent, version, place, turns, reader.costs, reader.reopens, new_sessions
    )


class _PassageReader:
    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self.agent = ("", "")
        self.costs: dict[str, float] = {}
        self.reopens: bool | None = None
        self.new_sessions = set[str]()
        self._titles: dict[str, str] = {}
        """Titles of tool calls by id."""
        self._seen: set[tuple[PassageKind, str, int]] = set()
        self._contents = 0
        """Characters of changes and inputs so far."""

    def part(self, turn: int, part: RecordingPart) -> None:
        """Read the passages of a turn."""
        session_id = "" if part.prompt is None else text_at(part.prompt.value, "sessionId")
        costs: dict[str, float] = {}
        for step in part.steps:
            if step.what == "initialize":
                info = value_at(step.answer, "result", "agentInfo")
                name = text_at(info, "title") or text_at(info, "name")
                self.agent = (name, text_at(info, "version"))
                self.reopens = _reopens(value_at(step.answer, "result"))
            if step.what in _BEGINNINGS:
                self.new_sessions.add(text_at(step.answer, "result", "sessionId"))
            if step.what == "usage_update":
                cost = value_at(step.value, "cost")
                amount, currency = number_at(cost, "amount"), text_at(cost, "currency")
                if currency and amount is not None and abs(amount) < _DEAREST:
                    costs[currency] = float(amount)
            for kind, whole in _texts_of_step(step, part, self._titles):
                text = whole[:LONGEST_PASSAGE]
                known = (kind, text, turn)  # a call and its updates repeat each other
                if known not in self._seen and self._has_room(kind, text):
                    self._seen.add(known)
                    self.passages.append(
                        Passage(kind, text, step.number, step.at, turn, session_id)
                    )
        self.costs |= costs

    def _has_room(self, kind: PassageKind, text: str) -> bool:
        """Reserve room for a passage; return False if there is none."""
        if kind not in _CONTENTS:
            return True
        self._contents += len(text)
        return self._contents <= MOST_CONTENTS


def _reopens(answer: Any) -> bool | None:
    """Return whether an agent can load sessions, by its response to `initialize`."""
    if not isinstance(answer, dict):
        return None
    offered = value_at(answer, "agentCapabilities")
    ways = value_at(offered, "loadSession"), value_at(offered, "sessionCapabilities", "resume")
    version_2 = value_at(answer, "capabilities", "session")
    return any(one not in (None, False, ABSENT) for one in ways) or isinstance(version_2, dict)


def _texts_of_step(
    step: RecordingStep, part: RecordingPart, titles: dict[str, str]
) -> Iterator[tuple[PassageKind, str]]:
    """Yield the texts of one step."""
    value = step.value
    if step is part.prompt:
        yield PassageKind.PROMPT, part.words
    elif step.what in MESSAGES:
        yield MESSAGES[step.what], text_at(value, "content", "text")
    elif step.what in TOOL_CALL_UPDATES:
        yield from _texts_of_call(value, titles)
    elif step.what == ASKS:
        yield from _texts_of_call(value_at(value, "toolCall"), titles)
    elif step.what in _FILES:
        yield from _texts_of_file(text_at(value, "path"), text_at(value, "content"))
    elif step.what == "terminal/create":
        yield PassageKind.COMMAND, _command_line(value)
    elif step.what == STDERR and isinstance(value, str):
        yield PassageKind.STDERR, value
    elif step.what == EXIT:
        why = text_at(value, "signal") or value_at(value, "code")
        yield PassageKind.ERROR, f"the agent ended: {why}"
    error = value_at(step.answer, "error")
    if error:
        yield PassageKind.ERROR, f"{step.what}: {text_at(error, 'message')}"


def _texts_of_call(call: Any, titles: dict[str, str]) -> Iterator[tuple[PassageKind, str]]:
    """Yield the texts of a tool call, and why it failed."""
    id = text_at(call, "toolCallId")
    title = titles[id] = text_at(call, "title") or titles.get(id, "")
    yield PassageKind.TOOL, text_at(call, "title")
    if text_at(call, "status") == "failed":
        texts = (text_at(one, "content", "text") for one in list_at(call, "content"))
        words = (f"{title} failed:", *texts, text_at(call, "rawOutput"))
        yield PassageKind.ERROR, " ".join(word for word in words if word).removesuffix(":").strip()
    raw_input = value_at(call, "rawInput")
    command = _command_line(raw_input)
    yield PassageKind.COMMAND, command
    if not command:
        yield PassageKind.INPUT, "\n".join(strings_in(raw_input))
    for place in list_at(call, "locations"):
        yield PassageKind.FILE, text_at(place, "path")
    for content in list_at(call, "content"):
        if text_at(content, "type") == "diff":
            lines = changed_lines(text_at(content, "oldText"), text_at(content, "newText"))
            yield from _texts_of_file(text_at(content, "path"), lines)


def _texts_of_file(path: str, change: str) -> Iterator[tuple[PassageKind, str]]:
    """Yield a file's path, and its change, if any."""
    yield PassageKind.FILE, path
    if change:
        yield PassageKind.CHANGE, f"{path}\n{change}"


def _command_line(value: Any) -> str:
    """Return a command with its arguments as one text."""
    command = value_at(value, "command")
    words = [command, *list_at(value, "args")] if isinstance(command, str) else list_at(command)
    return " ".join(word for word in words if isinstance(word, str))


def _place_of_agent(records: Sequence[Record]) -> str:
    """Return where the agent ran, as its process start is recorded; "" for this machine."""
    first = (records[at] for at in range(min(len(records), _BEGINNING)))
    return next((one.place for one in first if isinstance(one, ProcessStarted)), "")


def _finding_passages(
    records: Sequence[Record], found: Sequence[RecordingPart], log: Log
) -> Iterator[Passage]:
    """Yield the findings about a recording, without notes."""
    begins = [part.prompt.number for part in found if part.prompt is not None]
    for finding in log.findings:
        if finding.severity is not Severity.INFO:
            frame = log[finding.index].number
            turn = bisect_right(begins, frame) if frame else 0
            text = f"{finding.rule.id}: {finding.message}"
            yield Passage(PassageKind.FINDING, text, frame, records[finding.index].at, turn, "")


def changed_lines(before: str, after: str) -> str:
    """Return the lines that a diff removes, then those it adds; others aren't the agent's work."""
    old, new = before.splitlines(), after.splitlines()
    removed = (f"- {line}" for line in _without(old, new))
    added = (f"+ {line}" for line in _without(new, old))
    return "\n".join([*removed, *added])


def strings_in(value: Any) -> Iterator[str]:
    """Yield the strings in a JSON value of any depth, in order, without its keys."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            left.extend(reversed([*one.values()]))
        elif isinstance(one, list):
            left.extend(reversed(one))


def _without(lines: Iterable[str], others: Iterable[str]) -> Iterator[str]:
    """Yield the lines that aren't among the others; each of the others cancels only one line."""
    there = Counter(others)
    for line in lines:
        if there[line] > 0:
            there[line] -= 1
        else:
            yield line


class Beginning(NamedTuple):
    """The content of a recording's first records. `agent` is its program if it has no name."""

    started: object
    agent: str
    prompt: str


def words_of_person(prompt: str) -> str:
    """Return the user's own words after an earlier session in a prompt; if none, its first prompt."""
    while prompt.startswith(BEGIN):
        history, _, own = prompt.partition(f"\n\n{END}")
        if own.strip():
            return own.strip()
        quoted = (line.removeprefix(">").removeprefix(" ") for line in history.split("\n")[2:])
        first = "\n".join(quoted).partition(SAID)[2]
        prompt = first.partition(_ANSWERED)[0] or _UNKNOWN
    return prompt


def read_beginning(path: Path) -> Beginning:
    """Read the first records of a recording, up to the first prompt.

    Raises RecordingError and OSError.
    """
    with path.open("rb") as file:
        facts = read_header(file.readline(_BEGINNING_BYTES))
        records = list(_until_prompt(file.readlines(_BEGINNING_BYTES)))
        found = digest_recording(records, Log.of_all(records, extensions.linter()))
    argv = facts.get("argv")
    program = Path(str(argv[0])).name if isinstance(argv, list) and argv else ""
    prompts = (one.text for one in found.passages if one.kind is PassageKind.PROMPT)
    agent = found.agent or program or agent_in(facts)
    return Beginning(facts.get("started"), agent, words_of_person(next(prompts, "")))


def _until_prompt(lines: list[bytes]) -> Iterator[Record]:
    """Yield records up to the first prompt; skip damaged ones."""
    for line in lines:
        with suppress(RecordingError):
            record = parse_record(line)
            yield record
            match record:
                case Frame(direction=Direction.OUT, raw=raw) if b'"session/prompt"' in raw:
                    return
