"""Records what the client finds out about the files that tool calls edit, before and after."""

from acp_tui.protocol.content import Diff
from acp_tui.protocol.events import EditCompared, EditLooked
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.entries import EditFacts, ToolCallEntry, diff_key
from acp_tui.state.reducers import tool_calls, transcript
from acp_tui.state.state import State


def apply_comparison(state: State, event: EditLooked | EditCompared) -> list[Change]:
    """Apply a comparison of a file before or after a tool call."""
    session = state.session(event.session_id)
    call = session.newest_key(event.tool_call_id)
    if event.use is not None:
        call = event.tool_call_id, event.use
    entry = session.call_of(call)
    if entry is None:
        return []
    facts = entry.edits = entry.edits or EditFacts()
    facts.count += 1
    if isinstance(event, EditCompared):
        facts.compared.append(event)
    else:
        _add_look(entry, facts, event)
    changes = tool_calls.waiting_call_changed(session, call)
    changes += transcript.redraw_turn_end(session, entry.at if entry.ended is None else entry.ended)
    if any(one.call == call for one in session.permissions):
        changes.append(ScreenChanged())
    return changes


def _add_look(entry: ToolCallEntry, facts: EditFacts, event: EditLooked) -> None:
    if event.first:
        facts.looks.clear()
    if 0 <= event.item < len(entry.content):
        diff = entry.content[event.item]
        if isinstance(diff, Diff):
            facts.places[diff_key(diff)] = event
    if event.remark or event.derived:
        facts.looks.append(event)
