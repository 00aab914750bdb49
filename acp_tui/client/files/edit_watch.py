"""Compares the edits of tool calls with the files: when permission is requested, and afterward."""

import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from acp_tui.client.core import Core, Wakeup
from acp_tui.client.errors import own_fault
from acp_tui.client.files.folder_watch import LATE_COMPARISON_DELAY
from acp_tui.client.files.history import FileHistory
from acp_tui.client.files.resolved_roots import ResolvedRoots
from acp_tui.client.files.watched_call import (
    EditReader,
    ReadFile,
    TurnEdits,
    WatchedCall,
    diffs_of,
    may_edit,
    named_in,
    other_calls_running,
)
from acp_tui.edits.edit_review import Observation, Review, SeenFile, judge_edit, review_edits
from acp_tui.edits.tool_input import read_input
from acp_tui.protocol.events import Event
from acp_tui.protocol.file_events import EditVerdict, FileWritten
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.kinds import SETTING_METHODS
from acp_tui.protocol.requests import AnyPermissionRequest
from acp_tui.protocol.updates import SessionNotification, ToolCallUpdate
from acp_tui.protocol.wire_events import Notified, Requested, Responded
from acp_tui.state.changes import Change, TurnChanged
from acp_tui.state.edit_facts import place_of_diff
from acp_tui.state.entries import CallKey, ToolCallEntry
from acp_tui.state.subagents import descendants_of, root_of

Work = Callable[..., Coroutine[Any, Any, object]]

MOST_RUNNING = 200
"""Most comparisons that run at a time; more are dropped, so that floods of calls can't pile up."""
RECHECK_DELAY = 1.0
"""Seconds between the first checks of an open question's files."""
LATE_READ_DELAY = LATE_COMPARISON_DELAY - 0.5
"""Seconds after a turn's end at which a rejected edit's files are read again. It is before the last
comparison of the folder, which leaves out what is reported here.
"""
MOST_WATCHED = 100
"""Most tool calls that are watched at a time; others are ignored."""


class EditWork:
    """Runs comparisons in tasks, since the reader of frames must never wait.

    One tool call's comparisons run in order, and the number of all running ones is limited.
    """

    def __init__(self, core: Core, tasks: TaskGroup) -> None:
        self._core = core
        self._tasks = tasks
        self._running = 0
        self._pending = 0
        self._done = Wakeup()

    async def settled(self) -> None:
        """Wait until all work is done that `start_in_order` started."""
        while self._pending:
            await self._done.wait()

    def start_in_order(self, work: Work, watch: WatchedCall, *args: Any) -> None:
        """Run work on a tool call after the call's earlier work; drop it if too much is running."""

        async def alone() -> None:
            try:
                async with watch.lock:
                    await work(watch, *args)
            finally:
                self._pending -= 1
                self._done.wake()

        if self._running < MOST_RUNNING:
            self._pending += 1
            self.start(alone, watch.session_id)

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], session_id: str) -> None:
        """Run work for a session; `settled` doesn't wait for it."""
        self._tasks.start_soon(self._run_work, work, session_id, name="edits")

    async def _run_work(
        self, work: Callable[[], Coroutine[Any, Any, None]], session_id: str
    ) -> None:
        """Run work; report an exception instead of raising it."""
        self._running += 1
        try:
            await work()
        except Exception as error:
            doing = "comparing an edit with its file"
            self._core.emit(own_fault(self._core.clock(), doing, error, session_id))
        finally:
            self._running -= 1


