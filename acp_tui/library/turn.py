"""Turns and tool calls as immutable values, made from a live connection or a recording."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from acp_tui.debug.log import Log
from acp_tui.debug.turn_times import Share, TurnTimer
from acp_tui.extensions import extensions
from acp_tui.protocol.content import ContentItem, Diff, TerminalRef, TextContent
from acp_tui.protocol.events import Event, Record
from acp_tui.protocol.file_events import EditCompared
from acp_tui.protocol.findings import Finding, Severity
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.setup import PromptParams
from acp_tui.protocol.updates import Cost, PlanEntry, ToolCallLocation
from acp_tui.protocol.wire_events import Requested
from acp_tui.recordings.records import Slice
from acp_tui.state.entries import (
    Entry,
    MessageEntry,
    PlanSnapshot,
    Role,
    ToolCallEntry,
    TurnEndEntry,
)
from acp_tui.state.state import State

AT_ONCE = 64
"""Records between two runs of the linter: checking all at the end of a long turn would block the
event loop.
"""


@dataclass(frozen=True)
class ToolCall:
    """A snapshot of a tool call.

    `text` is the text of its content, `output` that of its terminals. `decisions` are the names of
    the options that were chosen for its permission requests, each followed by what the agent got if
    the answer was changed or dropped on the wire. `seconds` excludes the wait for these answers.
    `use` is the number of earlier calls in the session with the same id.
    """

    tool_call_id: str
    title: str
    kind: str
    status: str
    name: str | None = None
    text: str = ""
    output: str = ""
    diffs: tuple[Diff, ...] = ()
    locations: tuple[ToolCallLocation, ...] = ()
    raw_input: Any = field(default=None, repr=False)
    raw_output: Any = field(default=None, repr=False)
    decisions: tuple[str, ...] = ()
    seconds: float = 0.0
    use: int = field(default=0, repr=False)

    def __str__(self) -> str:
        return f"{self.tool_call_id}: {self.title!r} [{self.kind}, {self.status}]"


class ToolCalls(tuple[ToolCall, ...]):
    """The tool calls of a turn, in order."""

    __slots__ = ()

    def of(self, **facts: Any) -> "ToolCalls":
        """Return the tool calls with these fields: `of(kind="edit", status="completed")`."""
        unknown = facts.keys() - ToolCall.__dataclass_fields__.keys()
        if unknown:
            raise TypeError(f"a tool call has no {', '.join(sorted(unknown))}")
        return ToolCalls(
            call
            for call in self
            if all(getattr(call, name) == wanted for name, wanted in facts.items())
        )

    def one(self, **facts: Any) -> ToolCall:
        """Return the only tool call with these fields.

        Raises:
            AssertionError: there is none, or more than one; the text lists all tool calls.
        """
        __tracebackhide__ = True
        found = self.of(**facts)
        if len(found) == 1:
            return found[0]
        wanted = ", ".join(f"{name}={value!r}" for name, value in facts.items())
        listed = "".join(f"\n  {call}" for call in self) or " none"
        words = f"{len(found)} tool calls" if found else "no tool call"
        raise AssertionError(f"{words} with {wanted or 'any facts'}; the turn has:{listed}")


class Findings(tuple[Finding, ...]):
    """Findings of the linter: broken rules of the protocol, or notes; empty if there are none."""

    __slots__ = ()

    @classmethod
    def among(cls, found: Iterable[Finding], *, notes: bool = False) -> "Findings":
        """Select the errors and warnings; or with `notes` the notes, which break no rule."""
        return cls(one for one in found if (one.severity is Severity.INFO) is notes)

    def __repr__(self) -> str:
        return f"<{len(self)} findings: {'; '.join(map(finding_line, self)) or 'none'}>"


def finding_line(finding: Finding) -> str:
    """Format a finding as one line: severity, rule, position, and message."""
    where = f" at {finding.where}" if finding.where else ""
    return f"{finding.severity} {finding.rule.id}{where}: {finding.message}"


@dataclass(frozen=True)
class Usage:
    """Tokens in the context (`used` of `size`), the `cost` so far, and the `tokens` in the response
    to the prompt.
    """

    used: int | None = None
    size: int | None = None
    cost: Cost | None = None
    tokens: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Timings:
    """How the `seconds` of a turn were spent; each moment counts once.

    `first_token` is the time until the agent's first message, thought or tool call. `person` is the
    wait for permissions and elicitations, `client` the wait for files and terminals.
    """

    seconds: float
    first_token: float | None
    model: float
    tools: float
    person: float
    client: float


@dataclass(frozen=True)
class Turn:
    """A prompt and everything until its response.

    `text` has the agent's messages, `thoughts` its thoughts. `findings` are errors and warnings,
    `notes` are other facts about how the agent uses the protocol. Without a `stop_reason` the turn
    failed: with an `error` of the agent's, or because it was `lost` with the agent's process.
    """

    session_id: str
    prompt: str
    text: str
    thoughts: str
    tool_calls: ToolCalls
    plan: tuple[PlanEntry, ...]
    stop_reason: str | None
    error: Error | None
    lost: str | None
    usage: Usage
    findings: Findings
    notes: Findings
    timings: Timings
    records: Sequence[Record] = field(repr=False, compare=False)
    """All records of the connection during the turn."""

    @property
    def diffs(self) -> tuple[Diff, ...]:
        """The diffs in the tool calls."""
        return tuple(diff for call in self.tool_calls for diff in call.diffs)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The lines on the wire, in both directions."""
        return tuple(one for one in self.records if isinstance(one, Frame))

    def __repr__(self) -> str:
        end = self.stop_reason or (self.error.words if self.error else self.lost)
        said = f"{len(self.tool_calls)} tool calls, {len(self.findings)} findings"
        return f"<Turn {end}: {self.text[:60]!r}, {said}>"


