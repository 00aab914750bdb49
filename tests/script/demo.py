"""Make the moving picture of the README: `python -m tests.script.demo` types into the UI with the demo agent,
records its screen as docs/demo.cast, and draws that as docs/demo.svg.
"""

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.demo_agent.work import sample_workspace
from tests.e2e.terminal import ENTER, ESCAPE, Terminal
from tests.installed import ROOT
from tests.script.animated import draw
from tests.script.casts import Cast
from tests.script.playing import DEMO

CAST = ROOT / "docs" / "demo.cast"
PICTURE = ROOT / "docs" / "demo.svg"
SIZE = (100, 28)
_BETWEEN_KEYS = 0.06
"""Seconds between two letters, so that a viewer can follow."""
_TO_READ = 1.5
"""Seconds that a viewer gets to read a question or a result."""


class FilmedTerminal(Terminal):
    """A terminal that keeps what the program wrote, and when."""

    def __init__(self, cwd: Path, env: dict[str, str]) -> None:
        super().__init__(("--", *DEMO), SIZE, env, cwd)
        self._began = time.monotonic()
        self.events: list[tuple[float, str, str]] = []

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


def make(path: Path) -> None:
    """Film the scenes in an empty home, and write the cast."""
    with TemporaryDirectory(prefix="acp-tui-demo-") as home:
        project = Path(home) / "tea"
        project.mkdir()
        sample_workspace(project)
        own = {
            "HOME": home,
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_STATE_HOME": f"{home}/.state",
        }
        it = FilmedTerminal(project, own)
        try:
            _play(it)
            it.leave()
            it.wait_for_exit()
        finally:
            it.close()
    header = {"version": 2, "width": SIZE[0], "height": SIZE[1], "idle_time_limit": 2.0}
    lines = [header | {"title": "acp-tui with its demo agent"}, *it.events]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")


def _play(it: FilmedTerminal) -> None:
    it.wait_for("ready")
    it.mark(
        "Prompts, thoughts, plans, tool calls, terminals. Edits are asked about, with their diff."
    )
    it.type("show me everything")
    it.answer("1", "asks for permission")
    it.wait_for("ready")
    it.linger()
    it.mark("A question is answered by its number, or rejected with words.")
    it.type("permission")
    it.answer("3", "asks for permission")
    it.wait_for("ready")
    it.linger()
    it.mark("Esc stops a turn.")
    it.type("/slow")
    it.wait_for("3. tick")
    it.send(ESCAPE)
    it.wait_for("ready")
    it.linger()


if __name__ == "__main__":
    make(CAST)
    PICTURE.write_text(draw(Cast(CAST.read_text("utf-8"))), "utf-8")
