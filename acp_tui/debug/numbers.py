"""Measures the turns in a log (first chunk, duration, chunk rate), and draws sparklines."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from math import inf
from typing import NamedTuple

from acp_tui.debug.log import Log
from acp_tui.debug.turn_bounds import find_turn_end
from acp_tui.protocol.kinds import AGENT_CHUNKS

_OF_PERSON = ("session/request_permission", "elicitation/create")
_BARS = "▁▂▃▄▅▆▇█"


class TurnNumbers(NamedTuple):
    """One turn: seconds until its first chunk and its end, and chunks per second; None if unknown.
    None of them includes the time that the agent waited for the user, which is `waited`.
    """

    first_chunk: float | None
    seconds: float | None
    rate: float | None
    waited: float = 0.0


def turn_numbers(records: Log) -> Iterator[TurnNumbers]:
    """Measure all turns of a log."""
    codes = {code for code, name in enumerate(records.names) if name in AGENT_CHUNKS}
    chunks: dict[int, list[int]] = {}
    for index, kind in enumerate(records.kinds):
        if kind in codes:
            chunks.setdefault(records.sessions[index], []).append(index)
    waits = _waits(records)
    for prompt, later in _with_next(records):
        spans = waits.get(records.sessions[prompt], [])
        end = find_turn_end(records, prompt)
        chunk_times = chunks.get(records.sessions[prompt], [])
        first = bisect_right(chunk_times, prompt)
        count = bisect_left(chunk_times, later if end is None else end) - first
        start = records.times[prompt]
        seconds, waited = None, 0.0
        if end is not None:
            waited = _within(spans, start, records.times[end])
            seconds = records.times[end] - start - waited
        if count <= 0:
            yield TurnNumbers(None, seconds, None, waited)
            continue
        began, ended = (records.times[chunk_times[at]] for at in (first, first + count - 1))
        talking = ended - began - _within(spans, began, ended)
        rate = (count - 1) / talking if talking > 0 else None
        yield TurnNumbers(began - start - _within(spans, start, began), seconds, rate, waited)


def _waits(records: Log) -> dict[int, list[tuple[float, float]]]:
    """Return, by session, the spans in which its agent waited for the user; no two overlap."""
    codes = {code for code, name in enumerate(records.names) if name in _OF_PERSON}
    found: dict[int, list[tuple[float, float]]] = {}
    for index, method in enumerate(records.methods):
        if method in codes and records.asks[index]:
            spans = found.setdefault(records.sessions[index], [])
            answer = records.partners[index]
            end = records.times[answer] if answer > index else inf
            begin = max(records.times[index], spans[-1][1] if spans else 0.0)
            if end > begin:
                spans.append((begin, end))
    return found


def _within(spans: Iterable[tuple[float, float]], start: float, end: float) -> float:
    """Return how many seconds between `start` and `end` the spans cover."""
    return sum(max(0.0, min(last, end) - max(first, start)) for first, last in spans)


def _with_next(records: Log) -> list[tuple[int, int]]:
    """Return the index of each prompt, and of the next one in its session or the log's end."""
    found: list[tuple[int, int]] = []
    following: dict[int, int] = {}
    for prompt in reversed([*records.prompts]):
        session = records.sessions[prompt]
        found.append((prompt, following.get(session, len(records))))
        following[session] = prompt
    return found[::-1]


def sparkline(values: Iterable[float | None], width: int) -> str:
    """Draw the last `width` values as a row of bars; None is drawn as a blank."""
    shown = [*values][-width:]
    most = max((one for one in shown if one is not None), default=0.0)
    return "".join(" " if one is None else _bar(one, most) for one in shown)


def _bar(value: float, most: float) -> str:
    return _BARS[min(len(_BARS) - 1, int(value / most * len(_BARS)))] if most > 0 else _BARS[0]
