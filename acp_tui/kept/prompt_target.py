"""Which session of a kept run a prompt is for."""

from collections.abc import Iterable

from acp_tui.errors import AcpTuiError
from acp_tui.host.agent import Agent
from acp_tui.protocol.content import TextContent
from acp_tui.state.commands import SendPrompt
from acp_tui.state.state import Session
from acp_tui.text import clean_line, whole


class UnclearError(AcpTuiError):
    """It is unclear which session is meant; the text names all sessions."""


def addressed(
    agents: Iterable[Agent], name: str, text: str, wanted: str
) -> tuple[Agent, SendPrompt]:
    """Return the prompt, and the agent of the session: of the only one, or of the one whose id begins
    as `wanted`, or that has this title. Raises UnclearError.
    """
    found = [
        (agent, session)
        for agent in agents
        for session in agent.state.open_sessions()
        if session.subagent is None
    ]
    meant = [one for one in found if _is_meant(one[1], wanted)]
    if len(meant) != 1:
        raise UnclearError(_which(name, [session for _, session in found], wanted))
    ((agent, session),) = meant
    return agent, SendPrompt(session.session_id, (TextContent(text=whole(text)),))


def _is_meant(session: Session, wanted: str) -> bool:
    return session.session_id.startswith(wanted) or (bool(wanted) and session.title == wanted)


def _which(name: str, found: Iterable[Session], wanted: str) -> str:
    there = ", ".join(clean_line(f"{one.session_id} {one.title or ''}").strip() for one in found)
    if not there:
        return f"{name} has no open session; see acp-tui ps"
    why = f"no single session begins with {wanted!r}" if wanted else "there are several sessions"
    return f"{why}: name one by --session ID; there are: {there}"
