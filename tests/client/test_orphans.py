"""What leaves its group, its session or its parents is still ended with what started it."""

import os
import select
import signal
import subprocess
import sys
import termios
import tty
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import pytest

from acp_tui.client.process import table, watchdog
from acp_tui.client.process.agent_process import AgentProcess
from acp_tui.client.process.orphans import Orphans
from acp_tui.client.process.table import PS_ENVIRONMENTS, make_mark
from acp_tui.client.terminals import Terminals
from acp_tui.config.settings import MARK
from acp_tui.protocol.requests import CreateTerminalParams
from acp_tui.state.commands import Restart
from tests import leaving_program
from tests.fake_agent.script import Script
from tests.hosting import alive, hosting, wait_until
from tests.leaving_program import HELD, WIPED, pids

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere less is promised"),
]

NO_PROC = "/no-proc"
END = {"kill": Terminals.kill, "release": Terminals.release}


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[list[Path]]:
    """Two folders for programs to leave things in; nothing of those is left afterwards."""
    found = [tmp_path / "one", tmp_path / "other"]
    for folder in found:
        folder.mkdir()
    yield found
    for pid in [pid for folder in found for pid in pids(folder, *HELD, WIPED)]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def started(folder: Path, *ways: str) -> list[int]:
    """Wait until a program has started all of it."""
    wait_until(lambda: len(pids(folder, *ways)) == len(ways))
    return pids(folder, *ways)


def running(found: list[int]) -> list[int]:
    return [pid for pid in found if alive(pid)]


@asynccontextmanager
async def terminals() -> AsyncIterator[tuple[Terminals, Callable[[list[str]], object]]]:
    async with anyio.create_task_group() as tasks:
        them = Terminals(tasks, lambda: 0.0, lambda _: None)

        async def create(argv: list[str]) -> str:
            params = CreateTerminalParams(session_id="s", command=argv[0], args=argv[1:])
            return (await them.create(params, "/")).terminal_id

        try:
            yield them, create
        finally:
            await them.close_all()


@pytest.mark.parametrize("last", [(), ("leave",)], ids=["parent lives", "parent has left"])
async def test_it_ends_with_its_agent(folders: list[Path], last: tuple[str, ...]) -> None:
    ways = tuple(way for way in HELD if not (last and way == "wiped child"))
    process = await AgentProcess.spawn(leaving_program.argv(folders[0], *ways, *last), "/")
    found = started(folders[0], *ways)
    await process.stop(0.1)
    assert running(found) == []


@pytest.mark.parametrize("end", END.values(), ids=END)
async def test_it_ends_with_its_terminal_and_no_other_does(
    folders: list[Path], end: Callable[..., object]
) -> None:
    stranger = subprocess.Popen(
        ["sleep", "60"], env={**os.environ, MARK: make_mark()}, start_new_session=True
    )
    async with terminals() as (them, create):
        ids = [await create(leaving_program.argv(folder, *HELD)) for folder in folders]
        found, others = (started(folder, *HELD) for folder in folders)
        await end(them, ids[0])
        assert running(found) == []
        assert running(others) == others
    assert running(others) == []
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


async def test_it_ends_with_its_terminal_though_that_left_long_ago(folders: list[Path]) -> None:
    ways = ("nohup", "daemon", "stubborn")
    async with terminals() as (them, create):
        terminal_id = await create(leaving_program.argv(folders[0], *ways, "leave"))
        await them.wait_for_exit(terminal_id)
        found = started(folders[0], *ways)
        assert running(found) == found
        await them.release(terminal_id)
        assert running(found) == []


async def test_a_restart_ends_what_the_agent_before_it_has_started(
    folders: list[Path], tmp_path: Path
) -> None:
    first, second = (
        Script().spawn(leaving_program.argv(folder, *HELD)).handshake() for folder in folders
    )
    argv = first.argv(tmp_path, second)
    async with hosting(argv, tmp_path) as host:
        await host.opened()
        found = started(folders[0], *HELD)
        host.do(Restart())
        await host.until(lambda: (tmp_path / "run-2").exists())
        assert running(found) == []
        others = started(folders[1], *HELD)
    assert running(others) == []


async def test_where_only_ps_shows_processes(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "_PROC", NO_PROC)
    process = await AgentProcess.spawn(leaving_program.argv(folders[0], *HELD), "/")
    found = started(folders[0], *HELD)
    await process.stop(0.1)
    assert running(found) == []


