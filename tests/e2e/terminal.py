"""A terminal for tests: the whole program as a process on a pty, its screen kept by pyte."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import pyte

from tests.hosting import PATIENCE, living
from tests.warm.starts import TAKE_TERMINAL

ESCAPE = "\x1b"
ENTER = "\r"
CTRL_Q = "\x11"
_NUMBERED = re.compile(r"[│|][ ▌|>]*(1) ")
_PRIMARY = "82aaf0"
"""The color of the numbers of choices that take keys; before, they are dimmer."""
PROGRAM = ("acp_tui",)
"""The module that is run; another may do more."""
_WHERE = b"\x1b[6n"
_NOT_KNOWN_TO_PYTE = (b"\x1b[<u", b"\x1b[>1u")
"""The kitty keyboard protocol on and off; pyte would print the letter."""


_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\\\)|[^\[\]])")


class Terminal:
    """What a person has before them: a screen, and keys.

    Nothing is read but in the waits, so a test that does not wait is a terminal that is stuck.
    """

    def __init__(
        self,
        argv: Sequence[str],
        size: tuple[int, int],
        env: Mapping[str, str],
        cwd: Path | None = None,
        module: Sequence[str] = PROGRAM,
        python: str = sys.executable,
        stderr: int | None = None,
    ) -> None:
        self.marker = f"marker-{uuid4().hex}"
        self.written = b""
        self.answers = False  # whether it says where the cursor is, when it is asked
        self.screen = pyte.Screen(*size)
        self._rows: list[str] = []
        self._text = ""
        self._stream = pyte.ByteStream(self.screen)
        self._master, self._slave = pty.openpty()
        columns, lines = size
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.attributes = self.current_attributes()
        self.modes = set(self.screen.mode)
        self.process = subprocess.Popen(
            [python, "-c", TAKE_TERMINAL, *module, *argv],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave if stderr is None else stderr,
            cwd=cwd,
            env={**_environment(), **env, "ACP_TUI_TEST": self.marker},
            start_new_session=True,
        )

    def current_attributes(self) -> list[Any]:
        """How the terminal treats keys and lines now."""
        return termios.tcgetattr(self._slave)

    @property
    def unread(self) -> int:
        """How many bytes were typed that no program has read."""
        return int.from_bytes(fcntl.ioctl(self._slave, termios.FIONREAD, b"\0" * 4), sys.byteorder)

    @property
    def text(self) -> str:
        """What is on the screen. Not pyte's `display`: it fails at a wide character half covered.

        It is read many times while nothing changes: only the rows that did are read again.
        """
        lines, columns = self.screen.lines, range(self.screen.columns)
        if self.screen.dirty or len(self._rows) != lines:
            self._rows = self._rows[:lines] + [""] * (lines - len(self._rows))
            for y in self.screen.dirty:
                if y < lines:
                    row = self.screen.buffer[y]
                    self._rows[y] = "".join(row[x].data for x in columns).rstrip()
            self.screen.dirty.clear()
            self._text = "\n".join(self._rows)
        return self._text

    @property
    def last_words(self) -> str:
        """The end of all that was written, without its escape sequences."""
        return _SEQUENCE.sub(b"", self.written[-100_000:]).decode("utf-8", "replace")

    @property
    def processes(self) -> list[int]:
        """The program's process and all below it that still run."""
        return living(self.marker)

    @property
    def pid(self) -> int:
        """The process that does the work; the one that was started waits for it (Linux only)."""
        return working_process(self.process.pid)

    @property
    def resident(self) -> int:
        """MiB of memory that the program has (Linux only)."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") >> 20

    def started(self, *words: str) -> list[Path]:
        """Find the processes that are the program with these words; return their folders of /proc."""
        ending = b"".join(b"\0" + word.encode() for word in ("-m", "acp_tui", *words)) + b"\0"
        found = []
        for folder in (Path(f"/proc/{pid}") for pid in self.processes):
            with suppress(OSError):
                if (folder / "cmdline").read_bytes().endswith(ending):
                    found.append(folder)
        return found

    def wait_for_start(self, *words: str) -> Path:
        """Wait until a process has become the program with these words; return its folder of /proc."""
        self.wait_until(lambda: self.started(*words), f"start with {words}")
        return self.started(*words)[0]

    def takes_keys(self) -> bool:
        """Whether the choices on the screen are drawn in full color, as they are once keys count."""
        for y, row in enumerate(self.text.split("\n")):
            numbered = _NUMBERED.match(row)
            if numbered is not None:
                cell = self.screen.buffer[y][numbered.start(1)]
                if (cell.bg if cell.reverse else cell.fg) == _PRIMARY:
                    return True
        return False

    def wait_for_keys(self) -> None:
        """Wait until a question takes keys: none counts that may have been meant for the prompt."""
        self.wait_until(self.takes_keys, "choices that take keys")

    def resize(self, columns: int, lines: int) -> None:
        """Drag the window to another size."""
        self.screen.resize(lines, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def send(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode())

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, whether they are text or not."""
        os.write(self._master, data)

    def draw_for(self, seconds: float) -> None:
        """Draw what is written, for so long: pauses between keys are part of what they mean."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._draw(left)

    def type_line(self, words: str) -> None:
        """Type words and Enter. Apart: what comes at once may be taken for a paste."""
        self.send(words)
        self.wait_for(words)
        self.send(ENTER)

    def wait_for(self, text: str, seconds: float = PATIENCE) -> None:
        """Wait until a text is on the screen."""
        self.wait_until(lambda: text in self.text, repr(text), seconds)

    def wait_until(
        self, condition: Callable[[], Any], what: str, seconds: float = PATIENCE
    ) -> None:
        """Wait while the screen goes on being drawn. Nothing is looked for in half a frame: what moves
        on the screen would be gone for a moment.
        """
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, f"no {what} within {seconds} s:\n{self.text}"
            more = self._draw(0.02)
            while more and time.monotonic() < until:
                more = self._draw(0)

    def leave(self) -> None:
        """Leave as one does: where agents could go on, the key is pressed again."""
        self.send(CTRL_Q)
        asked = "(Ctrl+Q again)"
        self.wait_until(lambda: asked in self.text or self.process.poll() is not None, "leaving")
        if self.process.poll() is None:
            self.send(CTRL_Q)

    def wait_for_exit(self, seconds: float = PATIENCE) -> int:
        """Wait until the program has ended and all it wrote is drawn; return its exit code."""
        self.wait_until(lambda: self.process.poll() is not None, "exit", seconds)
        while self._draw(0):
            pass
        return self.process.returncode

    def assert_as_it_came(self) -> None:
        """Nothing of the program is left: no process, no mode of the terminal, no traceback."""
        assert self.processes == []
        assert self.current_attributes() == self.attributes
        assert self.screen.mode == self.modes
        assert "Traceback" not in self.text

    def _draw(self, seconds: float) -> bool:
        """Draw what was written, waiting so long for it; False if nothing was."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        self.show(os.read(self._master, 1 << 16))
        return True

    def carry_until(self, text: str) -> bytes:
        """Let a slow line carry what is written, until this text is on its way; none of it is shown yet."""
        carried, until = b"", time.monotonic() + PATIENCE
        while text.encode() not in _SEQUENCE.sub(b"", carried):
            assert time.monotonic() < until, f"no {text!r} on its way"
            if select.select([self._master], [], [], 0.02)[0]:
                carried += os.read(self._master, 1 << 16)
        return carried

    def carry_for(self, seconds: float) -> bytes:
        """Let a slow line carry what is written for so long; none of it is shown yet."""
        carried, until = b"", time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self._master], [], [], left)[0]:
                carried += os.read(self._master, 1 << 16)
        return carried

    def show(self, carried: bytes) -> None:
        """Show what a slow line has carried, and answer what was asked in it."""
        self.written += carried
        for _ in range(carried.count(_WHERE) if self.answers else 0):
            os.write(self._master, b"\x1b[1;1R")
        for unknown in _NOT_KNOWN_TO_PYTE:
            carried = carried.replace(unknown, b"")
        self._stream.feed(carried)

    def fill(self) -> None:
        """Be stuck: there is no room for anything more until something is read."""
        end = os.open(os.ttyname(self._slave), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        with suppress(BlockingIOError):
            while True:
                os.write(end, b" " * 1024)
        os.close(end)

    def hang_up(self) -> None:
        """Close the window."""
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def close(self) -> None:
        """End whatever still runs."""
        for pid in living(self.marker):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        if self._master >= 0:
            self.hang_up()


def working_process(pid: int) -> int:
    """Find the process that does the work of acp-tui: itself, or the child that is just like it."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes()
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if Path(f"/proc/{child}/cmdline").read_bytes() == words:
            return int(child)
    return pid


def _environment() -> dict[str, str]:
    """A plain terminal, whatever the tests run in, and nobody's own settings."""
    kept = {key: value for key, value in os.environ.items() if key not in _OF_THE_TERMINAL}
    terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    nothing_kept_in_the_checkout = {"ACP_TUI_CHECKPOINTS_WHERE": "nowhere"}
    return kept | terminal | nothing_kept_in_the_checkout | {"XDG_CONFIG_HOME": "/nonexistent"}


_OF_THE_TERMINAL = ("COLUMNS", "LINES", "NO_COLOR", "TERM_PROGRAM", "TMUX", "VISUAL", "EDITOR")


@contextmanager
def terminal(
    *argv: str,
    size: tuple[int, int] = (80, 24),
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    module: Sequence[str] = PROGRAM,
    stderr: int | None = None,
    answers: bool = False,
) -> Iterator[Terminal]:
    """Run acp-tui with these arguments; nothing of it is left afterwards. The terminal may say where its
    cursor is (`answers`), as all real ones do.
    """
    with TemporaryDirectory(prefix="acp-tui-state-") as state:
        it = Terminal(
            argv, size, {"XDG_STATE_HOME": state, **(env or {})}, cwd, module, stderr=stderr
        )
        it.answers = answers
        try:
            yield it
        finally:
            it.close()
