"""The turn that a frame belongs to."""

from acp_tui.wire.anatomy import Anatomy, anatomy
from acp_tui.wire.log import Log


def turn_at(log: Log, index: int) -> Anatomy | None:
    """The turn that runs at a record, in its session if it has one; else the one before it."""
    begin = log.prompt_before(index, log[index].session)
    if begin is None:
        return None
    prompt = log[begin]
    end = len(log) - 1 if prompt.partner is None else prompt.partner
    records = (log.records[one] for one in range(begin, end + 1))
    return anatomy(records, prompt.session, prompt.at, log.times[end])