@pytest.mark.parametrize("proc", ["/proc", NO_PROC])
def test_below_us_are_only_our_own(monkeypatch: pytest.MonkeyPatch, proc: str) -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as ours:
        monkeypatch.setattr(table, "_PROC", proc)
        found = {one.pid for one in table.list_processes(os.getpid())}
        everybody = {one.pid for one in table.list_processes()}
        ours.kill()
    assert ours.pid in found
    assert found.isdisjoint((1, os.getppid(), os.getpid()))
    assert everybody >= {1, os.getpid(), ours.pid}


async def test_where_no_session_is_told_nothing_of_no_group_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table, "_PROC", NO_PROC)
    those = Orphans()
    those._adopting = those._all_from_groups = True
    with subprocess.Popen(["sleep", "60"], env={}, start_new_session=True) as wiped:
        assert wiped.pid in {one.pid for one in table.list_processes(os.getpid())}
        assert await those._of_no_group() == []
        wiped.kill()


async def test_where_nothing_shows_processes_the_group_itself_is_ended(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "_PROC", NO_PROC)
    monkeypatch.setattr(table, "_PS", ("no-such-ps",))
    process = await AgentProcess.spawn(leaving_program.argv(folders[0], "nohup"), "/")
    found = started(folders[0], "nohup")
    await process.stop(0.1)
    wait_until(lambda: running(found) == [])


@pytest.mark.slow
async def test_where_only_ps_shows_processes_the_watchdog_finds_them(folders: list[Path]) -> None:
    mark = make_mark()
    leader = subprocess.Popen(
        leaving_program.argv(folders[0], *HELD),
        env={**os.environ, MARK: mark},
        start_new_session=True,
    )
    found = started(folders[0], *HELD)
    script = watchdog.SCRIPT.replace("/proc/", f"{NO_PROC}/")
    lines = f"add-group {leader.pid}:{mark}\n"
    ran = subprocess.run(
        ["sh", "-c", script, "sh", PS_ENVIRONMENTS], input=lines, text=True, capture_output=True
    )
    assert leader.wait() == -signal.SIGTERM, ran.stderr
    assert running(found) == []


REAPS = """
import os, subprocess, sys, anyio
from acp_tui.client.process import orphans as module
from acp_tui.client.process.group import spawn_process
from acp_tui.client.process.orphans import orphans
from acp_tui.client.process.table import list_processes
module._LEFT_BY_ALL = 0.05

def zombies():
    return {one.pid for one in list_processes(os.getpid()) if one.is_zombie}

async def main():
    orphans.adopt()
    ours = subprocess.Popen(["sh", "-c", "sleep 0.1; exit 4"])
    null = subprocess.DEVNULL
    leaves = ["sh", "-c", "(setsid true &) ; (sleep 0.01 &); exit 3"]
    child = spawn_process(leaves, "/", {}, stdin=null, stdout=null, stderr=null)
    with anyio.fail_after(20):
        while len(zombies() - {ours.pid}) < 3:
            await anyio.sleep(0.01)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(orphans.reap)
            await anyio.to_thread.run_sync(ours.wait)
            while zombies() != {child.pid}:
                await anyio.sleep(0.01)
            tasks.cancel_scope.cancel()
    print((await child.end(1)).code, ours.returncode, zombies())

anyio.run(main)
"""


async def test_orphans_are_reaped_and_who_waits_for_a_child_still_gets_its_exit() -> None:
    ran = subprocess.run([sys.executable, "-c", REAPS], capture_output=True, text=True)
    assert ran.stdout == "3 4 set()\n", ran.stderr


WIPES = """
import os, subprocess, sys, anyio
from pathlib import Path
from acp_tui.client.process.group import spawn_process
from acp_tui.client.process.orphans import orphans
from acp_tui.client.process.table import list_processes
from tests.leaving_program import argv, pids, WIPED

def alive(pid):
    return pid in {one.pid for one in list_processes() if not one.is_zombie}

async def main(folders):
    null = subprocess.DEVNULL
    one, other = (
        spawn_process(argv(folder, WIPED, "leave"), "/", {}, stdin=null, stdout=null, stderr=null)
        for folder in folders
    )
    await one.wait()
    await other.wait()
    while not all(pids(folder, WIPED) for folder in folders):
        await anyio.sleep(0.01)
    (pid,) = pids(folders[0], WIPED)
    await one.end(0.1)
    print(alive(pid))
    await other.end(0.1)
    print(alive(pid))

folders = [Path(folder) for folder in sys.argv[1:]]
orphans.adopt()
anyio.run(main, folders[:2])
orphans.expect_foreign()
anyio.run(main, folders[2:])
"""


