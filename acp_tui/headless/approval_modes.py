"""Modes in which the agent doesn't ask for approval, as `run` warns of them."""

from acp_tui.state.modes import Mode, unasked_choice
from acp_tui.state.state import Session


class ApprovalModes:
    """Follows which mode or option of each session skips approval."""

    def __init__(self) -> None:
        self._unasked: dict[str, str | None] = {}
        """The id of the last one of each session."""

    def entered(self, session: Session) -> Mode | None:
        """Return a mode or an option that skips approval, once while it lasts; or None."""
        before = self._unasked.get(session.session_id)
        self._unasked[session.session_id] = session.unasked_mode
        return unasked_choice(session) if session.unasked_mode not in (None, before) else None
