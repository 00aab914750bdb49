"""A foreground process for the shell to wait for, while its child process does the work.

This way, the work can continue when the terminal is given back: only the foreground process exits
then. Until then both behave as one: signals, stops and the exit code are passed on, and if the
foreground process is killed, so is the child.
"""

import os
import signal
from collections.abc import Callable
from contextlib import suppress


class Foreground:
    """The foreground process, as the child process sees it."""

    def __init__(self, pid: int, end: int) -> None:
        """`end` becomes readable once the foreground process is gone."""
        self._pid = pid
        self._end = end

    async def watch(self) -> None:
        """Wait until canceled; if the foreground process is killed, kill this one, too."""
        # not imported at the top: what is loaded before the fork takes memory in both processes
        import anyio

        await anyio.wait_readable(self._end)
        os.kill(os.getpid(), signal.SIGKILL)

    def leave(self) -> None:
        """Let the foreground process exit, and continue without its terminal."""
        os.setsid()
        os.close(self._end)
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGUSR1)


def behind_foreground(work: Callable[[Foreground], int]) -> int:
    """Run `work` in a child process; return its exit code, in both processes.

    This forks: there must be no threads and no event loop yet.
    """
    passed_on = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)
    signals = (*passed_on, signal.SIGCHLD, signal.SIGCONT, signal.SIGUSR1)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    front = os.getpid()
    theirs, ours = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return work(Foreground(front, theirs))
    os.close(theirs)
    return _Front(child, signals).wait()


class _Front:
    """Waits in the foreground process until the work has ended, or continues without it."""

    def __init__(self, child: int, signals: tuple[signal.Signals, ...]) -> None:
        self._child = child
        self._signals = signals
        self._is_stopped = False

    def wait(self) -> int:
        """Return the exit code of the work; 0 if it continues in the background."""
        while True:
            number, sender = self._next()
            if number == signal.SIGUSR1:
                if sender == self._child:
                    return 0
            elif number == signal.SIGCHLD:
                code = self._check_work()
                if code is not None:
                    return code
            elif number == signal.SIGCONT:
                if self._is_stopped:
                    self._is_stopped = False
                    os.kill(self._child, signal.SIGCONT)
            elif number == signal.SIGHUP or sender not in (0, self._child):
                # the terminal sends all other signals to both processes
                os.kill(self._child, number)

    def _next(self) -> tuple[int, int]:
        """Wait for a signal; return its number and the pid of its sender, 0 for the system."""
        if hasattr(signal, "sigwaitinfo"):
            received = signal.sigwaitinfo(self._signals)
            return received.si_signo, received.si_pid
        number = signal.sigwait(self._signals)
        # macOS reports no sender, and SIGTERM comes from another process
        if number == signal.SIGTERM:
            return number, 1
        return number, self._child if number == signal.SIGUSR1 else 0

    def _check_work(self) -> int | None:
        """Stop this process if the child is stopped; return the child's exit code once it has
        ended.
        """
        pid, status = os.waitpid(self._child, os.WNOHANG | os.WUNTRACED)
        if pid == 0:
            return None
        if os.WIFSTOPPED(status):
            self._is_stopped = True
            os.kill(os.getpid(), signal.SIGSTOP)
            return None
        code = os.waitstatus_to_exitcode(status)
        return code if code >= 0 else 128 - code
