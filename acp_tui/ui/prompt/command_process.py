"""Runs a command of the person's on their terminal, and keeps what it prints.

It runs in a terminal of its own, whose keys and output are passed on, so that it behaves as in a shell. Then the
person says whether the output goes along. Called with a file for the output, the id of the folder in which it
is to run, a shell, and the command.
"""

import os
import select
import signal
import sys
from pathlib import Path

from acp_tui.store.same_folder import folder_id

try:
    import fcntl
    import pty
    import termios
    import tty
except ImportError:  # not POSIX: there is no agent beside which it could be run
    pass

KEPT_OUTPUT_BYTES = 256 * 1024
"""Bytes of the output that are kept: the last ones. They all go through the log and the prompt."""
PIECE = 64 * 1024
PERIOD = 0.1
"""Seconds between two looks at whether the command has ended."""
TAKE_ALONG = 0
GO_BACK = 1


def main(file: Path, folder: str, shell: str, command: str) -> int:
    """Run it; write the output below a line with its exit code and how many bytes were dropped. Return what the person wants.

    In another folder, which has taken the name of that one, nothing is run or written.
    """
    if folder_id(Path().stat()) != folder:
        return GO_BACK
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # so that none is lost while the shell is started
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSANOW)  # first of all: what is typed from now on is for the command
    try:
        sys.stdout.write(f"$ {command}\n".replace("\n", "\r\n"))
        sys.stdout.flush()
        child, own = _start_command(shell, command)
        output, dropped = _pass_on(child, own)
    finally:
        termios.tcsetattr(0, termios.TCSAFLUSH, before)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    file.write_bytes(f"{code} {dropped}\n".encode() + output)
    return _ask_about_output(code)


def _start_command(shell: str, command: str) -> tuple[int, int]:
    """Start the command in a terminal of its own; return its process, and our end of that terminal."""
    child, own = pty.fork()
    if child == 0:
        try:
            os.execl(shell, shell, "-c", command)
        except OSError as error:
            sys.stderr.write(f"{shell}: {error.strerror}\n")
            os._exit(127)
    signal.signal(signal.SIGWINCH, lambda *_: _copy_size(own))
    _copy_size(own)
    return child, own


def _pass_on(child: int, own: int) -> tuple[bytes, int]:
    """Pass keys and output on until the command has ended; return the end of the output, and how many bytes
    before it were dropped. What it left in the background loses its terminal then.
    """
    output, dropped = bytearray(), 0
    sources = [own, 0]
    while True:
        has_ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        ready, _, _ = select.select(sources, [], [], 0 if has_ended else PERIOD)
        if 0 in ready:
            keys = os.read(0, 1024)
            _write_all(own, keys)
            if not keys:
                sources.remove(0)
        if own in ready:
            try:
                piece = os.read(own, PIECE)
            except OSError:
                piece = b""  # Linux says so where nobody has it open anymore
            if not piece:
                return bytes(output), dropped
            _write_all(1, piece)
            output += piece
            dropped += max(0, len(output) - KEPT_OUTPUT_BYTES)
            del output[:-KEPT_OUTPUT_BYTES]
        elif has_ended:
            return bytes(output), dropped


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _copy_size(own: int) -> None:
    size = fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))
    fcntl.ioctl(own, termios.TIOCSWINSZ, size)


def _ask_about_output(code: int) -> int:
    """Ask whether the output goes along; any other key goes back without it."""
    how = "" if code == 0 else f"ended with {code}. " if code > 0 else f"ended by signal {-code}. "
    before = termios.tcgetattr(0)
    tty.setcbreak(0)  # a key that was meant for the command answers nothing
    try:
        words = f"{how}y  add output to prompt · any other key  back"
        sys.stdout.write(f"\n\x1b[7m {words} \x1b[0m ")
        sys.stdout.flush()
        key = os.read(0, 64)
    finally:
        termios.tcsetattr(0, termios.TCSAFLUSH, before)
    sys.stdout.write("\n")
    return TAKE_ALONG if key[:1] in (b"y", b"Y") else GO_BACK


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
