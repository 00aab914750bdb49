"""Requests about files: so many at a time, in their order, none while answers pile up."""

from pathlib import Path

import anyio
import pytest
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint

from acp_tui.client.connection import request_queue, requests
from acp_tui.client.connection.request_queue import RequestQueue
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.wire_events import Requested
from tests.fake_agent.script import Played, Script
from tests.hosting import PATIENCE, eventually, hosting

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_queue, "MOST_CONCURRENT", 3)


def request(number: int) -> Requested:
    return Requested(Direction.IN, 0.0, number, number, "fs/read_text_file", None)


class Served:
    """What a queue has begun, and lets be finished."""

    def __init__(self, tasks: TaskGroup) -> None:
        self.begun: list[int] = []
        self.at_once = self.most = 0
        self.has_room = True
        self.looks = 0
        self.may_end = anyio.Event()
        self.queue = RequestQueue(tasks, request, self._serve, self._has_room)

    def _has_room(self) -> bool:
        self.looks += 1
        return self.has_room

    async def _serve(self, one: Requested) -> None:
        self.begun.append(one.number)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await self.may_end.wait()
        await checkpoint()
        self.at_once -= 1

    async def until_begun(self, count: int) -> None:
        with anyio.fail_after(PATIENCE):
            while len(self.begun) < count:
                await checkpoint()


async def test_so_many_at_a_time_are_served_and_all_in_their_order() -> None:
    async with anyio.create_task_group() as tasks:
        it = Served(tasks)
        for number in range(20):
            it.queue.put(request(number))
        await it.until_begun(3)
        assert it.begun == [0, 1, 2]
        it.may_end.set()
        await it.until_begun(20)
    assert it.begun == list(range(20))
    assert it.most == 3


async def test_who_waits_for_a_person_makes_room_for_another() -> None:
    async with anyio.create_task_group() as tasks:
        it = Served(tasks)
        for number in range(5):
            it.queue.put(request(number))
        await it.until_begun(3)
        with it.queue.slot_freed():
            await it.until_begun(4)
        it.may_end.set()
    assert it.begun == [0, 1, 2, 3, 4]


async def test_none_is_begun_while_the_agent_does_not_read_its_answers() -> None:
    async with anyio.create_task_group() as tasks:
        it = Served(tasks)
        it.has_room = False
        for number in range(5):
            it.queue.put(request(number))
        await eventually(lambda: it.looks > 3)
        assert it.begun == []
        it.has_room = True
        await it.until_begun(3)
        it.may_end.set()
    assert it.begun == [0, 1, 2, 3, 4]


async def test_what_waits_can_be_taken_back() -> None:
    async with anyio.create_task_group() as tasks:
        it = Served(tasks)
        waiting = [request(number) for number in range(5)]
        for one in waiting:
            it.queue.put(one)
        assert it.queue.remove(waiting[4])
        assert not it.queue.remove(waiting[4])
        it.may_end.set()
    assert it.begun == [0, 1, 2, 3]


async def test_a_request_that_waits_is_answered_when_the_agent_takes_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_queue, "MOST_CONCURRENT", 0)
    script = Script().handshake().prompt()
    script.request("fs/read_text_file", {"sessionId": "s1", "path": "/x"}, save="r", id=7)
    script.send({"method": "$/cancel_request", "params": {"requestId": 7}})
    script.expect_answer("r", error={"code": -32800}).end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.turn()
        assert any(isinstance(one, Frame) for one in host.records)
    Played(tmp_path).check()


@pytest.mark.parametrize("limit", ["MOST_WAITING", "MOST_WAITING_BYTES"])
async def test_a_request_beyond_the_limit_is_refused_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    option = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
    params = {"sessionId": "s1", "toolCall": {"toolCallId": "t"}, "options": [option]}
    sizes = {"MOST_WAITING": 2, "MOST_WAITING_BYTES": 500}
    monkeypatch.setattr(requests, limit, sizes[limit])
    script = Script().handshake().prompt()
    for id in (1, 2, 3):
        script.request("session/request_permission", params, save=f"r{id}", id=id)
    script.expect_answer("r3", error={"code": -32603}).end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.turn()
        assert len(host.state.waiting_permissions()) == 2
    Played(tmp_path).check()
    (refused,) = (one for one in Played(tmp_path).messages if one.get("id") == 3)
    assert "Too many requests wait for an answer" in refused["error"]["message"]


async def test_a_flood_of_requests_with_one_id_does_not_wait_for_the_first_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    option = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
    params = {"sessionId": "s1", "toolCall": {"toolCallId": "t"}, "options": [option]}
    monkeypatch.setattr(requests, "MOST_WAITING", 2)
    script = Script().handshake().prompt()
    for _ in range(5):
        script.send({"id": 1, "method": "session/request_permission", "params": params})
    script.end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.turn()
        assert len(host.state.waiting_permissions()) == 2
        sent = [
            one.raw for one in host.records if isinstance(one, Frame) and one.direction == "out"
        ]
    assert sum(b'"code":-32603' in raw for raw in sent) == 3
