"""Applies all protocol rules, record by record, live or to a recording."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

from acp_tui.debug.exchanges import PendingRequest, Reading, Spoken, Spread, Status
from acp_tui.debug.lint.agent_work import BackgroundChecker, EntityChecker
from acp_tui.debug.lint.answers import AnswerChecker
from acp_tui.debug.lint.capabilities import CapabilityChecker
from acp_tui.debug.lint.checker import Checker, ExtraChecker, GuardedChecker
from acp_tui.debug.lint.chunks import ChunkChecker
from acp_tui.debug.lint.consent import ConsentChecker
from acp_tui.debug.lint.interventions import HandMade, Interventions
from acp_tui.debug.lint.messages import LineChecker, MessageChecker
from acp_tui.debug.lint.options import OptionChecker
from acp_tui.debug.lint.peers import Peers
from acp_tui.debug.lint.permissions import PermissionChecker
from acp_tui.debug.lint.replays import ReplayChecker, ResumeChecker
from acp_tui.debug.lint.session_updates import CursorChecker, PlanChecker, UsageChecker
from acp_tui.debug.lint.sessions import UNCHECKED, EndingChecker, SetupChecker, SystemPromptChecker
from acp_tui.debug.lint.states import StateChecker
from acp_tui.debug.lint.subagents import SubagentChecker
from acp_tui.debug.lint.terminals import TerminalChecker
from acp_tui.debug.lint.tool_calls import EditChecker, ToolCallChecker
from acp_tui.debug.lint.turns import TurnChecker
from acp_tui.debug.lint.values import DuplicateChecker, FormatChecker, PathChecker, ReservedChecker
from acp_tui.protocol import validation
from acp_tui.protocol.findings import Finding, JsonPath, ProtocolRule
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.protocol.kinds import REOPENING_METHODS
from acp_tui.protocol.process_events import (
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
from acp_tui.protocol.validation import VERSIONS

CHECKERS: tuple[type[Checker], ...] = (
    ConsentChecker,
    LineChecker,
    MessageChecker,
    AnswerChecker,
    SetupChecker,
    ReplayChecker,
    CapabilityChecker,
    TurnChecker,
    PlanChecker,
    ChunkChecker,
    ToolCallChecker,
    PermissionChecker,
    TerminalChecker,
    PathChecker,
    OptionChecker,
    UsageChecker,
    DuplicateChecker,
    FormatChecker,
    EditChecker,
    EndingChecker,
    StateChecker,
    BackgroundChecker,
    EntityChecker,
    ResumeChecker,
    ReservedChecker,
    SystemPromptChecker,
    SubagentChecker,
    CursorChecker,
)

_NOT_ON_THE_WIRE = (StderrLine, StderrOmitted, AgentLogLine, AgentLogOmitted, TransportFact)
"""Records that may come between the lines of one message."""
_NAMES = {name for checker in CHECKERS for name in checker.ABOUT}


class Linter:
    """Finds violations of the protocol, starting over with each new process of the agent.

    `extra` checkers run after the built-in ones.
    """

    def __init__(self, extra: Iterable[ExtraChecker] = ()) -> None:
        self._prompted: set[str] = set()
        self._last_version: Spoken | None = None
        """The version of the previous connection."""
        self._versions_until: list[tuple[int, Spoken | None]] = []
        """The index at which each later connection begins, and the version spoken before it."""
        self._extra = list(extra)
        self._found: list[Finding] = []
        self._start_over()
        self._held_lines: list[Reading] = []
        """Lines held back because they may form one message with those that follow."""

    def feed(self, reading: Reading) -> list[Finding]:
        """Check the next record; return its findings, some of which may be about earlier records."""
        self._found = []
        if reading.aside:
            self._interventions.note(reading)
            return []
        if isinstance(reading.record, _NOT_ON_THE_WIRE) or reading.direction is Direction.OUT:
            self._check_reading(reading)
        else:
            self._hold_or_check(reading)
        return self._found

    def _hold_or_check(self, reading: Reading) -> None:
        """Hold back a line that the next one may continue; if it doesn't, check held lines singly."""
        spread = reading.spread
        if self._held_lines and (spread is None or spread.lines == 1):
            self._check_held()
        if spread is None:
            self._check_reading(reading)
        elif spread.message is None:
            self._held_lines.append(reading)
        else:
            self._held_lines.clear()
            self._check_spread(replace(reading, index=spread.first), spread)

    def _check_spread(self, reading: Reading, spread: Spread) -> None:
        if isinstance(spread.message, Malformed):
            why = f"{spread.message.reason}: a JSON object on {spread.lines} lines"
            reading.message = Malformed(why)
            self._check_reading(reading)
            return
        reading.message = spread.message
        self._lines.spread(reading, spread.lines)
        if self._peers.version in VERSIONS:
            self._validate_message(reading, reading.method)

    def _check_held(self) -> None:
        held, self._held_lines = self._held_lines, []
        for reading in held:
            self._check_reading(reading)

    def _check_reading(self, reading: Reading) -> None:
        if isinstance(reading.record, ProcessStarted | Connecting):
            self._versions_until.append((reading.index, self.spoken))
            self._end_process()
        self._peers.begin_record(reading)
        self._hand_made.note_record(reading)
        self._interventions.note_record(reading)
        if self._peers.version in VERSIONS:
            self._check_known_version(reading)
        else:
            self._check_unknown_version(reading)
        self._peers.update_from(reading)
        if isinstance(reading.record, ProcessExited | Disconnected):
            self._end_process()

    def _check_unknown_version(self, reading: Reading) -> None:
        """Check lines and responses only, by JSON-RPC: there are no rules for this version."""
        for check_record in self._of_any_version:
            check_record(reading)
        if reading.method == "initialize" and reading.status is Status.OK:
            how = "only lines and answers are checked from here on"
            self._report_finding(UNCHECKED, reading, how, ("result", "protocolVersion"))

    def _check_known_version(self, reading: Reading) -> None:
        self._validate_message(reading, _answered(reading))
        if reading.method in REOPENING_METHODS and reading.is_request:
            for checker in self._all:
                checker.reopened(reading.session_id)
        name = reading.kind or reading.method
        version = self._peers.version
        for check_record in self._checks[version].get(name, self._always[version]):
            check_record(reading)
        for checker in self._guarded:
            checker.check_record(name, reading)

    @property
    def needs_every_chunk(self) -> bool:
        """Return whether the linter needs every chunk, even one that repeats the last."""
        return bool(self._extra) or self._consent.follows_cancel

    def repeated_findings(
        self, findings: Sequence[Finding], index: int, text: bytes, growth: int
    ) -> list[Finding] | None:
        """Return the findings of a chunk that differs from the previous one only in its text.

        `findings` are those of the previous one. It is number `growth` in a row whose text begins
        with the whole previous text. Returns None if it must be fed: some rules are reported only
        once, or depend on what came before.
        """
        if self.needs_every_chunk or not all(
            one.rule.id in validation.RULE_IDS for one in findings
        ):
            return None
        self._found = [Finding(one.rule, index, one.message, one.path) for one in findings]
        self._texts.note_repeated(index, text, growth)
        return self._found

    def finish(self) -> list[Finding]:
        """Return the findings that only the end of the recording can show."""
        self._found = []
        self._check_held()
        self._end_process()
        return self._found

    @property
    def spoken(self) -> Spoken | None:
        """Return the version of the protocol that was spoken last; None before the first message."""
        return self._peers.spoken_version or self._last_version

    def spoken_at(self, index: int) -> Spoken | None:
        """Return the protocol version of the connection that a record is part of, if known."""
        later = bisect_right(self._versions_until, index, key=itemgetter(0))
        return self._versions_until[later][1] if later < len(self._versions_until) else self.spoken

    def _start_over(self) -> None:
        self._peers = Peers(self._prompted)
        self._hand_made = HandMade(self._peers)
        self._interventions = Interventions()
        self._checkers = [checker(self._peers, self._report_finding) for checker in CHECKERS]
        self._guarded = [
            GuardedChecker(one, self._peers, self._report_finding, partial(self._extra.remove, one))
            for one in list(self._extra)
        ]
        self._all: list[Checker | GuardedChecker] = [*self._checkers, *self._guarded]
        (self._texts,) = (one for one in self._checkers if isinstance(one, ChunkChecker))
        (self._consent,) = (one for one in self._checkers if isinstance(one, ConsentChecker))
        json_rpc = (LineChecker, MessageChecker, AnswerChecker)
        self._of_any_version = [
            one.check_record for one in self._checkers if isinstance(one, json_rpc)
        ]
        self._always = {version: self._checks_about(None, version) for version in VERSIONS}
        self._checks = {
            version: {name: self._checks_about(name, version) for name in _NAMES}
            for version in VERSIONS
        }
        self._lines = LineChecker(self._peers, self._report_finding)

    def _checks_about(self, name: str | None, version: int) -> list[Callable[[Reading], None]]:
        """Return the checks of records about a method or a kind of update, in order."""
        known = (one for one in self._checkers if version in one.VERSIONS)
        return [one.check_record for one in known if not one.ABOUT or name in one.ABOUT]

    def _end_process(self) -> None:
        for checker in self._all:
            checker.end()
        self._last_version = self.spoken
        self._start_over()

    def _report_finding(
        self, rule: ProtocolRule, reading: Reading | PendingRequest, message: str, path: JsonPath
    ) -> None:
        if not (
            self._hand_made.excuses(rule, reading) or self._interventions.excuses(rule, reading)
        ):
            version = self._peers.version
            if version in rule.versions or version not in VERSIONS:
                rule = rule.of(version)
                rule = rule.on_network() if self._peers.is_remote else rule
                self._found.append(Finding(rule, reading.index, message, path))

    def _validate_message(self, reading: Reading, answered: str | None) -> None:
        frame = reading.record
        if not isinstance(frame, Frame) or isinstance(reading.message, Malformed):
            return
        version = self._peers.version
        for rule, path, message in validation.check_message(
            frame.direction,
            reading.value,
            answered,
            version,
            is_between_others=self._peers.is_between_others,
        ):
            self._report_finding(rule, reading, message, path)


def _answered(reading: Reading) -> str | None:
    """Return the method that a response answers."""
    return reading.answered_request.method if reading.answered_request is not None else None
