"""Lines: one message on each, encoded as JSON and UTF-8 require it."""

import json
from collections import Counter
from contextlib import suppress
from typing import Any

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker
from acp_tui.protocol.findings import ProtocolRule, Severity
from acp_tui.protocol.frames import Flaw, Frame
from acp_tui.protocol.jsonrpc import BYTE_ORDER_MARK, Failure, Response

EMBEDDED_NEWLINES = ProtocolRule(
    "embedded-newlines",
    Severity.ERROR,
    "Messages are delimited by newlines (\\n), and MUST NOT contain embedded newlines.",
)
MARK = ProtocolRule(
    "byte-order-mark",
    Severity.ERROR,
    "Implementations MUST NOT add a byte order mark (U+FEFF) to the beginning of a "
    "networked-transmitted JSON text.",
)
NO_NUMBER = ProtocolRule(
    "no-json-number",
    Severity.ERROR,
    "The agent MUST NOT write anything to its stdout that is not a valid ACP message. The client "
    "MUST NOT write anything to the agent's stdin that is not a valid ACP message. … Numeric "
    "values that cannot be represented in the grammar below (such as Infinity and NaN) are not "
    "permitted.",
)
NAMED_TWICE = ProtocolRule(
    "duplicate-key", Severity.WARNING, "The names within an object SHOULD be unique."
)


LONG_LINE_BYTES = 1024 * 1024
"""Bytes of a line that is not read a second time, for what its value doesn't show."""


class LineChecker(Checker):
    """Checks that each line is one whole message, in strict JSON."""

    RULES = (EMBEDDED_NEWLINES, MARK, NO_NUMBER, NAMED_TWICE)

    def check_record(self, reading: Reading) -> None:
        frame = reading.record
        if not isinstance(frame, Frame) or frame.flaw is Flaw.OVERSIZED:
            return
        if frame.raw.startswith(BYTE_ORDER_MARK):
            self.report(MARK, reading, "the line begins with a byte order mark", ())
        if len(frame.raw) > LONG_LINE_BYTES:
            return  # to look through all of it takes long
        if b"NaN" in frame.raw or b"Infinity" in frame.raw:
            for name in _constants(frame.raw)[:1]:
                self.report(NO_NUMBER, reading, f"{name} is no number of JSON", ())
        if type(reading.value) is dict:
            self._named_twice(frame.raw, reading)

    def _named_twice(self, raw: bytes, reading: Reading) -> None:
        if raw.count(b'":') == _names(reading.value):
            return
        for name in _repeated(raw)[:1]:
            self.report(NAMED_TWICE, reading, f"{name!r} stands twice in one object", ())

    def spread(self, reading: Reading, lines: int) -> None:
        """Check a message that came on several lines."""
        name = reading.kind or reading.method or "an answer"
        if isinstance(reading.message, Response | Failure) and reading.method:
            name = f"the answer to {reading.method}"
        self.report(EMBEDDED_NEWLINES, reading, f"one message on {lines} lines: {name}", ())


def _constants(raw: bytes) -> list[str]:
    """What a line has in the place of numbers, though JSON knows no such words."""
    found: list[str] = []
    _read(raw, parse_constant=found.append)
    return found


def _names(value: Any) -> int:
    """Return how many names the objects in a value have."""
    count = 0
    inner = value
    if type(value) is dict:
        count = len(value)
        inner = value.values()
    for each in inner:
        kind = type(each)
        if kind is dict or kind is list:
            count += _names(each)
    return count


def _repeated(raw: bytes) -> list[str]:
    """The names that an object in a line has twice."""
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        names = Counter(name for name, _ in pairs)
        found.extend(name for name, count in names.items() if count > 1)

    _read(raw, object_pairs_hook=look)
    return found


def _read(raw: bytes, **hooks: Any) -> None:
    """Read a line once more, to look at what its value doesn't tell."""
    text = raw.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace")
    with suppress(
        ValueError, RecursionError
    ):  # the standard library's own limits are lower on a deep stack
        json.loads(text, parse_int=str, **hooks)
