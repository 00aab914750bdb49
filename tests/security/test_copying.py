"""What is copied or exported does nothing where it is pasted: a real bash takes it for text."""

import base64
import os
import pty
import re
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import anyio
import pytest
from textual import events

from acp_tui.config.themes import load_theme
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.colors.theme import to_textual
from acp_tui.ui.export.about import heading_of
from acp_tui.ui.export.drawing import Drawing, draw_svg
from acp_tui.ui.export.html import html_page
from acp_tui.ui.export.markdown import markdown_page
from acp_tui.ui.toolkit.clipboard import without_controls
from acp_tui.ui.transcript.entries.views import document_of
from acp_tui.ui.transcript.entry_markdown import entry_markdown
from tests.e2e.terminal import terminal
from tests.fake_agent.script import Script
from tests.hosting import PATIENCE
from tests.security.attacks import EACH, FORBIDDEN, SEQUENCES, everything
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app.running import Running, mouse, running
from tests.unit.ui.settling import settled


class Bash:
    """A bash as a person has one, with readline, to paste into."""

    def __init__(self, folder: Path) -> None:
        self.owned = folder / "owned"
        """What a text that got to run makes."""
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            env = {"PATH": os.environ["PATH"], "TERM": "xterm", "PS1": "$ ", "HISTFILE": ""}
            env["LANG"] = "C.UTF-8"
            os.chdir(folder)
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], env)
        self._number = 0
        self._say("bind 'set enable-bracketed-paste on'\r")
        self.settle()

    def paste(self, text: str) -> None:
        """Paste as a terminal does that brackets what it pastes, and throw the line away."""
        self._say(f"\x1b[200~{text}\x1b[201~\x05\x15")

    def type_in(self, text: str) -> None:
        """Paste as a terminal does that brackets nothing, and throw the line away."""
        self._say(text.replace("\n", "\r") + "\x05\x15")

    def settle(self) -> None:
        """Wait until all that was said is done, and readline takes what comes next."""
        self._number += 1
        self._say(f"echo at-$((1000 + {self._number}))\r")
        said = b""
        until = time.monotonic() + PATIENCE
        while b"\x1b[?2004h" not in said.partition(f"at-{1000 + self._number}".encode())[2]:
            assert time.monotonic() < until, said
            if select.select([self._terminal], [], [], 0.1)[0]:
                said += os.read(self._terminal, 65536)

    def _say(self, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        while data:
            readable, writable, _ = select.select([self._terminal], [self._terminal], [])
            if readable:
                os.read(self._terminal, 65536)
            if writable:
                data = data[os.write(self._terminal, data[:1024]) :]

    def close(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)


@contextmanager
def bash(folder: Path) -> Iterator[Bash]:
    it = Bash(folder)
    try:
        yield it
    finally:
        it.close()


def poisons() -> Iterator[str]:
    """Texts that run something where they are pasted as they came."""
    ends = ("\x1b[201~", "\x9b201~", "\x1b[\x1b[201~", "\x1b]0;x\x07\x1b[201~", *SEQUENCES, EACH)
    return cycle([f"ls -la{end}\x1b[201~\rtouch owned\r\n\x04" for end in ends])


def poisoned() -> Conversation:
    """A session in which whatever an agent may say would run something."""
    texts = poisons()
    return everything(lambda: next(texts))


def pasted(folder: Path, texts: list[str]) -> None:
    """Paste texts, and see that they did nothing but stand there."""
    assert texts
    with bash(folder) as shell:
        for text in texts:
            assert not FORBIDDEN.search(text.replace("\n", "").replace("\t", "")), text
            for start in range(0, len(text), 2000):  # a longer line takes readline a while
                shell.paste(text[start : start + 2000])
        shell.settle()
        assert not shell.owned.exists()


def test_as_it_came_it_would_have_run(tmp_path: Path) -> None:
    with bash(tmp_path) as shell:
        shell.paste("ls -la\x1b[201~\rtouch owned\r")
        shell.settle()
        assert shell.owned.exists()


def test_no_entry_that_is_copied_runs_anything(tmp_path: Path) -> None:
    talk = poisoned()
    pasted(tmp_path, [entry_markdown(entry, talk.state) for entry in talk.session.entries])


class Copied:
    """What an app copies, as the terminal is asked to keep it."""

    SEQUENCE = re.compile(r"\x1b\]52;c;([^\x07]*)\x07")

    def __init__(self, it: Running) -> None:
        self._written: list[str] = []
        assert it.app._driver is not None
        it.app._driver.write = self._written.append  # type: ignore[method-assign]

    def texts(self) -> list[str]:
        """All that was copied, in order."""
        assert not any("\x1b[201~" in one for one in self._written)
        found = self.SEQUENCE.findall("".join(self._written))
        return [base64.b64decode(one).decode("utf-8", "surrogatepass") for one in found]


@pytest.mark.parametrize("size", [(80, 24), pytest.param((140, 40), marks=pytest.mark.slow)])
def test_no_key_and_no_mouse_copies_what_runs(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.ui.conversation.pane.QUICK", 0.0001)  # no keys are one word
    talk = poisoned()
    texts: list[str] = []

    async def visit() -> None:
        async with running(talk.state, size) as it:
            copied = Copied(it)
            await it.wait_until_armed()
            await it.press("escape", "tab", "home")
            for _ in talk.session.entries:
                await it.press("enter", "enter", "y", "Y", "c", "down")
            await it.press("home", "v", "end", "y")
            await it.press("home", "v", "end", "Y")
            for start, end in (((2, 0), (60, 15)), ((0, 3), (79, 12)), ((5, 20), (70, 2))):
                drag(it, start, end)
                await settled(it.pilot)
                await it.press("ctrl+c")
            for row in range(0, 20, 3):
                await it.pilot.click(None, offset=(8, row), times=3)
                await it.press("y")
            texts.extend(copied.texts())

    anyio.run(visit)
    assert len(texts) > 20
    pasted(tmp_path, texts)


def drag(it: Running, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Drag the mouse over the screen."""
    kinds: list[tuple[type[events.MouseEvent], tuple[int, int]]] = [
        (events.MouseDown, start),
        (events.MouseMove, end),
        (events.MouseUp, end),
    ]
    for kind, at in kinds:
        it.app.post_message(mouse(kind, *at))


def test_a_link_that_is_copied_runs_nothing(tmp_path: Path) -> None:
    texts = poisons()
    pasted(tmp_path, [without_controls(f"https://example.com/{next(texts)}") for _ in range(40)])


def test_a_line_that_is_copied_waits_for_enter_also_where_no_paste_is_bracketed(
    tmp_path: Path,
) -> None:
    with bash(tmp_path) as shell:
        shell.type_in(without_controls("touch owned\n"))
        shell.settle()
        assert not shell.owned.exists()
        shell.type_in("touch owned\n")
        shell.settle()
        assert shell.owned.exists()


def page_md(state: State, session: Session) -> str:
    return "".join(markdown_page(state, session, heading_of(state, session, None)))


def page_html(state: State, session: Session) -> str:
    drawing = Drawing(
        document_of(state, session, lambda: 9.0), to_textual("night", load_theme("night")), 80
    )
    return "".join(html_page(drawing, heading_of(state, session, None)))


def page_svg(state: State, session: Session) -> str:
    drawing = Drawing(
        document_of(state, session, lambda: 9.0), to_textual("night", load_theme("night")), 80
    )
    for _ in drawing.lay_out():
        pass
    return draw_svg(drawing.last_lines(2000), drawing, "title")


@pytest.mark.parametrize("export", [page_md, page_html, page_svg])
def test_no_export_runs_anything(tmp_path: Path, export: Callable[[State, Session], str]) -> None:
    talk = poisoned()
    pasted(tmp_path, [export(talk.state, talk.session)])


def test_what_reaches_a_clipboard_from_a_real_terminal_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/xclip"
    program.write_text(f"#!/bin/sh\ncat > {tmp_path}/clipboard\n")
    program.chmod(0o755)
    env = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "DISPLAY": ":0"}
    script = Script().handshake().prompt().chunk("run ls -la\x1b[201~\rtouch owned\r\n").end_turn()
    clipboard = tmp_path / "clipboard"
    with terminal("--no-record", "--", *script.argv(tmp_path), env=env, cwd=tmp_path) as it:
        it.wait_for("Ask the agent")
        it.type_line("go on")
        it.wait_for("── ")
        it.send("\tky")
        it.wait_for("copied")
        it.wait_until(lambda: clipboard.exists() and clipboard.read_text(), "clipboard")
        assert b"\x1b]52;c;" in it.written
    assert clipboard.read_text() == "run ls -la␍touch owned"
    pasted(tmp_path, [clipboard.read_text()])
