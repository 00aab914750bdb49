"""The demo's short tours: each key that a tour names does what the tour says, in a small terminal."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acp_tui.demo_agent import texts
from acp_tui.demo_agent.scenes import COMMANDS
from tests.e2e.terminal import CTRL_Q, ENTER, ESCAPE, Terminal, terminal

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

KEYS = {
    "F12": "\x1b[24~",
    "Enter": ENTER,
    "Esc": ESCAPE,
    "Ctrl+S": "\x13",
    "Alt+U": "\x1bu",
}
DOWN, END, BACKSPACE = "\x1b[B", "\x1b[F", "\x7f"
FAST = {"ACP_DEMO_SPEED": "0"}
KEPT = {"ACP_TUI_CHECKPOINTS_WHERE": "everywhere"}
READY = "Ask the agent"
HALF_A_MINUTE = 30.0
DEBUGGING_PAGE = Path(__file__).parents[2] / "docs/debugging.md"


class Tour:
    """A tour in a terminal, and the keys that its text names, in their order."""

    def __init__(self, it: Terminal, text: str) -> None:
        self.it = it
        self.keys = iter(re.findall(r"\*\*(.+?)\*\*", text))

    def press(self, expected: str) -> None:
        """Press the key that the tour names next, and wait for what it leads to."""
        key = next(self.keys)
        self.it.send(KEYS.get(key, key))
        self.it.wait_for(expected)

    def press_back(self, gone: str) -> None:
        """Press Esc, and wait until what it closes is gone: a key right after Esc would be read with it."""
        assert next(self.keys) == "Esc"
        self.it.send(ESCAPE)
        self.it.wait_until(lambda: gone not in self.it.text, f"screen without {gone!r}")


@contextmanager
def touring(command: str, text: str, shown: str, env: dict[str, str] = FAST) -> Iterator[Tour]:
    """Begin a tour and wait until it is `shown`; assert in the end that it took less than half a minute."""
    with terminal("demo", "--no-record", env=env) as it:
        it.wait_for(READY)
        begun = time.monotonic()
        it.type_line(command)
        it.wait_for(shown)
        yield Tour(it, text)
        assert time.monotonic() - begun < HALF_A_MINUTE
        it.send(CTRL_Q)


def test_the_first_screen_says_what_each_tour_shows_in_words_of_its_own() -> None:
    with terminal("demo", "--no-record", env=FAST) as it:
        it.wait_for(READY)
        names = ("wire", "findings", "hold", "rewind")
        for name in names:
            it.wait_for(f"/{name}")
            it.wait_for(COMMANDS[name][1])
        assert len({COMMANDS[name][1].split()[0] for name in names}) > 2


def test_the_tour_of_the_wire() -> None:
    with touring("/wire", texts.WIRE_TOUR, "then F12.") as tour:
        tour.press("← response to …prompt")
        tour.it.wait_for("end_turn")
        tour.press('"method": "session/prompt"')
        tour.press("F12 leave")
        tour.press_back("F12 leave")
        tour.it.wait_for('"method": "session/prompt"')
        tour.press("Where the time went")
        tour.press_back("Where the time went")
        tour.press(READY)
        tour.it.wait_for("acp-tui -- COMMAND")
        assert list(tour.keys) == ["F12"], "your own agent's"


def test_the_tour_of_findings() -> None:
    with touring("/findings", texts.FINDINGS_TOUR, "tries all the rules") as tour:
        tour.it.wait_for("protocol: 1 error (F12)")  # the status line: the text names no key there
        tour.press("is not a valid ACP")
        page = DEBUGGING_PAGE.read_text("utf-8").partition("Each row is a frame")[0]
        rows = re.findall(r"^ +(\d+) +[\d.]+ (.+?)\.*…?$", page, re.MULTILINE)
        assert len(rows) == 3
        for number, words in rows:
            assert re.search(
                rf"^▌? +{number} +[\d.]+ {re.escape(words)}", tour.it.text, re.MULTILINE
            )
        tour.press("stdout-noise")
        tour.press(READY)
        tour.it.wait_for("acp-tui check -- COMMAND")
        assert list(tour.keys) == []


def test_the_tour_of_holding_and_editing() -> None:
    with touring("/hold", texts.HOLD_TOUR, "it asks what you wrote") as tour:
        it = tour.it
        it.wait_for_keys()
        tour.press("← …request_permission")
        tour.press("break on dir:in method:session/request_permission")
        tour.press("are held from now on")
        tour.press("asks for permission")
        it.wait_for_keys()
        tour.press("1 held at breakpoints")
        tour.press("F12 back")
        tour.press("Held messages")
        tour.press("Ctrl+S pass on")
        it.wait_for('"title": "Pour a second cup"')
        row = next(y for y, line in enumerate(it.text.split("\n")) if '"title"' in line)
        it.send(DOWN * (row - 1) + END + BACKSPACE * 5 + 'bath",')
        it.wait_for('"title": "Pour a second bath"')
        tour.press("Nothing is held")
        tour.press_back("Nothing is held")
        tour.press("Pour a second bath")
        assert list(tour.keys) == []
        it.wait_for_keys()
        it.send("1")
        it.wait_for("I sent Pour a second cup")
        it.wait_for("acp-tui --break method:session/request_perm")
        end = Tour(it, texts.HOLD_TOUR_END)
        end.press("F12 back")
        end.press("Held messages")
        it.wait_for("1 frame held")
        assert next(end.keys) == "d"
        it.send("d")
        it.wait_until(lambda: "1 frame held" not in it.text, "screen without the breakpoint")
        it.send(ESCAPE)
        it.wait_until(lambda: "Held messages" not in it.text, "screen without the list")
        assert list(end.keys) == []


def test_the_tour_of_rewinding() -> None:
    with touring("/rewind", texts.REWIND_TOUR, "asks for permission", FAST | KEPT) as tour:
        tour.it.wait_for_keys()
        tour.it.send("1")
        tour.it.wait_for("1 file changed")
        tour.press("Changes from then until now")
        tour.press("is put back")
        tour.it.wait_for_keys()
        tour.press("rewound: 1 file")
        tour.it.wait_for("acp-tui -- COMMAND")
        assert list(tour.keys) == ["Alt+U"], "your own agent's"
