"""The heading of an export: a title, and facts about the session."""

from dataclasses import dataclass
from datetime import datetime

from acp_tui.masking.redactor import Redactor
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line


@dataclass(frozen=True, slots=True)
class ExportAbout:
    """A title, and facts by name; each is a single clean line."""

    title: str
    facts: tuple[tuple[str, str], ...]


def heading_of(state: State, session: Session, when: datetime | None) -> ExportAbout:
    """Return the heading for a session that began at `when`."""
    peer = state.peer
    info = peer.initialized.agent_info if peer.initialized else None
    agent = f"{peer.name} {info.version or ''}" if info else peer.name
    facts = {
        "Agent": agent.strip(),
        "Protocol": "" if peer.version == 1 else f"ACP {peer.version} (preview)",
        "Session": session.session_id,
        "Folder": session.cwd,
        "Date": f"{when:%Y-%m-%d %H:%M}" if when else "",
    }
    return ExportAbout(
        _mask_line(session.title or f"Session with {peer.name}"),
        tuple((name, _mask_line(value)) for name, value in facts.items() if value),
    )


def _mask_line(text: str) -> str:
    """Return a text masked and on one line: even a name may be a secret."""
    return clean_line(Redactor().text(text, "name"))
