"""The turn that a frame belongs to."""

from acp_tui.debug.log import Log
from acp_tui.ui.turn_reader import TurnReader


def turn_at(log: Log, index: int) -> int | None:
    """The prompt of the turn that runs at a record, in its session if it has one; else of the one
    before it.
    """
    return log.prompt_before(index, log[index].session)


def reading_of(log: Log, prompt: int) -> TurnReader:
    """Take a turn apart as far as it is read."""
    row = log[prompt]
    last = len(log) - 1 if row.partner is None else row.partner
    places = range(prompt, last + 1)
    return TurnReader(log.records, places, row.session, row.at, log.times[last])
