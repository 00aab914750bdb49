"""A conversation by lines, without a screen: output is only appended, never redrawn."""

from collections import deque

import anyio

from acp_tui.formatting import duration
from acp_tui.headless.keyboard import KeyboardLines
from acp_tui.headless.outcome import Ended, ExitCode, judge_end
from acp_tui.headless.report import TextReport, report_missing_history
from acp_tui.headless.session_choices import (
    current_value,
    is_unconfirmed,
    list_settable,
    quote_word,
)
from acp_tui.headless.turns import TurnOptions, Turns
from acp_tui.host.session_names import for_subagent
from acp_tui.protocol.events import Event
from acp_tui.state.changes import Change
from acp_tui.state.commands import Do
from acp_tui.state.session import Session
from acp_tui.state.state import State

HELP = """\
A line is a prompt: Enter sends it. Several pasted lines wait for one more
Enter. While the agent works, Ctrl+C cancels the turn. Answer a question with
its number; words reject it, and are the next prompt. On a terminal, | begins
each row of what the agent says. Lines that begin with : are for acp-tui:
  :help   show these lines
  :drop   discard the pasted lines
  :set    list the modes, models and other options
  :set OPTION=VALUE   choose one, such as mode=plan
  :quit   quit, as do Ctrl+D, /quit and /exit
  ::      begins a prompt with a colon"""


