"""What a desktop notification says."""

from typing import NamedTuple

from acp_tui.formatting import duration
from acp_tui.host.agent import Agent
from acp_tui.host.session_names import title_of
from acp_tui.state.entries import TurnEndEntry
from acp_tui.state.subject import subject
from acp_tui.text import clean_line, one_line
from acp_tui.ui.tabs.conditions import exit_words
from acp_tui.ui.tabs.open_questions import Asked, AskedPermission
from acp_tui.ui.toolkit.shortened import cropped

LONGEST_TEXT = 160
"""The most characters of a text: it may be shown on a locked screen, and nobody scrolls there."""
_DONE = "end_turn"


class DesktopNotification(NamedTuple):
    """Both texts are one clean line that begins with a word of ours, never with the agent's."""

    title: str
    body: str


def asks(asked: Asked) -> DesktopNotification:
    """Say what an agent asks."""
    state = asked.agent.state
    if isinstance(asked, AskedPermission):
        words = f"asks for permission: {subject(state, asked.permission)}"
    else:
        words = f"asks: {one_line(asked.elicitation.message)}"
    return _about(asked.agent, asked.session_id, words)


def turn_ended(agent: Agent, session_id: str, end: TurnEndEntry) -> DesktopNotification:
    """Say how a turn ended."""
    took = duration(end.at - end.started)
    return _about(agent, session_id, f"{_how(end)} after {took}")


def agent_gone(agent: Agent) -> DesktopNotification:
    """Say that an agent no longer runs, and why."""
    peer = agent.state.peer
    why = one_line(peer.trouble) if peer.exit is None and peer.trouble else exit_words(peer)
    return _about(agent, None, f"is gone: {why}")


def wants(agent: Agent, what: str) -> DesktopNotification:
    """Say what else a person is wanted for."""
    return _about(agent, None, what)


def is_failure(end: TurnEndEntry) -> bool:
    """Return whether a turn ended otherwise than by being done."""
    return end.stop_reason != _DONE


def _how(end: TurnEndEntry) -> str:
    if end.error is not None:
        return f"failed ({one_line(end.error.message)})"
    if end.lost is not None:
        return f"failed ({one_line(end.lost)})"
    if end.stop_reason == _DONE:
        return "is done"
    return f"stopped ({one_line(end.stop_reason or 'no reason')})"


def _about(agent: Agent, session_id: str | None, words: str) -> DesktopNotification:
    title = one_line(title_of(agent.state, session_id or ""))
    name = f"acp-tui: {clean_line(agent.name)}"
    whose = f" in {title}" if title else ""
    return DesktopNotification(
        cropped(f"{name}{whose}", LONGEST_TEXT), cropped(words, LONGEST_TEXT)
    )
