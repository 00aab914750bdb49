"""Times in other programs' logs."""

from datetime import datetime
from math import isfinite
from typing import Any

_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""Numbers from which a time since 1970 is in nanoseconds, microseconds, milliseconds."""


class Clock:
    """Converts times to seconds since the first: numbers since 1970 in any unit, or ISO 8601."""

    def __init__(self, start: Any = None) -> None:
        self._start = _seconds(start)
        self._last = 0.0

    def seconds(self, time: Any) -> float:
        """Return a time as seconds since the first; the previous time if it is invalid."""
        at = _seconds(time)
        if at is not None:
            self._start = at if self._start is None else self._start
            self._last = at - self._start
        return self._last


def _seconds(time: Any) -> float | None:
    if isinstance(time, str):
        try:
            return datetime.fromisoformat(time).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(time, bool) or not isinstance(time, int | float) or not abs(time) < 1e30:
        return None
    unit = next((unit for least, unit in _UNITS if time >= least), 1.0)
    return time / unit if isfinite(time) else None
