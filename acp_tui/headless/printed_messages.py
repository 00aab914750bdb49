"""What was printed of the agent's messages: some are sent whole after their pieces, or are changed."""

from acp_tui.state.entries import MessageEntry, Role
from acp_tui.state.state import Session

WHOLE = "agent_message"
"""The update that has a whole message, of version 2."""


class Said:
    """Keeps what was printed of each message that has an id for good."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def piece(self, session: Session, message_id: str | None, text: str) -> None:
        """Note that a piece was printed."""
        if message_id is not None and (Role.AGENT, message_id) in session.message_ids:
            self._texts[message_id] = self._texts.get(message_id, "") + text

    def rest(self, session: Session, message_id: str) -> tuple[str, bool]:
        """Return what is to be printed of a message, and whether it replaces what was printed."""
        entry = session.entries[session.message_ids[Role.AGENT, message_id]]
        assert isinstance(entry, MessageEntry)
        before, now = self._texts.get(message_id, ""), entry.text
        self._texts[message_id] = now
        changed = not now.startswith(before)
        return (now if changed else now[len(before) :]), changed
