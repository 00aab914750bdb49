"""Prompts and answers from several screens: prompts are queued during a turn, and the first answer
to a question counts.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from acp_tui.errors import AcpTuiError
from acp_tui.host.agent import Agent
from acp_tui.protocol.content import TextContent
from acp_tui.state.commands import AnswerElicitation, AnswerPermission, SendPrompt
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from acp_tui.text import clean_line, join_surrogates


class WaitingPrompt(NamedTuple):
    """A queued prompt, and the name of the screen that sent it."""

    agent: Agent
    prompt: SendPrompt
    screen: str

    def is_for(self, agent: Agent, session_id: str | None) -> bool:
        """Return whether the prompt is for an agent, and for this session unless that is None."""
        return self.agent is agent and session_id in (None, self.prompt.session_id)


ReturnPrompt = Callable[[WaitingPrompt], None]
"""Reports a prompt that will not be sent."""


class WaitingPrompts:
    """Queues prompts of several screens: a turn has only one prompt, and none may get lost."""

    def __init__(self, return_prompt: ReturnPrompt) -> None:
        self._return_prompt = return_prompt
        self._all: list[WaitingPrompt] = []

    def count_waiting(self, agent: Agent, session_id: str) -> int:
        """Return the number of a session's queued prompts."""
        return sum(one.is_for(agent, session_id) for one in self._all)

    def send_or_queue(self, agent: Agent, prompt: SendPrompt, screen: str) -> bool:
        """Send a prompt, or queue it if a turn is running; return whether it was queued."""
        session = agent.state.sessions.get(prompt.session_id)
        busy = session is not None and (
            session.turn is not None or session.opening.loading is not None
        )
        if busy or self.count_waiting(agent, prompt.session_id):
            self._all.append(WaitingPrompt(agent, prompt, screen))
            return True
        agent.do(prompt)
        return False

    def follow(self, agent: Agent) -> None:
        """Send the queued prompts that can be sent now; give back those that never can."""
        for one in [one for one in self._all if one.agent is agent]:
            session = agent.state.sessions.get(one.prompt.session_id)
            if one not in self._all:
                continue  # sent or given back as a consequence of the previous prompt
            phase = agent.state.peer.phase
            is_gone = phase in (Phase.FAILED, Phase.EXITED)
            if session is None or session.lost or session.closed or is_gone:
                self._all.remove(one)
                self._return_prompt(one)
                continue
            is_free = session.opened and session.turn is None and session.opening.loading is None
            if is_free and phase is Phase.CONNECTED:
                self._all.remove(one)
                agent.do(one.prompt)

    def cancel(self, agent: Agent, session_id: str | None = None) -> None:
        """Give back the queued prompts of a closed agent, or of one session, as they may make no
        sense after a canceled turn.
        """
        for one in [one for one in self._all if one.is_for(agent, session_id)]:
            self._all.remove(one)
            self._return_prompt(one)


class AmbiguousSessionError(AcpTuiError):
    """A prompt fits several sessions, or none; the message lists all sessions."""


def address_prompt(
    agents: Iterable[Agent], name: str, text: str, title_or_id: str
) -> tuple[Agent, SendPrompt]:
    """Build the prompt for a session, and return it with the session's agent.

    The session is the only one, or the one whose title is `title_or_id`, or whose id begins with
    `title_or_id`. Raises AmbiguousSessionError.
    """
    found = [(agent, session) for agent in agents for session in agent.state.open_sessions()]
    meant = [
        (agent, session)
        for agent, session in found
        if session.session_id.startswith(title_or_id)
        or (bool(title_or_id) and session.title == title_or_id)
    ]
    if len(meant) != 1:
        raise AmbiguousSessionError(
            _which_session(name, [session for _, session in found], title_or_id)
        )
    ((agent, session),) = meant
    return agent, SendPrompt(session.session_id, (TextContent(text=join_surrogates(text)),))


def _which_session(name: str, found: Iterable[Session], title_or_id: str) -> str:
    there = ", ".join(clean_line(f"{one.session_id} {one.title or ''}").strip() for one in found)
    if not there:
        return f"{name} has no open session; see acp-tui ps"
    why = (
        f"no single session begins with {title_or_id!r}"
        if title_or_id
        else "there are several sessions"
    )
    return f"{why}: name one by --session ID; there are: {there}"


MOST_REMEMBERED_ANSWERS = 1000
"""Number of answered questions that are remembered, with the screen that answered."""
Reply = AnswerPermission | AnswerElicitation


class ScreenAnswer(NamedTuple):
    """An answer to a question, and the screen that gave it."""

    screen: str
    words: str


class ScreenAnswers:
    """Passes answers on to the agents: only the first one for each question."""

    def __init__(self) -> None:
        self._answers: dict[tuple[Agent, int], ScreenAnswer] = {}

    def reply(
        self, agent: Agent, command: Reply, screen: str, *, alone: bool
    ) -> ScreenAnswer | None:
        """Answer a question from a screen. With `alone`, it is the only screen, whose name isn't
        recorded.

        Return None if the question is over, or the agent's form doesn't accept the answer.
        """
        words = _answer_words(agent, command)
        if words is None:
            return None
        agent.do(command if alone else replace(command, screen=screen))
        if _answer_words(agent, command) is not None:
            return None  # still open, as the form doesn't accept the answer
        answer = self._answers[agent, command.number] = ScreenAnswer(screen, words)
        if len(self._answers) > MOST_REMEMBERED_ANSWERS:
            del self._answers[next(iter(self._answers))]
        return answer

    def before(self, agent: Agent, number: int) -> ScreenAnswer | None:
        """Return the earlier answer to a question, or None."""
        return self._answers.get((agent, number))

    def forget(self, agent: Agent) -> None:
        """Forget the answers given to a closed agent."""
        self._answers = {key: one for key, one in self._answers.items() if key[0] is not agent}


def _answer_words(agent: Agent, command: Reply) -> str | None:
    """Describe the answer; return None if the question is over."""
    if isinstance(command, AnswerElicitation):
        question = agent.state.elicitation(command.number)
        return None if question is None else f"{command.action}: {clean_line(question.message)}"
    permission = agent.state.permission(command.number)
    if permission is None:
        return None
    names = [one.name for one in permission.alike(command.option_id)]
    return clean_line(" or ".join(names) or "canceled")


def is_question_open(agent: Agent, number: int) -> bool:
    """Return whether a question is still open."""
    state = agent.state
    return state.permission(number) is not None or state.elicitation(number) is not None
