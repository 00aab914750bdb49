"""What the prompt says of itself."""

from acp_tui.session.state import Session
from acp_tui.ui.bindings import key_name


def what_closes() -> str:
    """Tell which key closes the session, to whom presses the one that closes windows elsewhere."""
    word, session = key_name("ctrl+w", "prompt"), key_name("alt+w")
    return f"{word} deletes a word; {session} closes the session"


def invitation(session: Session | None, hint: str = "/ for its commands, @ for files") -> str:
    """What stands in the prompt while nothing is written, with a hint at what can be used."""
    if session is not None and session.subagent is not None:
        return "A subagent's session, to read: only the agent talks to it"
    if session is not None and session.turn is not None:
        return "Write on: it is sent after this turn"
    return f"Ask the agent; {hint}" if hint else "Ask the agent"
