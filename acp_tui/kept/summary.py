"""One-line summaries of agents and sessions of kept runs, for `acp-tui ps` and the launcher."""

from collections.abc import Callable, Iterable
from typing import Any

from acp_tui.host.agent import Agent
from acp_tui.host.session_names import can_reopen, title_or_prompt
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line

LONGEST_QUESTION = 200
"""Longest description of a state that is shown, in characters."""
WAITS = "waits for you"


def is_over(state: State) -> bool:
    """Return whether an agent has ended, and won't be restarted automatically."""
    peer = state.peer
    return peer.phase in (Phase.FAILED, Phase.EXITED) and peer.restart.planned is None


def how_to_continue(agents: Iterable[Agent], command: str) -> str:
    """Return the line with the command that continues a session; "" if no session with content
    could be opened again.
    """
    used = any(
        any(session.entries for session in agent.state.sessions.values())
        and (can_reopen(agent.state.peer) or "--no-record" not in command)
        for agent in agents
    )
    return f"continue with: {command}\n" if used and command else ""


def how_to_attach(name: str, agents: Iterable[Agent], command: str) -> str:
    """Return the lines that say how to attach to a run, and how to continue its session after it
    has ended.
    """
    later = how_to_continue(agents, command)
    ended = f"once it has ended, {later}" if later else ""
    return f"{name} is kept running: acp-tui attach {name}\n{ended}"


def session_rows(agent: Agent, now: float, waiting: Callable[[str], int]) -> list[dict[str, Any]]:
    """Return a row for each session of an agent: its state, for how many seconds, and the number of
    prompts `waiting` for it.

    If there are no sessions, return one row for the agent itself.
    """
    state = agent.state
    name = clean_line(agent.called or state.peer.name)
    sessions = [] if state.peer.phase is not Phase.CONNECTED else state.open_sessions()
    rows: list[dict[str, Any]] = []
    for session in sessions:
        words, since = _describe_session(state, session)
        title = title_or_prompt(state, session)
        row = {"session": session.session_id, "title": title, **_activity(words, since, now)}
        rows.append({**row, "waiting": waiting(session.session_id)})
    if not rows:
        words, since = _describe_agent(state)
        rows.append({"session": None, "title": "", **_activity(words, since, now), "waiting": 0})
    folder = state.peer.cwd or next(iter(agent.place), "")
    return [{"agent": name, "cwd": folder, **row} for row in rows]


def _activity(words: str, since: float | None, now: float) -> dict[str, Any]:
    seconds = None if since is None else round(max(0.0, now - since), 1)
    return {"state": clean_line(words)[:LONGEST_QUESTION], "seconds": seconds}


def _describe_session(state: State, session: Session) -> tuple[str, float | None]:
    """Return a session's state in words, and since when."""
    if session.permissions:
        from acp_tui.state.subject import format_subject

        permission = session.permissions[0]
        return f"{WAITS}: {format_subject(state, permission)}", permission.at
    for question in _questions(state, session.session_id):
        return question
    if session.turn is not None:
        word = "working" if session.turn.cancelled is None else "canceling"
        return word, session.turn.started
    if session.reported.active is not None:
        return "working", session.reported.active
    if session.opening.loading is not None:
        return "loading", None
    return "ready", session.entries[-1].at if session.entries else None


def _questions(state: State, session_id: str | None) -> Iterable[tuple[str, float]]:
    for one in state.elicitations:
        if one.session_id == session_id or one.session_id is None:
            yield f"{WAITS}: {one.message}", one.at


def _describe_agent(state: State) -> tuple[str, float | None]:
    """Return the state of an agent without a session, and since when."""
    peer = state.peer
    if state.trust is not None:
        return f"{WAITS}: the MCP servers of {state.trust.file}", state.trust.at
    for question in _questions(state, None):
        return question
    match peer.phase:
        case Phase.SIGN_IN:
            return f"{WAITS}: a sign-in", None
        case Phase.FAILED | Phase.EXITED:
            ended = peer.process.exit
            why = ended.words if ended is not None else peer.trouble or "the agent isn't running"
            return why, ended.at if ended is not None else None
        case Phase.NO_SESSION:
            return f"no session: {peer.trouble}", None
        case Phase.CONNECTED:
            return "opening a session", peer.process.started
    return "starting", peer.process.started


def agent_facts(agent: Agent) -> dict[str, Any]:
    """Return the facts about an agent that its records lack, for a screen."""
    return {
        "called": agent.called,
        "place": list(agent.place),
        "program_facts": dict(agent.program_facts),
        "limits": dict(vars(agent.limits)),
        "resumed": agent.resumed,
        "choosing_options": agent.choosing_options,
        "settings": None if agent.settings is None else dict(vars(agent.settings)),
    }
