"""A person in front of the program, who does one thing after the other, as the screen asks."""

import random
import time

from tests.e2e.terminal import ENTER, ESCAPE, Terminal

ANSWERED_WITHIN = 20.0
"""Seconds in which a key must show."""
GUARD = 0.7
"""Seconds after which a question takes keys."""
TABS = 4
"""How many sessions are opened at most."""

RESTART = "Alt+A restart"
"""What is offered where the agent is gone, or does not end its turn."""
BESIDE = "│      time"
"""What stands at the top while the frames are beside the conversation."""

TAB, CTRL_O, CTRL_T, CTRL_W = "\t\x0f\x14\x17"
ALT_A, ALT_SLASH = "\x1ba", "\x1b/"
ALT_P, ALT_O = "\x1bp", "\x1bo"
F1, F2, F3, F4 = "\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS"
F6, F7, F8, F9, F12, SHIFT_F12 = (
    "\x1b[17~",
    "\x1b[18~",
    "\x1b[19~",
    "\x1b[20~",
    "\x1b[24~",
    "\x1b[24;2~",
)
NEXT_TAB, SHIFT_TAB, SHIFT_DOWN = "\x1b[6;5~", "\x1b[Z", "\x1b[1;2B"

WALKS: dict[str, list[str]] = {
    "inspector": [F12, "/", "method:session/*", ENTER, *"nNvSwmpio", ",", ",", ".", "c", ESCAPE],
    "time": [F12, "g", "50%", ENTER, "s", ESCAPE],
    "split": [SHIFT_F12, SHIFT_F12],
    "search": [ALT_SLASH, "item", ENTER, "n", "n", "N", ESCAPE],
    "reading": [TAB, *"gkkGtTE[]s", ENTER, ENTER, "v", SHIFT_DOWN, "y", ESCAPE],
    "rules": [ALT_P, "d", ESCAPE],
    "files": [F7, "j", "u", ESCAPE],
    "undo": [F9],
    "export": [ALT_O, "m", ALT_O, "h", ALT_O, "s"],
    "picker": [CTRL_O, "old1", ESCAPE],
    "opening": [CTRL_O, "old", ENTER],
    "options": [F4, ESCAPE],
    "looks": [F3, F2, F1, ESCAPE, F8, ESCAPE, F6, SHIFT_TAB],
}
"""Ways through the program, by their keys. No q and no x: an agent may die on the way."""


class Person:
    """Counts what was done."""

    def __init__(self, it: Terminal, seed: str) -> None:
        self.it = it
        self.draw = random.Random(seed)
        self.turns = self.restarts = self.cancels = self.answers = self.rules = 0
        self.sessions = self.walks = 0
        self.slowest = 0.0

    def see(self, seconds: float) -> None:
        """Look at the screen for a while."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.it._draw(0.02)
        assert self.it.process.poll() is None, f"it ended:\n{self.it.last_words}"

    def act(self) -> None:
        """Do what can be done now."""
        self.go_home()
        chance = self.draw.random()
        if RESTART in self.last_row:
            self.it.send(ALT_A)
            self.restarts += 1
        elif "Esc cancel" in self.last_row and chance < 0.1:
            self.it.send(ESCAPE)
            self.cancels += 1
        elif chance < 0.15:
            self.it.resize(self.draw.randint(1, 160), self.draw.randint(1, 50))
            self.see(0.1)
            self.it.resize(120, 30)
        elif chance < 0.35:
            self.walk(self.draw.choice(list(WALKS)))
        elif chance < 0.45:
            self.it.send(NEXT_TAB)
        elif chance < 0.5:
            self.open_or_close()
        elif "Enter send" in self.last_row:
            self.prompt()
        self.see(0.2)

    @property
    def last_row(self) -> str:
        return self.it.text.rpartition("\n")[2]

    @property
    def is_home(self) -> bool:
        """Whether there is no dialog, and keys go to the prompt."""
        offered = any(word in self.last_row for word in ("Enter send", "Enter queue", RESTART))
        return offered and not self.sees_dialog and BESIDE not in self.it.text

    @property
    def sees_dialog(self) -> bool:
        """Whether something with a frame is above all else."""
        return "╭" in self.it.text

    def go_home(self) -> None:
        """Leave dialogs, answering what is asked, until a prompt or a restart is offered."""
        until = time.monotonic() + 3 * ANSWERED_WITHIN
        while not self.is_home:
            assert time.monotonic() < until, f"no way home from:\n{self.it.text}"
            self.step_home()

    def step_home(self) -> None:
        text = self.it.text
        if "asks for permission" in text:
            self.see(GUARD)
            self.answer()
        elif "Close this session?" in text or "Delete this session?" in text:
            self.see(GUARD)
            self.it.send("2")
        elif "Tab prompt" in self.last_row:
            self.it.send(TAB)
        elif BESIDE in text and not self.sees_dialog:
            self.it.send(SHIFT_F12)
        else:
            self.it.send(ESCAPE)
        self.see(0.4)

    def answer(self) -> None:
        self.answers += 1
        if self.draw.random() < 0.9:
            self.it.send(self.draw.choice("12"))
            return
        self.rules += 1
        self.it.send("a")
        for _ in range(2):
            self.see(GUARD)
            self.it.send("1")

    def walk(self, name: str) -> None:
        self.walks += 1
        for key in WALKS[name]:
            self.it.send(key)
            self.see(0.15)

    @property
    def tabs(self) -> int:
        """How many tabs the row at the top shows."""
        first = self.it.text.partition("\n")[0]
        return max(1, sum(f" {number} " in f" {first}" for number in range(1, 10)))

    def open_or_close(self) -> None:
        if self.tabs < TABS:
            self.it.send(CTRL_T)
            self.see(0.5)
            self.it.send(ENTER)
            self.sessions += 1
        else:
            self.it.send(CTRL_W)
        self.see(0.3)

    def prompt(self) -> None:
        begin = time.monotonic()
        word = f"go{self.turns}"
        self.it.send(word)
        anew = "A new session begins"
        before = self.it.text.count(anew)

        def taken() -> bool:
            return not self.is_home or RESTART in self.last_row or self.it.text.count(anew) > before

        self.it.wait_until(lambda: word in self.it.text or taken(), word)
        if word not in self.it.text:
            return  # a dialog, or an agent that died, took the keys
        self.slowest = max(self.slowest, time.monotonic() - begin)
        assert self.slowest < ANSWERED_WITHIN, f"a key took {self.slowest:.1f} s"
        self.it.send(ENTER)
        self.turns += 1

    def start(self, agent: str) -> None:
        """Start an agent that the settings name, and close all others."""
        self.until("New tab", CTRL_T)
        self.it.send(agent)
        self.see(0.5)
        self.it.send(ENTER)
        self.it.wait_until(lambda: agent in self.it.text.partition("\n")[0], agent)
        self.until("this is the only session", "\x1b1", CTRL_W)
        self.it.send(TAB + TAB)  # Textual keeps the last chain of focus
        self.see(4.0)
        self.go_home()

    def until(self, words: str, *keys: str) -> None:
        """Press these keys, from home, until the screen says something."""
        most = time.monotonic() + 5 * ANSWERED_WITHIN
        while words not in self.it.text:
            assert time.monotonic() < most, f"no {words!r} on:\n{self.it.text}"
            self.go_home()
            for key in keys:
                self.it.send(key)
                self.see(0.3)