class Talk:
    """Reads prompts from the terminal, and runs a turn for each, until the user quits."""

    def __init__(self, state: State, do: Do, report: TextReport, options: TurnOptions) -> None:
        self._state = state
        self._report = report
        self._options = options
        self._turns = Turns(state, do, report, options)
        self._next: deque[str] = deque()
        """Prompts that were entered already."""
        self._lines = KeyboardLines()
        self._is_leaving = False
        self._announced: int | None = None
        """The number of the question that was announced last to the user, who was at the prompt."""
        if options.person:
            self._turns.questions.rejecting = self._next.append
        report.output.listener = self.leave

    def follow(self, event: Event, changes: list[Change]) -> None:
        """Follow the client's events."""
        self._turns.follow(event, changes)

    def leave(self) -> None:
        """Cancel the turn and quit: because of a signal, or because the output can't be written."""
        self._is_leaving = True
        self._turns.watch.interrupt()

    def cancel(self) -> None:
        """Cancel the turn; if none is running, quit."""
        session = self._turns.session
        if session is None or session.turn is None:
            self._is_leaving = True
        self._next.clear()
        self._turns.watch.interrupt()

    async def run(self) -> int:
        """Talk until the input ends or the agent exits.

        Return the exit code: without a person, that of the last turn.
        """
        code = ExitCode.END_TURN
        try:
            session = await self._turns.open_session()
            report_missing_history(self._report, session)
            await self._turns.choose(session, self._options.choices)
            where = f"in {session.cwd}, with {self._state.peer.name}"
            self._print_line(f"ready; :help lists the commands; {where}")
            while (prompt := await self._prompt(session)) is not None:
                if self._run_familiar_command(session, prompt):
                    continue
                ended = await self._turn(session, prompt)
                code = ExitCode.END_TURN if self._options.person else ended
        except Ended as stop:
            code = ExitCode.END_TURN if self._is_leaving else stop.code
            if not self._is_leaving:
                self._print_line(stop.why)
        await self._report.output.written()
        return int(code)

    def _print_line(self, words: str) -> None:
        self._report.notify(f"acp-tui: {words}")

    async def _turn(self, session: Session, prompt: str) -> ExitCode:
        """Run one turn, and report how it ended. Raises Ended if no other turn can follow."""
        took = ""
        try:
            end = await self._turns.run_turn(session, prompt)
            ended, took = judge_end(end), f"the turn took {duration(end.worked)}"
        except Ended as stop:
            ended = stop
            if self._is_leaving or self._state.peer.process.exit is not None:
                raise
            self._turns.watch.interrupted = False
            if stop.code is ExitCode.INTERRUPTED:
                ended = Ended(stop.code, "canceled")
        self._report.end_turn(ended.why or took)
        return ended.code

    async def _prompt(self, session: Session) -> str | None:
        """Return the next prompt; None after the last."""
        while not self._is_leaving:
            await self._turns.answer_questions()
            if self._next:
                return self._next.popleft()
            text = await self._read_prompt()
            if text is None:
                return None
            if text.startswith("::"):
                return text[1:]
            if text.startswith(":"):
                await self._run_colon_command(session, *text.split(maxsplit=1))
            elif text.strip():
                return text
        return None

    async def _run_colon_command(self, session: Session, word: str, rest: str = "") -> None:
        """Run a line that begins with a colon: `:set`, `:drop`, `:help` or `:quit`."""
        match word:
            case ":set" if rest.strip():
                await self._set_option(session, rest)
            case ":set":
                for line in list_settable(session) or ["the agent offers nothing to set"]:
                    self._print_line(line)
            case ":help" | ":quit" | ":drop" if rest.strip():
                self._print_line(f"{word} takes nothing after it")
            case ":help":
                self._show_help()
            case ":quit":
                self._is_leaving = True
            case ":drop":
                self._print_line("no lines wait to be sent")
            case _:
                self._print_line(f"there is no {word}; :help lists the commands")

    def _run_familiar_command(self, session: Session, prompt: str) -> bool:
        """Run a slash command that users know from agents' own programs. Return False for others,
        and for the agent's own.
        """
        command = prompt.strip()
        if any(f"/{one.name}" == command for one in session.commands):
            return False
        match command:
            case "/exit" | "/quit":
                self._is_leaving = True
            case "/help":
                self._show_help()
            case "/clear" | "/new":
                self._print_line("there is one session here; for a new one, quit and start again")
            case _:
                return False
        return True

    def _show_help(self) -> None:
        for line in HELP.splitlines():
            self._report.notify(line)

    async def _set_option(self, session: Session, choice: str) -> None:
        name, equals, value = (part.strip() for part in choice.partition("="))
        if not equals:
            self._print_line(
                ":set needs OPTION=VALUE, such as mode=plan; :set alone lists the options"
            )
            return
        try:
            await self._turns.choose(session, [(name, value)])
        except Ended as stop:
            self._print_line(stop.why)
        else:
            value = quote_word(current_value(session, name))
            if is_unconfirmed(session, name):
                self._print_line(
                    f"the agent didn't confirm {quote_word(name)}; last it was {value}"
                )
            else:
                self._print_line(f"{quote_word(name)} is {value}")

    async def _read_prompt(self) -> str | None:
        """Read a prompt: a line, or several that were pasted. Return None at EOF."""
        lines: list[str] = []
        asks = "> " if self._options.person else ""
        while (line := await self._line(asks)) is not None:
            if lines and line == ":drop":
                return ""
            if lines and not line and not self._lines.has_more:
                return "\n".join(lines)
            lines.append(line)
            more = self._options.person and self._lines.has_more
            if len(lines) == 1 and not more:
                return line
            if not more:
                self._print_line(f"{len(lines)} lines: Enter sends them, :drop forgets them")
            asks = ""
        return None

    async def _line(self, asks: str) -> str | None:
        """Read a line; stop waiting if the agent exits or the user quits. Return None at EOF."""
        line: str | None = None
        typed_before = self._lines.has_line
        self._report.printer.prompt(asks)
        async with anyio.create_task_group() as tasks:

            async def until_over() -> None:
                while not (self._is_leaving or self._state.peer.process.exit is not None):
                    await self._turns.watch.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(until_over)
            tasks.start_soon(self._follow_questions)
            line = await self._lines.read()
            tasks.cancel_scope.cancel()
        if line is not None:
            self._report.printer.end_prompt(line if typed_before else "")
        if line is None and self._state.peer.process.exit is not None:
            raise Ended(ExitCode.ERROR, self._state.peer.process.exit.words)
        return line

    async def _follow_questions(self) -> None:
        """Answer the agent's questions between turns.

        A question for the user is only announced: the user may be typing a prompt, which the
        question would discard.
        """
        while True:
            question = self._turns.questions.first_for_person()
            if question is None:
                await self._turns.answer_questions()
            elif question.number != self._announced:
                self._announced = question.number
                asker = for_subagent(self._state, question.session_id)
                self._print_line(f"the agent asks{asker}: Enter alone shows the question")
            await self._turns.watch.wait()