async def test_a_daemon_that_wiped_its_environment_ends_with_the_last_of_us_but_never_a_persons(
    folders: list[Path],
) -> None:
    folders += [folder.with_name(f"later {folder.name}") for folder in folders]
    for folder in folders[2:]:
        folder.mkdir()
    words = [sys.executable, "-c", WIPES, *map(str, folders)]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert ran.stdout.split() == ["True", "False", "True", "True"], ran.stderr


async def test_the_watchdog_knows_whose_parents_leave_before_they_do(folders: list[Path]) -> None:
    mark = make_mark()
    leader = subprocess.Popen(
        leaving_program.argv(folders[0], "wiped child"),
        env={**os.environ, MARK: mark},
        start_new_session=True,
    )
    found = started(folders[0], "wiped child")
    script = watchdog.SCRIPT.replace("  sleep 1\n", f"  kill -s KILL {leader.pid}\n", 1)
    lines = f"add-group {leader.pid}:{mark}\n"
    subprocess.run(["sh", "-c", script, "sh", PS_ENVIRONMENTS], input=lines, text=True, check=False)
    assert leader.wait() == -signal.SIGKILL
    wait_until(lambda: running(found) == [])


KILLED = """
import os, signal, subprocess, sys, anyio
from pathlib import Path
from acp_tui.client.process import orphans as module
from acp_tui.client.process.group import spawn_process
from acp_tui.client.process.orphans import orphans
from acp_tui.client.process.watchdog import watchdog
from tests.leaving_program import argv, pids, WIPED
module._LOOK = 0.05
told = set()

def tell(process):
    add(process)
    told.add(process.pid)

async def main(folder):
    orphans.adopt()
    watchdog.start()
    null = subprocess.DEVNULL
    spawn_process(argv(folder, WIPED, "leave"), "/", {}, stdin=null, stdout=null, stderr=null)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(orphans.watch)
        with anyio.fail_after(60):
            while not told.intersection(pids(folder, WIPED)):
                await anyio.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)

add, watchdog.add_stray = watchdog.add_stray, tell
anyio.run(main, Path(sys.argv[1]))
"""


async def test_a_daemon_that_wiped_its_environment_ends_also_when_we_are_killed(
    folders: list[Path],
) -> None:
    words = [sys.executable, "-c", KILLED, str(folders[0])]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    (pid,) = pids(folders[0], WIPED)
    wait_until(lambda: not alive(pid))


async def test_what_was_an_agents_is_ended_though_a_person_started_something_since(
    folders: list[Path],
) -> None:
    those = Orphans()
    with subprocess.Popen(["sleep", "60"], env={}, start_new_session=True) as wiped:
        those._strays = {one for one in table.list_processes() if one.pid == wiped.pid}
        await those.end(0)
        assert wiped.wait() == -signal.SIGTERM


def has_open(pid: int, terminal: str) -> bool:
    """Return whether a process has this terminal as file 3, which may be a library's while it starts."""
    with suppress(OSError):
        return str(Path(f"/proc/{pid}/fd/3").readlink()) == terminal
    return False


def has_members(group: int) -> bool:
    return any(one.group == group and not one.is_zombie for one in table.list_processes())


TAKES_TERMINAL = """
import sys
from acp_tui.client.process.watchdog import watchdog

watchdog.start()
watchdog.guard_terminal(True)
print(watchdog.pid, file=sys.stderr)
input()
"""


def test_a_terminal_whose_name_another_got_is_left_alone() -> None:
    ends = os.openpty()
    words, pipe = [sys.executable, "-c", TAKES_TERMINAL], subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=ends[1], stderr=pipe) as ours:
        assert ours.stderr is not None
        watching = int(ours.stderr.readline())
        terminal = os.ttyname(ends[1])
        wait_until(lambda: has_open(watching, terminal))
        os.kill(watching, signal.SIGSTOP)
        for end in ends:
            os.close(end)
        ours.kill()
    master, slave = os.openpty()
    tty.setraw(slave)
    before = termios.tcgetattr(slave)
    os.kill(watching, signal.SIGCONT)
    wait_until(lambda: not has_members(watching))
    assert not select.select([master], [], [], 0)[0]
    assert termios.tcgetattr(slave) == before
    os.close(master)
    os.close(slave)
