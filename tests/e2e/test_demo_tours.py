"""The demo's short tours: each key that a tour names does what the tour says, in a small terminal."""

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acp_tui.demo_agent import texts
from acp_tui.demo_agent.scenes import COMMANDS
from acp_tui.demo_agent.work import sample_workspace
from tests.e2e.terminal import ENTER, ESCAPE, Terminal, terminal
from tests.examples import parametrize

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
def demo(*options: str, **env: str) -> Iterator[Terminal]:
    """Run the demo until it takes a prompt."""
    with terminal("demo", "--no-record", *options, env=FAST | env) as it:
        it.wait_for(READY)
        yield it


@contextmanager
def touring(it: Terminal, command: str, text: str, shown: str) -> Iterator[Tour]:
    """Begin a tour and wait until it is `shown`; assert in the end that it took less than half a minute."""
    it.wait_for(READY)
    begun = time.monotonic()
    it.type_line(command)
    it.wait_for(shown)
    yield Tour(it, text)
    assert time.monotonic() - begun < HALF_A_MINUTE


def test_the_first_screen_says_what_each_tour_shows_as_that_of_the_wire_does() -> None:
    names = ("wire", "findings", "hold", "rewind")
    with demo() as it:
        for name in names:
            it.wait_for(f"/{name}")
            it.wait_for(COMMANDS[name][1])
        assert len({COMMANDS[name][1].split()[0] for name in names}) > 2
        with touring(it, "/wire", texts.WIRE_TOUR, "then F12.") as tour:
            tour.press("← response to …prompt")
            it.wait_for("end_turn")
            tour.press('"method": "session/prompt"')
            tour.press("F12 leave")
            tour.press_back("F12 leave")
            it.wait_for('"method": "session/prompt"')
            tour.press("Where the time went")
            tour.press_back("Where the time went")
            tour.press(READY)
            it.wait_for("acp-tui -- COMMAND")
            assert list(tour.keys) == ["F12"], "your own agent's"


def test_the_tours_of_findings_and_of_holding_and_editing() -> None:
    with demo() as it:
        with touring(it, "/findings", texts.FINDINGS_TOUR, "tries all the rules") as tour:
            it.wait_for("protocol: 1 error (F12)")  # the status line: the text names no key there
            tour.press("is not a valid ACP")
            page = DEBUGGING_PAGE.read_text("utf-8").partition("Each row is a frame")[0]
            rows = re.findall(r"^ +(\d+) +[\d.]+ (.+?)\.*…?$", page, re.MULTILINE)
            assert len(rows) == 3
            for number, words in rows:
                assert re.search(
                    rf"^▌? +{number} +[\d.]+ {re.escape(words)}", it.text, re.MULTILINE
                )
            tour.press("stdout-noise")
            tour.press(READY)
            it.wait_for("acp-tui check -- COMMAND")
            assert list(tour.keys) == []
        with touring(it, "/hold", texts.HOLD_TOUR, "it asks what you wrote") as tour:
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


@parametrize(1, "repository", [True, False])
def test_the_changes_of_the_tour_of_rewinding_go_back_and_come_again(
    tmp_path: Path, repository: bool
) -> None:
    sample_workspace(tmp_path)
    if repository:
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)

    def files() -> dict[Path, bytes]:
        return {one: one.read_bytes() for one in tmp_path.glob("*.*") if one.is_file()}

    before = files()
    with demo("--cwd", str(tmp_path), **KEPT) as it:
        with touring(it, "/rewind", texts.REWIND_TOUR, "asks for permission") as tour:
            it.wait_for_keys()
            it.send("1")
            it.wait_for("1 file changed")
            after = files()
            assert after != before
            tour.press("Changes from then until now")
            tour.press("is put back")
            it.wait_for_keys()
            tour.press("rewound: 1 file")
            assert files() == before
            it.wait_for("acp-tui -- COMMAND")
            assert list(tour.keys) == ["Alt+U"], "your own agent's"
        it.wait_for("Enter send")
        it.send(KEYS["Alt+U"])
        it.wait_for("Changes from then until now")
        it.send("u")
        it.wait_for("Restore files only (the agent won't know)")
        it.wait_for_keys()
        it.send("2")
        it.wait_until(lambda: "Changes from then until now" not in it.text, "closed list")
        it.wait_until(lambda: files() == after, "the changes again")
        it.wait_for("undoes that")
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
