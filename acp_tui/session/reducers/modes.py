"""A session in a mode that doesn't ask for approval: its transcript says so, whoever chose it."""

from acp_tui.session.changes import Change
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.modes import current_mode
from acp_tui.session.reducers.turns import add_entry
from acp_tui.session.state import Session


def announce_mode(session: Session, at: float) -> list[Change]:
    """Write a notice when a session comes into a mode that doesn't ask."""
    mode = current_mode(session)
    unasked = mode if mode is not None and mode.no_approval_phrase else None
    before, session.unasked_mode = session.unasked_mode, unasked.id if unasked else None
    if unasked is None or unasked.id == before:
        return []
    title = f"Mode {unasked.name}: the agent doesn't ask before it acts"
    said = f"The agent says of it: {unasked.description}" if unasked.description else None
    return add_entry(session, NoticeEntry(at, "warning", title, said, ours=True, ended=at))
