"""The recorder: written by a thread of its own, and over before the disk is."""

import time
from pathlib import Path

import anyio
import pytest

from acp_tui.client.launch import Launch
from acp_tui.client.recorder import Recorder, recorder_at, recorder_in
from acp_tui.protocol.events import StderrLine
from acp_tui.wire.recording import load
from tests.hosting import PATIENCE

LAUNCH = Launch(("agent", "--acp"), "/w", {"TOKEN": "hunter2"})


def texts(path: Path) -> list[str]:
    lines = path.read_text().splitlines(keepends=True)
    return [one.text for one in load(lines) if isinstance(one, StderrLine)]


@pytest.mark.anyio
async def test_a_busy_event_loop_delays_no_write(tmp_path: Path) -> None:
    recorder = recorder_at(tmp_path / "r.jsonl", LAUNCH)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(recorder.run, print)
        await anyio.sleep(0.1)
        recorder.record(StderrLine(1.0, "before"))
        time.sleep(1)  # the loop is busy: no task of it can run
        assert texts(recorder.path) == ["before"]
        recorder.record(StderrLine(2.0, "last"))
        tasks.cancel_scope.cancel()
    assert texts(recorder.path) == ["before", "last"]


@pytest.mark.anyio
async def test_one_in_the_folder_ends_at_the_limit_and_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    recorder = Recorder(tmp_path / "r.jsonl", {}, housed=True, limit=1000)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(recorder.run, said.append)
            recorder.record(StderrLine(1.0, "x" * 2000))
            while not said:
                await anyio.sleep(0.05)
            recorder.record(StderrLine(2.0, "not any more"))
            tasks.cancel_scope.cancel()
    assert said == [
        "the recording has stopped: it has reached 1,000 bytes; --record FILE has no limit"
    ]
    assert texts(recorder.path) == ["x" * 2000]


@pytest.mark.anyio
async def test_one_in_the_folder_makes_room_but_not_of_what_is_written(tmp_path: Path) -> None:
    old = [tmp_path / f"{number}.jsonl" for number in range(60)]
    for path in old:
        path.write_text("x")
    first, second = recorder_in(tmp_path, LAUNCH), Recorder(tmp_path / "b", {}, housed=True)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(first.run, print)
        tasks.start_soon(second.run, print)
        await anyio.sleep(0.3)
        tasks.cancel_scope.cancel()
    assert sum(path.exists() for path in old) == 49
    assert first.path.exists()


def test_a_recording_begins_at_once_and_names_no_secret(tmp_path: Path) -> None:
    recorder = recorder_at(tmp_path / "r.jsonl", LAUNCH)
    assert '"env": ["TOKEN"]' in recorder.path.read_text()
    assert "hunter2" not in recorder.path.read_text()
    with pytest.raises(OSError, match="No such file"):
        recorder_at(tmp_path / "no" / "r.jsonl", LAUNCH)
