"""The summary of a turn that is over."""

from typing import Any

from acp_tui.headless.outcome import Ended
from acp_tui.state.entries import Entry, MessageEntry, Role, ToolCallEntry, TurnEndEntry
from acp_tui.state.state import Session


def summary(
    session: Session | None, prompt: MessageEntry | None, ended: Ended, seconds: float
) -> dict[str, Any]:
    """Summarize the turn of a prompt that took so many seconds; without a session if none was opened,
    and of no turn if none began.
    """
    facts: dict[str, Any] = {
        "exitCode": int(ended.code),
        "why": ended.why,
        "seconds": round(seconds, 3),
    }
    if session is None:
        return facts
    entries = [] if prompt is None else _since(prompt, session)
    ends = [entry for entry in entries if isinstance(entry, TurnEndEntry)]
    messages = [one for one in entries if isinstance(one, MessageEntry)]
    calls = [one for one in entries if isinstance(one, ToolCallEntry)]
    return facts | {
        "sessionId": session.session_id,
        "stopReason": ends[-1].stop_reason if ends else None,
        "text": "\n".join(one.text for one in messages if one.role is Role.AGENT),
        "toolCalls": [
            {"title": one.title, "kind": one.kind, "status": one.status} for one in calls
        ],
        "usage": ends[-1].usage if ends else None,
    }


def _since(prompt: MessageEntry, session: Session) -> list[Entry]:
    """The entries of this turn: before its prompt there may be the history of an earlier session."""
    place = next(place for place, entry in enumerate(session.entries) if entry is prompt)
    return session.entries[place:]
