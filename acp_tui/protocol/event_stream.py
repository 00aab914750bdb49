"""Server-sent events to lines: the data of each event, byte for byte (WHATWG HTML, 9.2)."""

from acp_tui.protocol.frames import DEFAULT_LIMIT, KEPT_OF_OVERSIZED, Flaw, Framer, Line

PER_LINE = 100
"""Bytes that each line of an event takes beside its text."""


class EventStream:
    """Reads one stream; never raises, and never holds more than the limit.

    `last_id` is the id of the last event that had one, for a server that can go on from there. It
    `is_kept_alive` by comments, if any came.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT, last_id: str = "") -> None:
        self.last_id = last_id
        self.is_kept_alive = False
        self._limit = limit
        self._framer = Framer(limit, blank=True)
        self._after_return = False
        self._data: list[Line] = []
        self._held = 0

    def feed(self, data: bytes) -> list[Line]:
        """Take the next bytes; return the events that they complete."""
        if self._after_return and data:
            data = data.removeprefix(b"\n")
            self._after_return = False
        if data.endswith(b"\r"):
            self._after_return = True
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        events = []
        for line in self._framer.feed(data):
            if line.raw:
                self._field(line)
            elif self._data:
                events.append(self._event())
        return events

    def end(self) -> list[Line]:
        """The stream has ended: return what came of an event that has no end, if anything did."""
        for line in self._framer.end():
            self._field(line)
        if not self._data:
            return []
        event = self._event()
        return [event._replace(flaw=event.flaw or Flaw.UNFINISHED)]

    def _field(self, line: Line) -> None:
        """Take a line of an event; comments, and fields that mean nothing here, are dropped."""
        name, colon, value = line.raw.partition(b":")
        if not colon:
            return
        if not name:
            self.is_kept_alive = True
        blank = value.startswith(b" ")
        if name.removeprefix(b"\xef\xbb\xbf") == b"data":
            left_out = len(name) + 1 + blank
            self._hold(Line(value[blank:], line.size - left_out, line.flaw))
        elif name == b"id" and b"\0" not in value:
            self.last_id = value[blank:].decode("utf-8", "replace")

    def _hold(self, line: Line) -> None:
        """Keep a line; of an event over the limit its first bytes, as of such a line."""
        self._held += len(line.raw) + (PER_LINE if self._data else 0)
        self._data.append(line)
        if self._held > self._limit:
            event = self._event()
            self._held = self._limit
            kept = event.raw[: min(KEPT_OF_OVERSIZED, self._limit)]
            self._data = [Line(kept, event.size, Flaw.OVERSIZED)]

    def _event(self) -> Line:
        data, self._data, self._held = self._data, [], 0
        if len(data) == 1:
            return data[0]
        flaws = (line.flaw for line in data if line.flaw is not None)
        size = sum(line.size for line in data) + len(data) - 1
        return Line(b"\n".join(line.raw for line in data), size, next(flaws, None))
