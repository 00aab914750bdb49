"""Tool calls whose edits are compared with the files on disk, and a reader for those files."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import anyio
from anyio import to_thread

from acp_tui.client.errors import ServiceError
from acp_tui.client.files import safe_paths, text_file
from acp_tui.client.files.planned_write import LONGEST_LOGGED_TEXT
from acp_tui.client.files.resolved_roots import ResolvedRoots, absolute_path
from acp_tui.edits.edit_review import OUTSIDE, Claim, Compared, EditCase, Observation, SeenFile
from acp_tui.edits.edits import Edit, normalize_newlines
from acp_tui.edits.tool_input import find_edited_files
from acp_tui.protocol.content import Diff, ShownContent
from acp_tui.protocol.file_events import EditCompared, EditLooked, FileWritten
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.text import one_line

MOST_SHOWN = 50
"""Most edits of a file, the newest ones, that may explain its content."""
_QUIET = ("read", "search", "think", "fetch", "switch_mode")
"""Kinds of tool calls that change no file."""
_NO_EDITS = (*_QUIET, "execute")
"""Kinds of tool calls whose input is no edit: a command's effect can't be read from its text."""
_EDITS = ("edit", "delete", "move")


@dataclass(slots=True)
class TurnEdits:
    """One turn's edits by the file's real path: as tool calls announced them, and as written
    through the client.
    """

    shown: defaultdict[str, list[Edit]] = field(default_factory=lambda: defaultdict(list))
    writes: defaultdict[str, list[FileWritten]] = field(default_factory=lambda: defaultdict(list))


@dataclass(slots=True, eq=False)
class WatchedCall:
    """A tool call, the edits that it claims, and its files `before`, as read `since` a time.

    `request` is the frame number of its permission request (0 for none), which may have had
    `content` and `raw_input`. Files that `changed` before the answer were not changed by this call.
    """

    session_id: str
    entry: ToolCallEntry
    turn: TurnEdits
    since: float
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    paths: set[str] = field(default_factory=set)
    before: dict[str, SeenFile] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)
    request: int = 0
    content: Sequence[ShownContent] | None = None
    raw_input: Any = None
    answered: bool = False
    answered_at: float = 0.0
    allowed: bool = False
    changed: set[str] = field(default_factory=set)
    located: bool = False
    asked_again: bool = False
    """Whether the claims are those of an earlier question, as the files of the new one aren't read."""

    def record_question(self, number: int, update: ToolCallUpdate) -> None:
        """Record that permission is requested: the user sees what the request contains, whatever
        comes later.
        """
        if self.answered and self.allowed:
            self.claims.clear()  # the new answer is not about them
        self.request, self.answered, self.allowed = number, False, False
        self.asked_again = True
        self.content, self.raw_input = update.shown, update.raw_input
        self.changed.clear()

    def shows(self, update: ToolCallUpdate) -> bool:
        """Return whether an update changes what an open question shows to the user."""
        content = self.content is None and update.shown is not None
        raw_input = self.raw_input is None and update.raw_input is not None
        return bool(self.request) and not self.answered and (content or raw_input)

    def as_asked(self) -> ToolCallEntry:
        """Return the tool call as its question shows it, or as it is without one."""
        call = replace(self.entry)
        if self.content is not None:
            call.content = list(self.content)
        if self.raw_input is not None:
            call.raw_input = self.raw_input
        return call

    def claim(self, claims: dict[str, Claim]) -> None:
        """Store what the call claims about its files."""
        self.claims, self.asked_again = dict(claims), False
        for place, claim in claims.items():
            self.turn.shown[place] += claim.edits

    def edit_case(
        self, place: str, now: SeenFile, *, over: bool, others: bool
    ) -> tuple[EditCase, bool]:
        """Return the case to judge, and whether the file has exactly what was written through the
        client.
        """
        before, text = normalize_newlines(self.before[place].text), normalize_newlines(now.text)
        writes = [one for one in self.turn.writes[place] if one.at >= self.since]
        exact = bool(writes) and normalize_newlines(writes[-1].text) == text
        between = {normalize_newlines(one.old_text) for one in writes[:1] if one.text is not None}
        case = EditCase(
            self.claims[place].outcomes,
            self.turn.shown[place][-MOST_SHOWN:],
            before,
            text,
            list(between - {before}),
            asked=bool(self.request),
            allowed=self.allowed,
            done=self.entry.status == "completed",
            over=over,
            others=others and not exact,
        )
        return case, exact

    def observation_event(self, at: float, look: Observation, *, first: bool) -> EditLooked | None:
        """Return the event for an observation, or None if the call no longer shows the edit."""
        made, where, content = look.derived, look.where, self.entry.content
        item = content.index(look.diff) if look.diff in content else -1
        if made is not None and len(made.old_text or "") + len(made.new_text) > LONGEST_LOGGED_TEXT:
            made = None
        if item < 0 and not look.remark and made is None:
            return None
        return EditLooked(
            at=at,
            session_id=self.session_id,
            tool_call_id=self.entry.tool_call_id,
            path=look.path,
            item=item,
            first=first,
            line=where.line,
            new_line=where.new_line,
            whole=where.whole,
            remark=look.remark,
            warns=look.warns,
            derived=made is not None,
            old_text=made.old_text if made is not None else None,
            text=made.new_text if made is not None else "",
            use=self.entry.use,
        )

    def difference_event(
        self, at: float, place: str, case: EditCase, compared: Compared, *, exact: bool
    ) -> EditCompared:
        """Return the event for a file that isn't as the tool call showed."""
        texts = (case.before, compared.nearest, case.now)
        told = sum(len(text or "") for text in texts) <= LONGEST_LOGGED_TEXT
        return EditCompared(
            at=at,
            session_id=self.session_id,
            tool_call_id=self.entry.tool_call_id,
            path=place,
            verdict=compared.verdict,
            difference=compared.difference,
            asked=case.asked,
            exact=exact,
            told=told,
            before=case.before if told else None,
            shown=compared.nearest if told else None,
            after=case.now if told else None,
            use=self.entry.use,
        )


