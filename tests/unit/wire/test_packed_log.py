"""Records in memory: old ones packed, none lost."""

from collections.abc import Callable
from functools import partial

import pytest

from acp_tui.protocol.events import StderrLine, TerminalOutput
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.wire.packed_log import BLOCK, BLOCK_SIZE, HUGE, PackedLog
from acp_tui.wire.recording import Record


def records(count: int) -> list[Record]:
    made: list[Record] = [
        Frame(Direction.IN, b'{"n": %d}' % number, float(number), number)
        for number in range(count - 1)
    ]
    return [*made, StderrLine(float(count), "the end")]


def test_what_is_packed_reads_as_what_is_not() -> None:
    made = records(5 * BLOCK + 7)
    memory = PackedLog(limit=0)
    for record in made:
        memory.append(record)
    assert sum(isinstance(block, bytes) for block in memory._blocks) == 4
    assert len(memory) == len(made)
    assert list(memory) == made
    assert memory[10:20] == made[10:20]
    assert memory[-1] == made[-1]
    assert memory[3 * BLOCK] == made[3 * BLOCK]


def test_long_records_are_packed_by_their_size_and_huge_ones_stay_as_they_are() -> None:
    sizes = [BLOCK_SIZE // 2] * 4 + [HUGE] + [BLOCK_SIZE // 2] * 4
    made: list[Record] = [
        Frame(Direction.IN, b"x" * size, float(number), number) for number, size in enumerate(sizes)
    ]
    memory = PackedLog(limit=0)
    for record in made:
        memory.append(record)
    assert [isinstance(block, bytes) for block in memory._blocks] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert list(memory) == made
    assert memory[-1] == made[-1]


def test_whatever_is_said_counts_with_its_size() -> None:
    memory = PackedLog()
    made = [
        *(TerminalOutput(float(number), "t", b"x" * 64_000) for number in range(200)),
        *(StderrLine(float(number), "y" * 64_000) for number in range(200, 400)),
    ]
    for record in made:
        memory.append(record)
    loose = sum(len(block) for block in memory._blocks if isinstance(block, list))
    assert loose < 30
    assert list(memory) == made


def test_below_the_limit_nothing_is_packed() -> None:
    memory = PackedLog()
    for record in records(3 * BLOCK):
        memory.append(record)
    assert not any(isinstance(block, bytes) for block in memory._blocks)


def test_there_is_nothing_beyond_the_ends() -> None:
    memory = PackedLog()
    memory.append(StderrLine(0.0, "x"))
    for index in (1, -2):
        with pytest.raises(IndexError):
            memory[index]


def test_what_is_packed_can_be_kept_elsewhere_whatever_its_size() -> None:
    kept: list[bytes] = []

    def keep(data: bytes) -> Callable[[], bytes]:
        kept.append(data)
        return partial(kept.__getitem__, len(kept) - 1)

    sizes = [BLOCK_SIZE, HUGE, 10, HUGE, *[BLOCK_SIZE] * 4]
    made: list[Record] = [
        Frame(Direction.IN, b"x" * size, float(number), number) for number, size in enumerate(sizes)
    ]
    memory = PackedLog(limit=0, keep=keep)
    for record in made:
        memory.append(record)
    assert sum(map(len, kept)) > 2 * HUGE
    assert sum(isinstance(block, list) for block in memory._blocks) == 2
    assert not any(isinstance(block, bytes) for block in memory._blocks)
    assert list(memory) == made
