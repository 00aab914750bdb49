"""Opens recordings and other programs' logs as sequences of records, read lazily; masks their
secrets.
"""

import os
import re
import sys
import zipfile
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from threading import RLock
from typing import Any

from acp_tui.config.paths import recordings_folder
from acp_tui.debug.bug_report import RECORDING
from acp_tui.extensions import extensions
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.events import LineDamaged, Record
from acp_tui.recordings.log_formats import read_log
from acp_tui.recordings.recording import (
    RecordingError,
    dump_in_pieces,
    format_header,
    read_any,
    read_header,
    read_many,
    read_records,
)
from acp_tui.recordings.records import Records
from acp_tui.store.recordings import find_by_name, recordings_in

_BLOCK = 1024 * 1024
_AHEAD = 128
"""Most records that are read at a time when they are read in order."""
_BACK = 100
"""Lines before a damaged one that are searched for its time."""
_SHORTEST_NAME = 8
"""Least length of a name, which begins with a date; a shorter number is one in the list."""
_MOST_UNZIPPED = 1024**3
_AHEAD_SIZE = 128 * 1024
"""Approximate most bytes of records that are read at a time."""
_TIME = re.compile(rb'\{"at": (\d+\.\d+(?:e-\d+)?), ')
_LONG = 1024 * 1024
"""Size in bytes from which on a record isn't parsed for its time alone."""
_LONGEST_TIME = 100
"""Bytes at the beginning of a record that have its time."""


@dataclass(frozen=True)
class OpenedLog:
    """A log and the facts in its header; `growing` if it can be followed."""

    records: "Sequence[Record]"
    facts: dict[str, Any]
    growing: "FileRecords | None" = None

    @property
    def started(self) -> datetime | None:
        """When the log began, in local time; None if the header doesn't say."""
        started = self.facts.get("started")
        if not isinstance(started, int | float):
            return None
        try:
            return datetime.fromtimestamp(started).astimezone()
        except (ValueError, OverflowError, OSError):
            return None  # the year isn't within 1 to 9999


def recording_path(name: str) -> Path:
    """Return the path of a file, or of the recording with this number in the list, or with this
    name or its beginning.

    Raises FileNotFoundError.
    """
    path = Path(name)
    if name == "-" or path.exists() or not name or path.name != name:
        return path
    folder = recordings_folder()
    if name.isdecimal() and len(name) < _SHORTEST_NAME:
        found = recordings_in(folder)[int(name) - 1 : int(name)] if int(name) else []
    else:
        found = find_by_name(folder, name.removesuffix(".jsonl"))
    if len(found) == 1:
        return found[0]
    how_many = "there is no file and no recording" if not found else f"{len(found)} recordings are"
    raise FileNotFoundError(2, f"{how_many} {name}; acp-tui log lists them", name)


def open_log(path: Path) -> OpenedLog:
    """Open a log of any kind; `-` is stdin. Raises OSError and RecordingError."""
    if str(path) == "-":
        return _read_text(sys.stdin.buffer.read())
    if zipfile.is_zipfile(path):
        return _read_text(_unzipped(path))
    with path.open("rb") as file:
        first = file.readline(_BLOCK)
    if _has_header(first):
        records = FileRecords(path)
        return OpenedLog(records, read_header(first), records)
    return _read_text(path.read_bytes())


def _unzipped(path: Path) -> bytes:
    """Return the recording in a zipped bug report. Raises RecordingError."""
    with zipfile.ZipFile(path) as archive:
        inside = [one for one in archive.infolist() if one.filename.endswith(RECORDING)]
        if len(inside) != 1:
            raise RecordingError(f"there is no {RECORDING} in it: not a bug report of acp-tui")
        if inside[0].file_size > _MOST_UNZIPPED:
            raise RecordingError(f"its {RECORDING} has more than {_MOST_UNZIPPED:,} bytes")
        try:
            return archive.read(inside[0])
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
            raise RecordingError(f"its {RECORDING} can't be unpacked: {error}") from error


def _has_header(line: bytes) -> bool:
    return b'"acp-tui"' in line[:100]


def _read_text(data: bytes) -> OpenedLog:
    text = data.decode("utf-8", "surrogateescape")
    if _has_header(data):
        lines = text.split("\n")
        return OpenedLog(
            list(read_records(f"{line}\n" for line in lines if line)), read_header(lines[0])
        )
    return OpenedLog(read_log(text, extensions.formats()), {})


