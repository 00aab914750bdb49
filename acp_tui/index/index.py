"""The index in an SQLite file: built from the recordings, and kept up to date with them."""

import errno
import json
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from acp_tui.config.private_files import make_folder
from acp_tui.debug.log import Log
from acp_tui.extensions import extensions
from acp_tui.index.numbers import number_rows, read_numbers
from acp_tui.index.passages import Digest, digest_recording
from acp_tui.recordings.recorded_numbers import Numbers
from acp_tui.store.seen_agents import SeenAgent, clean_version
from acp_tui.telemetry.activities import RecordedRun

_VERSION = 10
"""The version of the schema; an index of another one is replaced."""
_LATEST = 4e9
"""The latest plausible time, in the year 2096: later ones count as damage."""
_WRITE_TIMEOUT = 10.0
"""Seconds to wait while another program writes."""
_SCHEMA = """
create table if not exists recordings (
    id integer primary key, name text unique, size integer, written integer, started real,
    agent text, version text, command text, cwd text, place text, turns integer, costs text, trouble text,
    reopens integer, begun text, made_by text
);
create table if not exists passages (
    id integer primary key, recording integer, kind text, text text,
    frame integer, at real, since real, turn integer, session text
);
create index if not exists of_recording on passages (recording);
create table if not exists numbers (recording integer, kind text, name text, value real);
create index if not exists of_numbers on numbers (recording, kind);
create virtual table if not exists words using fts5(
    text, content='passages', content_rowid='id', tokenize="unicode61 remove_diacritics 2"
);
"""


