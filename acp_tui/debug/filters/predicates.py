"""Compiles filters to predicates on rows. Breakpoints are filters that hold frames."""

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from acp_tui.debug.exchanges import SDK
from acp_tui.debug.filters.language import (
    And,
    Compare,
    Expression,
    FieldMatch,
    Not,
    Numbered,
    compile_pattern,
    parse_filter,
)
from acp_tui.debug.filters.vocabulary import is_path, units_of
from acp_tui.debug.rows import LogRow
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.process_events import AgentLogLine, StderrLine, TerminalOutput
from acp_tui.protocol.unstable import SDK_MESSAGE
from acp_tui.recordings.recording import format_record

Predicate = Callable[[LogRow], bool]


def compile_filter(text: str) -> Predicate:
    """Compile a filter to a predicate on rows; an empty one passes all. Raises FilterError."""
    return compile_expression(parse_filter(text)) if text.strip() else lambda _: True


def compile_expression(expression: Expression) -> Predicate:
    """Compile an expression to a predicate on rows."""
    match expression:
        case FieldMatch():
            return _compile_match(expression)
        case Compare():
            return _compile_comparison(expression)
        case Numbered():
            number = expression.number
            return lambda row: row.number == number and number > 0
        case Not():
            inner = compile_expression(expression.inner)
            return lambda row: not inner(row)
        case And():
            left, right = compile_expression(expression.left), compile_expression(expression.right)
            return lambda row: left(row) and right(row)
    # Only Or is left.
    left, right = compile_expression(expression.left), compile_expression(expression.right)
    return lambda row: left(row) or right(row)


_READ: dict[str, Callable[[LogRow], str]] = {
    "method": lambda row: row.method,
    "kind": lambda row: row.kind,
    "dir": lambda row: row.direction or "local",
    "by": lambda row: "" if row.by is None else row.by.value,
    "session": lambda row: row.session,
    "status": lambda row: row.status.value,
    "text": lambda row: record_text(row.record),
}


def at_path(record: Record, path: str) -> Iterator[Any]:
    """Yield the values at a path; a list means all its items, unless a number selects one."""
    names = path.split(".")
    if isinstance(record, Frame) and _may_have(record, names[-1]):
        yield from _follow_path(jsonrpc.decode(record.raw), names)


def under_key(record: Record, key: str) -> Iterator[Any]:
    """Yield the values of all fields with this name, at any depth."""
    if not isinstance(record, Frame) or not _may_have(record, key):
        return
    values = [jsonrpc.decode(record.raw)]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            if key in value:
                yield value[key]
            values.extend(value.values())
        elif isinstance(value, list):
            values.extend(value)


def as_text(value: Any) -> str:
    """Format a value as it is written in a filter: a string unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _may_have(frame: Frame, name: str) -> bool:
    """Return whether a frame may contain this name, even escaped; avoids parsing most frames."""
    return name.isdecimal() or name.encode() in frame.raw or b"\\u" in frame.raw


def _follow_path(value: Any, names: list[str]) -> Iterator[Any]:
    if not names:
        yield from value if isinstance(value, list) else [value]
        return
    name, *rest = names
    if isinstance(value, dict):
        if name in value:
            yield from _follow_path(value[name], rest)
    elif isinstance(value, list):
        chosen = value[int(name) : int(name) + 1] if name.isdecimal() else value
        for item in chosen:
            yield from _follow_path(item, rest if name.isdecimal() else names)


def _compile_match(match: FieldMatch) -> Predicate:
    test = _compile_test(match)
    if match.field == "id":
        return _compile_id_match(match, test)
    if is_path(match.field):
        return lambda row: any(map(test, map(as_text, at_path(row.record, match.field))))
    if match.field.endswith("Id"):
        return lambda row: any(map(test, map(as_text, under_key(row.record, match.field))))
    if match.field == "finding":
        return lambda row: any(
            test(finding.severity) or test(finding.rule.id) for finding in row.findings
        )
    if match.field == SDK:
        return lambda row: any(map(test, _sdk_types(row)))
    read = _READ[match.field]
    if match.field == "text":
        return lambda row: test(read(row))
    # These fields have few distinct values.
    remembered = lru_cache(4096)(test)
    return lambda row: remembered(read(row))


def _sdk_types(row: LogRow) -> tuple[str, ...]:
    """Return the type of an SDK's message, with its subtype and without; nothing for other rows."""
    if row.method != SDK_MESSAGE or not row.kind:
        return ()
    whole = row.kind.removeprefix(SDK).lstrip()
    return whole, whole.partition(".")[0]


