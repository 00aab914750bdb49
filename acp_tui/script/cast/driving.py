"""Plays a script as a person would: types the prompts into the UI, and answers by its keys.

What the agent does, and whether a turn is over, is known from the recording that the UI writes. The
screen is only looked at before a question is answered: who presses keys has to see what for.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from acp_tui.headless.outcome import ExitCode
from acp_tui.library.turn import Turn
from acp_tui.script.answering import Desk
from acp_tui.script.cast.asciicast import Marker
from acp_tui.script.cast.following import Following
from acp_tui.script.cast.hands import ENTER, ESCAPE, READS, TAKES, TRIES, Hands, StoppedError
from acp_tui.script.cast.questions import Questions, all_problems
from acp_tui.script.cast.window import Window
from acp_tui.script.judging import Failure, Seen, fingerprints, judge
from acp_tui.script.model import CancelAfter, EndExpected, Script, Step, is_like
from acp_tui.script.nodes import ScriptError
from acp_tui.script.playing import FAILED, Played, Result, add, mention, with_end
from acp_tui.session.state import Phase

_OVER = (Phase.SIGN_IN, Phase.NO_SESSION, Phase.FAILED, Phase.EXITED)
"""Where no session is to come by itself."""
_START = 60.0
"""Seconds until there is a session."""


def check(script: Script) -> None:
    """Refuse what can't be typed. Raises ScriptError."""
    for step in script.steps:
        texts = [step.prompt, *(one.words for one in step.answers)]
        if any(one.startswith("!") for one in texts):
            raise ScriptError(
                "a prompt that begins with ! is a command of your own in the UI", step.line
            )
        if any(not (char.isprintable() or char == "\n") for one in texts for char in one):
            raise ScriptError(
                "a prompt with a tab or a control character can't be typed", step.line
            )


@dataclass
class _Turns:
    """The turns that a step has to wait for, and when it is given up."""

    first: int
    wanted: int
    until: float


