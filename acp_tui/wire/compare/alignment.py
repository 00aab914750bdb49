"""Which step of one recording is which of another: first what is alike, then what is of one kind."""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeVar

from acp_tui import deep_json
from acp_tui.wire.compare.counterparts import Counterparts, is_id, without_volatile
from acp_tui.wire.compare.steps import Part, Step

One = TypeVar("One")
Pair = tuple[One | None, One | None]
Key = Callable[[One], Hashable]
_NAMED = re.compile(r'"(\w+Id)": (?:"[^"]*"|\d+)')
_TELLING = ("kind", "status", "name")
"""Fields of a tool call that say which one it is."""


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
    matcher = SequenceMatcher(None, [*map(keys[0], before)], [*map(keys[0], after)], autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        some, others = before[start:end], after[other_start:other_end]
        if tag == "equal":
            yield from zip(some, others, strict=True)
        else:
            yield from align(some, others, keys[1:])


def align_parts(before: Sequence[Part], after: Sequence[Part]) -> Iterator[Pair[Part]]:
    """Pair turns with the same prompt, and turns between them in their order."""
    return align(before, after, [_is_turn_of, lambda part: part.prompt is None])


def align_steps(
    before: Sequence[Step], after: Sequence[Step], counterparts: Counterparts
) -> Iterator[Pair[Step]]:
    """Pair steps, lane by lane."""
    keys: list[Key[Step]] = [_Alike(counterparts, before), _telling, lambda step: step.what]
    for lane in dict.fromkeys(one.lane for one in (*before, *after)):
        yield from align(
            [one for one in before if one.lane == lane],
            [one for one in after if one.lane == lane],
            keys,
        )


class _Alike:
    """The key of steps that say the same but for what is of one run."""

    def __init__(self, counterparts: Counterparts, before: Sequence[Step]) -> None:
        self._counterparts = counterparts
        self._before = {id(one) for one in before}

    def __call__(self, step: Step) -> Hashable:
        text = _NAMED.sub(_without_id, deep_json.dumps(step.value))
        if id(step) in self._before:
            text = self._counterparts.translate(text)
        return step.what, without_volatile(text)


def _without_id(match: re.Match[str]) -> str:
    return match[1] if is_id(match[1]) else match[0]


def _is_turn_of(part: Part) -> Hashable:
    return part.prompt is None, without_volatile(part.words)


def _telling(step: Step) -> Hashable:
    value: Any = step.value
    told = [value.get(name) for name in _TELLING] if isinstance(value, dict) else []
    return step.what, *(one if isinstance(one, str) else None for one in told)
