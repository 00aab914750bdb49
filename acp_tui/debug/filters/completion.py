"""Completes a filter while it is typed."""

from collections.abc import Iterable
from dataclasses import dataclass

from acp_tui.debug.exchanges import SDK
from acp_tui.debug.filters.vocabulary import (
    DIRECTIONS,
    NUMBER_FIELDS,
    ORIGINS,
    PATH_ROOTS,
    STATUSES,
    WORD_FIELDS,
)
from acp_tui.debug.log import Log
from acp_tui.protocol.findings import Severity

_STOPS = ' \t\n()"'


@dataclass(frozen=True, slots=True)
class FilterCompletion:
    """Text that may replace the word from `start` to the cursor, and what it means."""

    start: int
    text: str
    about: str = ""


def complete_filter(text: str, cursor: int, log: Log) -> list[FilterCompletion]:
    """List completions at the cursor: fields, `and`, `or` and `not`, or values from the log."""
    start = cursor
    while start > 0 and text[start - 1] not in _STOPS:
        start -= 1
    word = text[start:cursor]
    field, colon, value = word.partition(":")
    if colon:
        start += len(field) + 1
        found = _values(field, log)
        return [FilterCompletion(start, one) for one in found if _fits(value, one) and one != value]
    return [
        FilterCompletion(start, one, about)
        for one, about in _beginnings(bool(text[:start].strip(" (")))
        if one.startswith(word) and one != word
    ]


def _beginnings(joined: bool) -> Iterable[tuple[str, str]]:
    if joined:
        yield from (("and ", "both"), ("or ", "either"))
    yield "not ", "the opposite"
    yield from ((f"{name}:", about) for name, about in WORD_FIELDS.items())
    yield from ((f"{name}>", about) for name, about in NUMBER_FIELDS.items())
    yield from ((f"{name}.", "the path of a field") for name in PATH_ROOTS)


def _values(field: str, log: Log) -> list[str]:
    match field:
        case "method" | "kind" | "session":
            return log.values(field)
        case "sdk":
            kinds = [one for one in log.values("kind") if one.startswith(f"{SDK} ")]
            return ["*", *(one.removeprefix(f"{SDK} ") for one in kinds)]
        case "dir":
            return list(DIRECTIONS)
        case "status":
            return list(STATUSES)
        case "by":
            return list(ORIGINS)
        case "finding":
            found = {finding.rule.id for finding in log.findings}
            return [*(severity.value for severity in Severity), *sorted(found)]
    return []


def _fits(typed: str, value: str) -> bool:
    return typed.casefold() in value.casefold()
