"""The trace of our requests, if configured."""

import os
from collections.abc import Mapping

from acp_tui.protocol.trace_context import TraceParent, read_traceparent


class TraceIds:
    """Makes a `traceparent` for each request: that of the span which the request becomes.

    All are in the trace of the environment's `parent`; without one each request begins a trace.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.parent = read_traceparent(environment.get("TRACEPARENT", ""))

    def facts(self) -> dict[str, str | None]:
        """Return the parent trace, for a recording's header."""
        return {"parent": None if self.parent is None else str(self.parent)}

    def meta(self) -> dict[str, str]:
        """Return the trace fields for the `_meta` of the next request."""
        known = self.parent or TraceParent(_random(16), 0)
        return {"traceparent": str(known._replace(span_id=_random(8)))}


def _random(size: int) -> int:
    return int.from_bytes(os.urandom(size), "big") or 1
