"""Finds the frames of a transcript entry, and the entry of a frame. Nothing is stored for it.

An entry has the exact time of the frame that created it; later frames are found by the ids of
messages, tool calls and terminals.
"""

from bisect import bisect_left
from time import perf_counter
from typing import Any

from acp_tui.debug.log import Log
from acp_tui.debug.rows import LogRow
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.protocol.process_events import OutputOmitted, TerminalExited, TerminalOutput
from acp_tui.state.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    PlanSnapshot,
    Role,
    TerminalEntry,
    ToolCallEntry,
    TurnEndEntry,
)
from acp_tui.state.session import Session
from acp_tui.state.state import State, terminal_key

_MESSAGES = {
    Role.AGENT: ("agent_message_chunk", "agent_message"),
    Role.THOUGHT: ("agent_thought_chunk", "agent_thought"),
    Role.USER: ("user_message_chunk", "user_message"),
}
_TOOL_CALL = ("tool_call", "tool_call_update", "tool_call_content_chunk")
_TERMINAL = ("terminal_update", "terminal_output_chunk")
_CANCELS = ("tool_call/cancel", "terminal/cancel")
_PLAN = ("plan", "plan_update", "plan_removed")
_COMPACTION = ("compaction_update", "compaction_summary_chunk")
_CREATE = "terminal/create"
SLICE = 256
"""Records searched between two checks of the time."""


class EntryFrames:
    """Searches a log for an entry's records, in slices."""

    def __init__(self, log: Log, session: Session, index: int) -> None:
        self.found: list[int] = []
        """The indexes of the records, oldest first."""
        self._log = log
        self._session = session
        self._entry = session.entries[index]
        self._first = self._at = bisect_left(log.times, self._entry.at)
        self._stop = _end_of_entry(log, session, index)
        self._runs: dict[int, bool] = {}

    @property
    def share(self) -> float:
        """The fraction of the log that has been searched."""
        return (self._at - self._first) / max(1, self._stop - self._first)

    def work(self, until: float) -> bool:
        """Search until the time `until` (perf_counter); return whether the search is complete."""
        while self._at < self._stop:
            if self._belongs(self._log[self._at]):
                self.found.append(self._at)
            self._at += 1
            if self._at % SLICE == 0 and perf_counter() > until:
                return False
        if not self.found and self._first < len(self._log):
            self.found.append(self._first)
        if self.found and isinstance(self._entry, TerminalEntry):
            self._add_request()
        return True

    def _add_request(self) -> None:
        """Add the request before the response that created a terminal."""
        made = self._log[self.found[0]]
        if made.method == _CREATE and made.partner is not None and made.is_answer:
            self.found.insert(0, made.partner)

    def _belongs(self, row: LogRow) -> bool:
        if row.index == row.run:
            return _belongs(row, self._session, self._entry)
        if row.run not in self._runs:  # the chunks of a message belong to the same entry
            self._runs[row.run] = _belongs(row, self._session, self._entry)
        return self._runs[row.run]


def _end_of_entry(log: Log, session: Session, index: int) -> int:
    """Return the index after the last frame that may belong to an entry: the end of its turn."""
    entry = session.entries[index]
    if isinstance(entry, TerminalEntry):
        return len(log)
    chunks = isinstance(entry, MessageEntry) and entry.message_id is None
    call_id = entry.tool_call_id if isinstance(entry, ToolCallEntry) else None
    for after in session.entries[index + 1 :]:
        again = isinstance(after, ToolCallEntry) and after.tool_call_id == call_id
        if chunks or again or isinstance(after, TurnEndEntry):
            return bisect_left(log.times, after.at)
    return len(log)


def _belongs(row: LogRow, session: Session, entry: Entry) -> bool:
    if row.at == entry.at and (row.session in (session.session_id, "") or not row.direction):
        return True
    match entry:
        case MessageEntry():
            return (
                row.kind in _MESSAGES[entry.role]
                and row.session == session.session_id
                and _update_of(row).get("messageId") == entry.message_id
            )
        case ToolCallEntry():
            return row.session == session.session_id and _is_about(row, entry.tool_call_id)
        case TerminalEntry():
            return bool(_terminal_of(row) == entry.terminal_id)
        case PlanSnapshot():
            return row.kind in _PLAN and row.session == session.session_id
        case CompactionEntry():
            return (
                row.kind in _COMPACTION
                and row.session == session.session_id
                and _update_of(row).get("compactionId") == entry.compaction_id
            )
    return False


def _is_about(row: LogRow, tool_call_id: str) -> bool:
    if row.kind in _TOOL_CALL:
        return bool(_update_of(row).get("toolCallId") == tool_call_id)
    if row.method not in ("session/request_permission", *_CANCELS):
        return False
    asked = row.partner if row.is_answer else row.index
    return asked is not None and bool(_requested_call(row, asked) == tool_call_id)


