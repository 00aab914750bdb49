"""Work that goes on while no turn runs: what an agent reports as in the background, and subagents."""

from acp_tui.state.session import Background, Session
from acp_tui.state.state import State
from acp_tui.state.subagents import descendants_of, is_at_work, name_of


def task_name(state: State, session: Session, work: Background) -> str:
    """Return the name of a task in the background; its kind if it has none and is unknown here."""
    match work.kind:
        case "terminal":
            mine = (
                one
                for one in state.terminals.values()
                if one.session_id == session.session_id and one.named == work.id
            )
            return next((one.command for one in mine), "")
        case "tool_call":
            call = session.tool_call(work.id)
            return call.title if call is not None else ""
        case "subagent":
            child = state.sessions.get(work.id)
            return (child.title if child is not None else None) or ""
    return work.name or work.kind


def unfinished_work(state: State, session: Session) -> list[str]:
    """Return the names of the tasks and subagents of a session that are at work."""
    tasks = session.reported.background or []
    listed = {one.id for one in tasks}
    subagents = [
        name_of(state, child.session_id)
        for child in descendants_of(state, session.session_id)
        if is_at_work(state, child) and child.session_id not in listed
    ]
    return [
        *(task_name(state, session, one) or one.id for one in tasks),
        *subagents,
        *(one.shown_name for one in session.tasks.values() if not one.is_over),
    ]
