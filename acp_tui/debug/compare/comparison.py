"""Finds what is new, gone, changed or slower in a recording, compared with another one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from acp_tui.debug.compare.alignment import align_parts, align_steps
from acp_tui.debug.compare.counterparts import Counterparts
from acp_tui.debug.compare.steps import LOOSE, NOISE, RecordingPart, RecordingStep
from acp_tui.debug.compare.values import ABSENT, ValueChange, changes
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Direction, Frame

SLOWER = 2.0
"""How many times as long an answer takes that is slower."""
_LEAST_DELAY = 0.25
"""Seconds that it takes longer, at least."""


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
        """The step itself; of two the second."""
        found = self.after or self.before
        assert found is not None
        return found


@dataclass(slots=True)
class Comparison:
    """All differences, in the order of the recordings; `same` steps are equal."""

    differences: list[StepDifference] = field(default_factory=list)
    same: int = 0

    @property
    def differs(self) -> bool:
        """Return whether any content differs; a longer duration doesn't count."""
        return any(one.kind is not DifferenceKind.SLOWER for one in self.differences)


def compare(
    before: Sequence[RecordingPart], after: Sequence[RecordingPart], *, slower: float = SLOWER
) -> Comparison:
    """Compare two recordings, or turns of them."""
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
        """Compare what was done in two turns."""
        for one, other in align_steps(before, after, self._counterparts):
            if one is not None and other is not None:
                self._pair(one, other)
            else:
                self._differ(DifferenceKind.NEW if one is None else DifferenceKind.GONE, one, other)

    def _pair(self, before: RecordingStep, after: RecordingStep) -> None:
        differ = changes(before.value, after.value, self._counterparts)
        if before.answer is not ABSENT and after.answer is not ABSENT:
            differ += changes(before.answer, after.answer, self._counterparts)
        elif before.answer is not after.answer:
            differ.append(ValueChange(("answer",), before.answer, after.answer))
        if differ:
            self._differ(DifferenceKind.CHANGED, before, after, differ)
        else:
            self.found.same += 1
        if _is_slower(before, after, self._slower):
            self._differ(DifferenceKind.SLOWER, before, after)

    def _differ(
        self,
        kind: DifferenceKind,
        before: RecordingStep | None,
        after: RecordingStep | None,
        differ: Sequence[ValueChange] = (),
    ) -> None:
        turn = self._turns[id(after or before)]
        self.found.differences.append(StepDifference(kind, turn, before, after, differ))


def _turns(parts: Sequence[RecordingPart]) -> dict[int, int]:
    """The number of the turn that each step is in."""
    first = 1 if parts and parts[0].prompt is not None else 0
    return {id(step): turn for turn, part in enumerate(parts, first) for step in part.steps}


def _is_slower(before: RecordingStep, after: RecordingStep, times: float) -> bool:
    """Return whether the agent took longer; the client's own time doesn't count."""
    if before.by_agent or before.took is None or after.took is None:
        return False
    return after.took > before.took * times and after.took - before.took >= _LEAST_DELAY


LARGEST_COMPARED_FRAME = 1024 * 1024
"""Bytes of a frame that is compared."""


def compare_frames(before: Frame, after: Frame) -> Comparison:
    """Compare the content of two frames, ignoring their JSON-RPC ids."""
    one, other = _step(before), _step(after)
    found = changes(one.value, other.value, Counterparts())
    if not found:
        return Comparison(same=1)
    return Comparison([StepDifference(DifferenceKind.CHANGED, 0, one, other, found)])


def _step(frame: Frame) -> RecordingStep:
    value = jsonrpc.decode(frame.raw)
    by_agent = frame.direction is Direction.IN
    if not isinstance(value, dict):
        text = frame.raw.decode("utf-8", "replace")
        return RecordingStep(NOISE, "", by_agent, frame.number, frame.at, text)
    what = value.get("method")
    said = {key: one for key, one in value.items() if key not in ("jsonrpc", "id")}
    name = what if isinstance(what, str) else "answer"
    return RecordingStep(name, "", by_agent, frame.number, frame.at, said)