def _requested_call(row: LogRow, asked: int) -> Any:
    """Return the id of the tool call in a request's params, or in their `subject`."""
    params = _params(row.log[asked])
    for holder in (params, params.get("subject")):
        if isinstance(holder, dict):
            tool_call = holder.get("toolCall", holder)
            if isinstance(tool_call, dict) and "toolCallId" in tool_call:
                return tool_call["toolCallId"]
    return None


def _terminal_of(row: LogRow) -> Any:
    record = row.record
    if isinstance(record, TerminalOutput | OutputOmitted | TerminalExited):
        return record.terminal_id
    if row.kind in _TERMINAL:
        return _of_session(row, _update_of(row))
    if not row.method.startswith("terminal/"):
        return None
    asked, answer = row, row
    if row.partner is not None:
        other = row.log[row.partner]
        asked, answer = (other, row) if row.is_answer else (row, other)
    if row.method == _CREATE:
        return _member(answer, "result").get("terminalId")
    if row.method in _CANCELS:
        return _of_session(row, _params(asked))
    return _params(asked).get("terminalId")


def _of_session(row: LogRow, holder: dict[str, Any]) -> str:
    """Return the key of an agent's own terminal, whose id is unique only within its session."""
    return terminal_key(row.session, str(holder.get("terminalId")))


def entry_of(log: Log, state: State, index: int) -> tuple[str, int] | None:
    """Return the session id and the entry index of a record: found by an id, or the newest entry at
    the record's time.
    """
    row = log[index]
    session = state.sessions.get(row.session) or _newest_session(state)
    if session is None or not session.entries:
        return None
    place = _by_id(row, session)
    if place is None:
        place = _by_time(log[row.run] if row.run != row.index else row, session)
    return None if place is None else (session.session_id, place)


def _by_id(row: LogRow, session: Session) -> int | None:
    """Find the entry by the id of its tool call, compaction, message or terminal, or as the turn's
    plan.
    """
    if row.kind in _TOOL_CALL:
        return _call_with(session, _update_of(row).get("toolCallId"), row.at)
    if row.kind in _PLAN:
        return _plan_of(row, session)
    if row.kind in _COMPACTION:
        return session.indexes.compactions.get(str(_update_of(row).get("compactionId")))
    if row.method in ("session/request_permission", "tool_call/cancel"):
        asked = row.partner if row.is_answer and row.partner is not None else row.index
        return _call_with(session, _requested_call(row, asked), row.log[asked].at)
    for role, kinds in _MESSAGES.items():
        if row.kind in kinds and (message := _update_of(row).get("messageId")) is not None:
            known = session.indexes.message_ids.get((role, str(message)))
            place = session.indexes.messages.get((role, str(message))) if known is None else known
            return _unless_later(row, session, place)
    terminal = _terminal_of(row)
    return None if terminal is None else session.indexes.terminals.get(str(terminal))


def _call_with(session: Session, tool_call_id: Any, at: float) -> int | None:
    """Return the index of the tool call that had an id at a certain time: agents reuse ids."""
    key = session.newest_key(str(tool_call_id))
    uses = [session.call_index((key[0], use)) for use in range(key[1] + 1)]
    begun = [place for place in uses if place is not None and session.entries[place].at <= at]
    return max(begun, default=uses[0])


def _unless_later(row: LogRow, session: Session, place: int | None) -> int | None:
    """Return a message's index; None if the message is newer than the record, whose id then
    belonged to another message.
    """
    return None if place is None or session.entries[place].at > row.at else place


def _plan_of(row: LogRow, session: Session) -> int | None:
    """Return the index of the newest plan at a record's time."""
    place = _by_time(row, session)
    while place is not None and place >= 0:
        if isinstance(session.entries[place], PlanSnapshot):
            return place
        place -= 1
    return None


def _by_time(row: LogRow, session: Session) -> int | None:
    """Return the index of the entry that a frame created, or of the last entry before it."""
    entries = session.entries
    low, high = 0, len(entries)
    while low < high:
        middle = (low + high) // 2
        if entries[middle].at <= row.at:
            low = middle + 1
        else:
            high = middle
    return low - 1 if low else None


def _newest_session(state: State) -> Session | None:
    opened = [session for session in state.sessions.values() if session.opened]
    return opened[-1] if opened else None


def _member(row: LogRow, name: str) -> dict[str, Any]:
    """Return a member of a row's message if it is an object, else an empty one."""
    record = row.record
    value = jsonrpc.decode(record.raw) if isinstance(record, Frame) else None
    if isinstance(value, Malformed) or not isinstance(value, dict):
        return {}
    member = value.get(name)
    return member if isinstance(member, dict) else {}


def _params(row: LogRow) -> dict[str, Any]:
    return _member(row, "params")


def _update_of(row: LogRow) -> dict[str, Any]:
    update = _params(row).get("update")
    return update if isinstance(update, dict) else {}
