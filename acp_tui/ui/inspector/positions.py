"""Places in a log as people write them: a time, a frame's number, a share."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from acp_tui.protocol.frames import Frame
from acp_tui.wire.filters.language import FilterError
from acp_tui.wire.recording import Record
from acp_tui.wire.records import time_of

_PLACE = re.compile(
    r"\s*(?:#(?P<frame>\d+)|(?P<share>\d+(?:\.\d+)?)\s*%"
    r"|(?:(?P<minutes>\d+)\s*[m:]\s*)?(?P<seconds>\d+(?:\.\d+)?)?\s*s?)\s*"
)


def position_of(text: str, records: Sequence[Record]) -> int | None:
    """The index of the record that is meant; None if nothing is written. Raises FilterError."""
    found = _PLACE.fullmatch(text)
    if found is None:
        hint = "a time (12.5 or 1m30), a frame (#12), or a share (50%)"
        raise FilterError(hint, 0, max(1, len(text)))
    if not text.strip() or not records:
        return None
    last = len(records) - 1
    if found["frame"]:
        return min(last, _of_frame(records, int(found["frame"])))
    if found["share"]:
        return min(last, int(float(found["share"]) / 100 * len(records)))
    seconds = 60 * int(found["minutes"] or 0) + float(found["seconds"] or 0)
    places = range(len(records))
    end = time_of(records, 0) + seconds
    after = bisect_right(places, end, key=lambda place: time_of(records, place))
    return max(0, after - 1)


def _of_frame(records: Sequence[Record], number: int) -> int:
    """Where a frame is. Numbers grow with the index, but local events have none."""
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
