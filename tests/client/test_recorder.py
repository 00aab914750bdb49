"""The recorder: written by a thread of its own, and over before the disk is."""

import os
import threading
import time
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from acp_tui.client import recorder as recorder_module
from acp_tui.client.launch import Launch
from acp_tui.client.recorder import Recorder, recorder_at, recorder_in
from acp_tui.host.hosts import ClientGroup
from acp_tui.protocol.events import ClientNotice
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import StderrLine
from acp_tui.recordings.recording import read_header, read_records
from acp_tui.state.commands import UseSetting
from tests.fake_agent.script import Script
from tests.hosting import PATIENCE, eventually, hosting, wait_until

LAUNCH = Launch(("agent", "--acp"), "/w", {"TOKEN": "hunter2"})


def texts(path: Path) -> list[str]:
    lines = path.read_text().splitlines(keepends=True)
    return [one.text for one in read_records(lines) if isinstance(one, StderrLine)]


@pytest.mark.anyio
async def test_a_busy_event_loop_delays_no_write(tmp_path: Path) -> None:
    recorder = recorder_at(tmp_path / "r.jsonl", LAUNCH)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(recorder.run, print)
        await eventually(lambda: recorder._losses_changed is not None)
        recorder.record(StderrLine(1.0, "before"))
        wait_until(lambda: texts(recorder.path) == ["before"])  # no task of the loop can run
        recorder.record(StderrLine(2.0, "last"))
        tasks.cancel_scope.cancel()
    assert texts(recorder.path) == ["before", "last"]


@pytest.mark.anyio
async def test_one_in_the_folder_ends_at_the_limit_and_says_so(tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []
    recorder = Recorder(tmp_path / "r.jsonl", {}, housed=True, limit=1000)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(recorder.run, lambda *words: said.append(words))
            recorder.record(StderrLine(1.0, "x" * 2000))
            await eventually(lambda: said)
            recorder.record(StderrLine(2.0, "not any more"))
            tasks.cancel_scope.cancel()
    why = "the recording has stopped: it has reached 1,000 bytes; --record FILE has no limit"
    assert said == [("No longer recorded", why)]
    assert texts(recorder.path) == ["x" * 2000]


@pytest.mark.anyio
async def test_one_that_runs_ends_at_a_limit_that_is_set_meanwhile(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    launch = Launch(tuple(script.argv(tmp_path)), str(tmp_path), dict(os.environ))
    recorder = recorder_in(tmp_path / "recordings", launch)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            client = ClientGroup(tasks, tasks).start(launch, recorder)
            await eventually(lambda: client.state.sessions)
            assert recorder.failure is None
            client.do(UseSetting("recordings.gigabytes", 1e-9))
            await eventually(lambda: recorder.failure)
            tasks.cancel_scope.cancel()
    assert "it has reached 1 bytes" in (recorder.failure or "")


@pytest.mark.anyio
async def test_one_that_breaks_by_our_own_fault_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, str]] = []
    broke: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: broke.append(args.exc_type))
    monkeypatch.setattr(recorder_module, "dump_in_pieces", lambda _: 1 // 0)
    recorder = recorder_at(tmp_path / "r.jsonl", LAUNCH)
    recorder.record(StderrLine(1.0, "x"))
    with anyio.fail_after(PATIENCE):
        await recorder.run(lambda *words: said.append(words))
        await eventually(lambda: broke)  # the thread ends after it has told
    why = "the recording has stopped because of a bug in acp-tui"
    assert said == [("No longer recorded", why)]
    assert broke == [ZeroDivisionError]


@pytest.mark.anyio
async def test_one_whose_file_is_removed_says_so(tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []
    recorder = recorder_at(tmp_path / "r.jsonl", LAUNCH)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(recorder.run, lambda *words: said.append(words))
            recorder.path.unlink()
            recorder.record(StderrLine(1.0, "lost"))
            await eventually(lambda: said)
            tasks.cancel_scope.cancel()
    assert said == [("No longer recorded", "the recording has stopped: its file was removed")]


@pytest.mark.anyio
async def test_one_in_the_folder_makes_room_but_not_of_what_is_written(tmp_path: Path) -> None:
    old = [tmp_path / f"{number}.jsonl" for number in range(60)]
    for path in old:
        path.write_text("x")
    first, second = recorder_in(tmp_path, LAUNCH), Recorder(tmp_path / "b", {}, housed=True)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(first.run, print)
        tasks.start_soon(second.run, print)
        await eventually(lambda: sum(path.exists() for path in old) == 49)
        tasks.cancel_scope.cancel()
    assert sum(path.exists() for path in old) == 49
    assert first.path.exists()


class Stuck:
    """A pipe that nobody reads, for a disk that hangs; `read` lets it go on."""

    def __init__(self) -> None:
        self._out, self.file = os.pipe()
        self.path = Path(f"/dev/fd/{self.file}")
        self.lines: list[str] = []

    def read(self) -> None:
        """Read all there is, to the end."""
        os.close(self.file)
        with os.fdopen(self._out, encoding="utf-8") as pipe:
            self.lines = pipe.readlines()

    def read_slowly(self, seconds: float, times: int) -> None:
        """Read a little at a time, and then the rest."""
        os.close(self.file)
        with os.fdopen(self._out, "rb") as pipe:
            data = b""
            for _ in range(times):
                data += os.read(self._out, 2**13)
                time.sleep(seconds)
            self.lines = (data + pipe.read()).decode().splitlines(keepends=True)


@pytest.fixture
def stuck() -> Stuck:
    if not Path("/dev/fd").exists():
        pytest.skip("this system has no /dev/fd")
    return Stuck()


@pytest.mark.anyio
async def test_a_disk_that_hangs_costs_bounded_memory_and_what_is_missing_is_told(
    monkeypatch: pytest.MonkeyPatch, stuck: Stuck
) -> None:
    monkeypatch.setattr(recorder_module, "PENDING_BYTES", 2**20)
    said: list[str] = []
    recorder = recorder_at(stuck.path, LAUNCH)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(recorder.run, lambda title, _: said.append(title))
            for number in range(3000):
                recorder.record(StderrLine(float(number), "x" * 1000))
            await eventually(lambda: said)
            assert said == ["Not recorded for now"]
            assert recorder.waiting < 2 * 2**20
            reading = threading.Thread(target=stuck.read)
            reading.start()
            await eventually(lambda: recorder.waiting <= 2**19)
            recorder.record(StderrLine(5000.0, "again"))
            await eventually(lambda: said[1:] == ["Recorded again"])
            tasks.cancel_scope.cancel()
    await anyio.to_thread.run_sync(reading.join)
    records = list(read_records(stuck.lines))
    (gap,) = [one for one in records if isinstance(one, ClientNotice)]
    before = records.index(gap)
    assert gap.title == f"{3000 - before:,} records are missing here"
    assert records[before + 1 :] == [StderrLine(5000.0, "again")]


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_long_line_keeps_nothing_out_that_follows_it(tmp_path: Path) -> None:
    recorder = recorder_at(tmp_path / "r.jsonl", LAUNCH)
    line = Frame(Direction.IN, b"x" * (recorder_module.PENDING_BYTES + 1), 1.0, 1)
    said: list[str] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(recorder.run, lambda title, _: said.append(title))
        recorder.record(line)
        for number in range(100):
            recorder.record(StderrLine(2.0, f"{number}"))
        tasks.cancel_scope.cancel()
    assert said == []
    assert texts(recorder.path) == [f"{number}" for number in range(100)]


@pytest.mark.anyio
async def test_a_disk_that_hangs_at_the_end_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch, stuck: Stuck
) -> None:
    monkeypatch.setattr(recorder_module, "FINAL_WRITE_TIMEOUT", 0.5)
    said: list[tuple[str, str]] = []
    recorder = recorder_at(stuck.path, LAUNCH)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(recorder.run, lambda *words: said.append(words))
            recorder.record(StderrLine(1.0, "x" * 2**20))
            await eventually(lambda: not recorder._pending)  # the disk has them, and hangs
            tasks.cancel_scope.cancel()
    assert [title for title, _ in said] == ["No longer recorded"]
    assert "end of the recording is missing" in (recorder.failure or "")
    await anyio.to_thread.run_sync(stuck.read)


@pytest.mark.anyio
async def test_what_is_still_being_written_at_the_end_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, stuck: Stuck
) -> None:
    """It takes longer in all than a disk may take nothing."""
    monkeypatch.setattr(recorder_module, "FINAL_WRITE_TIMEOUT", 1.0)
    monkeypatch.setattr(recorder_module, "_PIECE", 2**12)
    said: list[str] = []
    recorder = recorder_at(stuck.path, LAUNCH)
    reading = threading.Thread(target=stuck.read_slowly, args=(0.02, 75))
    lines = [StderrLine(float(number), "x" * 2**13) for number in range(100)]
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(recorder.run, lambda title, _: said.append(title))
            for line in lines:
                recorder.record(line)
            reading.start()
            tasks.cancel_scope.cancel()
    await anyio.to_thread.run_sync(reading.join)
    assert (said, recorder.failure) == ([], None)
    assert list(read_records(stuck.lines)) == lines


