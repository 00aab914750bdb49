"""The end of a terminal's output, within a limit of bytes."""

import codecs

_SLACK = 64 * 1024


class OutputTail:
    """Keeps the last bytes of what is added, cut where a UTF-8 character begins."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()
        self._cut = False

    def add(self, data: bytes) -> None:
        """Take more output; what leaves the limit is dropped now and then, not each time."""
        self._data += data
        if len(self._data) > self._limit + self._limit // 4 + _SLACK:
            self._drop_front()

    def text(self, *, final: bool) -> tuple[str, bool]:
        """Return the output as text of at most the limit in UTF-8, and whether its start is missing.

        Bytes that are not UTF-8 are U+FFFD. Half a character at the end waits for its other half,
        unless this is `final`.
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
    """Where the last `limit` bytes begin with a whole character."""
    start = len(data) - limit
    for _ in range(3):
        if start < len(data) and data[start] & 0xC0 == 0x80:
            start += 1
    return start
