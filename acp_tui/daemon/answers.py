"""Who answered what: several screens show one question, and the first answer counts."""

from dataclasses import replace
from typing import NamedTuple

from acp_tui.session.commands import AnswerElicitation, AnswerPermission
from acp_tui.text import clean_line
from acp_tui.ui.sessions.agent import Agent

MOST = 1000
"""Of so many questions it is known who answered them."""
Reply = AnswerPermission | AnswerElicitation


class Answer(NamedTuple):
    """Where a question was answered, and what with."""

    screen: str
    words: str


class Answers:
    """Passes answers on, each question's once."""

    def __init__(self) -> None:
        self._given: dict[tuple[Agent, int], Answer] = {}

    def reply(self, agent: Agent, command: Reply, screen: str, *, alone: bool) -> Answer | None:
        """Answer a question from a screen that may be `alone`; None if nothing is asked any more, or
        what was answered will not do.
        """
        words = _words(agent, command)
        if words is None:
            return None
        agent.do(command if alone else replace(command, screen=screen))
        if _words(agent, command) is not None:
            return None  # the agent's form wants something else
        answer = self._given[agent, command.number] = Answer(screen, words)
        if len(self._given) > MOST:
            del self._given[next(iter(self._given))]
        return answer

    def before(self, agent: Agent, number: int) -> Answer | None:
        """How a question was answered."""
        return self._given.get((agent, number))

    def forget(self, agent: Agent) -> None:
        """Let go of an agent that was closed."""
        self._given = {key: one for key, one in self._given.items() if key[0] is not agent}


def _words(agent: Agent, command: Reply) -> str | None:
    """What is answered, in words; None if nothing is asked any more."""
    if isinstance(command, AnswerElicitation):
        question = agent.state.elicitation(command.number)
        return None if question is None else f"{command.action}: {clean_line(question.message)}"
    permission = agent.state.permission(command.number)
    if permission is None:
        return None
    names = [one.name for one in permission.alike(command.option_id)]
    return clean_line(" or ".join(names) or "cancelled")


def is_asked(agent: Agent, number: int) -> bool:
    """Whether a question waits."""
    state = agent.state
    return state.permission(number) is not None or state.elicitation(number) is not None
