"""Finds processes that left our process groups, ends them with their group, and reaps them.

A process leaves its group by starting a new session (`setsid`), and its parents by outliving them,
as daemons do. Each group has a mark in its environment, which everything that it starts inherits.
On Linux, orphans also become our children, so that every process that came from us is below us. A
process that left its session, lost its parent and wiped its environment can't be assigned to a
group: it is ended with the last group. The watchdog is notified of it, since it can't be found
anymore once we are gone.
"""

import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

import anyio

from acp_tui.client.process.table import (
    Process,
    add_descendants,
    current_table,
    list_children,
    make_mark,
)
from acp_tui.client.process.watchdog import watchdog
from acp_tui.config.settings import MARK

_POLL_INTERVAL = 0.05
KERNEL_PATIENCE = 5.0
"""Seconds to wait for a killed process; one that hangs in the kernel is given up."""
LEFTOVER_GRACE = 0.5
"""Seconds for a group's members to exit by themselves once their leader is gone."""
_SEARCH_INTERVAL = 0.5
"""Seconds between searches for new children of ours.

A child that still has neither a group nor our environment after this time isn't just being started.
"""
_LEFT_BY_ALL = 2.0
"""Seconds after which we reap an exited child that nothing else has reaped."""
_PR_SET_CHILD_SUBREAPER = 36


class Orphans:
    """The process groups that we started, and the processes that came from them."""

    def __init__(self) -> None:
        self._groups: dict[int, str] = {}
        self._adopting = False
        self._all_from_groups = False
        self._strays: set[Process] = set()
        self._sessions = {0}
        """Our session ids; 0 stands for processes whose session the system doesn't report."""

    def adopt(self) -> None:
        """Become the parent of all orphans below us, if the system supports that (Linux).

        Everything that we start gets a mark, too: a process without one has wiped its environment.
        """
        if sys.platform != "linux" or self._adopting:
            return
        os.environ.setdefault(MARK, make_mark())
        self._sessions.add(os.getsid(0))  # also the watchdog's session, even if we leave it
        with suppress(ImportError, OSError, AttributeError):
            from ctypes import CDLL

            self._adopting = CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
        self._all_from_groups = self._adopting and not _has_children()

    def expect_foreign(self) -> None:
        """Record that the user starts a program, whose orphans look like ours."""
        self._all_from_groups = False

    def begin(self, leader: int, mark: str) -> None:
        """Add a group by its leader and its mark."""
        self._groups[leader] = mark

    async def members(self, leader: int) -> list[Process]:
        """Return a group's living processes except the leader, wherever they moved."""
        mark, us = self._groups.get(leader, ""), os.getpid()
        others = {one for pid, one in self._groups.items() if pid != leader}
        among = [one for one in await self._read_processes() if others.isdisjoint(one.marks)]
        # If the system reaps the leader early, its id may be another process's by now.
        ids = {leader} if all(one.parent == us for one in among if one.pid == leader) else set()
        found = add_descendants(
            among,
            lambda one: mark in one.marks or not ids.isdisjoint((one.pid, one.group, one.session)),
        )
        return [one for one in found if one.pid != leader and not one.is_zombie]

    async def end(self, leader: int) -> None:
        """Remove a group. After the last one, end the orphans that can't be assigned to a group."""
        self._groups.pop(leader, None)
        if self._groups or not (self._all_from_groups or self._strays):
            return
        if not await signal_until_gone(self._of_no_group, signal.SIGTERM, LEFTOVER_GRACE):
            await signal_until_gone(self._of_no_group, signal.SIGKILL, KERNEL_PATIENCE)

    async def _of_no_group(self) -> list[Process]:
        """Return the processes below us that belong to no group; none while they might belong to a
        living group.
        """
        found = await self._read_processes()
        if self._groups:
            return []
        if not self._all_from_groups:
            known = add_descendants(found, self._strays.__contains__)
            return [one for one in known if not one.is_zombie]
        return [one for one in found if self._is_stray(one)]

    def _is_stray(self, one: Process) -> bool:
        """Return whether nothing shows to which group a process below us belongs."""
        ours = one.session in self._sessions or one.session == os.getsid(0)
        return not (one.marks or one.is_zombie or ours)

    async def watch(self) -> None:
        """Report each orphan without a group to the watchdog as it appears."""
        seen: set[Process] = set()
        looked_at: set[int] = set()
        while self._adopting:
            await anyio.sleep(_SEARCH_INTERVAL)
            ours = list_children()
            looked_at &= ours
            if not self._all_from_groups or not ours - looked_at:
                continue
            strays = {
                one
                for one in await self._read_processes()
                if one.pid in ours and self._is_stray(one)
            }
            for one in (strays & seen) - self._strays:
                self._strays.add(one)
                watchdog.add_stray(one)
            looked_at |= ours - {one.pid for one in strays - self._strays}
            seen = strays

    async def reap(self) -> None:
        """Reap exited orphans periodically, but never a child that another task waits for."""
        seen: set[Process] = set()
        while self._adopting:
            await anyio.sleep(_LEFT_BY_ALL)
            ended = await self._ended()
            for one in seen & ended:
                with suppress(ChildProcessError):
                    os.waitpid(one.pid, os.WNOHANG)  # noqa: ASYNC222 - doesn't wait
            seen = ended - seen

    async def _ended(self) -> set[Process]:
        """Return exited children of ours that nobody has reaped, except leaders of groups."""
        if not _has_children(ended=True):
            return set()
        us = os.getpid()
        found = {one for one in await self._read_processes() if one.is_zombie and one.parent == us}
        return {one for one in found if one.pid not in self._groups}

    async def _read_processes(self) -> list[Process]:
        """Return the processes that may belong to our groups: only those below us, once we adopt
        orphans.
        """
        return await current_table().read_processes(os.getpid() if self._adopting else None)


async def signal_until_gone(
    find: Callable[[], Awaitable[list[Process]]],
    number: int,
    seconds: float,
    signalled: Iterable[Process] = (),
) -> bool:
    """Signal each process that `find` returns, except those `signalled` already, until it returns
    none.

    Returns False if some are left after `seconds`. A process that can't be signaled is another
    user's, and isn't waited for.
    """
    done = set(signalled)
    not_ours: set[Process] = set()
    with anyio.move_on_after(seconds):
        while found := set(await find()) - not_ours:
            for one in found - done:
                (done if one.send(number) else not_ours).add(one)
            await anyio.sleep(_POLL_INTERVAL)
        return True
    return False


def _has_children(*, ended: bool = False) -> bool:
    """Return whether we have children; with `ended`, whether one has exited and isn't reaped."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return found is not None or not ended


orphans = Orphans()
"""The groups and orphans of this process."""
