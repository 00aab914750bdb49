"""All rules at once: fed record by record, live or from a recording alike."""

from collections.abc import Sequence

from acp_tui.protocol import validation
from acp_tui.protocol.compiled import JsonPath
from acp_tui.protocol.events import ProcessExited, ProcessStarted
from acp_tui.protocol.findings import Finding, Rule
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.wire.exchanges import Reading
from acp_tui.wire.lint.capabilities import Capabilities
from acp_tui.wire.lint.checker import Checker
from acp_tui.wire.lint.endings import Endings
from acp_tui.wire.lint.messages import Messages
from acp_tui.wire.lint.options import Options
from acp_tui.wire.lint.peers import Peers
from acp_tui.wire.lint.places import Places
from acp_tui.wire.lint.setup import Setup
from acp_tui.wire.lint.terminals import Terminals
from acp_tui.wire.lint.tool_calls import ToolCalls
from acp_tui.wire.lint.turns import Turns

CHECKERS: tuple[type[Checker], ...] = (
    Messages,
    Setup,
    Capabilities,
    Turns,
    ToolCalls,
    Terminals,
    Places,
    Options,
    Endings,
)

RULES: tuple[Rule, ...] = (
    *validation.RULES,
    *(rule for checker in CHECKERS for rule in checker.RULES),
)
"""Every rule that there is."""
_OF_MESSAGES = {rule.id for rule in validation.RULES}
"""The rules that look at one message alone."""


class Linter:
    """Finds what is wrong on the wire; a new process of the agent begins afresh."""

    def __init__(self) -> None:
        self._begin()
        self._found: list[Finding] = []

    def feed(self, reading: Reading) -> list[Finding]:
        """What the next record shows to be wrong, with it or with one before it."""
        self._found = []
        if isinstance(reading.record, ProcessStarted):
            self._end()
            self._begin()
        self._validate(reading)
        for checker in self._checkers:
            checker.look(reading)
        self._peers.take(reading)
        if isinstance(reading.record, ProcessExited):
            self._end()
            self._begin()
        return self._found

    def again(self, findings: Sequence[Finding], index: int) -> list[Finding] | None:
        """What is wrong with a record that repeats the one before, which broke these rules. None if
        it has to be fed: some rules are told once only, or look at what went before.
        """
        if not all(one.rule.id in _OF_MESSAGES for one in findings):
            return None
        return [Finding(one.rule, index, one.message, one.path) for one in findings]

    def finish(self) -> list[Finding]:
        """What only the end of the recording shows to be wrong."""
        self._found = []
        self._end()
        self._begin()
        return self._found

    def _begin(self) -> None:
        self._peers = Peers()
        self._checkers = [checker(self._peers, self._report) for checker in CHECKERS]

    def _end(self) -> None:
        for checker in self._checkers:
            checker.end()

    def _report(self, rule: Rule, reading: Reading, message: str, path: JsonPath) -> None:
        self._found.append(Finding(rule, reading.index, message, path))

    def _validate(self, reading: Reading) -> None:
        frame = reading.record
        if not isinstance(frame, Frame) or isinstance(reading.message, Malformed):
            return
        answered = reading.asked.method if reading.asked is not None else None
        for rule, path, message in validation.check(frame.direction, reading.value, answered):
            self._report(rule, reading, message, path)
