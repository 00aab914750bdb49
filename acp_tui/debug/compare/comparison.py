"""Compares two recordings, or two turns of one prompt: what is new, gone, changed or slower."""

import json
import re
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from acp_tui.debug.compare.steps import (
    LOOSE,
    NOISE,
    PROMPT,
    RecordingPart,
    RecordingStep,
    split_at_turns,
)
from acp_tui.debug.compare.values import (
    ABSENT,
    Counterparts,
    ValueChange,
    compare_values,
    is_id,
    without_volatile,
)
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Request
from acp_tui.protocol.process_events import ProcessExited, ProcessStarted

One = TypeVar("One")
Pair = tuple[One | None, One | None]
Key = Callable[[One], Hashable]
Code = tuple[str, int, int, int, int]
"""An opcode of difflib: what happens to a range of one sequence, and the range of the other."""
_NAMED = re.compile(r'"(\w+Id)": (?:"[^"]*"|\d+)')
_DESCRIPTIVE = ("kind", "status", "name")
"""Fields that identify a tool call."""
_MOST_COMPARED_PAIRS = 10**7
"""Most pairs of keys that are compared one by one: that takes about a second."""


def pair_by_keys(
    before: Sequence[One], after: Sequence[One], keys: Sequence[Key[One]]
) -> Iterator[Pair[One]]:
    """Pair items with equal keys in order, and those in between by the next key function.

    After the last key function, the remaining items have no partner.
    """
    if not keys or not before or not after:
        yield from ((one, None) for one in before)
        yield from ((None, one) for one in after)
        return
    some, others = [*map(keys[0], before)], [*map(keys[0], after)]
    head = _common(some, others)
    tail = _common(some[head:][::-1], others[head:][::-1])
    yield from zip(before[:head], after[:head], strict=True)
    end, other_end = len(some) - tail, len(others) - tail
    between, other_between = before[head:end], after[head:other_end]
    some, others = some[head:end], others[head:other_end]
    much = len(some) * len(others) > _MOST_COMPARED_PAIRS and not set(some).isdisjoint(others)
    codes = _rare(some, others) if much else _equal(some, others)
    for tag, start, stop, other_start, other_stop in codes:
        pieces = between[start:stop], other_between[other_start:other_stop]
        if tag == "equal":
            yield from zip(*pieces, strict=True)
        else:
            yield from pair_by_keys(*pieces, keys if much else keys[1:])
    yield from zip(before[end:], after[other_end:], strict=True)


def _equal(some: Sequence[Hashable], others: Sequence[Hashable]) -> Sequence[Code]:
    return SequenceMatcher(None, some, others, autojunk=False).get_opcodes()


def _rare(some: Sequence[Hashable], others: Sequence[Hashable]) -> Sequence[Code]:
    """Match rare keys only, as a frequent one is compared with all that equal it; if there are
    none, cut both sequences in half.
    """
    codes = SequenceMatcher(None, some, others).get_opcodes()
    if len(codes) > 1:
        return codes
    half, other_half = len(some) // 2, len(others) // 2
    return [
        ("replace", 0, half, 0, other_half),
        ("replace", half, len(some), other_half, len(others)),
    ]


def _common(some: Sequence[Hashable], others: Sequence[Hashable]) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(some, others, strict=False))
    least = min(len(some), len(others))
    return next((at for at, (one, other) in pairs if one != other), least)


def align_parts(
    before: Sequence[RecordingPart], after: Sequence[RecordingPart]
) -> Iterator[Pair[RecordingPart]]:
    """Pair turns with the same prompt, and turns between them in their order."""
    return pair_by_keys(before, after, [_is_turn_of, lambda part: part.prompt is None])


def align_steps(
    before: Sequence[RecordingStep], after: Sequence[RecordingStep], counterparts: Counterparts
) -> Iterator[Pair[RecordingStep]]:
    """Pair the steps of two turns, lane by lane."""
    keys: list[Key[RecordingStep]] = [
        _SameStep(counterparts, before),
        _descriptive_key,
        lambda step: step.what,
    ]
    for lane in dict.fromkeys(one.lane for one in (*before, *after)):
        yield from pair_by_keys(
            [one for one in before if one.lane == lane],
            [one for one in after if one.lane == lane],
            keys,
        )


class _SameStep:
    """Key function: steps that differ only in ids and other values of one run have equal keys."""

    def __init__(self, counterparts: Counterparts, before: Sequence[RecordingStep]) -> None:
        self._counterparts = counterparts
        self._before = {id(one) for one in before}

    def __call__(self, step: RecordingStep) -> Hashable:
        text = _NAMED.sub(_without_id, json.dumps(step.value))
        if id(step) in self._before:
            text = self._counterparts.translate(text)
        return step.what, without_volatile(text)


def _without_id(match: re.Match[str]) -> str:
    return match[1] if is_id(match[1]) else match[0]


def _is_turn_of(part: RecordingPart) -> Hashable:
    return part.prompt is None, without_volatile(part.words)


def _descriptive_key(step: RecordingStep) -> Hashable:
    value: Any = step.value
    values = [value.get(name) for name in _DESCRIPTIVE] if isinstance(value, dict) else []
    return step.what, *(one if isinstance(one, str) else None for one in values)


SLOWER = 2.0
"""Factor by which a response has to take longer to count as slower."""
_LEAST_DELAY = 0.25
"""Fewest seconds by which it has to take longer."""


