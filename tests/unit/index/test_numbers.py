"""The numbers of all recordings for the screen: by agent and age, part by part, from the index."""

import os
import sqlite3
import time
from collections import Counter
from pathlib import Path

import anyio
import pytest

from acp_tui.config.paths import archive_file, recordings_folder
from acp_tui.index.background import open_overview
from acp_tui.index.index import Index
from acp_tui.index.numbers import agents_by_recordings, number_parts, number_rows
from acp_tui.recordings.recorded_numbers import Numbers, NumbersProgress
from tests.hosting import PATIENCE
from tests.telemetry.recordings import make


def insert(database: sqlite3.Connection, at: float, numbers: Numbers) -> None:
    row = database.execute(
        "insert into recordings (written) values (?)", (int(at * 1e9),)
    ).lastrowid
    database.executemany(
        "insert into numbers values (?, ?, ?, ?)", ((row, *one) for one in number_rows(numbers))
    )


def counts(
    database: sqlite3.Connection, agent: str = "", since: float = 0.0, most: int = 3
) -> list[int]:
    return [one.sums["recordings"] for _, one in number_parts(database, agent, since, most)]


def test_parts_are_in_the_order_of_time_and_about_equal() -> None:
    with Index.in_memory() as index:
        found = index.database
        for at in (5.0, 1.0, 3.0, 2.0, 4.0, 7.0, 6.0):
            agents = Counter({"Tea 1.0" if at < 6 else "milk 2": 1})
            insert(found, at, Numbers(sums=Counter(recordings=1), agents=agents))
        assert [at for at, _ in number_parts(found, most=3)] == [1.0, 3.0, 5.0]
        assert counts(found) == [2, 2, 3]
        assert counts(found, most=24) == [1] * 7
        assert counts(found, "tea") == [1, 2, 2]
        assert counts(found, "TEA 1", since=4.0) == [1, 1]
        assert counts(found, "coffee") == []
        assert agents_by_recordings(found) == ["Tea 1.0", "milk 2"]


def test_what_is_kept_is_what_was_counted_and_measured() -> None:
    numbers = Numbers(sums=Counter(turns=2), failed=Counter(edit=1))
    numbers.tools = {"edit": [1.0, 3.0], "read": [0.5]}
    with Index.in_memory() as index:
        insert(index.database, 1.0, numbers)
        numbers.agents["tea 1.0"] = 1
        insert(index.database, 2.0, numbers)
        [(at, found)] = number_parts(index.database)
    assert at == 2.0  # what names no agent was no recording
    assert found == numbers


@pytest.mark.anyio
async def test_a_process_reads_all_and_the_index_answers_what_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = recordings_folder()
    folder.mkdir(parents=True)
    for number in range(6):
        old = make(folder, number)
    os.utime(old, (1, 1))
    folder.joinpath("strange.jsonl").write_text("\0 nothing that anybody writes")

    async def until_all(news: "anyio.abc.ObjectReceiveStream[NumbersProgress]", count: int) -> None:
        while True:
            one = await news.receive()
            found = sum(part.sums["recordings"] for _, part in one.parts)
            if one.done == one.total == 7 and found == count:
                return

    async def pump(to: "anyio.abc.ObjectSendStream[NumbersProgress]") -> None:
        async for one in numbers.updates():
            await to.send(one)

    send, receive = anyio.create_memory_object_stream[NumbersProgress](100)
    with anyio.fail_after(PATIENCE):
        async with open_overview() as numbers, anyio.create_task_group() as tasks, send, receive:
            tasks.start_soon(pump, send)
            await until_all(receive, 6)
            await numbers.select("swift", 0)
            await until_all(receive, 2)
            await numbers.select("", time.time() - 100)
            await until_all(receive, 5)
            tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_an_index_that_cant_be_used_is_an_error_to_be_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    recordings_folder().mkdir(parents=True)
    archive_file().mkdir()
    with anyio.fail_after(PATIENCE):
        async with open_overview() as numbers:
            with pytest.raises(OSError, match="directory"):
                await anext(numbers.updates())