@dataclass(frozen=True, slots=True)
class _Open:
    """A running turn; `first` is the index of its prompt in the log."""

    number: int
    first: int
    prompt: MessageEntry


class TurnFollower:
    """Builds turns from the events of one connection. `follow` gets each event after it was
    recorded and folded.
    """

    def __init__(self, state: State, records: Sequence[Record]) -> None:
        self._state = state
        self._records = records
        self._open: dict[str, _Open] = {}
        self._compared: list[tuple[int, tuple[str, str, int]]] = []
        """The indexes of records that compare an edit with its file, each with the call that made
        the edit.
        """
        self.log = Log(records, extensions.linter())

    def follow(self, event: Event, index: int) -> list[tuple[int, Turn]]:
        """Follow an event whose record is at `index`; return the turns that it ended, each with the
        frame number of its prompt.
        """
        if index % AT_ONCE == 0:
            self.log.catch_up()
        if isinstance(event, EditCompared):
            call = (event.session_id, event.tool_call_id, event.use or 0)
            self._compared.append((index, call))
        ended = [self._turn(id, index) for id in list(self._open) if self._is_over(id)]
        if isinstance(event, Requested) and isinstance(event.params, PromptParams):
            session_id = event.params.session_id
            turn = self._state.session(session_id).turn
            if turn is not None:
                self._open[session_id] = _Open(event.number, index, turn.prompt)
        return ended

    def completed(self, turn: Turn) -> Turn:
        """Add the findings about a turn's edits that arrived after its end: comparing files takes
        time.
        """
        self.log.catch_up()
        ended = turn.records.end if isinstance(turn.records, Slice) else 0
        calls = {(turn.session_id, one.tool_call_id, one.use) for one in turn.tool_calls}
        late = [
            finding
            for at, call in self._compared
            if at >= ended and call in calls
            for finding in self.log.findings.of(at)
        ]
        if not late:
            return turn
        return replace(
            turn,
            findings=Findings((*turn.findings, *Findings.among(late))),
            notes=Findings((*turn.notes, *Findings.among(late, notes=True))),
        )

    def _is_over(self, session_id: str) -> bool:
        turn = self._state.session(session_id).turn
        return turn is None or turn.prompt is not self._open[session_id].prompt

    def _turn(self, session_id: str, index: int) -> tuple[int, Turn]:
        begun = self._open.pop(session_id)
        session = self._state.session(session_id)
        entries = _since(session.entries, begun.prompt)
        end = next((one for one in entries if isinstance(one, TurnEndEntry)), None)
        at = end.at if end is not None else self._records[index].at
        places = range(begun.first, index + 1)
        records = Slice(self._records, places)
        plans = [one for one in entries if isinstance(one, PlanSnapshot)]
        self.log.catch_up()
        found = [one for at in places for one in self.log.findings.of(at)]
        turn = Turn(
            session_id=session_id,
            prompt=begun.prompt.text,
            text=_join_messages(entries, Role.AGENT),
            thoughts=_join_messages(entries, Role.THOUGHT),
            tool_calls=ToolCalls(
                tool_call(self._state, one, at) for one in entries if isinstance(one, ToolCallEntry)
            ),
            plan=tuple(plans[-1].versions[-1]) if plans else (),
            stop_reason=end.stop_reason if end is not None else None,
            error=end.error if end is not None else None,
            lost=end.lost if end is not None else None,
            usage=Usage(
                used=session.usage.used,
                size=session.usage.size,
                cost=session.usage.cost,
                tokens=end.usage if end is not None else None,
            ),
            findings=Findings.among(found),
            notes=Findings.among(found, notes=True),
            timings=timings(records, session_id, at),
            records=records,
        )
        return begun.number, turn


