"""Answers from several screens: the first one to a question counts."""

from dataclasses import replace
from typing import NamedTuple

from acp_tui.host.agent import Agent
from acp_tui.state.commands import AnswerElicitation, AnswerPermission
from acp_tui.text import clean_line

MOST_REMEMBERED_ANSWERS = 1000
"""Answered questions that are remembered, with the screen that answered."""
Reply = AnswerPermission | AnswerElicitation


class ScreenAnswer(NamedTuple):
    """The screen that answered a question, and the answer."""

    screen: str
    words: str


class ScreenAnswers:
    """Passes answers on to the agent, one for each question."""

    def __init__(self) -> None:
        self._given: dict[tuple[Agent, int], ScreenAnswer] = {}

    def reply(
        self, agent: Agent, command: Reply, screen: str, *, alone: bool
    ) -> ScreenAnswer | None:
        """Answer a question from a screen; with `alone` it is the only one, and isn't recorded by name.

        Returns None if the question is gone, or the agent's form doesn't accept the answer.
        """
        words = _answer_words(agent, command)
        if words is None:
            return None
        agent.do(command if alone else replace(command, screen=screen))
        if _answer_words(agent, command) is not None:
            return None  # it is still open: the form doesn't accept the answer
        answer = self._given[agent, command.number] = ScreenAnswer(screen, words)
        if len(self._given) > MOST_REMEMBERED_ANSWERS:
            del self._given[next(iter(self._given))]
        return answer

    def before(self, agent: Agent, number: int) -> ScreenAnswer | None:
        """Return the earlier answer to a question, if there is one."""
        return self._given.get((agent, number))

    def forget(self, agent: Agent) -> None:
        """Forget the answers to a closed agent."""
        self._given = {key: one for key, one in self._given.items() if key[0] is not agent}


def _answer_words(agent: Agent, command: Reply) -> str | None:
    """Return the answer in words; None if the question is gone."""
    if isinstance(command, AnswerElicitation):
        question = agent.state.elicitation(command.number)
        return None if question is None else f"{command.action}: {clean_line(question.message)}"
    permission = agent.state.permission(command.number)
    if permission is None:
        return None
    names = [one.name for one in permission.alike(command.option_id)]
    return clean_line(" or ".join(names) or "canceled")


def is_asked(agent: Agent, number: int) -> bool:
    """Return whether a question is still open."""
    state = agent.state
    return state.permission(number) is not None or state.elicitation(number) is not None
