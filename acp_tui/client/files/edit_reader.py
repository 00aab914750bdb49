"""Reads the files that tool calls edit, so that the edits can be compared with them."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import anyio
from anyio import to_thread

from acp_tui.client.errors import ServiceError
from acp_tui.client.files import safe_paths, text_file
from acp_tui.client.files.resolved_roots import ResolvedRoots, absolute_path
from acp_tui.edits.edit_review import OUTSIDE, SeenFile
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.state.session import Session
from acp_tui.text import one_line

T = TypeVar("T")

MOST_FILES = 20
"""Files of one tool call that are read."""
MOST_BYTES = 2 * 1024 * 1024
"""The largest file that is compared."""
AT_ONCE = 4
"""Files that are read at the same time, including those on a disk that hangs."""


Sign = tuple[int, ...] | None
"""Metadata that changes with a file, to detect changes without reading it; None if missing."""


class ReadFile(NamedTuple):
    """A file as read, with its digest and metadata."""

    seen: SeenFile
    digest: bytes = b""
    sign: Sign = None


class EditReader:
    """Reads files inside a session's folders only, with a time limit for disks that hang."""

    def __init__(self, roots: ResolvedRoots, limit: Callable[[], float]) -> None:
        """`limit` returns the time limit of a read, in seconds."""
        self._roots = roots
        self._limit = limit
        self._limiter = anyio.CapacityLimiter(AT_ONCE)
        self._stuck = set[object]()

    async def read_files(self, session: Session, paths: Iterable[str]) -> dict[str, ReadFile]:
        """Read files by the agent's paths, at most `MOST_FILES`."""
        found = {}
        for path in list(dict.fromkeys(paths))[:MOST_FILES]:
            found[path] = await self._read(session, path)
        return found

    async def signs(self, reads: Iterable[ReadFile]) -> dict[str, Sign]:
        """Return the current metadata of files that were read before."""
        places = [one.seen.place for one in reads if not one.seen.problem]
        return await self._in_time(lambda: {place: _sign_at(place) for place in places}) or {}

    async def _read(self, session: Session, path: str) -> ReadFile:
        folders = [session.cwd, *session.additional_directories]
        work = partial(_read_file, path, session.cwd)
        found = await self._in_time(lambda: work(self._roots.allowed(folders)))
        problem = f"the disk doesn't answer within {self._limit():g} s"
        return ReadFile(SeenFile(path, problem=problem)) if found is None else found

    async def _in_time(self, work: Callable[[], T]) -> T | None:
        """Run `work` in a thread, up to the time limit; a thread that a disk blocks is abandoned."""
        mark = object()
        over = False

        def do() -> T:
            nonlocal over
            try:
                return work()
            finally:
                over = True
                self._stuck.discard(mark)

        if len(self._stuck) >= AT_ONCE:
            return None
        with anyio.move_on_after(self._limit()):
            return await to_thread.run_sync(do, abandon_on_cancel=True, limiter=self._limiter)
        self._stuck.add(mark)
        if over:  # the thread ended meanwhile, and may have found no mark to discard
            self._stuck.discard(mark)
        return None


def _read_file(path: str, cwd: str, roots: Sequence[str]) -> ReadFile:
    """Read one file; runs in a thread."""
    whole = absolute_path(path, cwd)
    place = whole
    try:
        place = str(text_file.resolve_file_now(whole))
        if not safe_paths.is_inside(Path(place), roots):
            leads = os.path.normpath(whole) != place
            problem = f"it leads to {one_line(place)}, outside the session's folder"
            return ReadFile(SeenFile(place, problem=problem if leads else OUTSIDE, outside=True))
        found = text_file.read_file_now(place, roots, MOST_BYTES)
    except ServiceError as error:
        if error.error.code == ErrorCode.RESOURCE_NOT_FOUND:
            return ReadFile(SeenFile(place))
        why = error.error.message.removeprefix(f"{place}: ").partition(";")[0]
        return ReadFile(SeenFile(place, problem=why))
    if found.data is None:
        return ReadFile(SeenFile(place, problem="it can't be read"))
    return ReadFile(SeenFile(place, found.text), found.digest, _sign(found.facts))


def _sign_at(place: str) -> Sign:
    try:
        return _sign(os.stat(place))  # noqa: PTH116  it may be no path at all
    except (OSError, ValueError):
        return None


def _sign(facts: os.stat_result) -> Sign:
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
