"""Aligns the steps of two recordings: first equal ones, then those of one kind."""

import json
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeVar

from acp_tui.debug.compare.counterparts import Counterparts, is_id, without_volatile
from acp_tui.debug.compare.steps import RecordingPart, RecordingStep

One = TypeVar("One")
Pair = tuple[One | None, One | None]
Key = Callable[[One], Hashable]
Code = tuple[str, int, int, int, int]
"""What becomes of which part of one sequence in which part of another, as difflib says it."""
_NAMED = re.compile(r'"(\w+Id)": (?:"[^"]*"|\d+)')
_TELLING = ("kind", "status", "name")
"""Fields of a tool call that say which one it is."""
_MUCH = 10**7
"""Pairs of keys that are compared one by one in about a second."""


def align(
    before: Sequence[One], after: Sequence[One], keys: Sequence[Key[One]]
) -> Iterator[Pair[One]]:
    """Pair what has equal keys, and what lies between by the next keys, in both orders.

    Without any more keys, what is left has no partner.
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
    much = len(some) * len(others) > _MUCH and not set(some).isdisjoint(others)
    codes = _rare(some, others) if much else _equal(some, others)
    for tag, start, stop, other_start, other_stop in codes:
        pieces = between[start:stop], other_between[other_start:other_stop]
        if tag == "equal":
            yield from zip(*pieces, strict=True)
        else:
            yield from align(*pieces, keys if much else keys[1:])
    yield from zip(before[end:], after[other_end:], strict=True)


def _equal(some: Sequence[Hashable], others: Sequence[Hashable]) -> Sequence[Code]:
    return SequenceMatcher(None, some, others, autojunk=False).get_opcodes()


def _rare(some: Sequence[Hashable], others: Sequence[Hashable]) -> Sequence[Code]:
    """Find only what is rare, as what comes again and again is compared with all its like; where
    nothing is, cut both in halves.
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
    """Return with how many equal keys both begin."""
    pairs = enumerate(zip(some, others, strict=False))
    least = min(len(some), len(others))
    return next((at for at, (one, other) in pairs if one != other), least)


def align_parts(
    before: Sequence[RecordingPart], after: Sequence[RecordingPart]
) -> Iterator[Pair[RecordingPart]]:
    """Pair turns with the same prompt, and turns between them in their order."""
    return align(before, after, [_is_turn_of, lambda part: part.prompt is None])


def align_steps(
    before: Sequence[RecordingStep], after: Sequence[RecordingStep], counterparts: Counterparts
) -> Iterator[Pair[RecordingStep]]:
    """Pair steps, lane by lane."""
    keys: list[Key[RecordingStep]] = [
        _Alike(counterparts, before),
        _telling,
        lambda step: step.what,
    ]
    for lane in dict.fromkeys(one.lane for one in (*before, *after)):
        yield from align(
            [one for one in before if one.lane == lane],
            [one for one in after if one.lane == lane],
            keys,
        )


class _Alike:
    """The key of steps that say the same but for what is of one run."""

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


def _telling(step: RecordingStep) -> Hashable:
    value: Any = step.value
    told = [value.get(name) for name in _TELLING] if isinstance(value, dict) else []
    return step.what, *(one if isinstance(one, str) else None for one in told)