def tool_call(state: State, entry: ToolCallEntry, now: float) -> ToolCall:
    """Return a snapshot of a tool call."""
    shown = [item.terminal_id for item in entry.content if isinstance(item, TerminalRef)]
    terminals = [state.terminals[id] for id in shown if id in state.terminals]
    texts = [
        item.content.text
        for item in entry.content
        if isinstance(item, ContentItem) and isinstance(item.content, TextContent)
    ]
    return ToolCall(
        tool_call_id=entry.tool_call_id,
        title=entry.title,
        kind=entry.kind,
        status=entry.status,
        name=entry.name,
        text="\n".join(texts),
        output="".join(one.output.decode("utf-8", "replace") for one in terminals),
        diffs=tuple(item for item in entry.content if isinstance(item, Diff)),
        locations=tuple(entry.locations),
        raw_input=entry.raw_input,
        raw_output=entry.raw_output,
        decisions=tuple(entry.consent.decisions),
        seconds=entry.worked(now),
        use=entry.use,
    )


def timings(records: Sequence[Record], session_id: str, end: float) -> Timings:
    """Measure how the time of a turn was spent; `records` begin with its prompt."""
    timer = TurnTimer(session_id, records[0].at)
    for record in records:
        timer.add_record(record)
    times = timer.finish(end)
    shares = times.shares
    return Timings(
        times.seconds,
        times.first_token,
        shares[Share.MODEL],
        shares[Share.TOOL],
        shares[Share.PERSON],
        shares[Share.CLIENT],
    )


def _since(entries: Sequence[Entry], prompt: MessageEntry) -> Sequence[Entry]:
    """Return the entries from a prompt to the end of its turn."""
    start = next((at for at, one in enumerate(entries) if one is prompt), len(entries))
    for at in range(start, len(entries)):
        if isinstance(entries[at], TurnEndEntry):
            return entries[start : at + 1]
    return entries[start:]


def _join_messages(entries: Sequence[Entry], role: Role) -> str:
    """Join the messages of a role, separated by blank lines."""
    messages = [one for one in entries if isinstance(one, MessageEntry) and one.role is role]
    return "\n\n".join(one.text for one in messages)
