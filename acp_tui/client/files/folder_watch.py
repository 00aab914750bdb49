"""Compares a session's folder with its checkpoint, after a turn in which permission was asked for."""

import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from acp_tui.client.core import Core
from acp_tui.client.errors import own_fault
from acp_tui.protocol.events import (
    EditVerdict,
    Event,
    Notified,
    Requested,
    Responded,
    UnapprovedChange,
)
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.requests import AnyPermissionRequest
from acp_tui.protocol.setup import SessionParams
from acp_tui.state.changes import Change, TurnChanged
from acp_tui.state.commands import CompareFolder
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.state import Session
from acp_tui.state.subagents import descendants_of

if TYPE_CHECKING:
    from acp_tui.state.unapproved_changes import ChangedPath, TurnSpan

ABORTING = 1.0
"""Grace period after a cancel, in seconds: a command may still write while it is being ended."""
ASKED = 1.0
"""Delay before the folder is compared while a question is pending, in seconds; doubled each time."""
LATE_COMPARISON_DELAY = 3.0
"""Delay of the last comparison of the folder, in seconds after a turn in which something was rejected."""
WHOLE_SECONDS = 2.0
"""Clock slack, in seconds, on a file system whose timestamps are whole seconds."""
DELETED = "deleted"
_SETTINGS = ("session/set_mode", "session/set_config_option")


@dataclass(eq=False)
class _Turn:
    """A turn whose folder is compared; `cancelled_tree` is the folder's tree soon after the cancel.

    At its start, the client's clock was 0 at `epoch`, in seconds since 1970.
    """

    kept: CompareFolder
    number: int
    span: "TurnSpan"
    epoch: float
    read_at: float
    """Time of the last reading of the folder."""
    cancelled_tree: str = ""
    gone: dict[str, float] = field(default_factory=dict)
    """Deleted files, each with the time when it was last there."""
    reported: set[str] = field(default_factory=set)


