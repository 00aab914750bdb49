"""Names of work that continues without a turn: the agent's background work, and subagents."""

from acp_tui.state.session import Background, Session
from acp_tui.state.state import State
from acp_tui.state.subagents import descendants_of, is_at_work, name_of


def task_name(state: State, session: Session, work: Background) -> str:
    """Return the name of background work; for an unknown kind without a name, the kind."""
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
    """Return the names of a session's background work and subagents that haven't finished."""
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