def other_calls_running(
    session: Session, watch: WatchedCall, watches: Iterable[WatchedCall], place: str
) -> bool:
    """Return whether other calls, which may write this file, were running since it was read."""
    asked = {one.call for one in session.permissions}
    watched = {one.entry.key for one in watches if place in one.before}
    for _, one in session.calls():
        if one is watch.entry or one.kind in _QUIET:
            continue
        over = one.finished and (one.ended or 0.0) < watch.since
        waits = one.key in asked or (one.status == "pending" and not one.raw_input)
        named = {diff.path for diff in diffs_of(one)} | {place.path for place in one.locations}
        elsewhere = one.kind in _EDITS and named and place not in named
        if not over and not waits and (not elsewhere or one.key in watched):
            return True
    return False


def diffs_of(entry: ToolCallEntry) -> Iterator[Diff]:
    """Return the diffs in a tool call's content."""
    return (item for item in entry.content if isinstance(item, Diff))


def may_edit(entry: ToolCallEntry) -> bool:
    """Return whether a tool call's input may be an edit."""
    return entry.raw_input is not None and entry.kind not in _NO_EDITS


def named_in(entry: ToolCallEntry, update: ToolCallUpdate) -> Iterator[str]:
    """Yield the files of an edit that an update names; other parts of the update may still grow."""
    yield from (item.path for item in update.shown or [] if isinstance(item, Diff))
    if update.raw_input is not None and may_edit(entry):
        yield from find_edited_files(update.raw_input)


T = TypeVar("T")

MOST_FILES = 20
"""Most files of one tool call that are read."""
MOST_BYTES = 2 * 1024 * 1024
"""The largest file that is compared, in bytes."""
AT_ONCE = 4
"""Most files that are read at a time, including those on a disk that hangs."""


Sign = tuple[int, ...] | None
"""Metadata by which a change is detected without reading the file; None if the file is missing."""


class ReadFile(NamedTuple):
    """A file's content, digest and metadata."""

    seen: SeenFile
    digest: bytes = b""
    sign: Sign = None


class EditReader:
    """Reads files inside a session's folders only, with a time limit in case a disk hangs."""

    def __init__(self, roots: ResolvedRoots, limit: Callable[[], float]) -> None:
        """`limit` returns the time limit for a read, in seconds."""
        self._roots = roots
        self._limit = limit
        self._limiter = anyio.CapacityLimiter(AT_ONCE)
        self._stuck = set[object]()

    async def read_files(self, session: Session, paths: Iterable[str]) -> dict[str, ReadFile]:
        """Read at most `MOST_FILES` files by the paths that the agent uses."""
        found = {}
        for path in list(dict.fromkeys(paths))[:MOST_FILES]:
            found[path] = await self._read(session, path)
        return found

    async def signs(self, reads: Iterable[ReadFile]) -> dict[str, Sign]:
        """Return the current metadata of files by their real paths."""
        places = [one.seen.place for one in reads if not one.seen.problem]
        return await self._in_time(lambda: {place: _sign_at(place) for place in places}) or {}

    async def _read(self, session: Session, path: str) -> ReadFile:
        folders = [session.cwd, *session.additional_directories]
        work = partial(_read_file, path, session.cwd)
        found = await self._in_time(lambda: work(self._roots.allowed(folders)))
        problem = f"the disk doesn't answer within {self._limit():g} s"
        return ReadFile(SeenFile(path, problem=problem)) if found is None else found

    async def _in_time(self, work: Callable[[], T]) -> T | None:
        """Run `work` in a thread up to the time limit; abandon a thread that the disk blocks, and
        return None.
        """
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
