"""The numbers of all recordings for the screen: by agent and age, part by part, from another process."""

import os
import time
from collections import Counter
from pathlib import Path

import anyio
import pytest

from acp_tui.config.paths import numbers_file, recordings_folder
from acp_tui.telemetry.number_cache import Told
from acp_tui.telemetry.overview import Overview
from acp_tui.telemetry.overview_process import overview
from acp_tui.wire.recorded_numbers import News, Numbers
from tests.hosting import PATIENCE
from tests.telemetry.recordings import make


def told(at: float, agent: str) -> Told:
    return Told(at, Numbers(sums=Counter(recordings=1), agents=Counter({agent: 1})))


def counts(found: Overview, agent: str = "", since: float = 0.0, most: int = 3) -> list[int]:
    return [one.numbers.sums["recordings"] for one in found.parts(agent, since, most)]


def test_parts_are_in_the_order_of_time_and_about_equal() -> None:
    found = Overview()
    for at in (5.0, 1.0, 3.0, 2.0, 4.0, 7.0, 6.0):
        found.add(told(at, "Tea 1.0" if at < 6 else "milk 2"))
    assert [one.written for one in found.parts("", 0.0, 3)] == [1.0, 3.0, 5.0]
    assert counts(found) == [2, 2, 3]
    assert counts(found, most=24) == [1] * 7
    assert counts(found, "tea") == [1, 2, 2]
    assert counts(found, "TEA 1", since=4.0) == [1, 1]
    assert counts(found, "coffee") == []
    assert found.agents == ["Tea 1.0", "milk 2"]


@pytest.mark.anyio
async def test_a_process_reads_all_and_answers_what_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = recordings_folder()
    folder.mkdir(parents=True)
    for number in range(6):
        old = make(folder, number)
    os.utime(old, (1, 1))
    folder.joinpath("strange.jsonl").write_text("\0 nothing that anybody writes")

    async def until_all(news: "anyio.abc.ObjectReceiveStream[News]") -> int:
        while True:
            one = await news.receive()
            if one.parts is not None and one.done == one.due == 7:
                return sum(part.sums["recordings"] for _, part in one.parts)

    async def pump(to: "anyio.abc.ObjectSendStream[News]") -> None:
        async for one in numbers.news():
            await to.send(one)

    send, receive = anyio.create_memory_object_stream[News](100)
    with anyio.fail_after(PATIENCE):
        async with overview() as numbers, anyio.create_task_group() as tasks, send, receive:
            tasks.start_soon(pump, send)
            await numbers.ask("", 0)
            assert await until_all(receive) == 6
            await numbers.ask("swift", 0)
            assert await until_all(receive) == 2
            await numbers.ask("", time.time() - 100)
            assert await until_all(receive) == 5
            tasks.cancel_scope.cancel()
    assert numbers_file().exists()
