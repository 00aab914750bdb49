"""All rules at once: fed record by record, live or from a recording alike."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from acp_tui.protocol import validation
from acp_tui.protocol.events import (
    AgentLogLine,
    AgentLogOmitted,
    Connecting,
    Disconnected,
    ProcessExited,
    ProcessStarted,
    StderrLine,
    StderrOmitted,
    TransportFact,
)
from acp_tui.protocol.findings import Finding, JsonPath, ProtocolRule
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Malformed, Upper
from acp_tui.wire.exchanges import Reading, Spread, Status
from acp_tui.wire.lint.answers import AnswerChecker
from acp_tui.wire.lint.by_hand import HandMade
from acp_tui.wire.lint.capabilities import CapabilityChecker
from acp_tui.wire.lint.checker import Checker
from acp_tui.wire.lint.chunks import ChunkChecker
from acp_tui.wire.lint.duplicates import DuplicateChecker
from acp_tui.wire.lint.edits import EditChecker
from acp_tui.wire.lint.endings import EndingChecker
from acp_tui.wire.lint.guarded import ExtraChecker, GuardedChecker
from acp_tui.wire.lint.lines import LineChecker
from acp_tui.wire.lint.meddling import Meddling
from acp_tui.wire.lint.messages import MessageChecker
from acp_tui.wire.lint.options import OptionChecker
from acp_tui.wire.lint.paths import PathChecker
from acp_tui.wire.lint.peers import REOPENING, Peers, other_version
from acp_tui.wire.lint.permissions import PermissionChecker
from acp_tui.wire.lint.replays import ReplayChecker
from acp_tui.wire.lint.setup import UNCHECKED, SetupChecker
from acp_tui.wire.lint.terminals import TerminalChecker
from acp_tui.wire.lint.tool_calls import ToolCallChecker
from acp_tui.wire.lint.turns import TurnChecker
from acp_tui.wire.lint.usage import UsageChecker
from acp_tui.wire.unanswered import Asked

CHECKERS: tuple[type[Checker], ...] = (
    LineChecker,
    MessageChecker,
    AnswerChecker,
    SetupChecker,
    ReplayChecker,
    CapabilityChecker,
    TurnChecker,
    ChunkChecker,
    ToolCallChecker,
    PermissionChecker,
    TerminalChecker,
    PathChecker,
    OptionChecker,
    UsageChecker,
    DuplicateChecker,
    EditChecker,
    EndingChecker,
)

RULES: tuple[ProtocolRule, ...] = (
    *validation.RULES,
    *(rule for checker in CHECKERS for rule in checker.RULES),
)
"""Every rule that there is."""
_BESIDE = (StderrLine, StderrOmitted, AgentLogLine, AgentLogOmitted, TransportFact)
_NAMES = {name for checker in CHECKERS for name in checker.ABOUT}
_OF_MESSAGES = {rule.id for rule in validation.RULES}
"""The rules that look at one message alone."""


class Linter:
    """Finds what is wrong on the wire; a new process of the agent begins afresh.

    `extra` checkers look after our own.
    """

    def __init__(self, extra: Iterable[ExtraChecker] = ()) -> None:
        self._spoken: set[str] = set()
        self._extra = list(extra)
        self._found: list[Finding] = []
        self._begin()
        self._held: list[Reading] = []
        """Lines that may make one message together with those that follow."""

    def feed(self, reading: Reading) -> list[Finding]:
        """Check the next record; return what it shows to be wrong, with it or with an earlier one."""
        self._found = []
        if reading.aside:
            self._meddling.note(reading)
            return []
        beside = isinstance(reading.record, _BESIDE)
        if beside or reading.direction is Direction.OUT:
            self._take(reading)
        else:
            self._put_together(reading)
        return self._found

    def _put_together(self, reading: Reading) -> None:
        """Hold back a line that may go on; what turns out not to go on, is so many lines."""
        spread = reading.spread
        if self._held and (spread is None or spread.lines == 1):
            self._release()
        if spread is None:
            self._take(reading)
        elif spread.message is None:
            self._held.append(reading)
        else:
            self._held.clear()
            self._take_whole(replace(reading, index=spread.first), spread)

    def _take_whole(self, reading: Reading, spread: Spread) -> None:
        if isinstance(spread.message, Malformed):
            why = f"{spread.message.reason}: a JSON object on {spread.lines} lines"
            reading.message = Malformed(why)
            self._take(reading)
            return
        reading.message = spread.message
        self._lines.spread(reading, spread.lines)
        self._validate(reading, reading.method, self._version)

    def _release(self) -> None:
        held, self._held = self._held, []
        for reading in held:
            self._take(reading)

    def _take(self, reading: Reading) -> None:
        if isinstance(reading.record, ProcessStarted | Connecting):
            self._end()
            self._begin()
        self._peers.turn_to(reading)
        self._hand_made.look(reading)
        self._meddling.look(reading)
        begins = other_version(reading) if reading.method == "initialize" else None
        other = self._peers.other if begins is None else begins
        if other is not None:
            self._take_other(reading, other)
        else:
            self._take_known(reading)
        self._peers.take(reading)
        if isinstance(reading.record, ProcessExited | Disconnected):
            self._end()
            self._begin()

    def _take_other(self, reading: Reading, version: int) -> None:
        """Of another version lines and answers are looked at, as JSON-RPC has them, and the form of
        each message, if there is a schema.
        """
        has_schema = version in validation.VERSIONS
        self._validate(reading, _answered(reading), version)
        for look in self._of_any_version:
            look(reading)
        if reading.method == "initialize" and reading.status is Status.OK:
            what = "lines, answers and the form of messages" if has_schema else "lines and answers"
            how = f"only {what} are checked from here on"
            self._report(UNCHECKED, reading, how, ("result", "protocolVersion"))

    def _take_known(self, reading: Reading) -> None:
        self._validate(reading, _answered(reading), 1)
        if reading.method in REOPENING and reading.is_request:
            for checker in self._all:
                checker.reopened(reading.session_id)
        name = reading.kind or reading.method
        for look in self._looks.get(name, self._always):
            look(reading)
        for checker in self._guarded:
            checker.look(name, reading)

    @property
    def sees_all(self) -> bool:
        """Whether it has to be fed each chunk, also one that is as the one before."""
        return bool(self._extra)

    def again(
        self, findings: Sequence[Finding], index: int, said: bytes, grown: int
    ) -> list[Finding] | None:
        """What is wrong with a chunk that is as the one before, which broke these rules, but for
        its text. That is said the `grown`th time in a row to begin with all of the text before.
        None if it has to be fed: some rules are told once only, or look at what went before.
        """
        if self.sees_all or not all(one.rule.id in _OF_MESSAGES for one in findings):
            return None
        self._found = [Finding(one.rule, index, one.message, one.path) for one in findings]
        self._texts.again(index, said, grown)
        return self._found

    def finish(self) -> list[Finding]:
        """Return what only the end of the recording shows to be wrong."""
        self._found = []
        self._release()
        self._end()
        self._begin()
        return self._found

    def _begin(self) -> None:
        self._peers = Peers(self._spoken)
        self._hand_made = HandMade(self._peers)
        self._meddling = Meddling()
        self._checkers = [checker(self._peers, self._report) for checker in CHECKERS]
        self._guarded = [
            GuardedChecker(one, self._peers, self._report, partial(self._extra.remove, one))
            for one in list(self._extra)
        ]
        self._all: list[Checker | GuardedChecker] = [*self._checkers, *self._guarded]
        (self._texts,) = (one for one in self._checkers if isinstance(one, ChunkChecker))
        json_rpc = (LineChecker, MessageChecker, AnswerChecker)
        self._of_any_version = [one.look for one in self._checkers if isinstance(one, json_rpc)]
        self._always = self._looks_at(None)
        self._looks = {name: self._looks_at(name) for name in _NAMES}
        self._lines = LineChecker(self._peers, self._report)

    def _looks_at(self, name: str | None) -> list[Callable[[Reading], None]]:
        """What looks at records about this, in their order."""
        return [one.look for one in self._checkers if not one.ABOUT or name in one.ABOUT]

    def _end(self) -> None:
        for checker in self._all:
            checker.end()

    def _report(
        self, rule: ProtocolRule, reading: Reading | Asked, message: str, path: JsonPath
    ) -> None:
        if not (self._hand_made.excuses(rule, reading) or self._meddling.excuses(rule, reading)):
            self._found.append(Finding(rule, reading.index, message, path))

    @property
    def _version(self) -> int:
        """The version that is spoken."""
        return 1 if self._peers.other is None else self._peers.other

    def _validate(self, reading: Reading, answered: str | None, version: int) -> None:
        frame = reading.record
        if not isinstance(frame, Frame) or isinstance(reading.message, Malformed):
            return
        if version not in validation.VERSIONS:
            return
        if isinstance(reading.value, Upper):
            return  # what was not read can't be judged
        for rule, path, message in validation.check(
            frame.direction, reading.value, answered, version
        ):
            self._report(rule, reading, message, path)


def _answered(reading: Reading) -> str | None:
    """Return the method that a response answers."""
    return reading.asked.method if reading.asked is not None else None
