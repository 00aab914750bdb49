"""The end of a terminal's output, within a limit of bytes."""

import codecs

_SLACK = 64 * 1024


class OutputTail:
    """Stores the last bytes of output, cut where a UTF-8 character begins."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()
        self._cut = False

    def add(self, data: bytes) -> None:
        """Append output; drop what exceeds the limit from time to time, since each time would be
        slow.
        """
        self._data += data
        if len(self._data) > self._limit + self._limit // 4 + _SLACK:
            self._drop_front()

    def text(self, *, final: bool) -> tuple[str, bool]:
        """Return the output as text within the limit in UTF-8, and whether its start is missing.

        Bytes that are not UTF-8 become U+FFFD. Half a character at the end is left out until its
        other half comes, unless this is `final`.
        """
        self._drop_front()
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(self._data), final)
        encoded = text.encode()
        if len(encoded) <= self._limit:
            return text, self._cut
        return encoded[_start(encoded, self._limit) :].decode(), True

    def _drop_front(self) -> None:
        if len(self._data) > self._limit:
            del self._data[: _start(self._data, self._limit)]
            self._cut = True


def _start(data: bytes | bytearray, limit: int) -> int:
    """Return the index where the last `limit` bytes begin with a whole character."""
    start = len(data) - limit
    for _ in range(3):
        if start < len(data) and data[start] & 0xC0 == 0x80:
            start += 1
    return start
