"""Try a built wheel: install it into an empty environment, and play the demo there on a pty.

Usage: python -m tests.wheel dist/NAME.whl
"""

import os
import pty
import select
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import pyte

COLUMNS, LINES = 80, 24
PATIENCE = 60.0
"""Seconds for each thing that is waited for."""
QUIT = b"\x11"


class Demo:
    """The demo of an installed program, on a pty."""

    def __init__(self, program: Path, home: Path) -> None:
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            environment = {"PATH": os.defpath, "HOME": str(home), "TERM": "xterm-256color"}
            size = {"COLUMNS": str(COLUMNS), "LINES": str(LINES)}
            os.chdir(home)
            os.execve(program, [str(program), "demo"], environment | size)

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    def wait_for(self, text: str) -> None:
        """Wait until a text is on the screen. Raises TimeoutError with the screen."""
        end = time.monotonic() + PATIENCE
        while text not in self.text:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._terminal], [], [], left)[0]:
                raise TimeoutError(f"{text!r} never came; the screen:\n{self.text}")
            self._stream.feed(os.read(self._terminal, 65536))

    def send(self, keys: bytes) -> None:
        os.write(self._terminal, keys)

    def exit_code(self) -> int:
        """Return how the program ended, once it has."""
        try:
            while os.read(self._terminal, 65536):
                pass
        except OSError:  # the program has let go of its terminal
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def main(wheel: Path) -> None:
    """Install a wheel and play its demo; raise where that fails."""
    with tempfile.TemporaryDirectory() as folder:
        environment, home = Path(folder, "environment"), Path(folder, "home")
        home.mkdir()
        venv.create(environment, with_pip=True)
        pip = [environment / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, wheel], check=True)
        demo = Demo(environment / "bin" / "acp-tui", home)
        demo.wait_for("○ ready")
        demo.send(b"hi\r")
        demo.wait_for("I'm the demo agent")
        demo.send(QUIT)
        demo.wait_for("(Ctrl+Q again)")
        demo.send(QUIT)
        code = demo.exit_code()
        if code != 0:
            raise SystemExit(f"the demo ended with {code}")
    print(f"{wheel.name}: the demo plays in an empty environment")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
