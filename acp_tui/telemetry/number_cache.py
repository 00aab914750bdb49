"""The numbers of many recordings. Each is read once: its numbers are kept by the size and time of
the file.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from hashlib import sha256
from os import cpu_count
from pathlib import Path
from typing import Any

from acp_tui import __version__
from acp_tui.config.private_files import write_whole
from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.telemetry.numbers import numbers
from acp_tui.telemetry.runs import Run
from acp_tui.wire.lint.linter import RULES
from acp_tui.wire.recorded_numbers import Numbers, read_numbers
from acp_tui.wire.recording import RecordingError

_FEW = 32
"""Up to this many files are read faster by one process."""
_AT_ONCE = 8
"""Files that are handed to a process at one time."""


class Told(NamedTuple):
    """The numbers of one recording, and when it was last written to."""

    written: float
    numbers: Numbers


class NumberCache:
    """Kept numbers in `path`; without one nothing is kept. `tell` is told of files that can't be read.

    Many files are read by several processes: `workers`, by default as many as the machine has cores.
    """

    def __init__(
        self, path: Path | None, tell: Callable[[str], None], workers: int | None = None
    ) -> None:
        self._path = path
        self._tell = tell
        self._workers = workers or cpu_count() or 1
        self._files: dict[str, list[Any]] = {}
        self._form = sha256(repr((__version__, [rule.id for rule in RULES])).encode()).hexdigest()
        if path is not None:
            with suppress(OSError, ValueError, TypeError, AttributeError):
                kept = json.loads(path.read_text("utf-8"))
                self._files = dict(kept["files"]) if kept.get("form") == self._form else {}

    def total(self, paths: Sequence[Path]) -> Numbers:
        """Return the sum of the numbers of all files."""
        found = Numbers()
        for one in self.each(paths):
            found.merge(one.numbers)
        return found

    def each(self, paths: Sequence[Path]) -> Iterator[Told]:
        """Yield the numbers of each file: first those that are kept, then those that are read."""
        unread: list[tuple[Path, list[int]]] = []
        for path in paths:
            try:
                facts = path.stat()
            except OSError as error:
                self._tell(f"{path}: {error.strerror}; left out")
                continue
            stamp = [facts.st_size, facts.st_mtime_ns]
            kept = self._kept(path, stamp)
            if kept is None:
                unread.append((path, stamp))
            else:
                yield Told(facts.st_mtime, kept)
        try:
            yield from self._read(unread)
        finally:
            if unread:
                self._save()

    def _read(self, unread: list[tuple[Path, list[int]]]) -> Iterator[Told]:
        read = _read_all([path for path, _ in unread], self._workers)
        for (path, stamp), told in zip(unread, read, strict=True):
            if isinstance(told, str):
                self._tell(f"{path}: {told}; left out")
                continue
            self._files[str(path.absolute())] = [*stamp, told]
            yield Told(stamp[1] / 1e9, read_numbers(told))

    def _kept(self, path: Path, stamp: list[int]) -> Numbers | None:
        kept = self._files.get(str(path.absolute()))
        if not isinstance(kept, list) or kept[:2] != stamp:
            return None
        try:
            return read_numbers(kept[2])
        except (IndexError, KeyError, TypeError, ValueError):
            return None

    def _save(self) -> None:
        if self._path is None:
            return
        there = {name: kept for name, kept in self._files.items() if Path(name).exists()}
        with suppress(OSError):  # a cache only: it is read again the next time
            write_whole(self._path, json.dumps({"form": self._form, "files": there}))


def _read_all(paths: list[Path], workers: int) -> Iterator[dict[str, Any] | str]:
    if len(paths) <= _FEW or workers == 1:
        yield from map(_read, paths)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_read, paths, chunksize=_AT_ONCE)


def _read(path: Path) -> dict[str, Any] | str:
    """Read one recording; return its numbers, or why it can't be read."""
    try:
        run = Run(path)
    except RecordingError as error:
        return str(error)
    except OSError as error:
        return error.strerror or str(error)
    try:
        return numbers(run).plain()
    except OSError as error:
        return error.strerror or str(error)
    finally:
        run.close()
