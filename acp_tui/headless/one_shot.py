"""Sends an agent one hand-made message, and prints the responses verbatim."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from acp_tui.headless.outcome import Ended, ExitCode, Watch
from acp_tui.headless.permission import NOBODY, rejecting_option
from acp_tui.headless.printer import PrintLine
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Event, Record
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.jsonrpc import Request
from acp_tui.protocol.wire_events import Responded, Stray
from acp_tui.state.changes import Change
from acp_tui.state.commands import AnswerElicitation, AnswerPermission, Do, SendByHand
from acp_tui.state.peer import Phase
from acp_tui.state.state import State
from acp_tui.text import clean_line


@dataclass(frozen=True, slots=True)
class OneShotOptions:
    """The message to send, and how long to wait.

    `lines` makes the message from the session's id, or from None if it needs no session. With
    `bare`, nothing is sent before it. `listen` is how many seconds to listen if no response is
    expected, `max_time` how many the run may take.
    """

    lines: Callable[[str | None], list[bytes]]
    needs_session: bool
    bare: bool
    listen: float
    max_time: float


class OneShot:
    """Sends the message, waits for the responses, and prints them verbatim."""

    def __init__(
        self,
        state: State,
        do: Do,
        records: Sequence[Record],
        options: OneShotOptions,
        print_line: PrintLine,
    ) -> None:
        self._state = state
        self._do = do
        self._records = records
        self._options = options
        self._print_line: PrintLine = lambda words: print_line(clean_line(words))
        self._watch = Watch()
        self._waiting = 0
        self._failed = False

    def interrupt(self) -> None:
        """Stop because of a signal."""
        self._watch.interrupt()

    def follow(self, event: Event, _: list[Change]) -> None:
        """Follow the client's events."""
        self._watch.wake()
        if not isinstance(event, Responded | Stray) or event.direction is not Direction.IN:
            return
        ours = isinstance(event, Responded) and event.request.by is Origin.HAND
        if ours or isinstance(event, Stray):
            self._waiting -= ours
            self._failed = self._failed or event.error is not None
            self._print_answer(event.number)

    def _print_answer(self, number: int) -> None:
        """Print the frame of a response, byte for byte; on a terminal, made safe to show."""
        for record in reversed(self._records):
            if isinstance(record, Frame) and record.number == number:
                raw = record.raw
                if sys.stdout.isatty():
                    raw = clean_line(raw.decode("utf-8", "replace")).encode()
                sys.stdout.buffer.write(raw + b"\n")
                sys.stdout.buffer.flush()
                return

    async def run(self) -> int:
        """Send the message and wait for the responses; return the exit code."""
        try:
            with anyio.move_on_after(self._options.max_time) as limit:
                await self._exchange()
        except Ended as stop:
            self._print_line(stop.why)
            return int(stop.code)
        if limit.cancelled_caught:
            self._print_line(f"no answer within {self._options.max_time:g} s")
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
            await self._watch.wait()
        if heard:
            with anyio.move_on_after(self._options.listen):
                while self._state.peer.unreachable_reason is None and not self._watch.interrupted:
                    self._answer_questions()
                    await self._watch.wait()

    async def _session(self) -> str | None:
        """Wait until the message can be sent; return the id of the session opened for it, or None."""
        while not self._is_ready():
            self._check_alive()
            peer = self._state.peer
            if peer.phase is Phase.SIGN_IN:
                assert peer.sign_in is not None
                why = f"the agent wants a sign-in first: {peer.sign_in.error.words}"
                raise Ended(ExitCode.ERROR, why)
            await self._watch.wait()
        if not self._options.needs_session:
            return None
        (session,) = self._state.open_sessions()
        self._print_line(f"it needs a session: opened {session.session_id} in {session.cwd}")
        return session.session_id

    def _is_ready(self) -> bool:
        if self._options.bare:
            return self._state.peer.process.started is not None
        if self._options.needs_session:
            return bool(self._state.open_sessions())
        return self._state.peer.initialized is not None

    def _check_alive(self) -> None:
        peer = self._state.peer
        if self._watch.interrupted:
            raise Ended(ExitCode.INTERRUPTED, "interrupted")
        if peer.trouble is not None:
            raise Ended(ExitCode.ERROR, peer.trouble)
        if peer.process.exit is not None and not peer.has_fallback:
            raise Ended(ExitCode.ERROR, peer.process.exit.words)

    def _answer_questions(self) -> None:
        """Reject the agent's requests, as no one can answer."""
        for permission in self._state.waiting_permissions():
            choice = rejecting_option(permission.options)
            words = choice.name if choice is not None else "canceled"
            self._print_line(f"the agent asks for permission, and nobody answers: {words}")
            answer: Any = choice.option_id if choice is not None else None
            self._do(AnswerPermission(permission.number, answer, by=NOBODY))
        for question in list(self._state.elicitations):
            self._print_line(f"the agent asks, and nobody answers: {question.message}")
            self._do(AnswerElicitation(question.number, "cancel"))
