"""Rows as lines of a table that fits the terminal."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from acp_tui.protocol.findings import Severity
from acp_tui.text import clean_line
from acp_tui.wire.excerpts import LONGEST, excerpt
from acp_tui.wire.log import Row
from acp_tui.wire.view import Group

_ARROWS = {"out": "→", "in": "←", "": "·"}
_MARKS = {Severity.ERROR: "E", Severity.WARNING: "W", Severity.INFO: "i"}


@dataclass(frozen=True)
class _Column:
    """A column; `rank` tells which goes first where the terminal is narrow: the highest."""

    title: str
    width: int
    rank: int
    show: Callable[[Group], str]
    right: bool = False


def what(group: Group) -> str:
    """What a group is: a method, an answer to one, an update's kind or an event."""
    row = group.first
    name = row.kind or row.method
    if row.is_answer:
        name = f"answers {row.method}" if row.method else "answers nothing"
    elif row.direction and not name:
        name = "unreadable"
    return f"{name} x{len(group)}" if len(group) > 1 else name


def _text(group: Group) -> str:
    parts: list[str] = []
    for row in group.rows:
        parts.append(excerpt(row.record))
        if sum(map(len, parts)) > LONGEST:
            break
    return "".join(parts)


def _number(row: Row) -> str:
    return str(row.number) if row.number else ""


def _id(row: Row) -> str:
    return "" if row.id is None else str(row.id)


def _findings(group: Group) -> str:
    counts = dict.fromkeys(_MARKS, 0)
    for row in group.rows:
        for finding in row.findings:
            counts[finding.severity] += 1
    return " ".join(f"{_MARKS[one]}{count}" for one, count in counts.items() if count)


_COLUMNS = (
    _Column("#", 6, 2, lambda group: _number(group.first), right=True),
    _Column("time", 9, 1, lambda group: f"{group.first.time:.3f}", right=True),
    _Column("delta", 8, 6, lambda group: f"+{group.first.delta:.3f}", right=True),
    _Column("", 1, 0, lambda group: _ARROWS[group.first.direction]),
    _Column("what", 32, 0, what),
    _Column("id", 5, 7, lambda group: _id(group.first)),
    _Column("session", 8, 8, lambda group: group.first.session),
    _Column("bytes", 6, 5, lambda group: amount(group.size), right=True),
    _Column("took", 7, 4, lambda group: duration(group.first.latency), right=True),
    _Column("status", 7, 3, lambda group: group.first.status.value),
    _Column("found", 5, 3, _findings),
)
_LEAST_TEXT = 12


def table(groups: Iterable[Group], width: int, *, titles: bool = True) -> Iterator[str]:
    """The lines of a table, none wider than `width` cells; nothing in them is unsafe to print."""
    columns = list(_COLUMNS)
    while _used(columns) + _LEAST_TEXT > width and max(one.rank for one in columns):
        columns.remove(max(columns, key=lambda one: one.rank))
    rest = width - _used(columns)
    if titles:
        yield _joined([fit(one.title, one.width, one.right) for one in columns], "", width)
    for group in groups:
        cells = [fit(clean_line(one.show(group)), one.width, one.right) for one in columns]
        yield _joined(cells, fit(clean_line(_text(group)), rest) if rest > 0 else "", width)


def _used(columns: list[_Column]) -> int:
    return sum(column.width + 1 for column in columns)


def _joined(cells: list[str], text: str, width: int) -> str:
    return fit(" ".join([*cells, text]), width).rstrip()


def amount(size: int) -> str:
    """Bytes in five characters."""
    if size < 10_000:
        return str(size)
    return f"{size / 1e3:.0f}k" if size < 1e6 else f"{size / 1e6:.1f}M"


def duration(seconds: float | None) -> str:
    """A span of time in seven characters."""
    if seconds is None:
        return ""
    return f"{seconds * 1e3:.1f}ms" if seconds < 1 else f"{seconds:.2f}s"


def fit(text: str, width: int, right: bool = False) -> str:
    """Text in exactly `width` cells: filled up with spaces, or cut with an ellipsis."""
    kept: list[str] = []
    used = 0
    for character in text:
        cells = _cells(character)
        if used + cells > width:
            while kept and used > width - 1:
                used -= _cells(kept.pop())
            kept.append("…")
            used += 1
            break
        kept.append(character)
        used += cells
    space = " " * (width - used)
    return space + "".join(kept) if right else "".join(kept) + space


def _cells(character: str) -> int:
    if character < "\u0300":
        return 1
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
