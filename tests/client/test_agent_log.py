"""The agent's own log stands between the frames, however the file is written, emptied or replaced."""

import time
from pathlib import Path

import pytest

from acp_tui.client.agent_log import _File
from acp_tui.host.hosts import _tap
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.process_events import AgentLogLine, AgentLogOmitted, StderrLine
from acp_tui.recordings.records import PackedLog
from tests.fake_agent.script import Script
from tests.hosting import Host, hosting

pytestmark = pytest.mark.anyio


def lines(host: Host) -> list[str]:
    return [event.text for event in host.events if isinstance(event, AgentLogLine)]


def agent(folder: Path) -> list[str]:
    return Script().handshake().prompt().chunk("one").end_turn().expect_eof().argv(folder)


async def test_what_is_written_meanwhile_stands_between_the_frames(tmp_path: Path) -> None:
    log = tmp_path / "agent.log"
    log.write_text("of an earlier run\n")
    script = Script().handshake().prompt()
    script.write_file(log, "of an earlier run\nthinking\n").until(tmp_path / "gate")
    argv = script.chunk("one").end_turn().expect_eof().argv(tmp_path)
    async with hosting(argv, tmp_path, agent_log=log) as host:
        await host.opened()
        host.prompt("go")
        await host.until(lambda: lines(host))
        (tmp_path / "gate").touch()
        await host.turn_ended()
        assert lines(host) == ["thinking"]
        kinds = [one for one in host.records if isinstance(one, Frame | AgentLogLine)]
        at = next(at for at, one in enumerate(kinds) if isinstance(one, AgentLogLine))
        before, after = kinds[at - 1], kinds[at + 1]
        assert isinstance(before, Frame)
        assert isinstance(after, Frame)
        assert b"session/prompt" in before.raw
        assert b"agent_message_chunk" in after.raw


async def test_no_agent_writes_before_it_is_known_what_is_of_earlier_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, skip = tmp_path / "agent.log", _File.skip

    def skip_late(file: _File) -> None:
        time.sleep(0.2)
        skip(file)

    monkeypatch.setattr(_File, "skip", skip_late)
    script = Script().write_file(log, "hello\n").handshake().expect_eof()
    async with hosting(script.argv(tmp_path), tmp_path, agent_log=log) as host:
        await host.opened()
        await host.until(lambda: lines(host) == ["hello"])


async def test_the_last_words_of_an_agent_are_told(tmp_path: Path) -> None:
    log = tmp_path / "agent.log"
    log.touch()
    async with hosting(agent(tmp_path), tmp_path, agent_log=log) as host:
        await host.opened()
        log.write_text("one\n")
        await host.until(lambda: lines(host))
        log.write_text("one\nand I go\n")
    assert lines(host) == ["one", "and I go"]


async def test_it_may_be_missing_grow_be_emptied_and_be_replaced(tmp_path: Path) -> None:
    log = tmp_path / "agent.log"
    async with hosting(agent(tmp_path), tmp_path, agent_log=log) as host:
        await host.opened()
        log.write_text("one\ntw")
        await host.until(lambda: lines(host) == ["one"])
        with log.open("a") as file:
            file.write("o\n")
        await host.until(lambda: lines(host) == ["one", "two"])
        log.write_text("3\n")
        await host.until(lambda: lines(host)[2:] == ["3"])
        log.rename(tmp_path / "agent.log.1")
        with (tmp_path / "agent.log.1").open("a") as file:
            file.write("the last of the old\n")
        log.write_text("\x1b[31mthe first of the new\n")
        await host.until(lambda: len(lines(host)) == 5)
        assert lines(host)[3:] == ["the last of the old", "the first of the new"]


@pytest.mark.slow
async def test_bulk_is_left_out_and_counted(tmp_path: Path) -> None:
    log = tmp_path / "agent.log"
    async with hosting(agent(tmp_path), tmp_path, agent_log=log) as host:
        await host.opened()
        log.write_bytes(b"x" * 99 + b"\n" * 1 + (b"y" * 99 + b"\n") * 150_000 + b"end\n")
        await host.until(lambda: lines(host) and lines(host)[-1] == "end")
        told = sum(len(line) + 1 for line in lines(host))
        left = sum(one.size for one in host.events if isinstance(one, AgentLogOmitted))
        assert told + left == 100 * 150_001 + 4
        assert told < 10_000_000


async def test_what_is_no_file_is_said_and_harms_nothing(tmp_path: Path) -> None:
    async with hosting(agent(tmp_path), tmp_path, agent_log=tmp_path) as host:
        assert (await host.turn("go")).lost is None
        await host.until(lambda: host.state.notices)
        (notice,) = host.state.notices
        assert notice.title == "The agent's log is no longer followed"
        assert "not a regular file" in str(notice.description)


def test_it_is_recorded_only_where_that_is_wanted() -> None:
    class Kept(list[object]):
        record = list.append

    for wanted, kept in ((True, 3), (False, 1)):
        recorder, memory = Kept(), PackedLog()
        tap = _tap(recorder, memory, records_log=wanted)  # type: ignore[arg-type]
        for event in (AgentLogLine(1.0, "a"), AgentLogOmitted(1.0, 5, "cd"), StderrLine(1.0, "b")):
            tap(event)
        assert (len(recorder), len(memory)) == (kept, 3)
