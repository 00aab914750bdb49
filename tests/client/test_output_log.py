"""What goes into the log of a terminal's output: all of it, or of bulk the end and a note."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pytest

from acp_tui.client.output_log import (
    BURST,
    LAST,
    LINE_COST,
    PERIOD,
    SAMPLE,
    LineLog,
    LogAllowance,
    terminal_log,
)
from acp_tui.debug.log import Log
from acp_tui.protocol.events import LocalEvent, Record
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.process_events import OutputOmitted, StderrLine, StderrOmitted, TerminalOutput
from acp_tui.state.reducers.terminals import KEPT_OUTPUT_BYTES
from tests.fake_agent.script import Script
from tests.hosting import hosting

MIB = 2**20


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Printed:
    """A terminal that has printed, and what was told of it."""

    def __init__(self, *, burst: int = 1000, rate: int = 10) -> None:
        self.clock = Clock()
        self.allowance = LogAllowance(self.clock, burst=burst, rate=rate)
        self.told: list[LocalEvent] = []
        self.log = terminal_log("t", self.allowance, self.clock, self.told.append)
        self.all = bytearray()

    def add(self, data: bytes) -> None:
        self.all += data
        self.log.add_output(data)


def kept(records: Iterable[Record]) -> int:
    return sum(len(one.data) for one in records if isinstance(one, TerminalOutput))


def check(told: Iterable[Record], printed: bytes | bytearray) -> None:
    """See that each byte was told, or is left out in a note that is true."""
    at = 0
    for event in told:
        if isinstance(event, TerminalOutput):
            assert printed[at : at + len(event.data)] == event.data
            at += len(event.data)
        elif isinstance(event, OutputOmitted):
            part = printed[at : at + event.size]
            assert (len(part), hashlib.sha256(part).hexdigest()) == (event.size, event.sha256)
            at += event.size
    assert at == len(printed)


def numbered(count: int) -> list[bytes]:
    return [b"%07d\n" % number for number in range(count)]


def test_little_is_told_at_once_and_as_it_came() -> None:
    it = Printed()
    for line in numbered(100):
        it.add(line)
        assert it.told[-1] == TerminalOutput(it.clock.now, "t", line)
        assert it.log.seconds_until_due is None
    it.log.finish()
    assert len(it.told) == 100


def test_of_bulk_the_end_is_told_now_and_then_with_what_is_left_out() -> None:
    it = Printed()
    for line in numbered(30_000):
        it.clock.now += 0.001
        it.add(line)
    it.log.finish()
    check(it.told, it.all)
    samples = 30_000 * 0.001 / PERIOD
    assert kept(it.told) < 1000 + (samples + 2) * SAMPLE
    notes = [one for one in it.told if isinstance(one, OutputOmitted)]
    assert notes == []  # 8,000 bytes in a second are less than the samples
    fast = Printed()
    for number in range(200):
        fast.clock.now += 0.01
        fast.add(b"%05d" % number * 20_000)
    fast.log.finish()
    check(fast.told, fast.all)
    assert kept(fast.told) <= 1000 + 5 * SAMPLE
    assert len([one for one in fast.told if isinstance(one, OutputOmitted)]) == 4


def test_what_is_held_back_is_due_soon_and_told_when_nothing_more_comes() -> None:
    it = Printed(burst=10)
    it.add(b"x" * 100)
    assert it.told == []
    assert it.log.seconds_until_due == PERIOD
    it.clock.now += PERIOD / 2
    assert it.log.seconds_until_due == PERIOD / 2
    it.log.flush()
    assert it.told == [TerminalOutput(it.clock.now, "t", b"x" * 100)]
    assert it.log.seconds_until_due is None


def test_the_end_is_what_is_shown_where_there_is_room_for_it() -> None:
    it = Printed(burst=4 * LAST, rate=0)
    it.add(b"a" * (3 * LAST))
    it.add(b"b" * (2 * LAST))
    it.allowance.spend(-2 * LAST)  # another program has been quiet
    it.log.finish()
    check(it.told, it.all)
    assert isinstance(it.told[-1], TerminalOutput)
    assert len(it.told[-1].data) == LAST


def test_no_more_than_the_end_is_held_back() -> None:
    it = Printed(burst=0, rate=0)
    for _ in range(100):
        it.add(b"x" * (LAST // 4))
    assert it.log._size < 2 * LAST
    it.log.finish()
    check(it.told, it.all)


def test_the_clock_fills_the_allowance_again_and_never_beyond_the_burst() -> None:
    clock = Clock()
    allowance = LogAllowance(clock, burst=100, rate=10)
    allowance.spend(130)
    assert allowance.available == -30
    clock.now += 5
    assert allowance.available == 20
    clock.now -= 50
    assert allowance.available == 20
    clock.now += 5000
    assert allowance.available == 100


def check_stderr(told: Iterable[Record], printed: list[str]) -> None:
    """See that each line was told, whole, or is left out in a note that is true."""
    at = 0
    for event in told:
        if isinstance(event, StderrLine):
            assert printed[at] == event.text
            at += 1
        elif isinstance(event, StderrOmitted):
            left_out, size = hashlib.sha256(), 0
            while size < event.size:
                line = f"{printed[at]}\n".encode()
                left_out.update(line)
                size += len(line)
                at += 1
            assert (size, left_out.hexdigest()) == (event.size, event.sha256)
    assert at == len(printed)


def test_of_lines_on_stderr_whole_ones_are_left_out() -> None:
    clock, told = Clock(), list[LocalEvent]()
    log = LineLog(clock, told.append)
    printed = [f"{number}: a word with ü" for number in range(100)]
    for line in printed:
        log.add_line(line)
        assert told[-1] == StderrLine(clock.now, line)
    assert log.seconds_until_due is None
    flood = ["", *(f"{number} {'ü' * (number % 50)}" for number in range(80_000))]
    for line in flood:
        clock.now += 0.00001
        log.add_line(line)
    assert log.seconds_until_due is not None
    log.flush()
    assert told[-1] == StderrLine(clock.now, flood[-1])
    log.add_line("the end")
    log.finish()
    assert told[-1] == StderrLine(clock.now, "the end")
    check_stderr(told, [*printed, *flood, "the end"])
    size = sum(len(one.text.encode()) + LINE_COST for one in told if isinstance(one, StderrLine))
    assert size < BURST + 8 * SAMPLE


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_flood_on_stderr_is_bounded_in_the_log(tmp_path: Path) -> None:
    line = "a line of bulk"
    text = f"{line}\n" * 4096
    script = Script().handshake().prompt().stderr(text, times=25).stderr("the end\n").end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.turn()
        await host.until(lambda: list(host.state.peer.output.stderr)[-1:] == ["the end"])
        said = list(host.state.peer.output.stderr)
    check_stderr(host.records, [*[line] * 4096 * 25, "the end"])
    (first, *_) = [one for one in host.records if isinstance(one, StderrOmitted)]
    assert first.size > 0
    assert set(said) > {line, "the end"}
    lines = sum(isinstance(one, StderrLine) for one in host.records)
    assert lines * (len(line) + 1 + LINE_COST) < BURST + 4 * MIB


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_flood_is_bounded_in_the_log_and_a_replay_shows_what_was_shown(
    tmp_path: Path,
) -> None:
    """`hosting` compares the state with a replay of the records."""
    size = 60 * MIB
    command = f"yes 'a line of bulk' | head -c {size}; echo the end"
    create = {"sessionId": "s1", "command": command}
    script = Script().handshake().prompt().request("terminal/create", create)
    script.expect_answer("create").request(
        "terminal/wait_for_exit",
        {"sessionId": "s1", "terminalId": "${create.result.terminalId}"},
        save="wait",
    )
    script.expect_answer("wait", timeout=60.0).end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.turn()
        (terminal,) = host.state.terminals.values()
        assert terminal.output.endswith(b"a line of bulk\nthe end\n")
        assert terminal.dropped + terminal.stored_bytes == size + len("the end\n")
        assert terminal.stored_bytes <= KEPT_OUTPUT_BYTES + SAMPLE
    line = b"a line of bulk\n"
    check(host.records, (line * (size // len(line) + 1))[:size] + b"the end\n")
    assert kept(host.records) < BURST + 4 * MIB
    log = Log(host.records)
    log.catch_up()
    omitted = [log[index] for index in range(len(log)) if log[index].kind == "output_omitted"]
    assert omitted
    assert all(isinstance(row.record, OutputOmitted) and row.size for row in omitted)
    assert (
        sum(row.size for row in map(log.__getitem__, range(len(log))) if not row.direction) > size
    )
    assert any(isinstance(record, Frame) for record in host.records)
