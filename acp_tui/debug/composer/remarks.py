"""Warns about a hand-written message before it is sent."""

from typing import Any, NamedTuple

from acp_tui.debug.exchanges import Status
from acp_tui.debug.rows import STATUSES, LogRow, RowStore
from acp_tui.protocol import jsonrpc, validation
from acp_tui.protocol.findings import Severity, format_path
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Failure, Id, Malformed, Request, Response

_NOT_TAKEN = (
    "initialize",
    "authenticate",
    "logout",
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
    "session/close",
    "session/delete",
)
"""What the client takes nothing of, if a person sends it by hand."""
_WAITS = (STATUSES.index(Status.PENDING), STATUSES.index(Status.TIMED_OUT))
_BEGINNINGS = ("process_started", "connecting")


class DraftRemark(NamedTuple):
    """A remark on a message. One that `holds` has to be confirmed before sending; others are hints."""

    words: str
    holds: bool = True


def remarks(line: bytes, log: RowStore | None = None) -> list[DraftRemark]:
    """Return a line's schema violations, and its effects on pending requests."""
    value = jsonrpc.decode(line)
    message = value if isinstance(value, Malformed) else jsonrpc.to_message(value)
    if isinstance(message, Malformed):
        return [DraftRemark(f"not a message: {message.reason}")]
    return [*_by_schema(value, message, log), *_by_log(message, log)]


def _by_schema(value: Any, message: Any, log: RowStore | None) -> list[DraftRemark]:
    answered = None
    if log is not None and isinstance(message, Response):
        row = waiting(log, Direction.IN, message.id)
        answered = row.method if row is not None else None
    return [
        DraftRemark(
            f"{format_path(one.path)}: {one.message}. {one.rule.basis}",
            one.rule.severity is not Severity.INFO,
        )
        for one in validation.check(Direction.OUT, value, answered)
    ]


def _by_log(message: Any, log: RowStore | None) -> list[DraftRemark]:
    if log is None:
        return []
    match message:
        case Request(id=id, method=method):
            row = waiting(log, Direction.OUT, id)
            found = [DraftRemark(f"it can't be told from {_named(row)}")] if row is not None else []
            if method in _NOT_TAKEN:
                found.append(
                    DraftRemark(f"the client itself takes nothing of {method}", holds=False)
                )
            return found
        case Response(id=id) | Failure(id=id):
            row = waiting(log, Direction.IN, id)
            if row is None:
                return [DraftRemark(f"no request of the agent's waits under the id {id!r}")]
            return [DraftRemark(f"it takes the place of the client's answer to {_named(row)}")]
    return []  # of a notification there is nothing to say


def _named(row: LogRow) -> str:
    return f"{row.method} (#{row.number}), which has the id {row.id!r} and waits for its answer"


def waiting(log: RowStore, asker: Direction, id: Id) -> LogRow | None:
    """Find the oldest request of one side that waits under an id, of the agent that runs now."""
    found: LogRow | None = None
    for index in range(len(log) - 1, -1, -1):
        row = log[index]
        if log.statuses[index] in _WAITS and log.asks[index]:
            alike = row.id == id and type(row.id) is type(id)
            found = row if alike and row.direction == asker else found
        elif log.kinds[index] and row.kind in _BEGINNINGS:
            break
    return found
