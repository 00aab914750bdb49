"""Recordings in files, read while they grow, and however long their lines are."""

from pathlib import Path

import pytest

from acp_tui import log_files
from acp_tui.log_files import FileRecords, open_log
from acp_tui.protocol.events import LineDamaged, Record
from acp_tui.protocol.frames import Direction
from acp_tui.recordings.recording import format_header, format_record
from acp_tui.recordings.records import time_of
from tests.unit.debug.scenes import Wire


def test_a_line_that_is_being_written_is_not_there_before_its_end(tmp_path: Path) -> None:
    first, second, *_ = Wire().prompted().records
    path, line = tmp_path / "r.jsonl", f"{format_record(second)}\n"
    path.write_text(f"{format_header({})}\n{format_record(first)}\n")
    growing = open_log(path).growing
    assert growing is not None
    with path.open("a", encoding="utf-8") as file:
        for part, known in ((line[:20], [first]), (line[20:], [first, second])):
            file.write(part)
            file.flush()
            growing.grow()
            assert list(growing) == known
    growing.close()


LONG = 1024 * 1024
LONG_LINE = b'{"jsonrpc": "2.0", "method": "_x", "params": {"a": "%b"}}' % (b"word " * (LONG // 4))


def recorded(path: Path, records: list[Record]) -> FileRecords:
    """A recording of these in a file."""
    path.write_text(
        "".join(f"{line}\n" for line in (format_header({}), *map(format_record, records)))
    )
    growing = open_log(path).growing
    assert growing is not None
    return growing


def test_when_a_long_record_was_is_known_without_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = Wire().raw(Direction.IN, LONG_LINE).chunk("after").later(2).raw(Direction.IN, LONG_LINE)
    growing = recorded(tmp_path / "r.jsonl", wire.records)
    read_at, sizes = log_files._read_at, []

    def read(descriptor: int, size: int, at: int) -> bytes:
        sizes.append(size)
        return read_at(descriptor, size, at)

    with monkeypatch.context() as patch:
        patch.setattr(log_files, "_read_at", read)
        times = [time_of(growing, index) for index in (*range(len(growing)), -1)]
    assert max(sizes) < len(LONG_LINE)
    assert times == [record.at for record in (*wire.records, wire.records[-1])]
    assert list(growing) == wire.records
    growing.close()


@pytest.mark.parametrize(("begin", "end"), [("x", ""), ('{"at": 1.0, "n": "', '"}')])
def test_a_long_line_that_is_no_record_is_one_of_its_own_kind(
    tmp_path: Path, begin: str, end: str
) -> None:
    line = begin + "x" * 2 * LONG + end
    path = tmp_path / "r.jsonl"
    first = Wire().prompted().records[0]
    path.write_text(f"{format_header({})}\n{format_record(first)}\n{line}\n")
    growing = open_log(path).growing
    assert growing is not None
    damaged = growing[1]
    assert isinstance(damaged, LineDamaged)
    assert (len(damaged.line), damaged.at) == (len(line), first.at)
    assert "line 3: not a record" in damaged.reason
    growing.close()
