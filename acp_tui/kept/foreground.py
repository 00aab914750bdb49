"""A process in front of the one that does the work: the shell waits for it, and it waits for the work.

So the work can go on when its terminal is given back: it says so, and only this process ends. Until
then both are as one: signals, stops and the exit code are passed on. If this process is killed, so
is the work.
"""

import os
import signal
from collections.abc import Callable
from contextlib import suppress


class Foreground:
    """The process in front, as the work sees it."""

    def __init__(self, pid: int, end: int) -> None:
        """`end` becomes readable once that process is gone."""
        self._pid = pid
        self._end = end

    async def watch(self) -> None:
        """Wait until canceled; if the process in front is killed, this one is, too."""
        import anyio  # what is loaded before the fork is memory of both processes

        await anyio.wait_readable(self._end)
        os.kill(os.getpid(), signal.SIGKILL)

    def leave(self) -> None:
        """Let the process in front end, and go on without its terminal."""
        os.setsid()
        os.close(self._end)
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGUSR1)


def behind_foreground(work: Callable[[Foreground], int]) -> int:
    """Do the work in a process of its own; return its exit code, in both processes.

    Nothing else may run in this process yet: no threads, and no loop.
    """
    passed_on = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)
    heard = (*passed_on, signal.SIGCHLD, signal.SIGCONT, signal.SIGUSR1)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    front = os.getpid()
    theirs, ours = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return work(Foreground(front, theirs))
    os.close(theirs)
    return _Front(child, heard).wait()


class _Front:
    """Waits in the process in front, until the work has ended or goes on without it."""

    def __init__(self, child: int, heard: tuple[signal.Signals, ...]) -> None:
        self._child = child
        self._heard = heard
        self._is_stopped = False

    def wait(self) -> int:
        """Return the exit code of the work; 0 if it goes on."""
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
                os.kill(self._child, number)  # the others the terminal gives to both

    def _next(self) -> tuple[int, int]:
        """Wait for a signal; return its number and the process that sent it, 0 for the system."""
        if hasattr(signal, "sigwaitinfo"):
            told = signal.sigwaitinfo(self._heard)
            return told.si_signo, told.si_pid
        number = signal.sigwait(self._heard)
        if number == signal.SIGTERM:  # macOS tells no sender, and this one comes from elsewhere
            return number, 1
        return number, self._child if number == signal.SIGUSR1 else 0

    def _check_work(self) -> int | None:
        """Stop this process if the work is stopped; return the exit code of the work if it has
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
