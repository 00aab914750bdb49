"""Follows a connection and makes a Turn of each prompt that ends, live or from a recording."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from acp_tui.debug.log import Log
from acp_tui.debug.turn_times import Share, TurnTimer
from acp_tui.extensions import extensions
from acp_tui.library.turn import Findings, Timings, ToolCall, ToolCalls, Turn, Usage
from acp_tui.protocol.content import ContentItem, Diff, TerminalRef, TextContent
from acp_tui.protocol.events import EditCompared, Event, Record, Requested
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.setup import PromptParams
from acp_tui.recordings.records import Slice
from acp_tui.state.entries import (
    Entry,
    MessageEntry,
    PlanSnapshot,
    Role,
    ToolCallEntry,
    TurnEndEntry,
)
from acp_tui.state.state import Session, State

AT_ONCE = 64
"""Records after which findings are checked: at the end of a long turn, that would hold up the loop."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A turn that is under way; `first` is the index of its prompt in the log."""

    number: int
    first: int
    prompt: MessageEntry


class TurnFollower:
    """Makes turns of what happens on one connection: `follow` takes each event after it was
    recorded and folded.
    """

    def __init__(self, state: State, records: Sequence[Record]) -> None:
        self._state = state
        self._records = records
        self._open: dict[str, _Open] = {}
        self._compared: list[tuple[int, tuple[str, str, int]]] = []
        """Where edits were compared with their files, and whose."""
        self.log = Log(records, extensions.linter())

    def follow(self, event: Event, index: int) -> list[tuple[int, Turn]]:
        """Apply an event, whose record is at `index`; return the turns that it ended, each with the
        number of its prompt's frame.
        """
        if index % AT_ONCE == 0:
            self.log.catch_up()
        if isinstance(event, EditCompared):
            call = (event.session_id, event.tool_call_id, event.use or 0)
            self._compared.append((index, call))
        ended = [self._turn(id, index) for id in list(self._open) if self._is_over(id)]
        if isinstance(event, Requested) and isinstance(event.params, PromptParams):
            self._begin(event.params.session_id, event.number, index)
        return ended

    def completed(self, turn: Turn) -> Turn:
        """Add what was found of a turn's edits since it ended: comparing files takes its time."""
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

    def _begin(self, session_id: str, number: int, index: int) -> None:
        turn = self._state.session(session_id).turn
        if turn is not None:
            self._open[session_id] = _Open(number, index, turn.prompt)

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
        found = self._found(places)
        turn = Turn(
            session_id,
            begun.prompt.text,
            _said(entries, Role.AGENT),
            _said(entries, Role.THOUGHT),
            ToolCalls(
                tool_call(self._state, one, at) for one in entries if isinstance(one, ToolCallEntry)
            ),
            tuple(plans[-1].versions[-1]) if plans else (),
            end.stop_reason if end is not None else None,
            end.error if end is not None else None,
            end.lost if end is not None else None,
            _usage(session, end),
            Findings.among(found),
            Findings.among(found, notes=True),
            timings(records, session_id, at),
            records,
        )
        return begun.number, turn

    def _found(self, places: range) -> list[Finding]:
        self.log.catch_up()
        return [one for at in places for one in self.log.findings.of(at)]


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
        entry.tool_call_id,
        entry.title,
        entry.kind,
        entry.status,
        entry.name,
        "\n".join(texts),
        "".join(one.output.decode("utf-8", "replace") for one in terminals),
        tuple(item for item in entry.content if isinstance(item, Diff)),
        tuple(entry.locations),
        entry.raw_input,
        entry.raw_output,
        tuple(entry.decisions),
        entry.worked(now),
        entry.use,
    )


def timings(records: Sequence[Record], session_id: str, end: float) -> Timings:
    """Return where the time of a turn went; `records` begin with its prompt."""
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
    """Return what follows a prompt, up to the end of its turn."""
    start = next((at for at, one in enumerate(entries) if one is prompt), len(entries))
    for at in range(start, len(entries)):
        if isinstance(entries[at], TurnEndEntry):
            return entries[start : at + 1]
    return entries[start:]


def _said(entries: Sequence[Entry], role: Role) -> str:
    """Return what somebody said, with a blank line between two messages."""
    messages = [one for one in entries if isinstance(one, MessageEntry) and one.role is role]
    return "\n\n".join(one.text for one in messages)


def _usage(session: Session, end: TurnEndEntry | None) -> Usage:
    return Usage(session.used, session.size, session.cost, end.usage if end is not None else None)
