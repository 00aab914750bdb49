"""Compares the folder of a session with what it was before a turn in which something was not allowed."""

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from acp_tui.client.core import Core
from acp_tui.client.faults import own_fault
from acp_tui.protocol.events import EditVerdict, Event, Notified, Requested, UnapprovedChange
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.setup import SessionParams
from acp_tui.session.changes import Change, TurnChanged
from acp_tui.session.commands import CompareFolder
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.state import Session

if TYPE_CHECKING:
    from acp_tui.session.unapproved import ChangedPath, TurnSpan

ABORTING = 1.0
"""Seconds after a cancel in which what was running may still write."""
LATE = 3.0
"""Seconds after the end of a turn when its folder is compared once more."""
_SETTINGS = ("session/set_mode", "session/set_config_option")


@dataclass(eq=False)
class _Turn:
    """A turn whose folder is compared; `cancelled_tree` is what it was soon after the cancel."""

    kept: CompareFolder
    number: int
    span: "TurnSpan"
    cancelled_tree: str = ""
    reported: set[str] = field(default_factory=set)


class FolderWatch:
    """Follows the turns before which the folder was kept."""

    def __init__(self, core: Core, edits_settled: Callable[[], Awaitable[None]]) -> None:
        """`edits_settled` waits until the edits of tool calls are compared, by which more is known."""
        self._core = core
        self._edits_settled = edits_settled
        self._turns: dict[str, _Turn] = {}
        self._comparing = 0
        self._compared = anyio.Event()
        core.register({CompareFolder: self._begin})
        core.listen(self._follow)

    async def settled(self) -> None:
        """Wait until all comparisons are done that have begun."""
        while self._comparing:
            if self._compared.is_set():  # several may wait
                self._compared = anyio.Event()
            await self._compared.wait()

    def _begin(self, kept: CompareFolder) -> None:
        from acp_tui.session.unapproved import TurnSpan

        session = self._core.state.session(kept.session_id)
        span = TurnSpan(self._core.clock(), len(session.entries))
        self._turns[kept.session_id] = _Turn(kept, session.turns + 1, span)

    def _follow(self, event: Event, changes: list[Change]) -> None:
        """Follow cancels, settings and ends of turns; never wait."""
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
        """Keep what the folder is once all that ran at the cancel had time to stop."""
        from acp_tui.checkpoints.errors import CheckpointError

        await anyio.sleep(ABORTING)
        with suppress(CheckpointError):
            turn.cancelled_tree = await to_thread.run_sync(_read_tree, turn.kept)

    async def _compare_twice(self, turn: _Turn) -> None:
        """Compare the folder at the end of a turn, and some seconds later."""
        await self._compare(turn)
        await anyio.sleep(LATE)
        await self._compare(turn)

    async def _compare(self, turn: _Turn) -> None:
        from acp_tui.checkpoints.errors import CheckpointError

        self._comparing += 1
        try:
            await self._edits_settled()
            await self._report_changes(turn)
        except CheckpointError:
            pass  # the folder can't be read: nothing is known of it
        except Exception as error:
            doing = "comparing a folder with what it was before the turn"
            session_id = turn.kept.session_id
            self._core.emit(own_fault(self._core.clock(), doing, error, session_id))
        finally:
            self._comparing -= 1
            self._compared.set()

    async def _report_changes(self, turn: _Turn) -> None:
        """Report what changed since the turn began, and since its cancel. Raises CheckpointError."""
        from acp_tui.session.unapproved import find_after_cancel, find_unapproved

        session = self._core.state.session(turn.kept.session_id)
        denied = any(one.at >= turn.span.begin and not one.allowed for one in session.answers)
        if denied or session.permissions:
            changed = await to_thread.run_sync(_changed_since, turn.kept, turn.kept.tree)
            self._report(turn, session, list(find_unapproved(session, turn.span, changed)))
        if turn.cancelled_tree:
            changed = await to_thread.run_sync(_changed_since, turn.kept, turn.cancelled_tree)
            self._report(turn, session, list(find_after_cancel(session, turn.span, changed)))

    def _report(
        self, turn: _Turn, session: Session, found: list[tuple["ChangedPath", str]]
    ) -> None:
        """Report each file once, unless another turn has begun, which may have changed it."""
        if session.turn is not None or session.turns != turn.number:
            return
        known = set(_known_as_rejected(session, turn.span.first_entry))
        for changed, reason in found:
            if changed.path not in turn.reported and known.isdisjoint(changed.places):
                turn.reported.add(changed.path)
                at, session_id = self._core.clock(), session.session_id
                event = UnapprovedChange(at, session_id, changed.path, changed.deed, reason)
                self._core.emit(event)


def _known_as_rejected(session: Session, first_entry: int) -> list[str]:
    """Return the files that are already reported to be what was rejected."""
    calls = (one for one in session.entries[first_entry:] if isinstance(one, ToolCallEntry))
    compared = (fact for one in calls if one.edits is not None for fact in one.edits.compared)
    return [one.path for one in compared if one.verdict is EditVerdict.REJECTED]


def _read_tree(kept: CompareFolder) -> str:
    """Read the folder as it is now; return its tree. Raises CheckpointError."""
    from acp_tui.checkpoints.store import Checkpoints

    store = Checkpoints.of(Path(kept.folder), Path(kept.place), anywhere=True)
    assert store is not None
    return store.now()[0]


def _changed_since(kept: CompareFolder, tree: str) -> list["ChangedPath"]:
    """Return what differs in the folder from a tree. Raises CheckpointError."""
    from acp_tui.checkpoints.checkpoint import Deed
    from acp_tui.checkpoints.store import Checkpoints
    from acp_tui.checkpoints.turns import changed_since
    from acp_tui.session.unapproved import ChangedPath

    deeds = {Deed.MADE: "made", Deed.CHANGED: "changed", Deed.DELETED: "deleted"}
    store = Checkpoints.of(Path(kept.folder), Path(kept.place), anywhere=True)
    assert store is not None
    folder = os.path.realpath(kept.folder)
    found = list[ChangedPath]()
    for change in changed_since(store, tree):
        real = os.path.join(store.top, change.shown)  # noqa: PTH118
        inside = os.path.relpath(real, folder)
        if not inside.startswith("../"):
            path = os.path.join(kept.folder, inside)  # noqa: PTH118
            found.append(ChangedPath(path, real, deeds[change.deed]))
    return found
