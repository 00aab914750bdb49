"""Opens a session without a UI, and runs turns in it, one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import anyio
from anyio import to_thread

from acp_tui.config.known_agents import how_to_speak_acp
from acp_tui.headless.outcome import Ended, ExitCode, Watch
from acp_tui.headless.permission import Policy
from acp_tui.headless.questions import Questions
from acp_tui.headless.report import Report
from acp_tui.headless.session_choices import current_value, option_command, quote_word
from acp_tui.host.agent import RunProgram
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.events import Event, TimedOut
from acp_tui.state.changes import Change
from acp_tui.state.commands import Cancel, Do, SendPrompt
from acp_tui.state.entries import MessageEntry, NoticeEntry, TurnEndEntry
from acp_tui.state.modes import find_option
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.workspace.mentions import prepare_prompt

REPLAY_GAP = 0.2
"""Seconds without a message after which an agent that opened an earlier session has finished its
replay.
"""
LATE_REPLAY = 1.0
"""The same for an agent that has replayed nothing of the session yet."""
LONGEST_REPLAY = 3.0
"""Most seconds after its response in which an agent may continue to replay."""
CANCEL_GRACE = 5.0
"""Seconds that the agent has to end a canceled turn."""


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """The command line's options of a turn; `max_time` is in seconds.

    `choices` are config options and their values; "mode" stands for the session's mode. A finding
    of severity `findings` or worse fails the run; `checkpoints` says which folders are stored
    before the turn, to find unapproved changes. `auth` is the sign-in method; `run_program` runs it
    if it is a program. With `holds_stderr`, the agent's stderr is only printed if the agent fails.
    """

    prompt: str
    policy: Policy
    person: bool
    auth: str | None = None
    max_time: float | None = None
    choices: tuple[tuple[str, str], ...] = ()
    run_program: RunProgram | None = None
    findings: str | None = None
    holds_stderr: bool = False
    checkpoints: Literal["everywhere", "repositories", "nowhere"] = "everywhere"


class Turns:
    """Opens a session, runs turns in it, and answers the agent's questions during them.

    A turn that ends other than by the agent's response raises `Ended`.
    """

    def __init__(self, state: State, do: Do, report: Report, options: TurnOptions) -> None:
        self._state = state
        self._do = do
        self._report = report
        self._options = options
        self.watch = Watch()
        self.questions = Questions(
            state, do, report, self.watch, options.policy, person=options.person
        )
        self._signed_in = False
        self.timed_out = False
        """Whether a request of the client's timed out."""
        self.prompt: MessageEntry | None = None
        """The prompt of the last turn."""
        self.session: Session | None = None
        """The session of the last turn; a sign-in may have replaced it."""

    def follow(self, event: Event, changes: list[Change]) -> None:
        """Report an event of the client's, and wake the waiting task."""
        self.timed_out = self.timed_out or isinstance(event, TimedOut)
        self._report.event(self._state, event, changes)
        self.watch.wake()

    @property
    def _failed(self) -> ExitCode:
        return ExitCode.TIMEOUT if self.timed_out else ExitCode.ERROR

    async def open_session(self) -> Session:
        """Wait for the session and its history; sign in if the agent requires it."""
        while True:
            self._check_alive()
            for session in self._state.sessions.values():
                if session.opened:
                    self.session = session
                    if session.opening.method:
                        await self._wait_for_replay(session)
                    return session
            if self._state.peer.phase is Phase.SIGN_IN:
                await self._sign_in()
            if not await self.questions.answer_elicitations():
                await self.watch.wait()

    async def _wait_for_replay(self, session: Session) -> None:
        """Wait until an agent that replays after its response has finished: during a turn, nobody
        could distinguish the replay from the answer.
        """
        with anyio.move_on_after(LONGEST_REPLAY):
            is_quiet = False
            while not is_quiet and not self.watch.interrupted:
                seconds = LATE_REPLAY if session.is_replay_empty else REPLAY_GAP
                with anyio.move_on_after(seconds) as gap:
                    await self.watch.wait()
                is_quiet = gap.cancelled_caught

    async def run_turn(self, session: Session, prompt: str) -> TurnEndEntry:
        """Send a prompt, and wait for the end of its turn."""
        self._do(SendPrompt(session.session_id, await self._content(session, prompt)))
        if session.refused is not None:
            raise Ended(ExitCode.TIMEOUT, f"not sent: {session.refused}")
        end = await self._wait_for_end(session)
        if self._state.peer.phase is Phase.SIGN_IN:
            self.session = await self._sign_in_for_turn()
            end = await self._wait_for_end(self.session)
        return end

    async def _sign_in_for_turn(self) -> Session:
        """Sign in because the prompt was refused; return the session in which it is sent again."""
        while True:
            self._check_alive()
            if self._state.peer.phase is Phase.SIGN_IN:
                await self._sign_in()
            for session in self._state.open_sessions():
                if session.turn is not None:
                    return session
            if not await self.questions.answer_elicitations():
                await self.watch.wait()

    async def choose(self, session: Session, choices: Sequence[tuple[str, str]]) -> None:
        """Set a mode and options by name, except for values that the session was opened with.

        Raises Ended if one can't be set, or the agent's response shows another value.
        """
        before = len(session.entries)
        for name, value in choices:
            option = find_option(session.config.options, name)
            began = option is not None and option.id in session.config.initial_values
            if not began or current_value(session, name) != value:
                self._do(option_command(session, name, value))
        while self._state.calls:
            self._check_alive()
            await self.watch.wait()
        for entry in session.entries[before:]:
            if isinstance(entry, NoticeEntry) and entry.ours and entry.severity == "error":
                raise Ended(self._failed, ": ".join(filter(None, (entry.title, entry.description))))
        for name, value in choices:
            option = find_option(session.config.options, name)
            if option is None or option.id in session.config.unconfirmed:
                continue
            current = current_value(session, name)
            if current != value:
                words = f"The agent left {quote_word(name)} at {quote_word(current)}; you chose {quote_word(value)}."
                raise Ended(self._failed, words)

    async def _content(self, session: Session, prompt: str) -> tuple[ContentBlock, ...]:
        """Return the prompt as content blocks, with the files that it mentions."""
        offered = self._state.peer.capabilities.prompt_capabilities
        prepared = await to_thread.run_sync(
            prepare_prompt,
            prompt,
            self._state.folder_here(session),
            offered,
            abandon_on_cancel=True,
        )
        if prepared.problems:
            raise Ended(ExitCode.ERROR, "; ".join(prepared.problems))
        return prepared.blocks

    async def _wait_for_end(self, session: Session) -> TurnEndEntry:
        """Wait for the turn's end; until then, answer the agent's questions."""
        self.prompt = session.turn.prompt if session.turn is not None else None
        while session.turn is not None:
            if self.watch.interrupted:
                await self.cancel()
                raise Ended(ExitCode.INTERRUPTED, "interrupted")
            await self.answer_questions()
            if session.turn is not None and not self.watch.interrupted:
                await self.watch.wait()
        for entry in reversed(session.entries):
            if isinstance(entry, TurnEndEntry):
                return entry
        why = f"the agent {'is gone' if self._state.peer.process.exit else 'could not take the prompt'}"
        raise Ended(ExitCode.ERROR, why)

    async def answer_questions(self) -> None:
        """Answer all pending questions; the agent's subagents may ask between turns, too."""
        await self.questions.answer_permissions()
        await self.questions.answer_elicitations()

    def _check_alive(self) -> None:
        peer = self._state.peer
        if self.watch.interrupted:
            raise Ended(ExitCode.INTERRUPTED, "interrupted")
        if peer.trouble is not None:
            raise Ended(self._failed, self._with_hint(peer.trouble))
        over = peer.process.exit is not None and not (peer.process.exit.asked and self._signed_in)
        if peer.process.exit is not None and over and not peer.has_fallback:
            raise Ended(ExitCode.ERROR, self._with_hint(peer.process.exit.words))

    def _with_hint(self, why: str) -> str:
        """Add how a well-known agent is started if this command may be the wrong one: `initialize`
        was never answered.
        """
        peer = self._state.peer
        hint = how_to_speak_acp(peer.argv) if peer.initialized is None else ""
        return f"{why}. {hint}" if hint else why

    async def cancel(self) -> None:
        """Cancel the turn, if one is running, and wait up to `CANCEL_GRACE` seconds for its end."""
        session = self.session
        if session is None or session.turn is None:
            return
        self._do(Cancel(session.session_id))
        with anyio.move_on_after(CANCEL_GRACE):
            while session.turn is not None:
                await self.watch.wait()

    async def _sign_in(self) -> None:
        waiting = self._state.peer.sign_in
        assert waiting is not None
        if waiting.trying is not None:
            return
        method = self._options.auth
        if waiting.failure is not None:
            why = waiting.failure.message if self.timed_out else waiting.failure.words
            raise Ended(self._failed, f"signing in with {method} failed: {why}")
        wants = f"the agent wants a sign-in: {waiting.error.words}"
        if self._signed_in:
            raise Ended(ExitCode.ERROR, f"{wants}; signing in with {method} changed nothing")
        command = await self.questions.sign_in(method, self._options.run_program)
        self._check_alive()
        if isinstance(command, str):
            raise Ended(ExitCode.ERROR, f"{wants}; {command}")
        self._signed_in = True
        self._do(command)
