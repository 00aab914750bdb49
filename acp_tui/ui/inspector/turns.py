"""The turn that a frame belongs to."""

from acp_tui.wire.anatomy import Anatomy, anatomy
from acp_tui.wire.log import Log

_PROMPT = "session/prompt"


def turn_at(log: Log, index: int) -> Anatomy | None:
    """The turn that runs at a record, else the one before it."""
    for at in range(index, -1, -1):
        row = log[at]
        if row.method == _PROMPT and not row.is_answer:
            end = len(log) - 1 if row.partner is None else row.partner
            records = (log.records[one] for one in range(at, end + 1))
            return anatomy(records, row.session, row.at, log.times[end])
    return None