class DifferenceKind(StrEnum):
    """The ways in which the second recording may differ."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    SLOWER = "slower"


class StepDifference(NamedTuple):
    """One step that differs; `turn` counts from 1 and is 0 before the first one."""

    kind: DifferenceKind
    turn: int
    before: RecordingStep | None
    after: RecordingStep | None
    changes: Sequence[ValueChange] = ()

    @property
    def step(self) -> RecordingStep:
        """The step in the second recording, or else in the first."""
        found = self.after or self.before
        assert found is not None
        return found


@dataclass(slots=True)
class Comparison:
    """All differences, in the order of the recordings; `same` is the number of equal steps."""

    differences: list[StepDifference] = field(default_factory=list)
    same: int = 0

    @property
    def differs(self) -> bool:
        """Return whether any content differs; a longer duration doesn't count."""
        return any(one.kind is not DifferenceKind.SLOWER for one in self.differences)


def compare_recordings(
    before: Sequence[RecordingPart], after: Sequence[RecordingPart], *, slower: float = SLOWER
) -> Comparison:
    """Compare two recordings, or single turns of them."""
    comparer = _Comparer(before, after, slower)
    for one, other in align_parts(before, after):
        comparer.steps(
            *([] if part is None else _steps(part, loose=False) for part in (one, other))
        )
    comparer.steps(
        *([step for part in side for step in _steps(part, loose=True)] for side in (before, after))
    )
    found = comparer.found
    found.differences.sort(key=lambda one: one.turn)
    return found


def _steps(part: RecordingPart, *, loose: bool) -> list[RecordingStep]:
    return [step for step in part.steps if (step.lane in LOOSE) is loose]


class _Comparer:
    def __init__(
        self, before: Sequence[RecordingPart], after: Sequence[RecordingPart], slower: float
    ) -> None:
        self.found = Comparison()
        self._slower = slower
        self._counterparts = Counterparts()
        self._turns = _turns(before) | _turns(after)

    def steps(self, before: Sequence[RecordingStep], after: Sequence[RecordingStep]) -> None:
        """Compare the steps of two turns."""
        for one, other in align_steps(before, after, self._counterparts):
            if one is not None and other is not None:
                self._pair(one, other)
            else:
                self._add_difference(
                    DifferenceKind.NEW if one is None else DifferenceKind.GONE, one, other
                )

    def _pair(self, before: RecordingStep, after: RecordingStep) -> None:
        differ = compare_values(before.value, after.value, self._counterparts)
        if before.answer is not ABSENT and after.answer is not ABSENT:
            differ += compare_values(before.answer, after.answer, self._counterparts)
        elif before.answer is not after.answer:
            differ.append(ValueChange(("answer",), before.answer, after.answer))
        if differ:
            self._add_difference(DifferenceKind.CHANGED, before, after, differ)
        else:
            self.found.same += 1
        if _is_slower(before, after, self._slower):
            self._add_difference(DifferenceKind.SLOWER, before, after)

    def _add_difference(
        self,
        kind: DifferenceKind,
        before: RecordingStep | None,
        after: RecordingStep | None,
        differ: Sequence[ValueChange] = (),
    ) -> None:
        turn = self._turns[id(after or before)]
        self.found.differences.append(StepDifference(kind, turn, before, after, differ))


def _turns(parts: Sequence[RecordingPart]) -> dict[int, int]:
    """Map each step, by its `id()`, to the number of its turn."""
    first = 1 if parts and parts[0].prompt is not None else 0
    return {id(step): turn for turn, part in enumerate(parts, first) for step in part.steps}


def _is_slower(before: RecordingStep, after: RecordingStep, times: float) -> bool:
    """Return whether the agent took longer; the client's own time doesn't count."""
    if before.by_agent or before.duration is None or after.duration is None:
        return False
    return (
        after.duration > before.duration * times
        and after.duration - before.duration >= _LEAST_DELAY
    )


LARGEST_COMPARED_FRAME = 1024 * 1024
"""Bytes of the largest frame that is compared."""


def compare_frames(before: Frame, after: Frame) -> Comparison:
    """Compare the content of two frames, ignoring their JSON-RPC ids."""
    one, other = _read_step(before), _read_step(after)
    found = compare_values(one.value, other.value, Counterparts())
    if not found:
        return Comparison(same=1)
    return Comparison([StepDifference(DifferenceKind.CHANGED, 0, one, other, found)])


def _read_step(frame: Frame) -> RecordingStep:
    value = jsonrpc.decode(frame.raw)
    by_agent = frame.direction is Direction.IN
    if not isinstance(value, dict):
        text = frame.raw.decode("utf-8", "replace")
        return RecordingStep(NOISE, "", by_agent, frame.number, frame.at, text)
    what = value.get("method")
    content = {key: one for key, one in value.items() if key not in ("jsonrpc", "id")}
    name = what if isinstance(what, str) else "answer"
    return RecordingStep(name, "", by_agent, frame.number, frame.at, content)


SLICE = 64
"""Records that are read between two yields."""


class RepeatedPrompt(NamedTuple):
    """A prompt that was sent, and the index of its record."""

    place: int
    session_id: str
    words: str


def find_rerun(
    records: Sequence[Record], session_id: str
) -> Generator[None, None, tuple[RepeatedPrompt, RepeatedPrompt] | None]:
    """Find the last prompt of a session, and the last one before it with the same words, in any
    session.

    As it may take long, it yields every `SLICE` records. Returns None if there are no two.
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


def read_turn(
    records: Sequence[Record], prompt: RepeatedPrompt
) -> Generator[None, None, RecordingPart]:
    """Read the turn of a prompt: up to the next one of its session, or the end of the process.

    It yields every `SLICE` records.
    """
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
    return split_at_turns(found)[1]


def prompt_at(place: int, record: Record) -> RepeatedPrompt | None:
    """Return the prompt in a record; None if it isn't one."""
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
    part = split_at_turns([record])[1]
    return RepeatedPrompt(place, str(params.get("sessionId")), part.words)
