"""The agent's lines that aren't messages, for a report: several lines that make one object as one."""

from acp_tui.protocol.events import (
    Event,
    Notified,
    Requested,
    Responded,
    Stray,
    Unreadable,
)
from acp_tui.protocol.frames import Direction


class UnreadableLines:
    """Holds lines back until it is known whether they go on."""

    def __init__(self) -> None:
        self._held: list[Unreadable] = []

    def follow_event(self, event: Event) -> list[Unreadable]:
        """Apply the next event; return the lines that can be reported now."""
        if not isinstance(event, Unreadable | Notified | Requested | Responded | Stray):
            return []
        if event.direction is Direction.OUT:
            return []
        if not isinstance(event, Unreadable):
            return self.rest()
        if event.value is not None:
            self._held.clear()
            return [event]
        if not event.lines:
            return [*self.rest(), event]
        told = self.rest() if event.lines == 1 else []
        self._held.append(event)
        return told

    def rest(self) -> list[Unreadable]:
        """Return the lines that nothing continues."""
        held, self._held = self._held, []
        return held
