"""The turn that a frame belongs to."""

from acp_tui.ui.transcript.entries.turn_reading import TurnReading
from acp_tui.wire.log import Log


def turn_at(log: Log, index: int) -> int | None:
    """The prompt of the turn that runs at a record, in its session if it has one; else of the one
    before it.
    """
    return log.prompt_before(index, log[index].session)


def reading_of(log: Log, prompt: int) -> TurnReading:
    """Take a turn apart as far as it is read."""
    row = log[prompt]
    last = len(log) - 1 if row.partner is None else row.partner
    places = range(prompt, last + 1)
    return TurnReading(log.records, places, row.session, row.at, log.times[last])
