"""Compares JSON values, and matches ids, folders and ports that differ from run to run."""

import json
import re
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any, NamedTuple

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.findings import JsonPath, format_path

_HEX = r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b"
_UUID = r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
_TEMPORARY = r"(?:/private)?/var/folders/[^/\s]+/[^/\s]+/T/[\w.-]+|/tmp/[\w.-]+"
_PORT = r"(?:localhost|127\.0\.0\.1|\[::1\]):\d+"
_DATE = r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
_SPAN = r"\b\d+(?:\.\d+)? ?(?:ms|µs|s|sec|secs|second|seconds)\b"
_COUNTED = r"\b\w*(?:[dD]uration|[eE]lapsed|Ms|_ms)[=:] ?\d+(?:\.\d+)?"
_TIME = re.compile(f"{_DATE}|{_SPAN}|{_COUNTED}")
_VOLATILE = re.compile(f"({_UUID}|{_DATE}|{_HEX}|{_TEMPORARY}|{_PORT}|{_SPAN}|{_COUNTED})")
"""Parts of a text that differ from run to run; exactly one group, for `re.split`."""

_CHOSEN = {"optionId", "modeId", "modelId", "methodId", "configId", "currentModeId", "valueId"}
"""Fields with ids that the agent's author chose: they are the same in every run."""
_NUMBERS = re.compile(r"(?:At|[tT]ime|[tT]imestamp|[dD]uration|Ms|_ms|elapsed|[sS]econds|pid)$")
"""Fields whose numbers differ between any two runs."""
_FOLDER = "cwd"
_BEFORE, _AFTER = r"(?<![\w-])", r"(?![\w-])"
"""Characters that must not be next to a value."""
_SHORTEST_TRANSLATED = 6
"""Fewest characters of a value that is replaced within texts; folders are always replaced."""


class Counterparts:
    """Maps each value of the first run to the one in its place in the second, learned by comparing."""

    def __init__(self) -> None:
        self._to_second: dict[str, str] = {}
        self._to_first: dict[str, str] = {}
        self._in_texts: re.Pattern[str] | None = None
        self._in_lines: re.Pattern[str] | None = None

    def learn(self, first: str, second: str) -> bool:
        """Record two values as counterparts; return False if another pair contradicts it."""
        if first in self._to_second or second in self._to_first:
            return self._to_second.get(first) == second
        self._to_second[first] = second
        self._to_first[second] = first
        self._in_texts = self._in_lines = None
        return True

    def of(self, first: str) -> str:
        """Return the counterpart of a value, or the value itself if there is none."""
        return self._to_second.get(first, first)

    def translate(self, text: str) -> str:
        """Replace known values in a text by their counterparts, except short ones that may be
        words.
        """
        if self._in_texts is None:
            translated = (
                one for one in self._differing() if len(one) >= _SHORTEST_TRANSLATED or "/" in one
            )
            self._in_texts = _pattern(f"{_BEFORE}{re.escape(one)}{_AFTER}" for one in translated)
        return self._in_texts.sub(lambda match: self._to_second[match[0]], text)

    def translate_line(self, raw: bytes) -> bytes:
        """Replace known values in a line of JSON: folders also at the beginning of a path, ids only
        as whole strings.
        """
        if self._in_lines is None:
            parts = (
                f"{_BEFORE}{re.escape(one)}{_AFTER}"
                if "/" in one
                else f'(?<="){re.escape(one)}(?=")'
                for one in self._differing()
                if _escape_for_json(one) == one
            )
            self._in_lines = _pattern(parts)
        text = raw.decode("utf-8", "surrogateescape")
        text = self._in_lines.sub(lambda match: _escape_for_json(self._to_second[match[0]]), text)
        return text.encode("utf-8", "surrogateescape")

    def same(self, key: str, first: object, second: object) -> bool:
        """Return whether two values under one key, neither an object nor an array, mean the same."""
        if isinstance(first, str) and isinstance(second, str):
            return self._same_text(key, first, second)
        if is_id(key) and isinstance(first, str | int) and isinstance(second, str | int):
            return self.learn(str(first), str(second))
        if isinstance(first, bool) or isinstance(second, bool):
            return first is second
        if isinstance(first, int | float) and isinstance(second, int | float):
            return first == second or _NUMBERS.search(key) is not None
        return first is None and second is None

    def _same_text(self, key: str, first: str, second: str) -> bool:
        if is_id(key) or key == _FOLDER:
            return self.learn(first, second)
        if first == second:
            return True
        first = self.translate(first)
        if first == second:
            return True
        parts, others = _VOLATILE.split(first), _VOLATILE.split(second)
        if parts[::2] != others[::2]:
            return False
        pairs = zip(parts[1::2], others[1::2], strict=True)
        return all(self._same_token(one, other) for one, other in pairs)

    def _same_token(self, first: str, second: str) -> bool:
        if first == second:
            return True
        if _TIME.fullmatch(first):
            return _TIME.fullmatch(second) is not None
        return _TIME.fullmatch(second) is None and self.learn(first, second)

    def _differing(self) -> list[str]:
        """List the values whose counterparts differ, the longest first."""
        moved = (first for first, second in self._to_second.items() if first and first != second)
        return sorted(moved, key=lambda one: (-len(one), one))


