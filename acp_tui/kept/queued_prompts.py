"""Prompts that came during a turn: they are sent after it, in order."""

from collections.abc import Callable
from typing import NamedTuple

from acp_tui.host.agent import Agent
from acp_tui.protocol.content import text_of
from acp_tui.state.commands import SendPrompt
from acp_tui.state.state import Phase, Session


class Waiting(NamedTuple):
    """A prompt that waits, and the screen that sent it."""

    agent: Agent
    prompt: SendPrompt
    screen: str


GiveBack = Callable[[Waiting], None]
"""Reports a prompt that won't be sent."""


class WaitingPrompts:
    """Queues the prompts of several screens: a turn is for one prompt, and none may be lost."""

    def __init__(self, give_back: GiveBack) -> None:
        self._give_back = give_back
        self._all: list[Waiting] = []

    def of(self, agent: Agent, session_id: str) -> int:
        """Return how many prompts wait in a session."""
        return sum(self._is_of(one, agent, session_id) for one in self._all)

    def send_or_queue(self, agent: Agent, prompt: SendPrompt, screen: str) -> bool:
        """Send a prompt; return whether it has to wait."""
        session = agent.state.sessions.get(prompt.session_id)
        busy = session is not None and (session.turn is not None or session.loading is not None)
        if busy or self.of(agent, prompt.session_id):
            self._all.append(Waiting(agent, prompt, screen))
            return True
        agent.do(prompt)
        return False

    def follow(self, agent: Agent) -> None:
        """Send the prompts that can be sent by now; report those that never can be."""
        for one in [one for one in self._all if one.agent is agent]:
            session = agent.state.sessions.get(one.prompt.session_id)
            if one not in self._all:
                continue  # sent meanwhile
            if session is None or session.lost or session.closed or _is_gone(agent):
                self._all.remove(one)
                self._give_back(one)
            elif _is_free(session) and agent.state.peer.phase is Phase.CONNECTED:
                self._all.remove(one)
                agent.do(one.prompt)

    def cancel(self, agent: Agent, session_id: str) -> None:
        """Give back the prompts that wait in a session: what was meant to follow the turn may make
        no sense.
        """
        for one in [one for one in self._all if self._is_of(one, agent, session_id)]:
            self._all.remove(one)
            self._give_back(one)

    def forget(self, agent: Agent) -> None:
        """Forget the queued prompts of a closed agent."""
        for one in [one for one in self._all if one.agent is agent]:
            self._all.remove(one)
            self._give_back(one)

    def _is_of(self, one: Waiting, agent: Agent, session_id: str) -> bool:
        return one.agent is agent and one.prompt.session_id == session_id


def words_of(one: Waiting) -> str:
    """Return the text of a prompt that waits."""
    return text_of(one.prompt.prompt)


def _is_free(session: Session) -> bool:
    return session.opened and session.turn is None and session.loading is None


def _is_gone(agent: Agent) -> bool:
    return agent.state.peer.phase in (Phase.FAILED, Phase.EXITED)
