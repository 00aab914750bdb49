"""Compares a session's folder with its checkpoint after turns and during permission requests."""

import os
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

import anyio.lowlevel
from anyio import to_thread

from acp_tui.client.core import Core, Wakeup
from acp_tui.client.errors import own_fault
from acp_tui.formatting import counted
from acp_tui.protocol.events import Event
from acp_tui.protocol.file_events import EditVerdict, TurnCompared, UnapprovedChange
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.kinds import SETTING_METHODS
from acp_tui.protocol.requests import AnyPermissionRequest
from acp_tui.protocol.setup import SessionParams
from acp_tui.protocol.wire_events import Notified, Requested, Responded
from acp_tui.state.changes import Change, TurnChanged
from acp_tui.state.commands import CompareFolder, NoteOwnCommand
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.subagents import descendants_of, root_of
from acp_tui.text import path_of_url

if TYPE_CHECKING:
    from acp_tui.client.files.folder_changes import EarlierFolder
    from acp_tui.client.files.named_places import SeenPath
    from acp_tui.state.unapproved_changes import ChangedPath, TurnSpan

ABORTING = 1.0
"""Seconds after a cancel until the tree is read: a command may write while it is being stopped."""
QUESTION_PERIOD = 1.0
"""Seconds before the folder is compared while a question is pending; doubled each time."""
LATE_COMPARISON_DELAY = 3.0
"""Seconds after the end of a turn until its folder is compared again, if something was rejected or
canceled.
"""
DELETED = "deleted"
MOST_REPORTED = 20
"""Most files of a turn that are reported one by one; the rest is only counted."""


@dataclass(eq=False)
class _WatchedTurn:
    """A turn whose folder is compared; `cancelled_tree` is the folder's tree soon after a cancel.

    `epoch` is the time at which the client's clock was 0, in seconds since 1970, as computed when
    the turn began.
    """

    command: CompareFolder
    number: int
    span: "TurnSpan"
    epoch: float
    read_at: float
    """When the folder was last read."""
    cancelled_tree: str = ""
    cancelled_at: float = 0.0
    """When that tree was read."""
    deleted: dict[str, float] = field(default_factory=dict)
    """Deleted files, each with the last time at which it was still there."""
    reported: set[str] = field(default_factory=set)
    named: dict[str, "SeenPath"] = field(default_factory=dict)
    """The paths that questions name, with what was there when the question was asked."""
    others: bool = False
    """Whether another session may have changed the folder; if so, no files are counted."""
    counts: tuple[int, int | None, int | None] | None = None
    """The numbers of changed files, added lines and removed lines, as last reported."""


