"""Run the user's `!` command on their terminal, and capture its output.

It runs in a pseudo-terminal through which keys and output pass, so that it behaves as in a shell.
Then the user chooses whether its output is added to the prompt. The arguments are a file for the
output, the id of the folder to run in, a shell, and the command.
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
except ImportError:  # not POSIX: agents aren't run there either
    pass

MAX_OUTPUT_BYTES = 256 * 1024
"""Bytes of output that are kept, from its end: they go into the log and the prompt."""
PIECE = 64 * 1024
PERIOD = 0.1
"""Seconds between two checks whether the command has ended."""
ADD_OUTPUT = 0
DISCARD_OUTPUT = 1


def main(file: Path, folder: str, shell: str, command: str) -> int:
    """Run the command, and ask what to do with its output; return `ADD_OUTPUT` or `DISCARD_OUTPUT`.

    The file gets a line with the exit code and the number of dropped bytes, then the output. If the
    current folder is not the expected one, because another one has taken its name, nothing is run
    or written.
    """
    if folder_id(Path().stat()) != folder:
        return DISCARD_OUTPUT
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # so that no Ctrl+C is lost while the shell starts
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSANOW)  # first of all: from now on, keys are for the command
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
    """Start the command in a pseudo-terminal; return its process id and our end."""
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
    """Pass keys and output through until the command ends; return the end of the output, and the
    number of bytes dropped before it.

    Its background processes lose their terminal then.
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
                piece = b""  # Linux reports EOF like this: no process has the terminal open
            if not piece:
                return bytes(output), dropped
            _write_all(1, piece)
            output += piece
            dropped += max(0, len(output) - MAX_OUTPUT_BYTES)
            del output[:-MAX_OUTPUT_BYTES]
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
    """Ask whether to add the output to the prompt; any key other than y goes back without it."""
    how = "" if code == 0 else f"ended with {code}. " if code > 0 else f"ended by signal {-code}. "
    before = termios.tcgetattr(0)
    tty.setcbreak(0)  # TCSAFLUSH drops keys that were meant for the command
    try:
        words = f"{how}y  add output to prompt · any other key  back"
        sys.stdout.write(f"\n\x1b[7m {words} \x1b[0m ")
        sys.stdout.flush()
        key = os.read(0, 64)
    finally:
        termios.tcsetattr(0, termios.TCSAFLUSH, before)
    sys.stdout.write("\n")
    return ADD_OUTPUT if key[:1] in (b"y", b"Y") else DISCARD_OUTPUT


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
