"""Places in a log as people write them: a time, a frame's number, a share."""

import re

from acp_tui.wire.filters import FilterError
from acp_tui.wire.log import Log

_PLACE = re.compile(
    r"\s*(?:#(?P<frame>\d+)|(?P<share>\d+(?:\.\d+)?)\s*%"
    r"|(?:(?P<minutes>\d+)\s*[m:]\s*)?(?P<seconds>\d+(?:\.\d+)?)?\s*s?)\s*"
)


def place(text: str, log: Log) -> int | None:
    """The index of the record that is meant; None if nothing is written. Raises FilterError."""
    found = _PLACE.fullmatch(text)
    if found is None:
        hint = "a time (12.5 or 1m30), a frame (#12), or a share (50%)"
        raise FilterError(hint, 0, max(1, len(text)))
    if not text.strip() or not len(log):
        return None
    if found["frame"]:
        return _of_frame(log, int(found["frame"]))
    if found["share"]:
        return min(len(log) - 1, int(float(found["share"]) / 100 * len(log)))
    seconds = 60 * int(found["minutes"] or 0) + float(found["seconds"] or 0)
    return log.index_at(seconds)


def _of_frame(log: Log, number: int) -> int:
    """Numbers grow with the index, but for local events, which have none."""
    low, high = 0, len(log)
    while low < high:
        middle = (low + high) // 2
        at = middle
        while at > low and not log.numbers[at]:
            at -= 1
        if log.numbers[at] < number:
            low = middle + 1
        else:
            high = at
    return min(low, len(log) - 1)
