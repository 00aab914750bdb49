"""Subagents: their parents, conditions, names and last messages, and how to stop them."""

from collections import defaultdict
from collections.abc import Iterator
from enum import StrEnum
from itertools import takewhile
from typing import Literal

from acp_tui.protocol.content import SessionRef, TerminalRef
from acp_tui.state.commands import Cancel, CancelTerminal, CancelToolCall
from acp_tui.state.entries import (
    Entry,
    MessageEntry,
    Role,
    SubagentEntry,
    TerminalEntry,
    ToolCallEntry,
)
from acp_tui.state.session import Session
from acp_tui.state.state import State


class SubagentCondition(StrEnum):
    """The activity of a subagent, in words for display."""

    ASKS = "waiting for you"
    NEEDS_ACTION = "needs an action"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"
    STOPPED = "stopped"
    READY = "ready"
    LOST = "lost with the agent"
    UNKNOWN = "state not reported"


_STOPPED = {
    "end_turn": SubagentCondition.DONE,
    "error": SubagentCondition.FAILED,
    "cancelled": SubagentCondition.CANCELED,
}
_AT_WORK = {
    "running": SubagentCondition.WORKING,
    "requires_action": SubagentCondition.NEEDS_ACTION,
}


def condition_of(state: State, child: Session) -> SubagentCondition:
    """Return the condition of a subagent."""
    about = child.subagent
    if state.has_open_question(child.session_id):
        return SubagentCondition.ASKS
    reported = about.state if about is not None else None
    if about is None or reported not in (*_AT_WORK, "idle"):
        return SubagentCondition.UNKNOWN
    if reported != "idle":
        gone = child.closed or state.peer.process.exit is not None
        return SubagentCondition.LOST if gone else _AT_WORK[reported]
    if about.stop_reason is not None:
        return _STOPPED.get(about.stop_reason, SubagentCondition.STOPPED)
    return SubagentCondition.READY if about.began is None else SubagentCondition.DONE


def is_at_work(state: State, child: Session) -> bool:
    """Return whether a subagent is working, or waits for an answer."""
    return condition_of(state, child) in (
        SubagentCondition.ASKS,
        SubagentCondition.NEEDS_ACTION,
        SubagentCondition.WORKING,
    )


def working_since(state: State, session: Session) -> float | None:
    """Return when a session's current work (turn, own or subagent's) began; None if idle."""
    if session.turn is not None:
        return session.turn.started
    about = session.subagent
    if session.reported.active is not None or about is None:
        return session.reported.active
    return about.began if is_at_work(state, session) else None


def seconds_of(child: Session, now: float) -> float | None:
    """Return the seconds of a subagent's newest work until `now`, or its end. None if it hasn't
    worked, or its work was replayed.
    """
    about = child.subagent
    if about is None or about.began is None or not about.timed:
        return None
    return (now if about.ended is None else about.ended) - about.began


def tokens_of(child: Session) -> int | None:
    """Return the tokens that a subagent has used in total, or else those in its context."""
    usage = (child.subagent.usage if child.subagent is not None else None) or {}
    total = usage.get("totalTokens")
    return total if isinstance(total, int) else child.usage.used


def last_words_of(child: Session) -> str:
    """Return the last line of a subagent's newest message, or the reason why it failed."""
    if child.subagent is not None and child.subagent.error:
        return child.subagent.error
    for entry in reversed(child.entries):
        if isinstance(entry, MessageEntry) and entry.role is Role.AGENT:
            lines = (line.strip() for line in reversed(entry.text.splitlines()))
            return next(filter(None, lines), "")
    return ""


def describe_subagent(state: State, session_id: str) -> str:
    """Format a subagent's name, condition, and last words."""
    child = state.sessions.get(session_id)
    name = name_of(state, session_id)
    if child is None:
        return f"Subagent {name}"
    words = last_words_of(child)
    return f"Subagent {name}: {condition_of(state, child)}" + (f"\n{words}" if words else "")


