"""Hands and eyes of who plays a script in the UI: keys at a person's pace, and what is seen meanwhile."""

import random
import time
from collections.abc import Callable, Iterable
from typing import NoReturn

from acp_tui.headless.outcome import ExitCode
from acp_tui.script.cast.following import Following
from acp_tui.script.cast.secrets import Finder, secrets_of
from acp_tui.script.cast.window import Window

ENTER, ESCAPE, NEW_LINE = "\r", "\x1b", "\n"
READS = 1.4
"""Seconds that a person looks at a question, and at what a turn has brought, at least."""
TAKES = 2.5
"""Seconds until a key that did nothing is pressed again."""
TRIES = 6
_STILL = 0.4
"""Seconds without anything new after which a screen is drawn."""
_LETTER = (0.03, 0.09)


class StoppedError(Exception):
    """It doesn't go on; the text says why."""

    def __init__(self, words: str, code: int = ExitCode.ERROR) -> None:
        super().__init__(words)
        self.code = int(code)


class Hands:
    """Presses keys in a window, and follows what comes of them; `texts` may hold secrets."""

    def __init__(self, window: Window, following: Following, texts: Iterable[str]) -> None:
        self.window = window
        self.following = following
        self._texts = list(texts)
        self._pace = random.Random(0)  # noqa: S311 the pace of typing is no secret

    def press(self, keys: str) -> None:
        """Press keys at once."""
        self.window.press(keys)

    def type(self, words: str) -> None:
        """Type words, letter by letter."""
        for char in words:
            self.window.press(NEW_LINE if char == "\n" else char)
            self.pause(self._pace.uniform(*_LETTER))

    def look(self, seconds: float = 0.02) -> bool:
        """Take in what is new; return whether anything was drawn."""
        drawn = self.window.look(seconds)
        self.following.catch_up()
        return drawn

    def pause(self, seconds: float) -> None:
        """Only look for some time."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.look(min(0.02, left))

    def settle(self) -> None:
        """Wait until the screen is drawn, as far as it ever is: something may move all the time."""
        until = time.monotonic() + 3.0
        still = time.monotonic() + _STILL
        while time.monotonic() < min(until, still):
            if self.look():
                still = time.monotonic() + _STILL

    def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Look until a condition holds; return False if it doesn't within this time."""
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until or self.window.has_ended:
                return False
            self.look()
        return True

    def sees(self, *words: str, seconds: float = 5.0) -> bool:
        """Look until any of these words stand on the screen; return False if they never do."""
        return self.until(lambda: any(one in self.window.drawing.text for one in words), seconds)

    def stop(self, words: str, code: int = ExitCode.ERROR) -> NoReturn:
        """Give up, with what is on the screen. Raises StoppedError."""
        screen = "\n".join(f"  | {row}" for row in self._screen() if row)
        raise StoppedError(f"{words}; on the screen is:\n{screen}", code)

    def _screen(self) -> list[str]:
        """Return what can be read, secrets masked: one that is wrapped looks like none in its rows."""
        drawing = self.window.drawing
        rows = [[one.data for one in drawing.row(y)] for y in range(drawing.screen.lines)]
        finder = Finder(secrets_of(self.following.records, {}, self._texts))
        finder.learn(rows)
        hidden = finder.places(rows)
        return [
            "".join("•" if (y, x) in hidden else data for x, data in enumerate(row)).rstrip()
            for y, row in enumerate(rows)
        ]
