"""Starts a process in its own group with clear errors, and ends it with everything it started.

The process classes of the standard library and anyio tie the exit to the pipes' EOF, reap at once
(so the group's id may belong to another process when it is signaled later), and don't support
groups. This one leaves an exited leader unreaped until its group has been ended.
"""

import errno
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import anyio

from acp_tui.client.process.orphans import (
    KERNEL_PATIENCE,
    LEFTOVER_GRACE,
    orphans,
    signal_until_gone,
)
from acp_tui.client.process.table import Process, make_mark
from acp_tui.client.process.watchdog import watchdog
from acp_tui.config.settings import MARK

_POLL_INTERVAL = 0.02


class SpawnError(Exception):
    """The command couldn't be started; the message names it and what to do."""


class Exit(NamedTuple):
    """How a process ended: with an exit `code`, or by a `signal` such as "SIGKILL".

    Both are None if someone else reaped the process.
    """

    code: int | None
    signal: str | None = None


class ProcessGroup:
    """A running or exited process that leads its own group."""

    def __init__(self, popen: "subprocess.Popen[bytes]") -> None:
        self.pid = popen.pid
        self._popen = popen
        self._exit: Exit | None = None
        self._reaped = False
        self._ended = False

    @property
    def exit(self) -> Exit | None:
        """How the leader ended, or None while it runs."""
        if self._exit is None:
            self._exit = self._peek()
        return self._exit

    async def wait(self) -> Exit:
        """Wait for the leader to exit, even if others hold its pipes. Several tasks may wait."""
        while (ended := self.exit) is None:
            await self._sleep_until_news()
        return ended

    def kill_now(self) -> None:
        """SIGKILL the group without waiting, as a last resort in signal handlers and atexit."""
        if not self._ended:
            self._signal_group(getattr(signal, "SIGKILL", signal.SIGTERM))

    async def end(self, grace: float) -> Exit:
        """End the whole group: SIGTERM, `grace` seconds, SIGKILL; then reap the leader.

        Members that outlive their leader are ended, too, and so are those that left the group.
        Completes under cancellation and may be called again.
        """
        with anyio.CancelScope(shield=True):
            if not self._ended and (self.exit is None or await self._members()):
                await self._end_all(grace)
            if self.exit is not None and not self._reaped:
                self._reaped = True
                self._popen.wait()
                watchdog.remove_group(self.pid)
            if not self._ended:
                self._ended = True
                await orphans.end(self.pid)
        return self.exit or Exit(None)

    async def _end_all(self, grace: float) -> None:
        members = await self._members()
        self._signal_group(signal.SIGTERM)
        for one in members:
            if one.group != self.pid:
                one.send(signal.SIGTERM)
        with anyio.move_on_after(grace):
            await self.wait()
        if self.exit is None:
            self.kill_now()
            with anyio.move_on_after(KERNEL_PATIENCE):
                await self.wait()
        elif await signal_until_gone(self._members, signal.SIGTERM, LEFTOVER_GRACE, members):
            return
        await signal_until_gone(self._members, signal.SIGKILL, KERNEL_PATIENCE)

    async def _members(self) -> list[Process]:
        """Return the group's members except the leader, and the processes that left the group."""
        return await orphans.members(self.pid)

    def _signal_group(self, number: int) -> None:
        """Signal the group, or the leader on systems without groups."""
        if not hasattr(os, "killpg"):
            self._popen.send_signal(number)
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _peek(self) -> Exit | None:
        """Return the leader's exit or None, without reaping it if the system allows that."""
        if not hasattr(os, "waitid"):
            code = self._popen.poll()
            return None if code is None else _exit(code)
        try:
            found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return Exit(None)
        if found is None:
            return None
        return _exit(found.si_status if found.si_code == os.CLD_EXITED else -found.si_status)

    async def _sleep_until_news(self) -> None:
        """Sleep until the leader exits, or briefly on systems without pidfd."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            await anyio.sleep(_POLL_INTERVAL)
            return
        try:
            await anyio.wait_readable(descriptor)
        finally:
            os.close(descriptor)


def _exit(code: int) -> Exit:
    if code >= 0:
        return Exit(code)
    try:
        return Exit(None, signal.Signals(-code).name)
    except ValueError:
        return Exit(None, f"SIG{-code}")


def spawn_process(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    stdin: int,
    stdout: int,
    stderr: int,
) -> ProcessGroup:
    """Start `argv` without a shell, in `cwd`, with `env` added to our environment.

    `stdin`, `stdout` and `stderr` are descriptors, or subprocess.DEVNULL. Raises SpawnError.
    """
    mark = make_mark()
    marks = f"{os.environ[MARK]}:{mark}" if MARK in os.environ else mark
    environment = {**os.environ, **env, MARK: marks}
    _check_program(argv, cwd)
    try:
        popen = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    except ValueError as error:
        raise SpawnError(f"Can't start {argv[0]!r}: {error}") from error
    except OSError as error:
        reason = _why_not(argv[0], cwd, environment.get("PATH"), error)
        raise SpawnError(f"Can't start {argv[0]!r}: {reason}") from error
    watchdog.add_group(popen.pid, mark)
    orphans.begin(popen.pid, mark)
    return ProcessGroup(popen)


def _check_program(argv: Sequence[str], cwd: str) -> None:
    if not argv or not argv[0]:
        raise SpawnError("Can't start an empty command: give a program to run")
    try:
        if not Path(cwd).exists():
            raise SpawnError(f"Can't start {argv[0]!r}: the folder {cwd!r} doesn't exist")
        if not Path(cwd).is_dir():
            raise SpawnError(f"Can't start {argv[0]!r}: {cwd!r} is not a folder")
    except (OSError, ValueError) as error:
        raise SpawnError(f"Can't start {argv[0]!r} in {cwd!r}: {error}") from error
    if not os.access(cwd, os.X_OK):
        raise SpawnError(f"Can't start {argv[0]!r}: the folder {cwd!r} can't be entered")


def _why_not(command: str, cwd: str, path: str | None, error: OSError) -> str:
    """Return an explanation of exec's OSError for this command."""
    place = Path(cwd, command) if os.sep in command else None
    if isinstance(error, FileNotFoundError):
        if place is None and shutil.which(command, path=path) is None:
            return "no such command; check its spelling and that its folder is in PATH"
        if place is not None and not place.exists():
            return "no such file; check the path"
        return "its interpreter (the first line, after #!) doesn't exist"
    if isinstance(error, PermissionError):
        if place is not None and place.is_dir():
            return "it is a folder, not a program"
        if place is not None and place.exists() and not os.access(place, os.X_OK):
            return "it is not executable; run chmod +x on it, or name its interpreter first"
        return "permission denied"
    if error.errno == errno.ENOEXEC:
        return "no program for this system; a script needs a first line such as #!/bin/sh"
    return error.strerror or str(error)
