"""Lines and messages: one message per line, in strict JSON and UTF-8."""

import json
from collections import Counter
from contextlib import suppress
from typing import Any

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.findings import ProtocolRule, protocol_rule
from acp_tui.protocol.frames import Direction, Flaw, Frame
from acp_tui.protocol.json_decoder import TOO_DEEP, may_be_cut
from acp_tui.protocol.jsonrpc import BYTE_ORDER_MARK, Failure, Malformed, Response
from acp_tui.protocol.process_events import Disconnected, ProcessExited

NOISE = protocol_rule("stdout-noise")
NOT_A_MESSAGE = protocol_rule("not-a-message")
BATCH = protocol_rule("batch")
NOT_UTF8 = protocol_rule("not-utf8")
UNFINISHED = protocol_rule("unfinished-line")
OVERSIZED = protocol_rule("oversized-line")
NESTED = protocol_rule("nested-too-deep")
DIED = protocol_rule("agent-exited")


KILLED = protocol_rule("agent-killed")
DISCONNECTED = protocol_rule("connection-lost")


class MessageChecker(Checker):
    """Checks that each line is a message."""

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._unfinished: tuple[Reading, str] | None = None
        """The unfinished last line, until it is clear that the agent itself cut it off."""

    def check_record(self, reading: Reading) -> None:
        match reading.record:
            case Frame() as frame:
                self._check_frame(frame, reading)
            case ProcessExited() as exited:
                self._check_exit(exited, reading)
            case Disconnected() as exited:
                self._unfinished = None
                if not exited.asked and any(self.peers.running.values()):
                    how = f"the connection ended during a turn: {exited.why}"
                    self.report(DISCONNECTED, reading, how, ())

    def end(self) -> None:
        """Report a last line that the agent left unfinished."""
        if self._unfinished is not None:
            reading, excerpt = self._unfinished
            self.report(UNFINISHED, reading, f"the last line has no end: {excerpt}", ())

    def _check_exit(self, exited: ProcessExited, reading: Reading) -> None:
        if exited.from_outside:
            self._unfinished = None
        if exited.asked:
            return
        if exited.from_outside:
            how = exited.signal or f"a signal: it exited with code {exited.code}"
            self.report(KILLED, reading, f"the agent's process was ended by {how}", ())
        else:
            how = exited.signal or f"code {exited.code}"
            self.report(DIED, reading, f"the agent's process ended by itself, with {how}", ())

    def _check_frame(self, frame: Frame, reading: Reading) -> None:
        if frame.flaw is Flaw.OVERSIZED:
            self.report(OVERSIZED, reading, f"{frame.size:,} bytes", ())
            if frame.direction is Direction.IN and not may_be_cut(frame.raw):
                self.report(self._noise_rule, reading, f"not JSON: {_excerpt(frame)}", ())
            return
        if not reading.is_utf8 and frame.flaw is None:  # a cut can split a character
            self.report(NOT_UTF8, reading, "the line has bytes that are no UTF-8", ())
        if isinstance(reading.message, Malformed):
            self._check_malformed(reading.message, frame, reading)
            return
        if "method" not in reading.value and "id" not in reading.value:
            self.report(NOT_A_MESSAGE, reading, "a response without an id", ("id",))
        elif jsonrpc.is_empty_response(reading.value):
            self.report(NOT_A_MESSAGE, reading, jsonrpc.EMPTY, ())

    @property
    def _noise_rule(self) -> ProtocolRule:
        """The rule for a line that isn't JSON: only a process has a stdout."""
        return NOT_A_MESSAGE if self.peers.is_remote else NOISE

    def _check_malformed(self, malformed: Malformed, frame: Frame, reading: Reading) -> None:
        if malformed.is_over_limit:
            if malformed.reason == TOO_DEEP:
                self.report(NESTED, reading, malformed.reason, ())
            else:
                self.report(OVERSIZED, reading, f"{frame.size:,} bytes", ())
        elif frame.flaw is Flaw.UNFINISHED:
            self._unfinished = reading, _excerpt(frame)
        elif isinstance(reading.value, Malformed) and frame.direction is Direction.IN:
            self.report(self._noise_rule, reading, f"{malformed.reason}: {_excerpt(frame)}", ())
        elif isinstance(reading.value, list):
            self.report(BATCH, reading, f"an array of {len(reading.value)}", ())
        else:
            self.report(NOT_A_MESSAGE, reading, malformed.reason, ())


def _excerpt(frame: Frame) -> str:
    return frame.raw[:60].decode("utf-8", "replace")


EMBEDDED_NEWLINES = protocol_rule("embedded-newlines")
MARK = protocol_rule("byte-order-mark")
NO_NUMBER = protocol_rule("no-json-number")
NAMED_TWICE = protocol_rule("duplicate-key")


LONG_LINE_BYTES = 1024 * 1024
"""Bytes of the longest line that is parsed a second time, for details that its value lacks."""


class LineChecker(Checker):
    """Checks that each line is one whole message, in strict JSON."""

    def check_record(self, reading: Reading) -> None:
        frame = reading.record
        if not isinstance(frame, Frame) or frame.flaw is Flaw.OVERSIZED:
            return
        if frame.raw.startswith(BYTE_ORDER_MARK):
            self.report(MARK, reading, "the line begins with a byte order mark", ())
        if len(frame.raw) > LONG_LINE_BYTES:
            return  # parsing it again would take too long
        if b"NaN" in frame.raw or b"Infinity" in frame.raw:
            for name in _constants(frame.raw)[:1]:
                self.report(NO_NUMBER, reading, f"{name} is no number of JSON", ())
        if type(reading.value) is dict:
            self._check_keys(frame.raw, reading)

    def _check_keys(self, raw: bytes, reading: Reading) -> None:
        if raw.count(b'":') == _count_keys(reading.value):
            return
        for name in _duplicate_keys(raw)[:1]:
            self.report(NAMED_TWICE, reading, f"{name!r} stands twice in one object", ())

    def spread(self, reading: Reading, lines: int) -> None:
        """Report a message that is spread over several lines."""
        name = reading.kind or reading.method or "an answer"
        if isinstance(reading.message, Response | Failure) and reading.method:
            name = f"the answer to {reading.method}"
        self.report(EMBEDDED_NEWLINES, reading, f"one message on {lines} lines: {name}", ())


def _constants(raw: bytes) -> list[str]:
    """Return the constants in place of numbers that JSON doesn't have, such as NaN."""
    found: list[str] = []
    _parse_again(raw, parse_constant=found.append)
    return found


def _count_keys(value: Any) -> int:
    """Return how many keys the objects in a value have."""
    count = 0
    inner = value
    if type(value) is dict:
        count = len(value)
        inner = value.values()
    for each in inner:
        kind = type(each)
        if kind is dict or kind is list:
            count += _count_keys(each)
    return count


def _duplicate_keys(raw: bytes) -> list[str]:
    """Return the keys that an object in a line has twice."""
    found: list[str] = []

    def count(pairs: list[tuple[str, Any]]) -> None:
        names = Counter(name for name, _ in pairs)
        found.extend(name for name, count in names.items() if count > 1)

    _parse_again(raw, object_pairs_hook=count)
    return found


def _parse_again(raw: bytes, **hooks: Any) -> None:
    """Parse a line again, with hooks for details that its value lacks."""
    text = raw.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace")
    # RecursionError: the standard library's own limits are lower on a deep stack.
    with suppress(ValueError, RecursionError):
        json.loads(text, parse_int=str, **hooks)