class FolderWatch:
    """Watches the folders of turns that have a checkpoint."""

    def __init__(self, core: Core, edits_settled: Callable[[], Awaitable[None]]) -> None:
        """Register the watch with `core`.

        `edits_settled` waits until the edits of tool calls are compared: the report excludes those.
        """
        self._core = core
        self._edits_settled = edits_settled
        self._turns: dict[str, _Turn] = {}
        self._comparing = 0
        self._compared = anyio.Event()
        core.register({CompareFolder: self._begin_turn})
        core.listen(self._follow)

    async def settled(self) -> None:
        """Wait until all running comparisons are done."""
        while self._comparing:
            if self._compared.is_set():  # several may wait
                self._compared = anyio.Event()
            await self._compared.wait()

    def _begin_turn(self, kept: CompareFolder) -> None:
        from acp_tui.state.unapproved_changes import TurnSpan

        session = self._core.state.session(kept.session_id)
        span = TurnSpan(self._core.clock(), len(session.entries))
        turn = _Turn(kept, session.turns + 1, span, self._epoch, span.begin)
        self._turns[kept.session_id] = turn

    @property
    def _epoch(self) -> float:
        return time.time() - self._core.clock()

    def _follow(self, event: Event, changes: list[Change]) -> None:
        """Handle cancels, settings and ends of turns; never waits."""
        if not self._turns:
            return
        match event:
            case Notified(
                direction=Direction.OUT, method="session/cancel", params=SessionParams() as params
            ) if params.session_id in self._turns:
                self._core.spawn(self._keep_cancelled, self._turns[params.session_id])
            case Requested(direction=Direction.OUT, method=method) if method in _SETTINGS:
                for turn in self._turns.values():
                    turn.span.settings_changed = True
            case Requested(
                direction=Direction.IN, number=number, params=AnyPermissionRequest() as asked
            ) if asked.session_id in self._turns:
                self._core.spawn(self._compare_while_asked, self._turns[asked.session_id], number)
            case Responded(
                direction=Direction.OUT, request=Requested(params=AnyPermissionRequest() as asked)
            ) if asked.session_id in self._turns:
                turn = self._turns[asked.session_id]
                if _denied(turn, self._core.state.session(asked.session_id)):
                    self._core.spawn(self._compare, turn, partial(self._changed_since, turn))
        for change in changes:
            if isinstance(change, TurnChanged):
                self._turn_changed(self._core.state.session(change.session_id))

    def _turn_changed(self, session: Session) -> None:
        for turn in self._turns.values():
            own = turn.kept.session_id == session.session_id
            turn.span.shared = turn.span.shared or (not own and session.cwd == turn.kept.folder)
        turn_over = self._turns.get(session.session_id)
        if turn_over is not None and session.turn is None and session.turns >= turn_over.number:
            del self._turns[session.session_id]
            self._core.spawn(self._compare_twice, turn_over)

    async def _keep_cancelled(self, turn: _Turn) -> None:
        """Store the folder's tree once all that ran at the cancel had time to stop."""
        from acp_tui.git.errors import CheckpointError

        await anyio.sleep(ABORTING)
        with suppress(CheckpointError):
            turn.cancelled_tree = await to_thread.run_sync(_read_tree, turn.kept)

    async def _compare_while_asked(self, turn: _Turn, question: int) -> None:
        """Compare the folder while a question is open: later, the agent may revert a change."""
        from acp_tui.state.unapproved_changes import find_while_asked

        session_id, wait = turn.kept.session_id, ASKED

        async def report() -> None:
            changed = await self._changed_since(turn)
            session = self._core.state.session(session_id)
            is_open = self._core.state.permission(question) is not None
            if is_open and session.turns == turn.number:
                self._report(turn, session, list(find_while_asked(session, turn.span, changed)))

        while True:
            await anyio.sleep(wait)
            if self._core.state.permission(question) is None:
                return
            await self._compare(turn, report)
            wait *= 2

    async def _compare_twice(self, turn: _Turn) -> None:
        """Compare the folder at the end of a turn, and seconds later if something was rejected."""

        async def report() -> None:
            await self._edits_settled()
            await self._report_changes(turn)

        await self._compare(turn, report)
        await anyio.sleep(LATE_COMPARISON_DELAY)
        session = self._core.state.session(turn.kept.session_id)
        if turn.cancelled_tree or session.permissions or _denied(turn, session):
            await self._compare(turn, report)

    async def _compare(self, turn: _Turn, report: Callable[[], Awaitable[object]]) -> None:
        from acp_tui.git.errors import CheckpointError

        self._comparing += 1
        try:
            await report()
        except CheckpointError:
            pass  # an unreadable folder can't be judged
        except Exception as error:
            doing = "comparing a folder with what it was before the turn"
            session_id = turn.kept.session_id
            self._core.emit(own_fault(self._core.clock(), doing, error, session_id))
        finally:
            self._comparing -= 1
            self._compared.set()

    async def _report_changes(self, turn: _Turn) -> None:
        """Report what changed since the turn began, and since its cancel. Raises CheckpointError."""
        from acp_tui.state.unapproved_changes import find_after_cancel, find_unapproved

        session = self._core.state.session(turn.kept.session_id)
        if session.permissions or any(one.at >= turn.span.begin for one in session.answers):
            changed = await self._changed_since(turn)
            self._report_later(turn, session, list(find_unapproved(session, turn.span, changed)))
        if turn.cancelled_tree:
            changed = await self._read_changes(turn, turn.cancelled_tree)
            self._report_later(turn, session, list(find_after_cancel(session, turn.span, changed)))

    async def _changed_since(self, turn: _Turn) -> list["ChangedPath"]:
        """Return what a turn has changed. Raises CheckpointError."""
        begun = self._core.clock()
        if any(descendants_of(self._core.state, turn.kept.session_id)):
            turn.span.shared = True  # what a subagent was allowed is in its own session
        found = await self._read_changes(turn, turn.kept.tree)
        deleted = (one.real for one in found if one.deed == DELETED)
        turn.gone = {real: turn.gone.get(real, turn.read_at) for real in deleted}
        turn.read_at = begun
        return [one._replace(earliest=turn.gone.get(one.real, one.earliest)) for one in found]

    async def _read_changes(self, turn: _Turn, tree: str) -> list["ChangedPath"]:
        """Return a folder's differences from a tree. Raises CheckpointError."""
        first, last = sorted((turn.epoch, self._epoch))  # not the same if the machine slept
        return await to_thread.run_sync(_changed_since, turn.kept, tree, first, last)

    def _report_later(
        self, turn: _Turn, session: Session, found: list[tuple["ChangedPath", str]]
    ) -> None:
        """Report files after a turn, unless another has begun, which may have changed them."""
        if session.turn is None and session.turns == turn.number:
            self._report(turn, session, found)

    def _report(
        self, turn: _Turn, session: Session, found: list[tuple["ChangedPath", str]]
    ) -> None:
        """Report each file once."""
        known = set(_known_as_rejected(session, turn.span.first_entry))
        for changed, reason in found:
            if changed.path not in turn.reported and known.isdisjoint(changed.places):
                turn.reported.add(changed.path)
                at, session_id = self._core.clock(), session.session_id
                event = UnapprovedChange(at, session_id, changed.path, changed.deed, reason)
                self._core.emit(event)


