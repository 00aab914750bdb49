"""Connects the library to the client: sends commands, waits for responses, and publishes session
changes.
"""

from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio

from acp_tui.client.client import Client
from acp_tui.client.core import Wakeup
from acp_tui.errors import (
    AgentExitedError,
    AgentStartError,
    AgentTimeoutError,
    NotPossibleError,
    RequestError,
    SignInRequiredError,
)
from acp_tui.library.turn import ToolCall, Turn, TurnFollower, tool_call
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.events import ClientNotice, Event, NotSent, Record, TimedOut
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.protocol.updates import Chunk, SessionNotification, ToolCallUpdate, Update
from acp_tui.protocol.wire_events import Notified, Requested, Responded
from acp_tui.state import changes
from acp_tui.state.commands import Authenticate, Command
from acp_tui.state.state import State

TURN_ENDED = "turn_ended"
COMPARE_TIMEOUT = 1.0
"""Most seconds to wait after a turn until its edits are compared with the files."""
STDERR_LINES = 5
"""Last stderr lines of the agent that an error includes."""
T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    """One update of a session. `kind` is ACP's name for it (`agent_message_chunk`, `tool_call`,
    `plan`, ...), or `turn_ended`.

    A chunk has a `text`, `tool_call` and `tool_call_update` have the whole `tool_call` in its
    current state, and `turn_ended` has the `turn`. `update` is the raw update.
    """

    kind: str
    session_id: str
    text: str = ""
    tool_call: ToolCall | None = None
    turn: Turn | None = None
    update: Mapping[str, Any] = field(default_factory=dict, repr=False)


class Changes(AsyncIterator[Change]):
    """Iterates over the changes of a session from now on, until the agent ends."""

    def __init__(self) -> None:
        self._waiting: deque[Change] = deque()
        self._news = anyio.Event()
        self._closed = False

    def put(self, change: Change) -> None:
        """Add the next change."""
        self._waiting.append(change)
        self._news.set()

    def close(self) -> None:
        """End the iteration after the changes that were added before."""
        self._closed = True
        self._news.set()

    async def __anext__(self) -> Change:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            await self._news.wait()
            self._news = anyio.Event()
        return self._waiting.popleft()


def change_of(state: State, session_id: str, update: Update, at: float) -> Change:
    """Return the change for an update that has been folded into the state."""
    text, call = "", None
    if isinstance(update, Chunk) and isinstance(update.content, TextContent):
        text = update.content.text
    elif isinstance(update, ToolCallUpdate):
        entry = state.session(session_id).tool_call(update.tool_call_id)
        call = tool_call(state, entry, at) if entry is not None else None
    return Change(update.session_update, session_id, text, call, update=update.wire())


