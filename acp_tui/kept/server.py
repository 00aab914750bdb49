"""Shows the agents of a kept run to its screens, and runs their commands.

Several screens show a question: the first answer counts. Prompts during a turn are queued.
"""

import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import anyio
from anyio.abc import TaskGroup

from acp_tui.config.settings import AgentSettings
from acp_tui.errors import AcpTuiError
from acp_tui.host.agent import Agent, Hosts
from acp_tui.kept import messages, summary
from acp_tui.kept.messages import (
    MessageError,
    SocketConnection,
    is_ours,
    read_command,
    read_message,
)
from acp_tui.kept.run_places import RunPlace
from acp_tui.kept.screen import Screen
from acp_tui.protocol.content import TextContent, text_of_content
from acp_tui.state.changes import Change, EntryChanged, TerminalChanged
from acp_tui.state.commands import (
    AnswerElicitation,
    AnswerPermission,
    AnswerTrust,
    Cancel,
    Command,
    SendPrompt,
)
from acp_tui.state.state import Phase, Session
from acp_tui.text import clean_line, join_surrogates
from acp_tui.version import __version__

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
        words = _words(agent, command)
        if words is None:
            return None
        agent.do(command if alone else replace(command, screen=screen))
        if _words(agent, command) is not None:
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


def _words(agent: Agent, command: Reply) -> str | None:
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


class Waiting(NamedTuple):
    """A queued prompt, and the screen that sent it."""

    agent: Agent
    prompt: SendPrompt
    screen: str


GiveBack = Callable[[Waiting], None]
"""Reports a prompt that won't be sent."""


class WaitingPrompts:
    """Queues the prompts of several screens: a turn has one prompt, and none may be lost."""

    def __init__(self, give_back: GiveBack) -> None:
        self._give_back = give_back
        self._all: list[Waiting] = []

    def of(self, agent: Agent, session_id: str) -> int:
        """Count the queued prompts of a session."""
        return sum(self._is_of(one, agent, session_id) for one in self._all)

    def send_or_queue(self, agent: Agent, prompt: SendPrompt, screen: str) -> bool:
        """Send a prompt, or queue it during a turn; return whether it was queued."""
        session = agent.state.sessions.get(prompt.session_id)
        busy = session is not None and (session.turn is not None or session.loading is not None)
        if busy or self.of(agent, prompt.session_id):
            self._all.append(Waiting(agent, prompt, screen))
            return True
        agent.do(prompt)
        return False

    def follow(self, agent: Agent) -> None:
        """Send the prompts that can be sent now; give back those that never can be."""
        for one in [one for one in self._all if one.agent is agent]:
            session = agent.state.sessions.get(one.prompt.session_id)
            if one not in self._all:
                continue  # sent or given back by what the one before caused
            phase = agent.state.peer.phase
            is_gone = phase in (Phase.FAILED, Phase.EXITED)
            if session is None or session.lost or session.closed or is_gone:
                self._all.remove(one)
                self._give_back(one)
                continue
            is_free = session.opened and session.turn is None and session.loading is None
            if is_free and phase is Phase.CONNECTED:
                self._all.remove(one)
                agent.do(one.prompt)

    def cancel(self, agent: Agent, session_id: str) -> None:
        """Give back the queued prompts of a session: after a canceled turn they may make no sense."""
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


def prompt_text(one: Waiting) -> str:
    """Return the text of a queued prompt."""
    return text_of_content(one.prompt.prompt)


GROWN = (EntryChanged, TerminalChanged)
"""Changes that never make a queued prompt sendable: they come with each chunk."""
LONGEST_NAME = 60
"""Characters of a screen's name."""
Note = Callable[[Agent, str, str], None]
"""Notifies the person about an agent: a title, and a description."""
Report = Callable[[str, BaseException], None]
"""Reports an error of our own, and what was being done."""
_GONE = (OSError, anyio.ClosedResourceError)
"""Errors that mean that the other end is gone, or ours was closed."""


