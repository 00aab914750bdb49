"""Runs a sign-in program on the person's own terminal, in front of us."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import anyio

from acp_tui.client.process.orphans import orphans
from acp_tui.state.authentication import Program

NOT_STARTED = 127
_PERIOD = 0.05


async def run_program(program: Program, env: Mapping[str, str]) -> int:
    """Run to the end and return the exit code, as a shell gives it; `env` is the agent's own.

    The terminal is the program's meanwhile: whoever draws on it has to step aside before.
    """
    orphans.others_too()  # such as a browser that it opens
    try:
        process = subprocess.Popen(  # noqa: ASYNC220 - it takes no time
            program.argv,
            cwd=program.cwd,
            env={**os.environ, **env, **program.env},
            process_group=0,
        )
    except OSError:
        return NOT_STARTED
    with _in_front(process):
        while process.poll() is None:  # noqa: ASYNC110 - its end wakes nobody
            await anyio.sleep(_PERIOD)
    code = process.returncode
    return code if code >= 0 else 128 - code


@contextmanager
def _in_front(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Give the terminal to the process; take it back, and leave nothing of it running."""
    terminal = _terminal()
    try:
        _give(terminal, process.pid)
        _signal(process, signal.SIGCONT)  # it may have asked for the terminal too early
        yield
    finally:
        if process.poll() is None:
            _signal(process, signal.SIGKILL)
            process.wait()
        _give(terminal, os.getpgrp())
        if terminal is not None:
            os.close(terminal)


def _terminal() -> int | None:
    try:
        return os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return None


def _give(terminal: int | None, group: int) -> None:
    """Make a process group the one that reads the terminal."""
    if terminal is None:
        return
    # From the background this would stop us, but for the mask.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
    try:
        os.tcsetpgrp(terminal, group)
    except OSError:
        pass  # the program has ended already
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(process.pid, number)
    except OSError:
        pass
