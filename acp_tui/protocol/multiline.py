"""A JSON object on several lines, as pretty printers write it: its lines make sense only together.

Messages must not contain newlines, so such a message is never obeyed. But whoever looks for what is
wrong with an agent is to see one message, not as many riddles as it has lines.
"""

import re
from typing import Any, NamedTuple

from acp_tui.protocol.jsonrpc import BYTE_ORDER_MARK, decode

MOST_LINES = 10_000
MOST_BYTES = 1024 * 1024
"""How much is held of what may become one object."""
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_BESIDE_STRINGS = re.compile(rb"[\s,:{}\[\]0-9eE+.truefalsn-]*")


class LinePart(NamedTuple):
    """What a line is of an object on several lines: which one, from 1. With the last one comes the
    object's `value`, and all of it as one line.
    """

    line: int
    value: dict[str, Any] | None = None
    joined: bytes = b""


class Multiline:
    """Puts lines together that are no messages by themselves. Whoever feeds it says when one is."""

    def __init__(self) -> None:
        self.is_open = False
        """Whether the next line may go on with the ones before it."""
        self._lines: list[bytes] = []
        self._size = 0
        self._depth = 0

    def close(self) -> None:
        """Drop what was begun."""
        self.is_open = False
        self._lines.clear()
        self._size = self._depth = 0

    def feed(self, raw: bytes, *, is_last: bool = False) -> LinePart | None:
        """Take the next line that is no message; None if it stands alone, as the very last one does
        that completes nothing.
        """
        part = (self._go_on(raw) if self._lines else None) or self._begin(raw)
        if is_last and self.is_open:
            self.close()
            return None
        return part

    def _begin(self, raw: bytes) -> LinePart | None:
        self.close()
        if not raw.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(b"{"):
            return None
        return self._go_on(raw.removeprefix(BYTE_ORDER_MARK))

    def _go_on(self, raw: bytes) -> LinePart | None:
        self._size += len(raw)
        if self._size > MOST_BYTES or len(self._lines) == MOST_LINES:
            return None
        depth = _depth(raw, self._depth)
        if depth is None:
            return None
        if not depth and not self._lines:
            return None  # all of it is on this line
        self.is_open = True
        self._lines.append(raw)
        self._depth = depth
        return LinePart(len(self._lines)) if depth else self._end()

    def _end(self) -> LinePart | None:
        count, joined = len(self._lines), b" ".join(line.strip() for line in self._lines)
        self.close()
        value = decode(joined)
        return LinePart(count, value, joined) if isinstance(value, dict) else None


def _depth(raw: bytes, depth: int) -> int | None:
    """How many objects and arrays are open after a line; None if it is nothing of JSON."""
    rest = _STRING.sub(b"", raw)
    if _BESIDE_STRINGS.fullmatch(rest) is None:
        return None
    depth += rest.count(b"{") + rest.count(b"[") - rest.count(b"}") - rest.count(b"]")
    return depth if depth >= 0 else None
