"""Notices about sessions in which the agent doesn't ask for approval, whoever chose that mode."""

from acp_tui.state.changes import Change
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.modes import current_mode, unasked_choice
from acp_tui.state.reducers.turns import add_entry
from acp_tui.state.state import Session


def announce_mode(session: Session, at: float) -> list[Change]:
    """Add a notice when a session enters a mode, or gets an option, that skips approval."""
    unasked = unasked_choice(session)
    before, session.unasked_mode = session.unasked_mode, unasked.id if unasked else None
    if unasked is None or unasked.id == before:
        return []
    what = "Mode" if unasked == current_mode(session) else "Option"
    title = f"{what} {unasked.name}: the agent doesn't ask before it acts"
    said = f"The agent says of it: {unasked.description}" if unasked.description else None
    return add_entry(session, NoticeEntry(at, "warning", title, said, ours=True, ended=at))
