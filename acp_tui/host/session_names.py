"""Names of sessions and agents, for screens and lists."""

from acp_tui.config.known_agents import KNOWN_AGENTS
from acp_tui.host.agent import Agent
from acp_tui.state.entries import is_prompt
from acp_tui.state.peer import Peer
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subagents import name_of
from acp_tui.text import clean_line, clean_title

FIRST = 20
"""First entries of a session in which its first prompt is searched for."""
LONGEST_NAME = 160
"""Most characters of a prompt that is used as a name."""


def session_name(state: State, session: Session) -> str:
    """Return a session's title, or its subagent's name if it has both; else its first prompt, the
    subagent's name or id, or the agent's name.
    """
    name = subagent_name(state, session.session_id)
    if name and session.title:
        return name
    return title_or_prompt(state, session) or name or clean_line(state.peer.name)


def subagent_name(state: State, session_id: str) -> str:
    """Return the name of the subagent to which a session belongs, or ""."""
    session = state.sessions.get(session_id)
    if session is None or session.subagent is None:
        return ""
    return clean_title(name_of(state, session_id)) or clean_line(session_id)


def for_subagent(state: State, session_id: str | None) -> str:
    """Return " for its subagent NAME" for a question in a subagent's session, else "".

    A session that nobody opened is named, too: it may belong to a subagent that isn't announced
    yet.
    """
    name = subagent_name(state, session_id or "")
    if name or not session_id:
        return f" for its subagent {name}" if name else ""
    session = state.sessions.get(session_id) or Session(session_id)
    known = session.opened or session.closed or session.lost or session.opening.loading is not None
    opening = any(call.method in ("session/new", "session/fork") for call in state.calls.values())
    is_partly_known = not state.open_sessions()  # as in a log whose beginning is missing
    return (
        ""
        if known or opening or is_partly_known
        else f" for the unannounced session {clean_line(session_id)}"
    )


def title_or_prompt(state: State, session: Session) -> str:
    """Return a session's title, else its first prompt, or ""."""
    return clean_title(session_title(state, session.session_id)) or _first_prompt(session)


def _first_prompt(session: Session) -> str:
    for entry in session.entries[:FIRST]:
        if is_prompt(entry):
            text = clean_line(" ".join(entry.own_text[: 2 * LONGEST_NAME].split()))
            return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
    return ""


def session_title(state: State, session_id: str) -> str:
    """Return the title of a session that is open or in the agent's session list, or ""."""
    both = (state.sessions.get(session_id), state.catalogue.sessions.get(session_id))
    return next((one.title for one in both if one is not None and one.title), "")


def can_reopen(peer: Peer) -> bool:
    """Return whether the agent can reopen an earlier session."""
    return peer.offers("session/load") or peer.offers("session/resume")


def agent_name(agent: Agent) -> str:
    """Return the name that an agent reports; until then its usual one, or that in the settings."""
    peer = agent.state.peer
    if peer.initialized is not None or not agent.called:
        return clean_line(peer.name)
    known = KNOWN_AGENTS.get(agent.called)
    return clean_line(agent.called) if known is None else known.title
