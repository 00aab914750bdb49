"""Connects requests to a trace by W3C's `traceparent`, a reserved name in ACP's `_meta`."""

import re
from typing import NamedTuple

SAMPLED = 1
_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")


class TraceParent(NamedTuple):
    """A span of a trace, formatted as in W3C Trace Context."""

    trace_id: int
    span_id: int
    flags: int = SAMPLED

    def __str__(self) -> str:
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{self.flags:02x}"


def read_traceparent(text: str) -> TraceParent | None:
    """Parse a `traceparent`; return None for an invalid one, which W3C says to ignore."""
    found = _TRACEPARENT.fullmatch(text)
    if found is None or found[1] == "ff" or (found[1] == "00" and found[5] is not None):
        return None  # only later versions may have more fields
    parent = TraceParent(int(found[2], 16), int(found[3], 16), int(found[4], 16))
    return parent if parent.trace_id and parent.span_id else None