def _denied(turn: _Turn, session: Session) -> bool:
    return any(one.at >= turn.span.begin and not one.allowed for one in session.answers)


def _known_as_rejected(session: Session, first_entry: int) -> list[str]:
    """Return the files already reported as rejected and changed."""
    calls = (one for one in session.entries[first_entry:] if isinstance(one, ToolCallEntry))
    compared = (fact for one in calls if one.edits is not None for fact in one.edits.compared)
    return [one.path for one in compared if one.verdict is EditVerdict.REJECTED]


def _read_tree(kept: CompareFolder) -> str:
    """Return the tree of the folder's current content. Raises CheckpointError."""
    from acp_tui.rewind.store import Checkpoints

    store = Checkpoints.of(Path(kept.folder), Path(kept.place), anywhere=True)
    assert store is not None
    return store.now()[0]


def _changed_since(
    kept: CompareFolder, tree: str, first_epoch: float, last_epoch: float
) -> list["ChangedPath"]:
    """Return the folder's differences from a tree. Raises CheckpointError.

    The client's clock was 0 between the two epochs.
    """
    from acp_tui.rewind.checkpoint import FileDeed
    from acp_tui.rewind.store import Checkpoints, changed_since
    from acp_tui.state.unapproved_changes import ChangedPath

    deeds = {FileDeed.MADE: "made", FileDeed.CHANGED: "changed", FileDeed.DELETED: DELETED}
    store = Checkpoints.of(Path(kept.folder), Path(kept.place), anywhere=True)
    assert store is not None
    folder = os.path.realpath(kept.folder)
    found = list[ChangedPath]()
    for change in changed_since(store, tree):
        real = os.path.join(store.top, change.shown)  # noqa: PTH118
        inside = os.path.relpath(real, folder)
        if not inside.startswith("../"):
            path = os.path.join(kept.folder, inside)  # noqa: PTH118
            earliest, latest = _changed_between(real, folder)
            span = earliest - last_epoch, latest - first_epoch
            found.append(ChangedPath(path, real, deeds[change.deed], *span))
    return found


def _changed_between(path: str, folder: str) -> tuple[float, float]:
    """Return the earliest and latest time at which a path may have changed, in seconds since 1970.

    Its parent folders count, too: one may have been moved along with it, and for a deleted file
    only its folder has a time.
    """
    own = _changed_at(path)
    latest, parent = own, os.path.dirname(path)  # noqa: PTH120
    while parent != folder and parent.startswith(folder):
        latest = max(latest, _changed_at(parent))
        parent = os.path.dirname(parent)  # noqa: PTH120
    if not own:
        latest = max(latest, _changed_at(folder))
    return own, latest if latest % 1 else latest + WHOLE_SECONDS


def _changed_at(path: str) -> float:
    """Return the time of the last change on disk, or 0 if the path is gone."""
    try:
        return os.lstat(path).st_ctime_ns / 1e9
    except OSError:
        return 0.0