class Masked(Records):
    """Records with their secrets masked."""

    def __init__(self, records: Sequence[Record], redactor: Redactor) -> None:
        self._records = records
        self._redactor = redactor

    def __len__(self) -> int:
        return len(self._records)

    def read(self, index: int) -> Record:
        """Read a record, and mask it."""
        return self._redactor.record(self._records[index])


def masked_recording(
    records: Iterable[Record], facts: Mapping[str, Any], redactor: Redactor
) -> bytes:
    """Format records as a recording without secrets; its header says what was masked.

    `redactor` must have looked at all records that secrets may come from.
    """
    lines = ["".join(dump_in_pieces(redactor.record(record))) for record in records]
    head = format_header({**redactor.facts(dict(facts)), "masked": dict(redactor.masked)})
    return "\n".join([head, *lines, ""]).encode("utf-8", "backslashreplace")


class FileRecords(Records):
    """The records of a recording, read on demand; only their positions are kept in memory.

    `grow` finds new records; a line without a newline isn't complete yet, and doesn't count.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._ends = array("Q")
        self._scanned = 0
        self._block = b""
        self._block_start = 0
        self._dated_last = (-1, 0.0)
        self._ahead_from = -1
        self._ahead: list[Record] = []
        self._lock = RLock()  # reports are made in a thread
        self.grow()

    def close(self) -> None:
        os.close(self._file)

    def grow(self) -> None:
        """Find the lines that have been written since the last call."""
        at = self._scanned
        while block := _read_at(self._file, _BLOCK, at):
            end = block.find(b"\n")
            while end != -1:
                self._ends.append(at + end + 1)
                end = block.find(b"\n", end + 1)
            at += len(block)
        self._scanned = at

    def __len__(self) -> int:
        return max(0, len(self._ends) - 1)  # without the first line, which is the header

    def read(self, index: int) -> Record:
        """Read a record and, if records are read in order, some following ones."""
        with self._lock:
            ahead = index - self._ahead_from
            if 0 <= ahead < len(self._ahead):
                return self._ahead[ahead]
            follows = index == self._ahead_from + len(self._ahead)
            self._ahead = self._read_ahead(index) if follows else [self._read_record(index)]
            self._ahead_from = index
            return self._ahead[0]

    def time(self, index: int) -> float:
        """Return the time of a record; of a long record, only the beginning is read."""
        if self._size(index) > _LONG:
            begins = _TIME.match(_read_at(self._file, _LONGEST_TIME, self._ends[index]))
            if begins is not None:
                return float(begins[1])
        return self.read(index).at

    def _size(self, index: int) -> int:
        return self._ends[index + 1] - self._ends[index]

    def _read_record(self, index: int) -> Record:
        record = read_any(self._line(self._ends[index], self._ends[index + 1]), 0.0)
        return record if not isinstance(record, LineDamaged) else self._dated(record, index)

    def _dated(self, damaged: LineDamaged, index: int) -> LineDamaged:
        """Set the time of an unreadable line to that of the last readable line before it."""
        known_at, known = self._dated_last
        at = 0.0
        for earlier in range(index - 1, max(-1, index - _BACK), -1):
            if earlier == known_at:
                at = known
                break
            before = read_any(self._line(self._ends[earlier], self._ends[earlier + 1]), 0.0)
            if not isinstance(before, LineDamaged):
                at = before.at
                break
        self._dated_last = (index, at)
        return damaged._replace(at=at, reason=f"line {index + 2}: {damaged.reason}")

    def _read_ahead(self, index: int) -> list[Record]:
        """Return some records at once, as most callers read them in order."""
        limit = self._ends[index] + _AHEAD_SIZE
        stop = max(index + 1, min(index + _AHEAD, bisect_right(self._ends, limit) - 1))
        ends = self._ends[index : stop + 1]
        try:
            return read_many([self._line(start, end) for start, end in pairwise(ends)])
        except RecordingError:
            return [self._read_record(index)]

    def _line(self, start: int, end: int) -> bytes:
        at = start - self._block_start
        if not (at >= 0 and end - self._block_start <= len(self._block)):
            self._block = _read_at(self._file, max(_BLOCK, end - start), start)
            self._block_start, at = start, 0
        return self._block[at : at + end - start]


def _read_at(descriptor: int, size: int, at: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, at)
    os.lseek(descriptor, at, os.SEEK_SET)
    return os.read(descriptor, size)