class Driver:
    """Plays one script; `played` says what became of it, `markers` and `start` when."""

    def __init__(
        self,
        script: Script,
        window: Window,
        following: Following,
        tell: Callable[[Result], None],
        auth: str | None = None,
    ) -> None:
        """`auth` is the method to sign in with, if the agent asks for that."""
        self._script = script
        self._auth = auth
        self._window = window
        self._following = following
        self._tell = tell
        self._hands = Hands(window, following, [one.prompt for one in script.steps])
        self._desk = Desk(all_problems)
        self._questions = Questions(self._hands, self._desk)
        self.played = Played(script.name)
        self.markers: list[Marker] = []
        self.start = 0.0

    def play(self) -> None:
        """Play all steps until one can't be played."""
        try:
            self._open()
        except StoppedError as error:
            self.played.trouble = str(error)
            self.played.end(error.code)
            self._skip(0)
            return
        self._hands.settle()
        self.start = time.monotonic()
        self._hands.pause(1.0)
        state, session = self._following.state, self._following.session
        assert session is not None
        self.played.agent = state.peer.name
        here = state.folder_here(session)
        folder = Path(here) if here is not None else None
        whole = Seen(folder, fingerprints(self._script.expect, folder))
        for number, step in enumerate(self._script.steps, 1):
            result = Result(number, step.name, step.line)
            began = time.monotonic()
            try:
                self._take(step, result, folder, whole)
            finally:
                result.seconds = round(time.monotonic() - began, 3)
            self._end(result)
            if result.trouble:
                self._skip(number)
                return
        self._hands.pause(2.0)
        if self._script.expect:
            result = Result(0, "at the end", 0)
            whole.findings = list(self._following.log.findings)
            result.failures = judge(self._script.expect, whole)
            self._end(result)

    def _open(self) -> None:
        """Wait for the session. Raises StoppedError."""

        def is_decided() -> bool:
            return self._following.session is not None or self._following.state.peer.phase in _OVER

        decided = self._hands.until(is_decided, _START) or self._window.has_ended
        if self._auth is not None and self._following.state.peer.phase is Phase.SIGN_IN:
            self._sign_in(self._auth)
            decided = True
        if self._following.session is None:
            self._hands.settle()
            code = ExitCode.ERROR if decided else ExitCode.TIMEOUT
            self._hands.stop("no session was opened", code)

    def _sign_in(self, method_id: str) -> None:
        """Choose the method by its key, and wait for the session. Raises StoppedError."""
        asked = self._following.state.peer.sign_in
        methods = asked.methods if asked is not None else []
        ids = [one.id for one in methods]
        if method_id not in ids:
            self._hands.stop(f"the agent offers no sign-in {method_id!r}, but {', '.join(ids)}")
        key = str(ids.index(method_id) + 1)
        if len(key) > 1 or not methods[int(key) - 1].agent_driven:
            self._hands.stop(f"signing in by {method_id!r} takes more than a key: do it first")
        self._hands.settle()
        self._hands.pause(READS)

        def is_over() -> bool:
            peer = self._following.state.peer
            return self._following.session is not None or peer.phase not in _OVER

        for _ in range(TRIES):
            self._hands.press(key)
            if self._hands.until(is_over, TAKES):
                break
        self._hands.until(lambda: self._following.session is not None, _START)

    def interrupt(self) -> None:
        """Note that somebody ended it; what was not played is skipped."""
        self.played.end(130)
        self._skip(len([one for one in self.played.results if one.number]))

    # Steps

    def _take(self, step: Step, result: Result, folder: Path | None, whole: Seen) -> None:
        seen = Seen(folder, fingerprints(step.expect, folder))
        self.markers.append(Marker(time.monotonic(), step.caption or step.name, step.caption))
        self._desk.begin(step)
        turns = _Turns(len(self._following.turns), 1, time.monotonic() + step.timeout)
        try:
            if step.caption:
                self._hands.pause(READS)
            prompt = " ".join([step.prompt, *map(mention, step.files)])
            self._send(prompt, turns)
            canceled = self._follow(step.cancel, turns)
            if step.cancel is not None and not canceled:
                words = "the turn ended before there was what it was to be canceled after"
                result.failures.append(Failure(step.cancel.line, words))
            self._hands.settle()
            self._hands.pause(READS)
        except StoppedError as error:
            result.trouble, result.code = str(error), error.code
        taken = self._following.completed(self._following.turns[turns.first :])
        for one in (seen, whole):
            add(one, taken)
        self._judge(step, result, seen, taken)

    def _judge(self, step: Step, result: Result, seen: Seen, turns: list[Turn]) -> None:
        unused = self._desk.unused()
        result.told, result.unanswered = self._desk.told, self._desk.unanswered
        wrong = [*self._desk.failures, *unused]
        lost = next((one.lost for one in turns if one.lost), None)
        error = next((one.error for one in turns if one.error is not None), None)
        if error is not None:
            seen.error = f"session/prompt: {error.message} ({error.code})"
        expected = any(
            isinstance(one, EndExpected) and one.error is not None for one in step.expect
        )
        if not result.trouble and (lost or (error is not None and not expected)):
            result.code = ExitCode.ERROR
            result.trouble = lost or f"the agent answered with an error: {seen.error}"
        if not result.trouble:
            result.failures += [*wrong, *judge(with_end(step), seen)]

    def _end(self, result: Result) -> None:
        if not result.code and result.failures:
            result.code = FAILED
        if result.unanswered and result.code in (0, FAILED, ExitCode.ERROR):
            result.code = ExitCode.NOBODY_TO_ASK
        self.played.results.append(result)
        self.played.end(result.code)
        self._tell(result)

    def _skip(self, done: int) -> None:
        for number, step in enumerate(self._script.steps[done:], done + 1):
            result = Result(number, step.name, step.line, skipped=True)
            self.played.results.append(result)
            self._tell(result)

    # A turn

    def _send(self, prompt: str, turns: _Turns) -> None:
        """Type a prompt and send it; a list of commands or files may take the first Enter."""
        self._hands.type(prompt)
        self._hands.pause(0.5)

        def begun() -> bool:
            session = self._following.session
            is_open = session is not None and session.turn is not None
            return is_open or len(self._following.turns) > turns.first

        for _ in range(3):
            self._hands.press(ENTER)
            if self._hands.until(begun, TAKES):
                break
        else:
            self._hands.stop("the UI didn't send the prompt")
        session = self._following.session
        if session is None or session.turn is None or "@" in prompt:
            return
        sent = session.turn.prompt.text
        if sent.split() != prompt.split():
            self._hands.stop(f"the UI sent another prompt: {sent[:200]!r}")

    def _follow(self, cancel: CancelAfter | None, turns: _Turns) -> bool:
        """Wait for the end of all turns, and answer what is asked; return whether one was canceled."""
        began = time.monotonic()
        canceled = False

        def over() -> bool:
            session = self._following.session
            ended = len(self._following.turns) - turns.first
            return ended >= turns.wanted and (session is None or session.turn is None)

        while not over():
            if time.monotonic() > turns.until:
                self._hands.stop("not done in time", ExitCode.TIMEOUT)
            if self._window.has_ended:
                self._hands.stop("the UI has ended")
            turns.wanted += self._questions.answer()
            if cancel is not None and not canceled and self._is_time(cancel, began):
                self._hands.press(ESCAPE)
                canceled = True
            self._hands.look()
        return canceled

    def _is_time(self, cancel: CancelAfter, began: float) -> bool:
        if cancel.seconds is not None:
            return time.monotonic() - began >= cancel.seconds
        if cancel.tool is not None:
            return any(is_like(one, cancel.tool) for one in self._following.tools())
        return cancel.text is not None and cancel.text in self._following.said()