def is_id(key: str) -> bool:
    """Return whether a key names an id that differs in each run: `sessionId`, `toolCallId`."""
    return key.endswith("Id") and key not in _CHOSEN


def without_volatile(text: str) -> str:
    """Replace each part of a text that differs from run to run by a bullet."""
    return _VOLATILE.sub("•", text)


def _pattern(parts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that matches any of the parts; without parts, it matches nothing."""
    return re.compile("|".join(parts) or r"(?!)")


def _escape_for_json(text: str) -> str:
    """Return a text as it is escaped in a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


class _Absent:
    """The type of `ABSENT`, which stands for a missing value."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = _Absent()
_LONGEST_VALUE = 80
"""Most characters of a value that are shown."""
_AROUND = 20
"""Characters of a text that are shown before the first difference."""


class ValueChange(NamedTuple):
    """A path at which two values differ, with both; `ABSENT` if one is missing."""

    path: JsonPath
    before: Any
    after: Any


def compare_values(before: Any, after: Any, counterparts: Counterparts) -> list[ValueChange]:
    """Compare two JSON values of any depth; those that differ from run to run count as the same."""
    found: list[ValueChange] = []
    stack: list[tuple[JsonPath, Any, Any]] = [((), before, after)]
    while stack:
        path, one, other = stack.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            pairs = [
                (key, one.get(key, ABSENT), other.get(key, ABSENT)) for key in {**one, **other}
            ]
            stack += [((*path, key), *values) for key, *values in reversed(pairs)]
        elif isinstance(one, list) and isinstance(other, list):
            stack += [((*path, at), *values) for at, *values in reversed(_elements(one, other))]
        elif not counterparts.same(_key(path), one, other):
            found.append(ValueChange(path, one, other))
    return found


def _elements(one: list[Any], other: list[Any]) -> list[tuple[int, Any, Any]]:
    """Pair the elements of two lists, omitting common ends if their lengths differ."""
    start = 0
    if len(one) != len(other):
        shorter = min(len(one), len(other))
        while start < shorter and one[start] == other[start]:
            start += 1
        end = 0
        while end < shorter - start and one[-1 - end] == other[-1 - end]:
            end += 1
        one, other = one[: len(one) - end], other[: len(other) - end]
    pairs = zip_longest(one[start:], other[start:], fillvalue=ABSENT)
    return [(at, *values) for at, values in enumerate(pairs, start)]


def _key(path: JsonPath) -> str:
    """Return the last name on a path."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def describe_change(change: ValueChange) -> str:
    """Describe how a message differs from the recorded one."""
    where = format_path(change.path) or "all of it"
    before, after = format_both(change)
    if change.after is ABSENT:
        return f"{where} is missing"
    if change.before is ABSENT:
        return f"{where} is new: {after}"
    return f"{where} is {after}, recorded was {before}"


def format_both(change: ValueChange) -> tuple[str, str]:
    """Format both values on one short line each; long texts from shortly before they differ."""
    before, after = change.before, change.after
    if isinstance(before, str) and isinstance(after, str):
        pairs = enumerate(zip(before, after, strict=False))
        same = next((at for at, (one, other) in pairs if one != other), 0)
        start = max(0, same - _AROUND)
        before, after = (f"{'…' if start else ''}{one[start:]}" for one in (before, after))
    return _short(before), _short(after)


def _short(value: Any) -> str:
    text = "nothing" if value is ABSENT else jsonrpc.as_json(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
