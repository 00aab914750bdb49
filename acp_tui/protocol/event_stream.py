"""Splits server-sent events into lines: the data of each event, byte for byte (WHATWG HTML, 9.2)."""

from io import SEEK_END, BytesIO

from acp_tui.protocol.frames import DEFAULT_LIMIT, KEPT_OF_OVERSIZED, Flaw, Line

LONGEST_NAME = KEPT_OF_OVERSIZED
"""Most bytes kept of a field's name, and of an id."""


class EventStream:
    """Parses one stream. Never raises, and never buffers much more than the limit.

    An event's data is appended to one buffer as it arrives: collecting whole lines, then cutting
    off their names and joining them, would take several times the limit.

    `last_id` is the id of the last event with one, for servers that can resume from there.
    `is_kept_alive` is whether comments were received.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT, last_id: str = "") -> None:
        self.last_id = last_id
        self.is_kept_alive = False
        self._limit = limit
        self._after_return = False
        self._begin_line()
        self._begin_event()

    def feed(self, data: bytes) -> list[Line]:
        """Parse the next bytes; return the events that they complete."""
        if self._after_return and data:
            data = data.removeprefix(b"\n")
            self._after_return = False
        if data.endswith(b"\r"):
            self._after_return = True
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        events = []
        *ended, rest = data.split(b"\n")
        for part in ended:
            self._add_bytes(part)
            if self._field is None and not self._name:
                events += self._end_event()
            else:
                self._end_line()
        self._add_bytes(rest)
        return events

    def end(self) -> list[Line]:
        """Return the event that the end of the stream cut off, if any."""
        event = self._event(Flaw.UNFINISHED)
        self._after_return = False
        self._begin_line()
        self._begin_event()
        return [event] if event.raw and not event.raw.isspace() else []

    def _begin_line(self) -> None:
        self._name = b""
        self._field: bytes | None = None
        self._at_value = False
        self._value = b""

    def _begin_event(self) -> None:
        self._id: str | None = None
        self._has_data = False
        self._data = BytesIO()  # grows in place, and returns its contents without a copy
        self._size = 0

    def _add_bytes(self, part: bytes) -> None:
        """Add bytes to the current line; comments and unknown fields are dropped."""
        if self._field is None:
            self._name, colon, part = (self._name + part).partition(b":")
            if not colon:
                self._name = self._name[:LONGEST_NAME]
                return
            self._begin_field(self._name.removeprefix(b"\xef\xbb\xbf"))
        if self._at_value and part:
            part = part.removeprefix(b" ")
            self._at_value = False
        if self._field == b"data":
            self._add_data(part)
        elif self._field == b"id":
            self._value += part[: LONGEST_NAME + 1 - len(self._value)]

    def _begin_field(self, field: bytes) -> None:
        self._field = field
        self._at_value = True
        if not field:
            self.is_kept_alive = True
        elif field == b"data":
            if self._has_data:
                self._add_data(b"\n")
            self._has_data = True

    def _add_data(self, part: bytes) -> None:
        """Add data to the event; keep only the first bytes of an event over the limit."""
        self._size += len(part)
        if self._size > self._limit:
            kept = min(KEPT_OF_OVERSIZED, self._limit)
            if self._data.tell() > kept:
                self._data.truncate(kept)
                self._data.seek(0, SEEK_END)
            part = part[: kept - self._data.tell()]
        self._data.write(part)

    def _end_line(self) -> None:
        if self._field == b"id" and b"\0" not in self._value:
            # An id that is too long is dropped: the server can't resume from a part of it.
            is_whole = len(self._value) <= LONGEST_NAME
            self._id = self._value.decode("utf-8", "replace") if is_whole else ""
        self._begin_line()

    def _end_event(self) -> list[Line]:
        """Return the event that a blank line ends, unless it has no data: some servers send such
        events to keep the stream open, or to set an id. An id counts only from here on: the server
        would not repeat an event that was cut off after its id.
        """
        if self._id is not None:
            self.last_id = self._id
        event = self._event()
        self._begin_event()
        return [event] if event.raw and not event.raw.isspace() else []

    def _event(self, flaw: Flaw | None = None) -> Line:
        is_oversized = self._size > self._limit
        return Line(self._data.getvalue(), self._size, Flaw.OVERSIZED if is_oversized else flaw)