class RunServer:
    """Serves the screens of a run. `over` is set once the run has to end; `why` has the reason."""

    def __init__(
        self,
        place: RunPlace,
        hosts: Hosts,
        note: Note,
        report: Report,
        tasks: TaskGroup,
        deserted: Callable[[], None] | None = None,
    ) -> None:
        self.over = anyio.Event()
        self.why = ""
        self.was_seen = False  # on any screen
        self._place = place
        self._hosts = hosts
        self._note = note
        self._report = report
        self._tasks = tasks
        self._on_deserted = deserted
        self._began = time.time()
        self._agents: dict[int, Agent] = {}
        self._numbers = count(1)
        self._screens: list[Screen] = []
        self._waiting = WaitingPrompts(self._give_back)
        self._answers = ScreenAnswers()

    def add_agent(
        self, agent: Agent, ref: str | None = None, asked_by: Screen | None = None
    ) -> None:
        """Show an agent on all screens; the screen that asked for it knows it as `ref`."""
        number = next(self._numbers)
        self._agents[number] = agent
        for screen in self._screens:
            own = {"ref": ref} if screen is asked_by else {}
            screen.show_agent(number, agent.records, {**summary.agent_facts(agent), **own})

    def changed(self, agent: Agent, changes: list[Change]) -> None:
        """Handle changes in the state of an agent."""
        for screen in self._screens:
            screen.wake()
        if not all(isinstance(one, GROWN) for one in changes):
            self._waiting.follow(agent)

    def end(self, why: str) -> None:
        """End the run."""
        if not self.over.is_set():
            self.why = why
            for screen in self._screens:
                screen.tell(bye=why)
            self.over.set()

    async def deserted(self) -> None:
        """Return once no screen is attached."""
        while self._screens:  # noqa: ASYNC110  screens leave one by one, with no event in common
            await anyio.sleep(0.01)

    async def listen(self, listener: socket.socket) -> None:
        """Accept connections until canceled."""
        listener.setblocking(False)
        while True:
            await anyio.wait_readable(listener)
            try:
                end, _ = listener.accept()
            except OSError:  # the peer is gone, or there are too many open files
                await anyio.sleep(0.05)
                continue
            self._tasks.start_soon(self._serve, end)

    async def _serve(self, end: socket.socket) -> None:
        """Serve one connection; an error there never ends the agents."""
        if not is_ours(end):
            end.close()
            return
        connection = SocketConnection(end)
        try:
            await self._answer(connection)
        except _GONE:
            pass
        except MessageError as error:
            with suppress(*_GONE):
                await _last_words(connection, error=str(error))
        except Exception as error:
            self._report("serving a connection", error)
        finally:
            connection.close()

    async def _answer(self, connection: SocketConnection) -> None:
        lines = connection.lines()
        async for line in lines:
            body = read_message(line)
            break
        else:
            return
        why_not = messages.refusal_reason(body, self._place.name)
        if why_not is not None:
            await _last_words(connection, error=why_not)
            return
        screen = Screen(connection, clean_line(str(body.get("screen", "")))[:LONGEST_NAME])
        match body.get("wants"):
            case "attach":
                await self._attach(screen, lines)
            case "status":
                await _last_words(connection, **self.status())
            case "send":
                await _last_words(connection, **self._send(screen, body))
            case "stop":
                await _last_words(connection, stopping=self._place.name)
                self.end(f"stopped by {screen.name}")
                await anyio.sleep_forever()  # the peer waits for EOF: then the run is gone
            case other:
                raise MessageError(f"what is it to do? It knows no {other!r}")

    async def _attach(self, screen: Screen, lines: AsyncIterator[bytes]) -> None:
        screen.tell(name=self._place.name, version=__version__, first=not self.was_seen)
        self._tell_all(f"{screen.name} is attached, too")
        for number, agent in self._agents.items():
            screen.show_agent(number, agent.records, summary.agent_facts(agent))
            agent.resumed = ""  # only the first screen opens the recording, if the agent can't
            agent.choosing_options = False
        screen.tell(told="all")
        self.was_seen = True
        if self.over.is_set():
            screen.tell(bye=self.why)
        self._screens.append(screen)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._until_gone, tasks, screen.write)
                tasks.start_soon(self._until_gone, tasks, partial(self._read, screen, lines))
        finally:
            self._screens.remove(screen)
            self._tell_all(f"{screen.name} has left")
            if self._on_deserted is not None and not self._screens:
                self._on_deserted()
            self._end_if_seen()

    def _end_if_seen(self) -> None:
        """End the run if a screen leaves and all agents have ended; agents that end while nobody is
        attached are shown to one screen first.
        """
        over = all(summary.is_over(one.state) for one in self._agents.values())
        if over and not self._screens:
            self.end("its agents have ended")

    async def _until_gone(self, tasks: TaskGroup, work: Callable[[], Awaitable[None]]) -> None:
        """Read from a screen, or write to it, until it is gone; an error ends only this screen."""
        try:
            await work()
        except (*_GONE, MessageError):  # gone, or it sent a line without an end
            pass
        except Exception as error:
            self._report("serving a screen", error)
        tasks.cancel_scope.cancel()

    async def _read(self, screen: Screen, lines: AsyncIterator[bytes]) -> None:
        async for line in lines:
            try:
                self._handle(screen, read_message(line))
            except MessageError as error:
                screen.tell(said=f"not done: {error}")

    def _tell_all(self, words: str, but: Screen | None = None) -> None:
        """Show a message on all screens but one."""
        for screen in self._screens:
            if screen is not but:
                screen.tell(said=words)

    def _handle(self, screen: Screen, body: dict[str, Any]) -> None:
        match body:
            case {"do": int(number)} if number in self._agents:
                self._do(screen, self._agents[number], read_command(body))
            case {"open": dict(settings), "called": str(called), "ref": str(ref)}:
                self._open(screen, settings, called, ref)
            case {"close": int(number)} if number in self._agents:
                self._close(screen, number)
            case {"stop": True}:
                self.end(f"stopped by {screen.name}")

    def _do(self, screen: Screen, agent: Agent, command: Command) -> None:
        match command:
            case AnswerPermission() | AnswerElicitation():
                self._reply(screen, agent, command)
            case SendPrompt():
                if self._waiting.send_or_queue(agent, command, screen.name):
                    words = f"waits for the end of the turn, from {screen.name}"
                    self._tell_all(f"{words}: {prompt_text(Waiting(agent, command, ''))}")
            case _:
                if isinstance(command, Cancel):
                    self._waiting.cancel(agent, command.session_id)
                elif isinstance(command, AnswerTrust) and agent.state.trust is not None:
                    words = f"{screen.name} {'trusts' if command.trusted else 'does not trust'}"
                    self._tell_all(f"{words} {agent.state.trust.file}", but=screen)
                agent.do(command)

    def _reply(self, screen: Screen, agent: Agent, command: Reply) -> None:
        """Answer a question that is still open; tell all screens who answered it."""
        before = self._answers.before(agent, command.number)
        alone = len(self._screens) == 1
        answer = self._answers.reply(agent, command, screen.name, alone=alone)
        if answer is not None:
            self._tell_all(f"{answer.screen} answered: {answer.words}", but=screen)
        elif before is not None:
            screen.tell(said=f"{before.screen} answered that before: {before.words}")
        elif not is_asked(agent, command.number):
            screen.tell(said="that was over before you answered")

    def _open(self, screen: Screen, settings: Mapping[str, Any], called: str, ref: str) -> None:
        try:
            read = AgentSettings.model_validate(settings)
        except ValueError as error:
            raise MessageError(f"these settings of an agent can't be read: {error}") from None
        self.add_agent(self._hosts.open(read, called), ref, screen)

    def _close(self, screen: Screen, number: int) -> None:
        agent = self._agents.pop(number)
        self._waiting.forget(agent)
        self._answers.forget(agent)
        self._hosts.close(agent)
        for one in self._screens:
            one.drop(number)
        self._tell_all(f"{screen.name} ended {agent.called or agent.state.peer.name}", but=screen)

    def _give_back(self, waiting: Waiting) -> None:
        title = f"Prompt from {waiting.screen} not sent: the turn did not finish"
        self._note(waiting.agent, title, prompt_text(waiting))

    def status(self) -> dict[str, Any]:
        """Describe the run, for a list of runs."""
        now = time.monotonic()
        rows = [
            row
            for agent in self._agents.values()
            for row in summary.session_rows(agent, now, partial(self._waiting.of, agent))
        ]
        return {
            "name": self._place.name,
            "pid": os.getpid(),
            "version": __version__,
            "seconds": round(time.time() - self._began, 1),
            "screens": [one.name for one in self._screens],
            "sessions": rows,
        }

    def _send(self, screen: Screen, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a prompt to the session that its sender names."""
        text, wanted = str(body.get("prompt", "")), str(body.get("session") or "")
        try:
            agent, prompt = address_prompt(self._agents.values(), self._place.name, text, wanted)
        except UnclearError as error:
            return {"error": str(error)}
        waits = self._waiting.send_or_queue(agent, prompt, screen.name)
        self._tell_all(f"{screen.name} sent a prompt" + (", which waits" if waits else ""))
        return {"sent": prompt.session_id, "waits": waits}


async def _last_words(connection: SocketConnection, **body: Any) -> None:
    await connection.send(messages.format_message(**body))


class UnclearError(AcpTuiError):
    """The session is ambiguous; the message names all sessions."""


def address_prompt(
    agents: Iterable[Agent], name: str, text: str, wanted: str
) -> tuple[Agent, SendPrompt]:
    """Return the prompt for a session, and the agent of the session.

    The session is the only one, or the one that has `wanted` as its title or the beginning of its id.
    Raises UnclearError.
    """
    found = [(agent, session) for agent in agents for session in agent.state.open_sessions()]
    meant = [
        (agent, session)
        for agent, session in found
        if session.session_id.startswith(wanted) or (bool(wanted) and session.title == wanted)
    ]
    if len(meant) != 1:
        raise UnclearError(_which_session(name, [session for _, session in found], wanted))
    ((agent, session),) = meant
    return agent, SendPrompt(session.session_id, (TextContent(text=join_surrogates(text)),))


def _which_session(name: str, found: Iterable[Session], wanted: str) -> str:
    there = ", ".join(clean_line(f"{one.session_id} {one.title or ''}").strip() for one in found)
    if not there:
        return f"{name} has no open session; see acp-tui ps"
    why = f"no single session begins with {wanted!r}" if wanted else "there are several sessions"
    return f"{why}: name one by --session ID; there are: {there}"
