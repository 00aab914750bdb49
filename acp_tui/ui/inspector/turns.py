"""The turn that a frame belongs to."""

from acp_tui.ui.transcript.turn_reading import TurnReading
from acp_tui.wire.log import Log


def turn_at(log: Log, index: int) -> TurnReading | None:
    """The turn that runs at a record, in its session if it has one; else the one before it."""
    prompt = log.prompt_before(index, log[index].session)
    if prompt is None:
        return None
    row = log[prompt]
    last = len(log) - 1 if row.partner is None else row.partner
    places = range(prompt, last + 1)
    return TurnReading(log.records, places, row.session, row.at, log.times[last])