class EditWatch:
    """Compares the edits that one agent process's tool calls claim with the files on disk."""

    def __init__(
        self, core: Core, tasks: TaskGroup, roots: ResolvedRoots, history: FileHistory
    ) -> None:
        self._core = core
        self._work = EditWork(core, tasks)
        self._files = EditReader(roots, lambda: core.launch.limits.disk)
        self._history = history
        self._turns: defaultdict[str, TurnEdits] = defaultdict(TurnEdits)
        self._watches: dict[tuple[str, CallKey], WatchedCall] = {}

    async def settled(self) -> None:
        """Wait until all pending comparisons are done."""
        await self._work.settled()

    def follow(self, event: Event, changes: list[Change]) -> None:
        """Handle a folded event; never waits. Does nothing if the files are on another machine."""
        if self._core.place.elsewhere:
            return
        match event:
            case Notified(
                direction=Direction.IN,
                params=SessionNotification(
                    session_id=session_id, update=ToolCallUpdate() as update
                ),
            ):
                self._on_update(session_id, update)
            case Requested(direction=Direction.IN, params=AnyPermissionRequest() as asked):
                self._on_question(event.number, asked)
            case Responded(
                direction=Direction.OUT, request=Requested(params=AnyPermissionRequest())
            ):
                self._on_answer(event)
            case Requested(direction=Direction.OUT, method=method) if method in SETTING_METHODS:
                self._on_setting()
            case FileWritten():
                self._turns[event.session_id].writes[event.path].append(event)
        for change in changes:
            if isinstance(change, TurnChanged) and (
                self._core.state.session(change.session_id).turn is None
            ):
                self._on_turn_end(change.session_id)

    # Events

    def _on_update(self, session_id: str, update: ToolCallUpdate) -> None:
        """Read a tool call's files when it first names them, and compare them when it ends."""
        entry = self._entry(session_id, update)
        if entry is None:
            return
        if entry.finished:
            watch = self._watches.get((session_id, entry.key))
            if watch is not None or (update.shown and any(diffs_of(entry))):
                self._work.start_in_order(
                    self._compare_ended_call, watch or self._new_watch(session_id, entry)
                )
            return
        asked = self._watches.get((session_id, entry.key))
        if asked is not None and asked.shows(update):
            self._work.start_in_order(self._compare_question, asked)
        paths = set(named_in(entry, update))
        watch = self._watch_call(session_id, entry) if paths else None
        if watch is not None and paths - watch.paths:
            self._work.start_in_order(self._store_before, watch, paths - watch.paths)
            watch.paths |= paths

    def _on_question(self, number: int, params: AnyPermissionRequest) -> None:
        """Compare a tool call's edits with its files when its permission is requested."""
        entry = self._entry(params.session_id, params.asked)
        if entry is None or not (any(diffs_of(entry)) or may_edit(entry)):
            return
        watch = self._watch_call(params.session_id, entry)
        if watch is not None:
            watch.record_question(number, params.asked)
            attend = partial(self._watch_question, watch, number)
            self._work.start(attend, watch.session_id)

    def _on_answer(self, event: Responded) -> None:
        """Record the answer to a permission request; from now on the agent may edit the files."""
        params = event.request.params
        assert isinstance(params, AnyPermissionRequest)
        number = event.request.number
        watch = next((one for one in self._watches.values() if one.request == number), None)
        if watch is None:
            return
        watch.answered, watch.answered_at = True, event.at
        watch.allowed = params.is_allowed_by(event.result)

    def _on_setting(self) -> None:
        """Forget rejected edits: in another mode, the agent may make them without asking."""
        for watch in self._watches.values():
            if watch.answered and not watch.allowed:
                watch.claims.clear()

    def _on_turn_end(self, session_id: str) -> None:
        """Do the last comparison of all tool calls of an ended turn, whatever their status."""
        self._turns.pop(session_id, None)
        for key in [key for key in self._watches if key[0] == session_id]:
            watch = self._watches.pop(key)
            self._work.start_in_order(self._compare_ended_call, watch, True)
            if watch.answered and not watch.allowed:
                self._work.start(partial(self._compare_rejected_later, watch), session_id)

    def _entry(self, session_id: str, update: ToolCallUpdate) -> ToolCallEntry | None:
        """Return the tool call, or None if its session isn't open or is being replayed."""
        session = self._core.state.sessions.get(session_id)
        if session is None or not session.opened or session.opening.loading is not None:
            return None
        return session.tool_call(update.tool_call_id)

    def _watch_call(self, session_id: str, entry: ToolCallEntry) -> WatchedCall | None:
        """Return the watch of a tool call, creating it unless there are too many."""
        key = (session_id, entry.key)
        if key not in self._watches and len(self._watches) < MOST_WATCHED:
            self._watches[key] = self._new_watch(session_id, entry)
        return self._watches.get(key)

    def _new_watch(self, session_id: str, entry: ToolCallEntry) -> WatchedCall:
        return WatchedCall(session_id, entry, self._turns[session_id], self._core.clock())

    # Comparisons

    async def _store_before(self, watch: WatchedCall, paths: Iterable[str]) -> None:
        """Store the files' current content as that before the call, unless the call is finished
        already.
        """
        found = await self._read_files(watch, paths)
        if not watch.entry.finished:
            for file in found.values():
                watch.before.setdefault(file.seen.place, file.seen)

    async def _watch_question(self, watch: WatchedCall, number: int) -> None:
        """Report how an open question's edits fit the files, now and whenever the files change."""
        async with watch.lock:
            seen = await self._compare_question(watch)
        wait = RECHECK_DELAY
        while watch.request == number and not watch.answered:
            await anyio.sleep(wait)
            signs = await self._files.signs(seen)
            if any(signs.get(one.seen.place, one.sign) != one.sign for one in seen):
                wait *= 2  # back off: a file that always changes must not flood the log
                async with watch.lock:
                    seen = await self._compare_question(watch)

    async def _compare_question(self, watch: WatchedCall) -> list[ReadFile]:
        """Compare an open question's edits with the files, report the result, return the files."""
        since = self._core.clock()
        found, read = await self._compare_edits(watch, watch.as_asked())
        if watch.answered:
            if watch.asked_again and watch.allowed:
                watch.claims.clear()  # what an earlier question showed was not allowed
            if not watch.claims:
                watch.request = 0  # answered before the user could see a result
                for file in read:
                    watch.before.setdefault(file.seen.place, file.seen)
            return read
        for file in read:
            place, before = file.seen.place, watch.before.get(file.seen.place)
            if watch.claims and before is not None and before.text != file.seen.text:
                watch.changed.add(place)
            watch.before[place] = file.seen
        watch.since = since
        watch.claim(found.claims)
        for place in sorted(watch.changed):
            said = f"{found.name(place)} has changed while the question waited."
            found.remark(place, said, warns=False)
        self._report_observations(watch, found.observations, first=True)
        return read

    async def _compare_ended_call(self, watch: WatchedCall, over: bool = False) -> None:
        """Compare the files with the claimed edits once the tool call, or (`over`) its turn, has
        ended.
        """
        unknown = any(place_of_diff(watch.entry, diff) is None for diff in diffs_of(watch.entry))
        if unknown or not (watch.request or watch.located):
            await self._locate(watch)
        session, watches = self._core.state.session(watch.session_id), self._watches.values()
        for place, file in (await self._read_files(watch, watch.claims)).items():
            if file.seen.problem:
                continue
            others = other_calls_running(session, watch, watches, place)
            case, exact = watch.edit_case(place, file.seen, over=over, others=others)
            compared = await to_thread.run_sync(judge_edit, case)
            if compared is None:
                continue
            del watch.claims[place]
            if compared.verdict is EditVerdict.REJECTED and self._is_explained(watch, file):
                continue
            if compared.verdict is EditVerdict.AS_SHOWN:
                self._history.record_reported_change(watch.session_id, place, file.digest)
            elif not self._core.state.holding.excuses(watch.session_id, watch.entry.at):
                self._core.emit(
                    watch.difference_event(self._core.clock(), place, case, compared, exact=exact)
                )
        if not watch.claims:
            self._watches.pop((watch.session_id, watch.entry.key), None)

    def _is_explained(self, watch: WatchedCall, file: ReadFile) -> bool:
        """Return whether a later approval, or a command of the user's, may explain why a rejected edit
        is in the file.
        """
        from acp_tui.state.unapproved_changes import CLOCK_SLACK, ChangedPath, is_allowed_since

        place, now = file.seen.place, self._core.clock()
        writes = [one.at for one in watch.turn.writes[place] if one.at >= watch.answered_at]
        on_disk = now if file.sign is None else file.sign[-1] / 1e9 - time.time() + now
        at = writes[-1] if writes else on_disk
        if not writes and at >= self._core.own_command_since(watch.answered_at) - CLOCK_SLACK:
            return True
        changed = ChangedPath(place, place, "changed", at, at)
        state, root = self._core.state, root_of(self._core.state, watch.session_id)
        return is_allowed_since(
            state.session(root), watch.answered_at, changed, descendants_of(state, root)
        )

    async def _compare_rejected_later(self, watch: WatchedCall) -> None:
        """Compare a rejected edit's files again after a delay, unless a new turn has begun, which
        may change them.
        """
        session = self._core.state.session(watch.session_id)
        turns = session.turns
        await anyio.sleep(LATE_READ_DELAY)
        if watch.claims and session.turns == turns:
            async with watch.lock:
                await self._compare_ended_call(watch, True)

    async def _locate(self, watch: WatchedCall) -> None:
        """Locate the diffs of an edit that needed no permission, in the files as they were before
        it.
        """
        found, _ = await self._compare_edits(watch, watch.entry, watch.before)
        asked = bool(watch.request)
        looks = [one for one in found.observations if one.where.line and (one.diff or not asked)]
        told = [
            one._replace(remark="", warns=False)
            for one in looks
            if one.derived is None or one.path in watch.before  # it may have the edit already
        ]
        self._report_observations(watch, told, first=not asked)
        if not asked and not watch.located:
            claims = found.claims.items()
            watch.claim({place: claim for place, claim in claims if place in watch.before})
        watch.located = True

    async def _compare_edits(
        self, watch: WatchedCall, entry: ToolCallEntry, before: dict[str, SeenFile] | None = None
    ) -> tuple[Review, list[ReadFile]]:
        """Compare a tool call's edits with its files, as they are now or as they were `before`."""
        wanted = await to_thread.run_sync(read_input, entry.raw_input) if may_edit(entry) else []
        paths = [*(diff.path for diff in diffs_of(entry)), *(edit.path for edit in wanted)]
        read = await self._read_files(watch, paths)
        seen = {path: (before or {}).get(file.seen.place, file.seen) for path, file in read.items()}
        cwd = self._core.state.session(watch.session_id).cwd
        found = await to_thread.run_sync(review_edits, list(entry.content), wanted, seen, cwd)
        return found, list(read.values())

    async def _read_files(self, watch: WatchedCall, paths: Iterable[str]) -> dict[str, ReadFile]:
        session = self._core.state.sessions.get(watch.session_id)
        return await self._files.read_files(session, paths) if session is not None else {}

    def _report_observations(
        self, watch: WatchedCall, looks: Iterable[Observation], *, first: bool
    ) -> None:
        """Emit the observations about a tool call's edits."""
        for look in looks:
            event = watch.observation_event(self._core.clock(), look, first=first)
            if event is not None:
                self._core.emit(event)
                first = False
