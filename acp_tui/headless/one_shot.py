"""One message that a person made by hand, and the agent's answer, with no screen."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from acp_tui.headless.outcome import Ended, ExitCode
from acp_tui.headless.permission import NOBODY, rejected
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Event, Record, Responded, Stray
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.jsonrpc import Request
from acp_tui.state.changes import Change
from acp_tui.state.commands import AnswerElicitation, AnswerPermission, Do, SendByHand
from acp_tui.state.state import Phase, State
from acp_tui.text import clean_line

Say = Callable[[str], None]
"""Tells the person something on stderr."""


@dataclass(frozen=True, slots=True)
class OneShotOptions:
    """The message to send: `lines` makes it, with the id of the session, or with None if it needs none.

    `bare`: nothing is sent before it. `listen` is for how many seconds the agent is heard where
    there is no answer to wait for, `max_time` how long all may take.
    """

    lines: Callable[[str | None], list[bytes]]
    needs_session: bool
    bare: bool
    listen: float
    max_time: float


class OneShot:
    """Sends, waits for the answers, and prints them as they came."""

    def __init__(
        self, state: State, do: Do, records: Sequence[Record], options: OneShotOptions, say: Say
    ) -> None:
        self._state = state
        self._do = do
        self._records = records
        self._options = options
        self._say: Say = lambda words: say(clean_line(words))
        self._moved = anyio.Event()
        self._interrupted = False
        self._waiting = 0
        self._failed = False

    def interrupt(self) -> None:
        """Stop: a signal asked for it."""
        self._interrupted = True
        self._moved.set()

    def follow(self, event: Event, _: list[Change]) -> None:
        """Listen to the client."""
        self._moved.set()
        if not isinstance(event, Responded | Stray) or event.direction is not Direction.IN:
            return
        ours = isinstance(event, Responded) and event.request.by is Origin.HAND
        if ours or isinstance(event, Stray):
            self._waiting -= ours
            self._failed = self._failed or event.error is not None
            self._print(event.number)

    def _print(self, number: int) -> None:
        """Print the frame of an answer, byte for byte; made safe to show on a terminal."""
        for record in reversed(self._records):
            if isinstance(record, Frame) and record.number == number:
                raw = record.raw
                if sys.stdout.isatty():
                    raw = clean_line(raw.decode("utf-8", "replace")).encode()
                sys.stdout.buffer.write(raw + b"\n")
                sys.stdout.buffer.flush()
                return

    async def run(self) -> int:
        """Send, and wait; return the exit code."""
        try:
            with anyio.move_on_after(self._options.max_time) as limit:
                await self._exchange()
        except Ended as stop:
            self._say(stop.why)
            return int(stop.code)
        if limit.cancelled_caught:
            self._say(f"no answer within {self._options.max_time:g} s")
            return int(ExitCode.TIMEOUT)
        return int(ExitCode.ERROR if self._failed else ExitCode.END_TURN)

    async def _exchange(self) -> None:
        lines = self._options.lines(await self._session())
        self._waiting += sum(isinstance(jsonrpc.parse(line), Request) for line in lines)
        heard = not self._waiting
        self._do(SendByHand(b"\n".join(lines)))
        while self._waiting > 0:
            self._answer_questions()
            self._check_alive()
            await self._wait()
        if heard:
            with anyio.move_on_after(self._options.listen):
                while self._state.peer.gone is None and not self._interrupted:
                    self._answer_questions()
                    await self._wait()

    async def _session(self) -> str | None:
        """Wait until the message can be sent; return the session that was opened for it."""
        peer = self._state.peer
        while not self._is_ready():
            self._check_alive()
            peer = self._state.peer
            if peer.phase is Phase.SIGN_IN:
                assert peer.sign_in is not None
                why = f"the agent wants a sign-in first: {peer.sign_in.error.words}"
                raise Ended(ExitCode.ERROR, why)
            await self._wait()
        if not self._options.needs_session:
            return None
        (session,) = self._state.open_sessions()
        self._say(f"it needs a session: opened {session.session_id} in {session.cwd}")
        return session.session_id

    def _is_ready(self) -> bool:
        if self._options.bare:
            return self._state.peer.started is not None
        if self._options.needs_session:
            return bool(self._state.open_sessions())
        return self._state.peer.initialized is not None

    def _check_alive(self) -> None:
        peer = self._state.peer
        if self._interrupted:
            raise Ended(ExitCode.INTERRUPTED, "interrupted")
        if peer.trouble is not None:
            raise Ended(ExitCode.ERROR, peer.trouble)
        if peer.exit is not None and not peer.falls_back:
            raise Ended(ExitCode.ERROR, peer.exit.words)

    def _answer_questions(self) -> None:
        """Reject what the agent asks: there is nobody to answer."""
        for permission in self._state.waiting_permissions():
            choice = rejected(permission.options)
            words = choice.name if choice is not None else "canceled"
            self._say(f"the agent asks for permission, and nobody answers: {words}")
            answer: Any = choice.option_id if choice is not None else None
            self._do(AnswerPermission(permission.number, answer, by=NOBODY))
        for question in list(self._state.elicitations):
            self._say(f"the agent asks, and nobody answers: {question.message}")
            self._do(AnswerElicitation(question.number, "cancel"))

    async def _wait(self) -> None:
        await self._moved.wait()
        self._moved = anyio.Event()