class ClientConnection:
    """One agent's client: sends commands, and waits for their results.

    A callback's exception is stored as `failure`, and raised in the next task that waits.
    """

    def __init__(self, client: Client, records: Sequence[Record]) -> None:
        self.state: State = client.state
        self.records = records
        self.turns: dict[int, Turn] = {}
        """Ended turns by the frame number of their prompt, until `Session.prompt` removes them."""
        self.failure: BaseException | None = None
        self.follower = TurnFollower(client.state, records)
        self._client = client
        self._changed = Wakeup()
        self._calls: dict[int, Requested] = {}
        """The client's requests that a task may be waiting for, by frame number."""
        self._answers: dict[int, Responded | TimedOut] = {}
        self._notices: list[ClientNotice] = []
        self._listeners: dict[str, list[Changes]] = {}
        client.listen(self._follow_event)

    def do(self, command: Command) -> None:
        """Send a command that has no response."""
        self._client.do(command)

    async def call(self, command: Command) -> Responded:
        """Send a command that makes one request, and wait for its response.

        Raises:
            AgentExitedError: the agent is gone, or exits before it responds.
            AgentTimeoutError: no response came within the limit.
            NotPossibleError: the request can't be sent.
            RequestError: the response is an error, or can't be parsed.
        """
        return await self.answer(self.send(command))

    def send(self, command: Command) -> Requested:
        """Send a command that makes one request; return the request. Raises NotPossibleError if it
        sends none.
        """
        self._raise_if_gone()
        before = set(self._calls)
        self._notices.clear()
        self._client.do(command)
        sent = self._calls.keys() - before
        if not sent:
            reasons = (
                ": ".join(filter(None, (one.title, one.description))) for one in self._notices
            )
            raise NotPossibleError("; ".join(reasons) or "it was not sent")
        return self._calls[max(sent)]

    async def answer(self, request: Requested) -> Responded:
        """Wait for the response to a request that `send` returned. Raises as `call` does."""
        number = request.number
        try:
            await self.until(lambda: number in self._answers or number not in self.state.calls)
            answer = self._answers.get(number)
        finally:
            del self._calls[number]
            self._answers.pop(number, None)
        if isinstance(answer, Responded):
            self._check_answer(answer)
            return answer
        if answer is None:
            self._raise_if_gone()
            raise AgentExitedError(f"{request.method}: the connection was lost")
        limit = f"no answer within {answer.seconds:g} s"
        raise AgentTimeoutError(f"{request.method}: {limit}")

    async def ended(self, session_id: str) -> None:
        """Wait for the end of a turn whose prompt was only accepted, as in version 2.

        Raises:
            AgentExitedError: the agent exits before.
        """
        if self.state.session(session_id).turn is not None:
            await self.until(lambda: self.state.session(session_id).turn is None)
            self._raise_if_gone()

    async def wait_for_comparisons(self, number: int) -> None:
        """Wait up to `COMPARE_TIMEOUT` until a turn's edits are compared with the files; add these
        findings to the turn.
        """
        with anyio.move_on_after(COMPARE_TIMEOUT):
            await self._client.settled()
        if number in self.turns:
            self.turns[number] = self.follower.completed(self.turns[number])

    async def sign_in(self, method_id: str) -> Responded:
        """Sign in; return the response to the blocked request, which the client then sends again.

        Raises as `call` does.
        """
        waiting = self.state.peer.sign_in
        assert waiting is not None
        signing_in = self.send(Authenticate(method_id))
        await self.answer(signing_in)
        for request in self._calls.values():
            if request.number > signing_in.number and request.call == waiting.blocked.call:
                return await self.answer(request)
        raise NotPossibleError(f"{waiting.blocked.method} was not sent again after the sign-in")

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition on the state holds. Raises a callback's exception."""
        while not condition():
            self.raise_failure()
            await self._changed.wait()
        self.raise_failure()

    async def ready(self) -> None:
        """Wait until the agent has responded to `initialize`.

        Raises:
            AgentStartError: the command can't be started, or `initialize` failed.
            AgentExitedError: the agent is gone.
            AgentTimeoutError: no response came within the limit.
        """

        def is_decided() -> bool:
            peer = self.state.peer  # each process has a new one
            return bool(peer.initialized or peer.trouble or peer.unreachable_reason)

        await self.until(is_decided)
        peer = self.state.peer
        if peer.initialized is not None and peer.trouble is None:
            return
        if peer.unreachable_reason is not None:
            self._raise_if_gone()
        timed_out = any(isinstance(one, TimedOut) for one in self.records)
        raise (AgentTimeoutError if timed_out else AgentStartError)(str(peer.trouble))

    def fail(self, error: Exception) -> None:
        """Store a callback's exception; only the first one counts."""
        self.failure = self.failure or error
        self._changed.wake()

    def raise_failure(self) -> None:
        """Raise a callback's exception, once."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    def subscribe(self, session_id: str) -> Changes:
        """Return an iterator over the changes of a session from now on."""
        listener = Changes()
        if self.state.peer.unreachable_reason is not None:
            listener.close()
        self._listeners.setdefault(session_id, []).append(listener)
        return listener

    def close(self) -> None:
        """End all iterators over changes."""
        for listener in [one for some in self._listeners.values() for one in some]:
            listener.close()

    def _follow_event(self, event: Event, _: list[changes.Change]) -> None:
        match event:
            case Requested(direction=Direction.OUT):
                self._calls[event.number] = event
            case Responded(request=request) if request.number in self._calls:
                self._answers[request.number] = event
            case TimedOut(id=id):
                late = [one.number for one in self._calls.values() if one.id == id]
                self._answers.update(dict.fromkeys(late, event))
            case NotSent(id=id):
                refused = [one for one in self._calls.values() if one.id == id]
                self._answers.update({one.number: event.answering(one) for one in refused})
            case ClientNotice():
                self._notices.append(event)
            case Notified(direction=Direction.IN, params=SessionNotification() as params):
                if params.session_id in self._listeners:
                    update = change_of(self.state, params.session_id, params.update, event.at)
                    self._publish_change(update)
        for number, turn in self.follower.follow(event, len(self.records) - 1):
            self.turns[number] = turn
            self._publish_change(Change(TURN_ENDED, turn.session_id, turn=turn))
        self._changed.wake()

    def _publish_change(self, change: Change) -> None:
        for listener in self._listeners.get(change.session_id, ()):
            listener.put(change)

    def _raise_if_gone(self) -> None:
        peer = self.state.peer
        if peer.process.exit is not None or peer.output.stdout_closed:
            ended = peer.process.exit if isinstance(peer.process.exit, ProcessExited) else None
            raise AgentExitedError(
                peer.unreachable_reason or "",
                exit_code=ended.code if ended is not None else None,
                signal=ended.signal if ended is not None else None,
                stderr=list(peer.output.stderr)[-STDERR_LINES:],
            )

    def _check_answer(self, answer: Responded) -> None:
        method, error = answer.request.method, answer.error
        if error is not None and error.code == ErrorCode.AUTH_REQUIRED:
            sign_in = self.state.peer.sign_in
            methods = [one.id for one in sign_in.methods] if sign_in is not None else []
            raise SignInRequiredError(method, error.message, code=error.code, methods=methods)
        if error is not None:
            words = f"{error.message} ({error.code})"
            raise RequestError(method, words, code=error.code, data=error.data)
        if answer.result is None:
            raise RequestError(method, f"the result can't be read: {answer.problem}")