@pytest.mark.anyio
async def test_a_disk_that_never_comes_to_the_end_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch, stuck: Stuck
) -> None:
    monkeypatch.setattr(recorder_module, "FINAL_WRITES_TIMEOUT", 0.1)
    recorder = recorder_at(stuck.path, LAUNCH)
    with anyio.fail_after(4):  # less than a disk may take nothing
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(recorder.run, lambda *_: None)
            recorder.record(StderrLine(1.0, "x" * 2**20))
            tasks.cancel_scope.cancel()
    assert "was not written in time" in (recorder.failure or "")
    await anyio.to_thread.run_sync(stuck.read)


def test_a_fifo_that_nobody_reads_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="No such device"):
        recorder_at(tmp_path / "fifo", LAUNCH)


@pytest.mark.anyio
async def test_durations_hold_though_the_wall_clock_jumps_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall = iter(range(2_000_000_000, 0, -3600))
    monkeypatch.setattr(time, "time", lambda: float(next(wall)))
    recorder = recorder_at(tmp_path / "r.jsonl", LAUNCH)
    script = Script().handshake().prompt().sleep(0.1).end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        end = await host.turn()
        assert 0.1 <= end.at - end.started < 20
        for record in host.records:
            recorder.record(record)
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(recorder.run, print)
                tasks.cancel_scope.cancel()
    lines = recorder.path.read_text().splitlines(keepends=True)
    times = [one.at for one in read_records(lines)]
    assert times == sorted(times)
    facts = read_header(lines[0])
    assert 0 <= times[0] - facts["monotonic"] < 20


def test_a_recording_begins_at_once_and_names_no_secret(tmp_path: Path) -> None:
    recorder = recorder_at(tmp_path / "r.jsonl", LAUNCH)
    assert '"env": ["TOKEN"]' in recorder.path.read_text()
    assert "hunter2" not in recorder.path.read_text()
    with pytest.raises(OSError, match="No such file"):
        recorder_at(tmp_path / "no" / "r.jsonl", LAUNCH)
