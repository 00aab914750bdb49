"""The demo's short tours: the keys that each names do what it says, in a small terminal."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.demo_agent import texts
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


def press(it: Terminal, keys: Iterator[str], expected: str) -> None:
    """Press the key that the tour names next, and wait for what it leads to."""
    key = next(keys)
    it.send(KEYS.get(key, key))
    it.wait_for(expected)


def press_back(it: Terminal, keys: Iterator[str], gone: str) -> None:
    """Press Esc, and wait until what it closes is gone: a key right after Esc would be taken with it."""
    assert next(keys) == "Esc"
    it.send(ESCAPE)
    it.wait_until(lambda: gone not in it.text, f"screen without {gone!r}")


def named_in(text: str) -> Iterator[str]:
    """Yield the keys that a tour names, in their order."""
    return iter(re.findall(r"\*\*(.+?)\*\*", text))


def begin(it: Terminal, command: str) -> float:
    it.wait_for(READY)
    it.type_line(command)
    return time.monotonic()


def end(it: Terminal, keys: Iterator[str], begun: float, command: str) -> None:
    """The tour took less than its half minute, and its last words are on the screen."""
    assert time.monotonic() - begun < HALF_A_MINUTE
    it.wait_for(command)
    assert list(keys) in ([], ["F12"], ["F12", "H", "d"], ["Alt+U"]), "keys that nobody pressed"
    it.send(CTRL_Q)


def test_the_first_screen_names_the_tours() -> None:
    with terminal("demo", "--no-record", env=FAST) as it:
        it.wait_for(READY)
        for name in ("/wire", "/findings", "/hold", "/rewind"):
            it.wait_for(name)


def test_the_tour_of_the_wire() -> None:
    with terminal("demo", "--no-record", env=FAST) as it:
        begun = begin(it, "/wire")
        it.wait_for("then F12.")
        keys = named_in(texts.WIRE_TOUR)
        press(it, keys, "← response to …prompt")
        it.wait_for("end_turn")
        press(it, keys, '"method": "session/prompt"')
        press(it, keys, "F12 leave")
        press_back(it, keys, "F12 leave")
        press(it, keys, "Where the time went")
        press_back(it, keys, "Where the time went")
        press(it, keys, READY)
        end(it, keys, begun, "acp-tui -- COMMAND")


def test_the_tour_of_findings() -> None:
    with terminal("demo", "--no-record", env=FAST) as it:
        begun = begin(it, "/findings")
        it.wait_for("protocol: 1 error (F12)")  # the status line: the text names no key there
        it.wait_for("tries all the rules")
        keys = named_in(texts.FINDINGS_TOUR)
        press(it, keys, "is not a valid ACP")
        press(it, keys, "stdout-noise")
        press(it, keys, READY)
        end(it, keys, begun, "acp-tui check -- COMMAND")


def test_the_tour_of_holding_and_editing() -> None:
    with terminal("demo", "--no-record", env=FAST) as it:
        begun = begin(it, "/hold")
        it.wait_for("it asks what you wrote")
        it.wait_for_keys()
        keys = named_in(texts.HOLD_TOUR)
        press(it, keys, "← …request_permission")
        press(it, keys, "break on dir:in method:session/request_permission")
        press(it, keys, "are held from now on")
        press(it, keys, "1 ")
        it.wait_for_keys()
        press(it, keys, "1 held at breakpoints")
        press(it, keys, "F12 back")
        press(it, keys, "Held messages")
        press(it, keys, "Ctrl+S pass on")
        it.wait_for('"title": "Pour a second cup"')
        row = next(y for y, line in enumerate(it.text.split("\n")) if '"title"' in line)
        it.send(DOWN * (row - 1) + END + BACKSPACE * 5 + 'bath",')
        it.wait_for('"title": "Pour a second bath"')
        press(it, keys, "Nothing is held")
        press_back(it, keys, "Nothing is held")
        press(it, keys, "Pour a second bath")
        it.wait_for_keys()
        it.send("1")
        it.wait_for("I sent Pour a second cup")
        end(it, named_in(texts.HOLD_TOUR_END), begun, "acp-tui --break method:session/request_perm")


def test_the_tour_of_rewinding() -> None:
    with terminal("demo", "--no-record", env=FAST | KEPT) as it:
        begun = begin(it, "/rewind")
        it.wait_for("asks for permission")
        it.wait_for_keys()
        it.send("1")
        it.wait_for("1 file changed")
        keys = named_in(texts.REWIND_TOUR)
        press(it, keys, "Changes from then until now")
        press(it, keys, "is put back")
        it.wait_for_keys()
        press(it, keys, READY)
        it.wait_for("1 file")
        end(it, keys, begun, "acp-tui -- COMMAND")
