"""The order of what is done to one file."""

from pathlib import Path

import anyio
import pytest

from acp_tui.client.files.access import FileLocks
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.commands import AnswerPermission
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, hosting

pytestmark = pytest.mark.anyio


async def test_who_came_first_goes_first_and_a_lock_is_forgotten_with_the_last() -> None:
    locks, order = FileLocks(), list[str]()
    begun = anyio.Event()

    async def use(name: str, place: str, wait: anyio.Event) -> None:
        async with locks.locked(place):
            begun.set()
            await wait.wait()
            order.append(name)

    free, go = anyio.Event(), anyio.Event()
    free.set()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(use, "first", "/a", go)
        await begun.wait()
        tasks.start_soon(use, "second", "/a", free)
        await use("beside", "/b", free)
        assert (order, len(locks)) == (["beside"], 1)
        go.set()
    assert (order, len(locks)) == (["beside", "first", "second"], 0)


async def test_a_lock_is_forgotten_with_one_who_gives_up() -> None:
    locks = FileLocks()
    async with locks.locked("/a"):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(locks.locked("/a").__aenter__)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        assert len(locks) == 1
    assert len(locks) == 0


async def test_who_reads_a_file_by_another_name_waits_for_the_write_that_is_under_way(
    tmp_path: Path,
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    path, link = work / "a.txt", work / "link.txt"
    path.write_text("as it was")
    link.symlink_to(path)
    script = Script().handshake().prompt()
    script.request("fs/read_text_file", {"sessionId": "s1", "path": str(path)}, save="known")
    script.expect_answer("known", result={}).end_turn().prompt()
    params = {"sessionId": "s1", "path": str(path), "content": "agent's"}
    script.request("fs/write_text_file", params, save="write")
    script.ask_permission().expect_answer("ask")
    script.request("fs/read_text_file", {"sessionId": "s1", "path": str(link)}, save="read")
    script.expect_answer("write", result={}).expect_answer("read", result={"content": "agent's"})
    async with hosting(script.end_turn().argv(tmp_path), work, ask_if_changed=True) as host:
        await host.turn()
        path.write_text("mine")
        host.prompt()
        asked = {one.access is None: one for one in await host.permission(2)}
        host.do(AnswerPermission(asked[True].number, "yes"))
        await host.until(lambda: _reads(host) == 2)
        host.do(AnswerPermission(asked[False].number, "allow_once"))
        await host.turn_ended(1)
    Played(tmp_path).check()


def _reads(host: Host) -> int:
    """How often the agent asked for a text."""
    asked = [one for one in host.events if isinstance(one, Requested)]
    return sum(one.method == "fs/read_text_file" for one in asked)