class Index:
    """The index of all recordings: `with Index.open(file) as index`."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database

    @classmethod
    @contextmanager
    def open(cls, file: Path) -> Iterator["Index"]:
        """Open the index; create it if it is missing, and replace it if it can't be used.

        Raises OSError and sqlite3.Error.
        """
        make_folder(file.parent)
        try:
            database = _open_database(file)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise  # the file is fine, but another program is writing
            file.unlink()
            database = _open_database(file)
        try:
            yield cls(database)
        finally:
            database.close()

    @classmethod
    @contextmanager
    def in_memory(cls) -> Iterator["Index"]:
        """Make an empty index that isn't stored."""
        with closing(sqlite3.connect(":memory:")) as database:
            database.executescript(_SCHEMA)
            yield cls(database)

    @classmethod
    @contextmanager
    def reading(cls, file: Path) -> Iterator["Index"]:
        """Open an existing index for reading. Raises sqlite3.Error."""
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            (version,) = database.execute("pragma user_version").fetchone()
            if version != _VERSION:
                raise sqlite3.DatabaseError("made by another version")
            yield cls(database)

    def update(
        self,
        files: list[Path],
        report: Callable[[int, int], None] = lambda _, __: None,
        *,
        skip: Callable[[Path], bool] = lambda _: False,
    ) -> None:
        """Read recordings that are new or have grown, and remove those that were deleted.

        Before each, `report` gets the number done and the total. Recordings for which `skip` is
        true stay as they are.
        """
        for name in self._deleted(files):
            with self._writing():
                self._delete_recording(name)
        due = self.outdated(files, skip=skip)
        for done, (name, facts) in enumerate(due):
            report(done, len(due))
            self._read_recording(name, *facts)
        report(len(due), len(due))

    def outdated(
        self, files: list[Path], *, skip: Callable[[Path], bool] = lambda _: False
    ) -> list[tuple[str, tuple[int, int]]]:
        """List recordings that are new or have grown, except those to `skip`, with sizes and
        times.
        """
        known = {
            name: (size, written)
            for name, size, written in self.database.execute(
                "select name, size, written from recordings"
            )
        }
        there = [(path, _size_and_time(path)) for path in files]
        return [
            (str(path), facts)
            for path, facts in there
            if facts is not None and known.get(str(path)) != facts and not skip(path)
        ]

    def unreadable(self, since: float = 0.0) -> list[tuple[str, str]]:
        """Return the unreadable recordings written after `since`, each with the reason."""
        return self.database.execute(
            "select name, trouble from recordings where trouble != '' and written >= ? order by name",
            (int(since * 1e9),),
        ).fetchall()

    def has_deleted(self, files: list[Path]) -> bool:
        """Return whether the index contains recordings that were deleted."""
        return bool(self._deleted(files))

    def _deleted(self, files: list[Path]) -> set[str]:
        known = {name for (name,) in self.database.execute("select name from recordings")}
        return known - set(map(str, files))

    def _read_recording(self, name: str, size: int, written: int) -> None:
        facts: dict[str, Any] = {}
        trouble, found, numbers, first = "", Digest(), Numbers(), 0.0
        try:
            with closing(RecordedRun(Path(name))) as run:
                facts, log = run.opened.facts, Log.of_all(run.opened.records, extensions.linter())
                found, numbers = digest_recording(run.opened.records, log), read_numbers(run, log)
                first = run.start
        except FileNotFoundError:
            return
        except Exception as error:  # a broken recording must not hide the others
            trouble = str(error)
        started = _plausible_time(facts.get("started"), written / 1e9)
        ahead = started - _plausible_number(facts.get("monotonic"))
        argv = facts.get("argv")
        command = argv if isinstance(argv, list) else [facts.get("url") or ""]
        with self._writing():
            self._delete_recording(name)
            row = self.database.execute(
                "insert into recordings (name, size, written, started, agent, version, command, cwd,"
                " place, turns, costs, trouble, reopens, begun, made_by)"
                " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    name,
                    size,
                    written,
                    started,
                    _storable_text(found.agent),
                    _storable_text(found.version),
                    json.dumps([_storable_text(one) for one in command]),
                    _storable_text(facts.get("cwd") or ""),
                    _storable_text(found.place),
                    found.turns,
                    json.dumps(dict(found.costs)),
                    _storable_text(trouble),
                    found.reopens,
                    json.dumps([_storable_text(one) for one in found.new_sessions]),
                    _storable_text(facts.get("by") or ""),
                ),
            ).lastrowid
            self.database.executemany(
                "insert into passages (recording, kind, text, frame, at, since, turn, session)"
                " values (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        row,
                        one.kind,
                        _storable_text(one.text),
                        one.frame,
                        _plausible_time(one.at + ahead, started),
                        _plausible_time(one.at - first, 0.0),
                        one.turn,
                        _storable_text(one.session_id),
                    )
                    for one in found.passages
                ),
            )
            self.database.executemany(
                "insert into numbers (recording, kind, name, value) values (?, ?, ?, ?)",
                (
                    (row, kind, _storable_text(called), value)
                    for kind, called, value in number_rows(numbers)
                ),
            )
            self.database.execute(
                "insert into words (rowid, text) select id, text from passages where recording = ?",
                (row,),
            )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Lock the index for writing: another program may be adding the same recording."""
        with self.database:
            self.database.execute("begin immediate")
            yield

    def _delete_recording(self, name: str) -> None:
        old = self.database.execute("select id from recordings where name = ?", (name,)).fetchone()
        if old is not None:
            self.database.execute(
                "insert into words (words, rowid, text)"
                " select 'delete', id, text from passages where recording = ?",
                old,
            )
            self.database.execute("delete from passages where recording = ?", old)
            self.database.execute("delete from numbers where recording = ?", old)
            self.database.execute("delete from recordings where id = ?", old)


def _open_database(file: Path) -> sqlite3.Connection:
    how = os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(file, how, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(file))
    finally:
        os.close(descriptor)
    database = sqlite3.connect(file, timeout=_WRITE_TIMEOUT)
    try:
        (version,) = database.execute("pragma user_version").fetchone()
        if version == 0:  # another program may be creating it at the same moment
            database.executescript(
                f"begin immediate;{_SCHEMA}pragma user_version = {_VERSION};commit;"
            )
        elif version != _VERSION:
            raise sqlite3.DatabaseError("made by another version")
    except BaseException:
        database.close()
        raise
    return database


def _size_and_time(path: Path) -> tuple[int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns


def _storable_text(value: object) -> str:
    """Return a text without lone surrogates, which can't be stored."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _plausible_number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and -_LATEST < value < _LATEST else 0.0


def _plausible_time(value: object, otherwise: float) -> float:
    """Return a time in seconds since 1970, or `otherwise` if the value can't be one."""
    return _plausible_number(value) if _plausible_number(value) > 0 else otherwise


def seen_agents(file: Path) -> dict[tuple[str, ...], SeenAgent]:
    """Return the agents in the index by their commands; none if it isn't readable. Doesn't update
    it.
    """
    if not file.exists():
        return {}
    try:
        with Index.reading(file) as index:
            rows = index.database.execute(
                "select command, version, turns, started from recordings order by started"
            ).fetchall()
    except sqlite3.Error:
        return {}
    found: dict[tuple[str, ...], SeenAgent] = {}
    for command, version, turns, started in rows:
        argv = tuple(json.loads(command))
        before = found.get(argv, SeenAgent("", None))
        found[argv] = SeenAgent(
            clean_version(version) or before.version, started if turns else before.worked
        )
    return found
