"""Make the pictures of the README: `python -m tests.script.demo` types into the UI with the demo agent, records
its screen as docs/demo.cast, draws that as docs/demo.svg, and single screens as docs/pictures/NAME.svg.
"""

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from acp_tui.demo_agent.work import sample_workspace
from tests.e2e.terminal import ENTER, ESCAPE, Terminal
from tests.installed import ROOT
from tests.script.animated import draw
from tests.script.casts import Cast
from tests.script.playing import DEMO

CAST = ROOT / "docs" / "demo.cast"
PICTURE = ROOT / "docs" / "demo.svg"
STILLS = ROOT / "docs" / "pictures"
SIZE = (100, 28)
_BETWEEN_KEYS = 0.06
"""Seconds between two letters, so that a viewer can follow."""
F7, F12, ALT_U = "\x1b[18~", "\x1b[24~", "\x1bu"
_TO_READ = 1.5
"""Seconds that a viewer gets to read a question or a result."""


class FilmedTerminal(Terminal):
    """A terminal that keeps what the program wrote, and when."""

    def __init__(self, cwd: Path, env: dict[str, str]) -> None:
        super().__init__(("--", *DEMO), SIZE, env, cwd)
        self._began = time.monotonic()
        self.events: list[tuple[float, str, str]] = []
        self.stills: dict[str, str] = {}
        """All that had been written when a picture was taken, by the picture's name."""

    def _draw(self, seconds: float) -> bool:
        before = len(self.written)
        drawn = super()._draw(seconds)
        if len(self.written) > before:
            self._note("o", self.written[before:].decode("utf-8", "replace"))
        return drawn

    def _note(self, kind: str, data: str) -> None:
        self.events.append((round(time.monotonic() - self._began, 3), kind, data))

    def mark(self, caption: str) -> None:
        """Begin a scene."""
        self._note("m", caption)

    def take(self, name: str) -> None:
        """Take a picture of the screen, once a viewer could read it."""
        self.linger()
        self.stills[name] = self.written.decode("utf-8", "replace")

    def linger(self) -> None:
        """Go on filming while a viewer reads."""
        until = time.monotonic() + _TO_READ
        while (left := until - time.monotonic()) > 0:
            if not self._draw(left):
                return

    def type(self, words: str) -> None:
        """Type words letter by letter, and Enter."""
        for letter in words:
            self.send(letter)
            self._draw(_BETWEEN_KEYS)
        self.wait_for(words)
        self.linger()
        self.send(ENTER)

    def answer(self, key: str, question: str) -> None:
        """Answer a question by its key, once it takes keys and could be read."""
        self.wait_for(question)
        self.wait_for_keys()
        self.linger()
        self.send(key)
        self.wait_until(lambda: question not in self.text or not self.takes_keys(), "an answer")


def make(path: Path) -> dict[str, Cast]:
    """Film the scenes in an empty home, and write the cast; return casts of single screens by their names."""
    with TemporaryDirectory(prefix="acp-tui-demo-") as home:
        project = Path(home) / "tea"
        project.mkdir()
        sample_workspace(project)
        own = {
            "HOME": home,
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_STATE_HOME": f"{home}/.state",
            "ACP_TUI_CHECKPOINTS_WHERE": "everywhere",
        }
        it = FilmedTerminal(project, own)
        try:
            _play(it)
            filmed = list(it.events)
            _take_more(it)
            it.leave()
            it.wait_for_exit()
        finally:
            it.close()
    header = {"version": 2, "width": SIZE[0], "height": SIZE[1], "idle_time_limit": 2.0}
    path.write_text(_cast(header | {"title": "acp-tui with its demo agent"}, filmed), "utf-8")
    return {name: Cast(_cast(header, [(0.0, "o", data)])) for name, data in it.stills.items()}


def _cast(header: dict[str, Any], events: list[tuple[float, str, str]]) -> str:
    return "".join(json.dumps(one) + "\n" for one in (header, *events))


def _play(it: FilmedTerminal) -> None:
    it.wait_for("ready")
    it.mark("A question shows what you would allow, with its diff. A number answers it.")
    it.type("show me everything")
    it.wait_for("asks for permission")
    it.wait_for_keys()
    it.take("question")
    it.answer("1", "asks for permission")
    it.wait_for("○ ready")
    it.linger()
    it.mark("F12: every message on the wire, and what breaks a rule of the protocol.")
    it.send(F12)
    it.wait_for("F12 back")
    it.take("protocol")
    it.send(F12)
    it.wait_for("○ ready")
    it.mark("F7: what changed on disk, held against what you allowed.")
    it.send(F7)
    it.wait_for("MINUTES.get")
    it.take("review")
    it.send(ESCAPE)
    it.wait_for("○ ready")
    it.mark("Alt+U: back to before a turn, the files, the conversation or both.")
    it.send(ALT_U)
    it.wait_for("Rewind")
    it.wait_for("MINUTES.get")
    it.take("rewind")
    it.send(ESCAPE)
    it.wait_until(lambda: "Enter rewind" not in it.text, "way back")


def _take_more(it: FilmedTerminal) -> None:
    """Take the pictures that are no part of the film."""
    it.type("/noise")
    it.wait_until(lambda: "working" not in it.text and "(F12)" in it.text, "a finding")
    it.send(F12)
    it.wait_for("F12 back")
    it.send("n")
    it.take("finding")
    it.send("c")
    it.wait_until(lambda: "F12 back" not in it.text, "composer")
    it.take("composer")
    it.send(ESCAPE)
    it.wait_for("F12 back")
    it.send(F12)
    it.wait_for("○ ready")


def draw_all() -> None:
    """Make all pictures anew."""
    stills = make(CAST)
    PICTURE.write_text(draw(Cast(CAST.read_text("utf-8"))), "utf-8")
    STILLS.mkdir(exist_ok=True)
    for name, cast in stills.items():
        (STILLS / f"{name}.svg").write_text(draw(cast), "utf-8")


if __name__ == "__main__":
    draw_all()
