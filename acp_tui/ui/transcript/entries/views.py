"""Maps each kind of entry to its view."""

from collections.abc import Callable
from typing import Any

from acp_tui.state.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    PlanSnapshot,
    RawEntry,
    Role,
    SubagentEntry,
    TerminalEntry,
    ToolCallEntry,
    TurnEndEntry,
)
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.transcript.document import Document
from acp_tui.ui.transcript.entries.context import Context
from acp_tui.ui.transcript.entries.entry_view import EntryView
from acp_tui.ui.transcript.entries.message import AgentView, ThoughtView, UserView
from acp_tui.ui.transcript.entries.notices import CompactionView, NoticeView, RawView, TurnEndView
from acp_tui.ui.transcript.entries.plan import PlanView
from acp_tui.ui.transcript.entries.subagent import SubagentView
from acp_tui.ui.transcript.entries.terminal import TerminalView
from acp_tui.ui.transcript.entries.tool_call import ToolCallLines

_MESSAGES = {Role.USER: UserView, Role.AGENT: AgentView, Role.THOUGHT: ThoughtView}


def view_of(entry: Entry, context: Context) -> EntryView[Any]:
    """Return the view of an entry."""
    match entry:
        case MessageEntry():
            return _MESSAGES[entry.role](entry, context)
        case ToolCallEntry():
            return ToolCallLines(entry, context)
        case PlanSnapshot():
            return PlanView(entry, context)
        case NoticeEntry():
            return NoticeView(entry, context)
        case CompactionEntry():
            return CompactionView(entry, context)
        case TerminalEntry():
            return TerminalView(entry, context)
        case SubagentEntry():
            return SubagentView(entry, context)
        case TurnEndEntry():
            return TurnEndView(entry, context)
        case RawEntry():
            return RawView(entry, context)


def document_of(state: State, session: Session, clock: Callable[[], float]) -> Document:
    """Return a session's document for drawing without a screen, with diffs cut to changes."""
    return Document(Context(state, session, clock, whole_diffs=False), view_of)
