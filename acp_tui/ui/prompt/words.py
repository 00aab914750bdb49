"""What the prompt says of itself."""

from acp_tui.state.state import Peer, Phase, Session
from acp_tui.text import clean, one_line, reveal_escapes
from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs.conditions import is_ready

MISSING_PARTS = {
    Phase.FAILED: "No agent now",
    Phase.EXITED: "No agent now",
    Phase.NO_SESSION: "No session now",
}
"""What is missing while nothing can be sent."""
INVITATION = "Ask the agent"
"""What it says before anything is known."""


def suggestion(peer: Peer, session: Session | None, *, waits: bool) -> str:
    """Return the prompt that the agent suggests, where it could be sent now, as it is written. `waits` is
    whether something else has to be sent or answered first.
    """
    if session is None or session.subagent is not None or session.turn is not None or waits:
        return ""
    text = clean(reveal_escapes(session.suggested_prompt)) if is_ready(peer, session) else ""
    return f" {text}" if text.startswith("!") else text  # a command is the person's own


def invitation_to(suggested: str) -> str:
    """Return what stands in the empty prompt where the agent suggests one."""
    return f"{key_name('tab', 'prompt')} writes: {one_line(suggested)}"


def invitation(peer: Peer, session: Session | None, hint: str, *, waits: bool, held: bool) -> str:
    """What stands in the prompt while nothing is written, with a hint at what can be used; `waits` is
    whether prompts wait to be sent, `held` whether they wait for the person.
    """
    if peer.phase in MISSING_PARTS:
        return f"{MISSING_PARTS[peer.phase]}: what is written here is kept"
    if session is not None and session.subagent is not None:
        return "A subagent's session, to read: only the agent talks to it"
    if session is not None and session.turn is not None:
        return "Keep typing: sent after this turn"
    if held:
        return "Enter sends what is held; Esc takes it back"
    if not is_ready(peer, session):
        when = (
            "after the sign-in" if peer.phase is Phase.SIGN_IN else "as soon as the agent is ready"
        )
        return f"Sent {when}; Esc takes it back" if waits else f"Keep typing: sent {when}"
    return f"{INVITATION}; {hint}" if hint else INVITATION
