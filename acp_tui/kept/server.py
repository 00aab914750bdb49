"""The server of a kept run: sends its agents' records to screens, and runs the screens' commands.

All screens show a question, and the first answer counts. Prompts during a turn are queued.
"""

import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_tui.config.settings import AgentSettings
from acp_tui.host.agent import Agent, Hosts
from acp_tui.kept import messages, summary
from acp_tui.kept.messages import (
    MessageError,
    Screen,
    SocketConnection,
    is_ours,
    read_command,
    read_message,
)
from acp_tui.kept.prompts import (
    AmbiguousSessionError,
    Reply,
    ScreenAnswers,
    WaitingPrompt,
    WaitingPrompts,
    address_prompt,
    is_question_open,
)
from acp_tui.kept.run_places import RunPlace
from acp_tui.protocol.content import text_of_content
from acp_tui.state.changes import Change, EntryChanged, TerminalChanged
from acp_tui.state.commands import (
    AnswerElicitation,
    AnswerPermission,
    AnswerTrust,
    Cancel,
    Command,
    SendPrompt,
)
from acp_tui.text import clean_line
from acp_tui.version import __version__

GROWN = (EntryChanged, TerminalChanged)
"""Changes that never make a queued prompt sendable; each chunk causes some."""
LONGEST_NAME = 60
"""Longest name of a screen, in characters."""
Note = Callable[[Agent, str, str], None]
"""Notifies the user about an agent, with a title and a description."""
Report = Callable[[str, BaseException], None]
"""Reports a bug of ours, and what was being done."""
_DISCONNECTED = (OSError, anyio.ClosedResourceError)
"""Errors which mean that the peer is gone, or that we closed the connection."""


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
        self.was_seen = False  # by any screen
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
        self._waiting = WaitingPrompts(self._return_prompt)
        self._answers = ScreenAnswers()

    def add_agent(
        self, agent: Agent, ref: str | None = None, requested_by: Screen | None = None
    ) -> None:
        """Show an agent on all screens. The screen that requested it knows it as `ref`."""
        number = next(self._numbers)
        self._agents[number] = agent
        for screen in self._screens:
            own = {"ref": ref} if screen is requested_by else {}
            screen.show_agent(number, agent.records, {**summary.agent_facts(agent), **own})

    def changed(self, agent: Agent, changes: list[Change]) -> None:
        """Handle changes in an agent's state."""
        for screen in self._screens:
            screen.wake()
        if not all(isinstance(one, GROWN) for one in changes):
            self._waiting.follow(agent)

    def end(self, why: str) -> None:
        """End the run."""
        if not self.over.is_set():
            self.why = why
            for screen in self._screens:
                screen.queue_message(bye=why)
            self.over.set()

    async def deserted(self) -> None:
        """Wait until no screen is attached."""
        while self._screens:  # noqa: ASYNC110  screens leave one by one, without a common event
            await anyio.sleep(0.01)

    async def listen(self, listener: socket.socket) -> None:
        """Accept connections until canceled."""
        listener.setblocking(False)
        while True:
            await anyio.wait_readable(listener)
            try:
                end, _ = listener.accept()
            except OSError:  # the peer is gone, or too many files are open
                await anyio.sleep(0.05)
                continue
            self._tasks.start_soon(self._serve_connection, end)

    async def _serve_connection(self, end: socket.socket) -> None:
        """Serve one connection; an error in it never ends the agents."""
        if not is_ours(end):
            end.close()
            return
        connection = SocketConnection(end)
        try:
            await self._answer_request(connection)
        except _DISCONNECTED:
            pass
        except MessageError as error:
            with suppress(*_DISCONNECTED):
                await _send_last_words(connection, error=str(error))
        except Exception as error:
            self._report("serving a connection", error)
        finally:
            connection.close()

    async def _answer_request(self, connection: SocketConnection) -> None:
        lines = connection.lines()
        async for line in lines:
            body = read_message(line)
            break
        else:
            return
        why_not = messages.refusal_reason(body, self._place.name)
        if why_not is not None:
            await _send_last_words(connection, error=why_not)
            return
        screen = Screen(connection, clean_line(str(body.get("screen", "")))[:LONGEST_NAME])
        match body.get("wants"):
            case "attach":
                await self._attach_screen(screen, lines)
            case "status":
                await _send_last_words(connection, **self.status())
            case "send":
                await _send_last_words(connection, **self._send_prompt(screen, body))
            case "stop":
                await _send_last_words(connection, stopping=self._place.name)
                self.end(f"stopped by {screen.name}")
                # the peer waits for EOF, which shows that the run is gone
                await anyio.sleep_forever()
            case other:
                raise MessageError(f"what is it to do? It knows no {other!r}")

    async def _attach_screen(self, screen: Screen, lines: AsyncIterator[bytes]) -> None:
        screen.queue_message(name=self._place.name, version=__version__, first=not self.was_seen)
        self._broadcast(f"{screen.name} is attached, too")
        for number, agent in self._agents.items():
            screen.show_agent(number, agent.records, summary.agent_facts(agent))
            # only the first screen opens the recording if the agent can't load the session
            agent.resumed = ""
            agent.choosing_options = False
        screen.queue_message(told="all")
        self.was_seen = True
        if self.over.is_set():
            screen.queue_message(bye=self.why)
        self._screens.append(screen)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._until_disconnected, tasks, screen.write)
                tasks.start_soon(
                    self._until_disconnected, tasks, partial(self._read_messages, screen, lines)
                )
        finally:
            self._screens.remove(screen)
            self._broadcast(f"{screen.name} has left")
            if self._on_deserted is not None and not self._screens:
                self._on_deserted()
            self._end_if_seen()

    def _end_if_seen(self) -> None:
        """End the run if the last screen left and all agents have ended.

        Agents that end while no screen is attached are shown to one screen first.
        """
        over = all(summary.is_over(one.state) for one in self._agents.values())
        if over and not self._screens:
            self.end("its agents have ended")

    async def _until_disconnected(
        self, tasks: TaskGroup, work: Callable[[], Awaitable[None]]
    ) -> None:
        """Run a screen's reader or writer until the screen is gone; an error ends only this screen."""
        try:
            await work()
        except (*_DISCONNECTED, MessageError):  # gone, or it sent an invalid message
            pass
        except Exception as error:
            self._report("serving a screen", error)
        tasks.cancel_scope.cancel()

    async def _read_messages(self, screen: Screen, lines: AsyncIterator[bytes]) -> None:
        async for line in lines:
            try:
                self._handle_message(screen, read_message(line))
            except MessageError as error:
                screen.queue_message(said=f"not done: {error}")

    def _broadcast(self, words: str, but: Screen | None = None) -> None:
        """Show a message on all screens except one."""
        for screen in self._screens:
            if screen is not but:
                screen.queue_message(said=words)

    def _handle_message(self, screen: Screen, body: dict[str, Any]) -> None:
        match body:
            case {"do": int(number)} if number in self._agents:
                self._run_command(screen, self._agents[number], read_command(body))
            case {"open": dict(settings), "called": str(called), "ref": str(ref)}:
                self._open_agent(screen, settings, called, ref)
            case {"close": int(number)} if number in self._agents:
                self._close_agent(screen, number)
            case {"stop": True}:
                self.end(f"stopped by {screen.name}")

    def _run_command(self, screen: Screen, agent: Agent, command: Command) -> None:
        match command:
            case AnswerPermission() | AnswerElicitation():
                self._answer_question(screen, agent, command)
            case SendPrompt():
                if self._waiting.send_or_queue(agent, command, screen.name):
                    words = f"waits for the end of the turn, from {screen.name}"
                    self._broadcast(f"{words}: {text_of_content(command.prompt)}")
            case _:
                if isinstance(command, Cancel):
                    self._waiting.cancel(agent, command.session_id)
                elif isinstance(command, AnswerTrust) and agent.state.trust is not None:
                    words = f"{screen.name} {'trusts' if command.trusted else 'does not trust'}"
                    self._broadcast(f"{words} {agent.state.trust.file}", but=screen)
                agent.do(command)

    def _answer_question(self, screen: Screen, agent: Agent, command: Reply) -> None:
        """Answer a question that is still open; notify all other screens who answered it."""
        before = self._answers.before(agent, command.number)
        alone = len(self._screens) == 1
        answer = self._answers.reply(agent, command, screen.name, alone=alone)
        if answer is not None:
            self._broadcast(f"{answer.screen} answered: {answer.words}", but=screen)
        elif before is not None:
            screen.queue_message(said=f"{before.screen} answered that before: {before.words}")
        elif not is_question_open(agent, command.number):
            screen.queue_message(said="that was over before you answered")

    def _open_agent(
        self, screen: Screen, settings: Mapping[str, Any], called: str, ref: str
    ) -> None:
        try:
            read = AgentSettings.model_validate(settings)
        except ValueError as error:
            raise MessageError(f"these settings of an agent can't be read: {error}") from None
        self.add_agent(self._hosts.open(read, called), ref, screen)

    def _close_agent(self, screen: Screen, number: int) -> None:
        agent = self._agents.pop(number)
        self._waiting.cancel(agent)
        self._answers.forget(agent)
        self._hosts.close(agent)
        for one in self._screens:
            one.drop(number)
        self._broadcast(f"{screen.name} ended {agent.called or agent.state.peer.name}", but=screen)

    def _return_prompt(self, waiting: WaitingPrompt) -> None:
        title = f"Prompt from {waiting.screen} not sent: the turn did not finish"
        self._note(waiting.agent, title, text_of_content(waiting.prompt.prompt))

    def status(self) -> dict[str, Any]:
        """Return the run's status, for `acp-tui ps`."""
        now = time.monotonic()
        rows = [
            row
            for agent in self._agents.values()
            for row in summary.session_rows(agent, now, partial(self._waiting.count_waiting, agent))
        ]
        return {
            "name": self._place.name,
            "pid": os.getpid(),
            "version": __version__,
            "seconds": round(time.time() - self._began, 1),
            "screens": [one.name for one in self._screens],
            "sessions": rows,
        }

    def _send_prompt(self, screen: Screen, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a prompt to the session that `acp-tui send` names, or queue it."""
        text, title_or_id = str(body.get("prompt", "")), str(body.get("session") or "")
        try:
            agent, prompt = address_prompt(
                self._agents.values(), self._place.name, text, title_or_id
            )
        except AmbiguousSessionError as error:
            return {"error": str(error)}
        waits = self._waiting.send_or_queue(agent, prompt, screen.name)
        self._broadcast(f"{screen.name} sent a prompt" + (", which waits" if waits else ""))
        return {"sent": prompt.session_id, "waits": waits}


async def _send_last_words(connection: SocketConnection, **body: Any) -> None:
    await connection.send(messages.format_message(**body))