def _compile_id_match(match: FieldMatch, test: Callable[[str], bool]) -> Predicate:
    """Match the id of a row: a quoted value is a string, so the id 4 doesn't match."""
    if match.quoted:
        return lambda row: isinstance(row.id, str) and test(row.id)
    return lambda row: row.id is not None and test(str(row.id))


def _compile_test(match: FieldMatch) -> Callable[[str], bool]:
    if match.regex:
        return compile_pattern(f"(?i){match.value}" if match.flags else match.value)
    if match.field == "text":
        expected = match.value.casefold()
        return lambda value: expected in value.casefold()
    if "*" in match.value:
        parts = (re.escape(part) for part in match.value.split("*"))
        return compile_pattern(rf"(?s)\A{'.*'.join(parts)}\z")
    return lambda value: value == match.value


def _compile_comparison(compare: Compare) -> Predicate:
    expected = compare.number * units_of(compare.field)[compare.unit]
    ordered: Callable[[float], bool] = {
        ">": lambda value: value > expected,
        ">=": lambda value: value >= expected,
        "<": lambda value: value < expected,
        "<=": lambda value: value <= expected,
        "=": lambda value: value == expected,
    }[compare.comparison]
    if compare.field == "latency":
        return lambda row: (latency := row.latency) is not None and ordered(latency)
    if compare.field == "size":
        return lambda row: ordered(row.size)
    if compare.field == "time":
        return lambda row: ordered(row.time)
    if compare.field == "delta":
        return lambda row: ordered(row.delta)
    return lambda row: any(
        ordered(value)
        for value in at_path(row.record, compare.field)
        if isinstance(value, int | float) and not isinstance(value, bool)
    )


def record_text(record: Record) -> str:
    """Return the text that `text:` searches: the line of a frame, or the event as recorded."""
    match record:
        case Frame():
            return record.raw.decode("utf-8", "replace")
        case StderrLine() | AgentLogLine():
            return record.text
        case TerminalOutput():
            return record.data.decode("utf-8", "replace")
    return format_record(record)


class Breakpoints:
    """Filters that can be switched on and off: the first enabled one that a frame passes holds it."""

    def __init__(self) -> None:
        self._filters: dict[str, Predicate] = {}
        self._on: dict[str, bool] = {}

    def __bool__(self) -> bool:
        """Return whether any breakpoint is enabled."""
        return any(self._on.values())

    @property
    def filters(self) -> list[str]:
        """Return all filters, enabled or not."""
        return list(self._filters)

    def set(self, text: str, *, on: bool = True) -> None:
        """Add a filter, or switch it on or off. Raises FilterError."""
        if text not in self._filters:
            self._filters[text] = compile_filter(text)
        self._on[text] = on

    def remove(self, text: str) -> None:
        """Remove a filter."""
        self._filters.pop(text, None)
        self._on.pop(text, None)

    def matching(self, row: LogRow) -> str | None:
        """Return the filter that holds a frame; None if none does."""
        on = (text for text, is_on in self._on.items() if is_on)
        return next((text for text in on if self._filters[text](row)), None)


def filter_for(row: LogRow) -> str:
    """Return a filter for all frames of the same kind as a record; "" if it isn't a frame."""
    if not row.direction:
        return ""
    name = _condition("kind", row.kind) or _condition("method", row.method)
    return f"dir:{row.direction} {name}".rstrip()


def _condition(field: str, value: str) -> str:
    """Format a field with its value, quoted if it has characters of the filter language."""
    if not value:
        return ""
    is_plain = value[0] != "/" and all(char.isalnum() or char in "_/$.-" for char in value)
    return str(FieldMatch(field, value, quoted=not is_plain))
