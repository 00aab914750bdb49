"""How a message stands on its line."""

import json
from contextlib import suppress

from acp_tui.protocol.findings import Rule, Severity
from acp_tui.protocol.frames import Flaw, Frame
from acp_tui.protocol.jsonrpc import BYTE_ORDER_MARK, Failure, Response
from acp_tui.wire.exchanges import Reading
from acp_tui.wire.lint.checker import Checker

EMBEDDED_NEWLINES = Rule(
    "embedded-newlines",
    Severity.ERROR,
    "Messages are delimited by newlines (\\n), and MUST NOT contain embedded newlines.",
)
MARK = Rule(
    "byte-order-mark",
    Severity.ERROR,
    "Implementations MUST NOT add a byte order mark (U+FEFF) to the beginning of a "
    "networked-transmitted JSON text.",
)
NO_NUMBER = Rule(
    "no-json-number",
    Severity.ERROR,
    "Numeric values that cannot be represented in the grammar below (such as Infinity and NaN) are "
    "not permitted.",
)


class Lines(Checker):
    """Whether each line is one whole message, in strict JSON."""

    RULES = (EMBEDDED_NEWLINES, MARK, NO_NUMBER)

    def look(self, reading: Reading) -> None:
        frame = reading.record
        if not isinstance(frame, Frame) or frame.flaw is Flaw.OVERSIZED:
            return
        if frame.raw.startswith(BYTE_ORDER_MARK):
            self.report(MARK, reading, "the line begins with a byte order mark", ())
        if b"NaN" in frame.raw or b"Infinity" in frame.raw:
            for name in _constants(frame.raw)[:1]:
                self.report(NO_NUMBER, reading, f"{name} is no number of JSON", ())

    def spread(self, reading: Reading, lines: int) -> None:
        """Take a message that came on several lines."""
        name = reading.kind or reading.method or "an answer"
        if isinstance(reading.message, Response | Failure) and reading.method:
            name = f"the answer to {reading.method}"
        self.report(EMBEDDED_NEWLINES, reading, f"one message on {lines} lines: {name}", ())


def _constants(raw: bytes) -> list[str]:
    """What a line has in the place of numbers, though JSON knows no such words."""
    found: list[str] = []
    text = raw.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):  # on this stack it may be too deep
        json.loads(text, parse_constant=found.append, parse_int=str)
    return found