class FolderWatch:
    """Compares the folders of turns that have a checkpoint."""

    def __init__(self, core: Core, edits_settled: Callable[[], Awaitable[None]]) -> None:
        """Register the command and the listener with `core`.

        `edits_settled` waits until the edits of tool calls are compared, since reports exclude
        those.
        """
        self._core = core
        self._edits_settled = edits_settled
        self._turns: dict[str, _WatchedTurn] = {}
        self._ended: set[_WatchedTurn] = set()
        self._comparing = 0
        self._compared = Wakeup()
        core.register({CompareFolder: self._begin_turn, NoteOwnCommand: self._note_own_command})
        core.listen(self._follow_event)

    async def settled(self) -> None:
        """Wait until all running comparisons are done."""
        await anyio.lowlevel.checkpoint()  # lets the task of a turn that has just ended start
        while self._comparing:
            await self._compared.wait()

    def _begin_turn(self, command: CompareFolder) -> None:
        from acp_tui.state.unapproved_changes import TurnSpan

        session = self._core.state.session(command.session_id)
        span = TurnSpan(self._core.clock(), len(session.entries))
        turn = _WatchedTurn(command, session.turns + 1, span, self._epoch, span.begin)
        self._turns[command.session_id] = turn
        for other in self._core.state.sessions.values():
            if other.is_working:
                self._note_session_at_work(turn, other)

    def _note_own_command(self, _: NoteOwnCommand) -> None:
        now = self._core.clock()
        self._core.own_commands.append(now)
        for turn in (*self._turns.values(), *self._ended):
            turn.span.user_command = min(turn.span.user_command, now)

    @property
    def _epoch(self) -> float:
        return time.time() - self._core.clock()

    def _follow_event(self, event: Event, changes: list[Change]) -> None:
        """Handle cancels, changed settings, permission requests and ends of turns; never waits."""
        if not (self._turns or self._ended):
            return
        match event:
            case Notified(
                direction=Direction.OUT, method="session/cancel", params=SessionParams() as params
            ) if params.session_id in self._turns:
                self._core.spawn(self._store_cancelled_tree, self._turns[params.session_id])
            case Requested(direction=Direction.OUT, method=method) if method in SETTING_METHODS:
                for turn in self._turns.values():
                    turn.span.settings_changed = True
            case Requested(
                direction=Direction.IN, number=number, params=AnyPermissionRequest() as asked
            ) if (one := self._turn_of(asked.session_id)) is not None:
                self._read_named_places(one, number)
                self._core.spawn(self._compare_while_asked, one, number)
            case Responded(
                direction=Direction.OUT, request=Requested(params=AnyPermissionRequest() as asked)
            ) if (one := self._turn_of(asked.session_id)) is not None:
                if _denied(one, self._sessions(one)):
                    self._core.spawn(self._compare_folder, one, partial(self._changed_since, one))
        for change in changes:
            if isinstance(change, TurnChanged):
                self._turn_changed(self._core.state.session(change.session_id))

    def _turn_of(self, session_id: str) -> _WatchedTurn | None:
        """Return the turn that runs in a session, or for which a subagent works."""
        return self._turns.get(root_of(self._core.state, session_id))

    def _sessions(self, turn: _WatchedTurn) -> list[Session]:
        """Return a turn's session, followed by those of its subagents."""
        state, id = self._core.state, turn.command.session_id
        return [state.session(id), *descendants_of(state, id)]

    def _turn_changed(self, session: Session) -> None:
        for turn in (*self._turns.values(), *self._ended):
            self._note_session_at_work(turn, session)
        turn_over = self._turns.get(session.session_id)
        if turn_over is not None and session.turn is None and session.turns >= turn_over.number:
            del self._turns[session.session_id]
            self._ended.add(turn_over)
            self._core.spawn(self._compare_twice, turn_over)

    def _note_session_at_work(self, turn: _WatchedTurn, session: Session) -> None:
        """Note that another session may change the turn's folder; the turn's own subagents don't
        count.
        """
        if root_of(self._core.state, session.session_id) == turn.command.session_id:
            return
        folder, other = PurePath(turn.command.folder), PurePath(session.cwd)
        if other.is_relative_to(folder) or folder.is_relative_to(other):
            turn.others = turn.span.shared = True

    async def _store_cancelled_tree(self, turn: _WatchedTurn) -> None:
        """Store the folder's tree after a cancel, once everything that was running had time to
        stop.
        """
        from acp_tui.client.files.folder_changes import read_tree
        from acp_tui.git.objects import CheckpointError

        await anyio.sleep(ABORTING)
        with suppress(CheckpointError):
            turn.cancelled_tree = await to_thread.run_sync(read_tree, turn.command)
            turn.cancelled_at = self._core.clock()

    def _read_named_places(self, turn: _WatchedTurn, question: int) -> None:
        """Start reading what is at the paths that a question names, before the agent does anything
        there.
        """
        from acp_tui.client.files.named_places import MOST_NAMED, read_places
        from acp_tui.state.unapproved_changes import names_of

        asked, now = self._core.state.permission(question), self._core.clock()
        if asked is None or asked.described_call is None:
            return
        cwd = self._core.state.session(asked.session_id).cwd
        names = map(path_of_url, names_of(asked.described_call))
        paths = {os.path.normpath(os.path.join(cwd, name)) for name in names}  # noqa: PTH118
        new = sorted(paths - turn.named.keys())[: max(0, MOST_NAMED - len(turn.named))]
        epoch = self._epoch  # not the turn's: files changed during sleep would seem new
        done = anyio.Event()

        async def read() -> None:
            try:
                seen = await to_thread.run_sync(read_places, new, now, epoch)
                # A new dict, since a thread may be comparing the old one; the first reading of a path
                # counts.
                turn.named = seen | turn.named
            finally:
                del self._core.reading[question]
                done.set()

        if new and self._core.tasks is not None:
            self._core.reading[question] = done
            self._core.spawn(read)

    async def _compare_while_asked(self, turn: _WatchedTurn, question: int) -> None:
        """Compare the folder while a question is open: the agent may revert a change later."""
        from acp_tui.state.unapproved_changes import find_while_asked

        wait = QUESTION_PERIOD

        async def report() -> None:
            changed = await self._changed_since(turn)
            session, *subagents = self._sessions(turn)
            if session.turns == turn.number:
                found = find_while_asked(session, turn.span, changed, subagents)
                self._report_files(turn, session, list(found))

        while True:
            await anyio.sleep(wait)
            if self._core.state.permission(question) is None:
                return
            await self._compare_folder(turn, report)
            wait *= 2

    async def _compare_twice(self, turn: _WatchedTurn) -> None:
        """Compare the folder at the end of a turn, and seconds later again if something was
        rejected.
        """

        async def report() -> None:
            await self._edits_settled()
            await self._report_changes(turn)

        await self._compare_folder(turn, report)
        await anyio.sleep(LATE_COMPARISON_DELAY)
        sessions = self._sessions(turn)
        if (
            turn.cancelled_tree
            or any(one.permissions for one in sessions)
            or _denied(turn, sessions)
        ):
            await self._compare_folder(turn, report)
        self._ended.discard(turn)

    async def _compare_folder(
        self, turn: _WatchedTurn, report: Callable[[], Awaitable[object]]
    ) -> None:
        from acp_tui.git.objects import CheckpointError

        self._comparing += 1
        try:
            await report()
        except CheckpointError:
            pass  # an unreadable folder can't be judged
        except Exception as error:
            doing = "comparing a folder with what it was before the turn"
            session_id = turn.command.session_id
            self._core.emit(own_fault(self._core.clock(), doing, error, session_id))
        finally:
            self._comparing -= 1
            self._compared.wake()

    async def _report_changes(self, turn: _WatchedTurn) -> None:
        """Report a turn's unapproved changes, and changes after its cancellation. Raises
        CheckpointError.
        """
        from acp_tui.client.files.named_places import find_differences
        from acp_tui.state.unapproved_changes import find_after_cancel, find_unapproved

        changed = await self._changed_since(turn)
        session, *subagents = self._sessions(turn)
        folder = turn.command.folder
        folders = folder, await to_thread.run_sync(os.path.realpath, folder)
        self._report_counts(turn, session, folders, changed)
        outside = await to_thread.run_sync(
            self._earlier_folder(turn, turn.command.tree, turn.span.begin).written_outside,
            _denied_paths(turn, [session, *subagents]),
        )
        known = {one.path for one in (*changed, *outside)}
        places = await to_thread.run_sync(list, find_differences(turn.named, self._core.clock()))
        outside += [one for one in places if one.path not in known]
        found = find_unapproved(session, turn.span, [*changed, *outside], subagents)
        self._report_later(turn, session, list(found))
        if turn.cancelled_tree:
            at = turn.cancelled_at
            later = await self._read_changes(turn, turn.cancelled_tree, at)
            # A deleted file has no time of its own, but it was there at the cancel.
            changed = [one._replace(earliest=max(one.earliest, at)) for one in later]
            self._report_later(turn, session, list(find_after_cancel(session, turn.span, changed)))

    def _report_counts(
        self,
        turn: _WatchedTurn,
        session: Session,
        folders: tuple[str, str],
        changed: list["ChangedPath"],
    ) -> None:
        """Report how many files and lines a turn changed, unless another turn or session may have
        changed some.
        """
        from acp_tui.state.changed_files import changed_files

        if turn.others or session.turn is not None or session.turns != turn.number:
            return
        compared = [one for one in changed if not one.entry]
        known = {place for one in compared for place in one.places}
        written = {place for one in changed if one.entry for place in one.places}
        subagents = descendants_of(self._core.state, session.session_id)
        reported = [
            one.path
            for one in changed_files(session, turn.span.begin, subagents=subagents)
            if not (one.undone or one.unchanged)
        ]
        # Other folders and ignored files aren't compared: there, the agent's own reports count.
        others = [
            path
            for path in reported
            if path not in known
            and (path in written or not any(path.startswith(f"{one}/") for one in folders))
        ]
        lines = [one.lines for one in compared]
        added = removed = None
        if not others and None not in lines:
            added, removed = (sum(one[at] for one in lines if one) for at in (0, 1))
        counts = len(compared) + len(others), added, removed
        if counts != turn.counts and (turn.counts is not None or counts[0] or reported):
            turn.counts = counts
            self._core.emit(TurnCompared(self._core.clock(), session.session_id, *counts))

    async def _changed_since(self, turn: _WatchedTurn) -> list["ChangedPath"]:
        """Return the folder's changes since the turn began. Raises CheckpointError."""
        begun = self._core.clock()
        if any(descendants_of(self._core.state, turn.command.session_id)):
            turn.span.delegated = True
        found = await self._read_changes(turn, turn.command.tree, turn.span.begin)
        deleted = (one.real for one in found if one.deed == DELETED)
        turn.deleted = {real: turn.deleted.get(real, turn.read_at) for real in deleted}
        turn.read_at = begun
        return [one._replace(earliest=turn.deleted.get(one.real, one.earliest)) for one in found]

    async def _read_changes(self, turn: _WatchedTurn, tree: str, at: float) -> list["ChangedPath"]:
        """Return the folder's changes since a tree that was read at time `at`. Raises
        CheckpointError.
        """
        found = await to_thread.run_sync(self._earlier_folder(turn, tree, at).changes)
        return [one._replace(usual=one.entry in turn.command.usual) for one in found]

    def _earlier_folder(self, turn: _WatchedTurn, tree: str, at: float) -> "EarlierFolder":
        from acp_tui.client.files.folder_changes import EarlierFolder

        first, last = sorted((turn.epoch, self._epoch))  # they differ if the machine slept
        return EarlierFolder(turn.command, tree, at, first, last)

    def _report_later(
        self, turn: _WatchedTurn, session: Session, found: list[tuple["ChangedPath", str]]
    ) -> None:
        """Report changes after a turn, unless a new turn has begun, which may have made them."""
        if session.turn is None and session.turns == turn.number:
            self._report_files(turn, session, found)

    def _report_files(
        self, turn: _WatchedTurn, session: Session, found: list[tuple["ChangedPath", str]]
    ) -> None:
        """Report each changed file once; beyond `MOST_REPORTED`, report only how many more there
        are.
        """
        known = set(_known_as_rejected(session, turn.span.first_entry))
        for child in descendants_of(self._core.state, session.session_id):
            known |= set(_known_as_rejected(child, 0))
        new = [
            one
            for one in found
            if one[0].path not in turn.reported and known.isdisjoint(one[0].places)
        ]
        room = MOST_REPORTED - len(turn.reported)
        for index, (changed, reason) in enumerate(new[: max(room, 0)], 1):
            turn.reported.add(changed.path)
            more = len(new) - room if index == room else 0
            also = f"; {counted(more, 'more file')} changed, too" if more else ""
            at, session_id = self._core.clock(), session.session_id
            self._core.emit(
                UnapprovedChange(at, session_id, changed.path, changed.deed, f"{reason}{also}")
            )


def _denied(turn: _WatchedTurn, sessions: Sequence[Session]) -> bool:
    answers = (one for session in sessions for one in session.answers)
    return any(one.at >= turn.span.begin and not one.allowed for one in answers)


def _denied_paths(turn: _WatchedTurn, sessions: Sequence[Session]) -> dict[str, float]:
    """Return the paths that a turn's denied questions name, with the time of the last answer."""
    from acp_tui.state.file_claims import changed_paths

    found: dict[str, float] = {}
    for session in sessions:
        for one in session.answers:
            if one.at >= turn.span.begin and not one.allowed:
                for path in [one.path] if one.call is None else changed_paths(one.call):
                    found[os.path.join(session.cwd, path_of_url(path))] = one.at  # noqa: PTH118
    return found


def _known_as_rejected(session: Session, first_entry: int) -> list[str]:
    """Return the files that are already reported as changed despite a rejection."""
    calls = (one for one in session.entries[first_entry:] if isinstance(one, ToolCallEntry))
    compared = (fact for one in calls if one.edits is not None for fact in one.edits.compared)
    return [one.path for one in compared if one.verdict is EditVerdict.REJECTED]
