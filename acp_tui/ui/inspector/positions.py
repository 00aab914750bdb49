"""Parses positions in a log as people write them: a time, a frame's number, a percentage."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from acp_tui.debug.filters.language import FilterError
from acp_tui.formatting import duration
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Frame
from acp_tui.recordings.records import time_of

_PLACE = re.compile(
    r"\s*(?:#(?P<frame>\d+)|(?P<share>\d+(?:\.\d+)?)\s*%"
    r"|(?:(?P<minutes>\d+)\s*[m:]\s*)?(?P<seconds>\d+(?:\.\d+)?)?\s*s?)\s*"
)

ROUNDED = 1.0
"""Seconds by which a position may lie after the end, which is shown in whole seconds."""


def position_of(text: str, records: Sequence[Record]) -> int | None:
    """Return the index of the record at a position; None if the text is empty. Raises FilterError."""
    found = _PLACE.fullmatch(text)
    if found is None:
        hint = "a time (12.5 or 1m30), a frame (#12), or a share (50%)"
        raise FilterError(hint, 0, max(1, len(text)))
    if not text.strip() or not records:
        return None
    last = len(records) - 1
    if found["frame"]:
        number = int(found["frame"])
        index = _of_frame(records, number)
        if not number or index > last or getattr(records[index], "number", 0) != number:
            raise FilterError(_no_frame(text.strip(), records), 0, len(text))
        return index
    if found["share"]:
        return min(last, int(float(found["share"]) / 100 * len(records)))
    seconds = 60 * int(found["minutes"] or 0) + float(found["seconds"] or 0)
    places = range(len(records))
    end = time_of(records, 0) + seconds
    if end > time_of(records, last) + ROUNDED:
        length = duration(time_of(records, last) - time_of(records, 0))
        raise FilterError(f"it is shorter: it ends at {length}", 0, len(text))
    after = bisect_right(places, end, key=lambda place: time_of(records, place))
    return max(0, after - 1)


def _no_frame(wanted: str, records: Sequence[Record]) -> str:
    numbers = (record.number for record in reversed(records) if isinstance(record, Frame))
    most = next(numbers, 0)
    return f"there is no frame {wanted}: 1 to {most:,}" if most else "there is no frame"


def _of_frame(records: Sequence[Record], number: int) -> int:
    """Return the index of a frame by its number. Binary search: numbers grow, but local events have
    none.
    """
    low, high = 0, len(records)
    while low < high:
        at = middle = (low + high) // 2
        while at > low and not isinstance(records[at], Frame):
            at -= 1
        if getattr(records[at], "number", 0) < number:
            low = middle + 1
        else:
            high = at
    return low
