"""Runs a sign-in program in the foreground of the user's terminal."""

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
    """Run a program to its end and return the exit code as a shell does; `env` is the agent's own.

    The program owns the terminal meanwhile: the caller must not draw on it.
    """
    orphans.expect_foreign()  # the program may leave a browser running
    try:
        process = subprocess.Popen(  # noqa: ASYNC220 - starting is quick
            program.argv,
            cwd=program.cwd,
            env={**os.environ, **env, **program.env},
            process_group=0,
        )
    except OSError:
        return NOT_STARTED
    with _in_front(process):
        while process.poll() is None:  # noqa: ASYNC110 - no event for its end
            await anyio.sleep(_PERIOD)
    code = process.returncode
    return code if code >= 0 else 128 - code


@contextmanager
def _in_front(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Give the terminal to the process; take it back, and kill the process if it still runs."""
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
    """Make a process group the foreground group of the terminal."""
    if terminal is None:
        return
    # Called from the background, this would stop us with SIGTTOU; so block it.
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
