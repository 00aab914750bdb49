"""Records in memory: old ones packed, none lost."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import StderrLine, TerminalOutput
from acp_tui.recordings.long_frames import HUGE, StoredBytes, store_frame
from acp_tui.recordings.recording import format_record
from acp_tui.recordings.records import BLOCK, BLOCK_SIZE, PackedLog, pieces_of


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


class Elsewhere:
    """Keeps bytes in two halves."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    def store(self, data: bytes) -> StoredBytes:
        self.kept.append(data)
        return Halves(data)


class Halves(NamedTuple):
    data: bytes

    def read(self) -> bytes:
        return self.data

    def pieces(self) -> Iterator[bytes]:
        half = len(self.data) // 6 * 3
        yield from (self.data[:half], self.data[half:])


def test_what_is_packed_can_be_kept_elsewhere() -> None:
    elsewhere = Elsewhere()
    made: list[Record] = [
        Frame(Direction.IN, b"x" * BLOCK_SIZE, float(number), number) for number in range(8)
    ]
    memory = PackedLog(limit=0, store=elsewhere)
    for record in made:
        memory.append(record)
    assert len(elsewhere.kept) == 6
    assert sum(isinstance(block, list) for block in memory._blocks) == 2
    assert list(memory) == made


@pytest.mark.parametrize("letter", ["\u2615".encode(), b"\xff"])
def test_a_frame_whose_bytes_are_elsewhere_is_among_the_others(letter: bytes) -> None:
    small = Frame(Direction.OUT, b"{}", 1.0, 1)
    huge = Frame(Direction.IN, letter * 100_001, 2.0, 2, None, 7)
    memory = PackedLog(limit=0)
    kept = store_frame(huge, Elsewhere())
    assert kept.at == huge.at
    memory.append_stored(kept)
    memory.append(small)
    memory.append_stored(kept)
    made = [huge, small, huge]
    assert list(memory) == made
    assert ["".join(pieces_of(memory, at)) for at in range(3)] == [
        format_record(one) for one in made
    ]
    assert [memory.stored_frame(at) for at in range(3)] == [kept, None, kept]
    for _ in range(4 * BLOCK):
        memory.append(small)
    assert memory[0] == huge
