"""An index that is there is kept up to date while nobody types, by a process of its own."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import anyio
import pytest

from acp_tui.cli import main
from acp_tui.config.paths import archive_file
from acp_tui.index import background
from acp_tui.index.background import USER_WAITS, run_indexer, update_index
from acp_tui.index.index import Index
from acp_tui.index.search import find_passages, parse_query
from acp_tui.store.files_in_use import mark_in_use
from tests.hosting import PATIENCE
from tests.unit.index.test_index import find, record, wire


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No recordings but those of the test, and nothing is waited for: not for other programs, either."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(background, "CHECK_INTERVAL", 0.01)
    monkeypatch.setattr(background, "run_indexer", lambda *_: run_indexer(USER_WAITS))


def known(words: str) -> int:
    """How many passages the index has, as it is."""
    with Index.open(archive_file()) as index:
        return len(find_passages(index, parse_query(words)))


async def keep_until(words: str, count: int, last_typed: float = 0.0) -> None:
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(background.update_when_idle, lambda: last_typed, lambda: True)
            while known(words) != count:
                await anyio.sleep(0.02)
            tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_what_was_recorded_and_deleted_is_noticed_while_nobody_types() -> None:
    old = record("one", wire("teapot one"))
    find("teapot")
    old.unlink()
    record("two", wire("teapot two"))
    record("three", wire("teapot three"))
    await keep_until("teapot", 2)
    assert [hit.text for hit in find("teapot")] == ["teapot two", "teapot three"]


@pytest.mark.anyio
async def test_nothing_is_read_while_somebody_types_or_before_anybody_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[object] = []
    monkeypatch.setattr(background, "_update_index", started.append)
    record("one", wire())
    with anyio.move_on_after(0.1):
        await background.update_when_idle(lambda: 0.0, lambda: True)
    assert not archive_file().exists()
    find("teapot")
    record("two", wire())
    with anyio.move_on_after(0.1):
        await background.update_when_idle(time.monotonic, lambda: True)
    assert started == []


def test_a_recording_that_is_still_written_is_left_until_its_end() -> None:
    path = record("one", wire("teapot one"))
    assert find("teapot")
    record("one", wire("cup one"))
    os.utime(path, (1, 1))
    descriptor = os.open(path, os.O_RDONLY)
    mark_in_use(descriptor)
    assert not background._is_outdated()
    run_keeper()
    assert known("teapot") == 1
    os.close(descriptor)
    assert background._is_outdated()
    run_keeper()
    assert (known("teapot"), known("cup")) == (0, 1)


def run_keeper(*, is_typing: bool = False) -> None:
    """Update the index as the process does, which reads on its stdin whether somebody types."""
    read, write = os.pipe()
    before = os.dup(0)
    if is_typing:
        os.close(write)
    try:
        os.dup2(read, 0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.argv", ["", USER_WAITS])
            background.main()
    finally:
        os.dup2(before, 0)
        for one in (read, before, *(() if is_typing else (write,))):
            os.close(one)


def test_it_ends_before_the_next_recording_once_somebody_types() -> None:
    find("teapot")
    record("one", wire())
    run_keeper(is_typing=True)
    assert known("teapot") == 0


def test_two_programs_may_read_the_same_recordings_at_once() -> None:
    for number in range(20):
        record(f"{number}", wire())

    def update(_: int) -> int:
        return len(find("teapot", unfinished=True))

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(update, range(3))) == [20] * 3
    with closing(sqlite3.connect(archive_file())) as database:
        (count,) = database.execute(
            "select count(*) from passages where text like '%teapot%'"
        ).fetchone()
    assert count == 20


def test_an_index_that_was_removed_stays_away_until_somebody_searches() -> None:
    find("teapot")
    assert main.run(["find", "--forget"]) == 0
    record("one", wire())
    assert not background._is_outdated()
    assert not archive_file().exists()


def test_the_end_of_a_process_that_ignores_signals_does_not_hold_up_the_loop() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a process inherits it
    try:
        with run_indexer(USER_WAITS) as process:
            ended = time.monotonic()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert process.returncode == -signal.SIGKILL
    assert time.monotonic() - ended < 1.0


@pytest.mark.parametrize("seconds", [0.001, 0.02])
def test_a_process_is_ended_when_asyncio_cancels_what_waits_for_it(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """As at the end of an app: no scope of anyio's holds that off."""
    find("teapot")
    started: list[subprocess.Popen[bytes]] = []

    @contextmanager
    def run_noted(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        with run_indexer(*arguments) as process:
            started.append(process)
            yield process

    async def update_briefly() -> None:
        await asyncio.wait_for(update_index(), seconds)

    monkeypatch.setattr(background, "run_indexer", run_noted)
    with pytest.raises(TimeoutError):
        asyncio.run(update_briefly())
    assert [one.poll() is not None for one in started] == [True]