def subagents_at(state: State, session: Session, entry: Entry) -> list[Session]:
    """Return the session's subagents that are shown in this entry."""
    ids: list[str] = []
    if isinstance(entry, SubagentEntry) and not entry.embedded:
        ids = [entry.session_id]
    elif isinstance(entry, ToolCallEntry):
        ids = [one.session_id for one in entry.content if isinstance(one, SessionRef)]
    found = (state.sessions.get(id) for id in dict.fromkeys(ids))
    return [
        one
        for one in found
        if one is not None
        and one.subagent is not None
        and one.subagent.parent == session.session_id
    ]


def name_of(state: State, session_id: str | None) -> str:
    """Return a session's title, or else its id. A subagent's title is followed by a number if
    earlier subagents of the same root session have the same title, which agents derive from the
    task.
    """
    session = state.sessions.get(session_id or "")
    if session is None or not session.title:
        return session_id or "?"
    if session.subagent is None:
        return session.title
    earlier = takewhile(lambda one: one is not session, state.sessions.values())
    alike = [one for one in earlier if one.subagent is not None and one.title == session.title]
    root = root_of(state, session.session_id)
    number = 1 + sum(root_of(state, one.session_id) == root for one in alike)
    return session.title if number == 1 else f"{session.title} {number}"


def root_of(state: State, session_id: str) -> str:
    """Return the id of the session that started a subagent, directly or through other subagents."""
    return list(_with_parents(state, session_id))[-1].session_id


def is_canceled(state: State, session_id: str) -> bool:
    """Return whether a session's work was canceled, or that of one of its parents."""
    return any(
        (one.turn is not None and one.turn.cancelled is not None)
        or (one.subagent is not None and one.subagent.canceled is not None)
        for one in _with_parents(state, session_id)
    )


def _with_parents(state: State, session_id: str) -> Iterator[Session]:
    """Yield a session, its parent, and so on to the root: `attach_subagent` prevents cycles."""
    session = state.sessions.get(session_id) or Session(session_id)
    yield session
    while session.subagent is not None:
        session = state.sessions[session.subagent.parent]
        yield session


def descendants_of(state: State, session_id: str) -> Iterator[Session]:
    """Yield a session's subagents, and their subagents."""
    children = defaultdict[str, list[Session]](list)
    for session in state.sessions.values():
        if session.subagent is not None:
            children[session.subagent.parent].append(session)
    waiting = children[session_id][::-1]
    while waiting:
        session = waiting.pop()
        yield session
        waiting += reversed(children[session.session_id])


ASKED: Literal["asked"] = "asked"
"""The entry was asked to stop, and hasn't stopped yet."""
Stop = CancelToolCall | CancelTerminal | Cancel


def command_that_stops(
    state: State, session: Session, entry: Entry
) -> Stop | Literal["asked"] | None:
    """Return the command that stops an entry, or else the first terminal or subagent in it. None if
    nothing can be stopped.
    """
    if isinstance(entry, ToolCallEntry) and entry.stop_requested:
        return ASKED
    if isinstance(entry, ToolCallEntry) and entry.can_cancel:
        return CancelToolCall(session.session_id, entry.tool_call_id)
    terminals = [state.terminals[id] for id in _terminals(entry) if id in state.terminals]
    waits = any(one.stop_requested for one in terminals)
    for terminal in terminals:
        if terminal.can_cancel and not terminal.stop_requested:
            return CancelTerminal(session.session_id, terminal.terminal_id)
    for child in running_subagents(state, entry):
        if child.subagent is not None and child.subagent.canceled is not None:
            waits = True
        elif child.subagent is not None and child.subagent.can_cancel:
            return Cancel(child.session_id)
    return ASKED if waits else None


def running_subagents(state: State, entry: Entry) -> list[Session]:
    """Return an entry's subagents that are working."""
    ids: list[str] = []
    if isinstance(entry, SubagentEntry):
        ids = [entry.session_id]
    elif isinstance(entry, ToolCallEntry):
        ids = sorted(entry.linked_sessions)
    children = [state.sessions[id] for id in ids if id in state.sessions]
    return [one for one in children if is_at_work(state, one)]


def _terminals(entry: Entry) -> list[str]:
    if isinstance(entry, TerminalEntry):
        return [entry.terminal_id]
    content = entry.content if isinstance(entry, ToolCallEntry) else []
    return [item.terminal_id for item in content if isinstance(item, TerminalRef)]
