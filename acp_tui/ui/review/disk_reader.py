"""Reads again what changed on disk, soon after it may have changed, while the review shows it."""

import math
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from anyio import to_thread
from textual.timer import Timer

from acp_tui.state.changed_files import changed_files
from acp_tui.state.file_claims import claims_in
from acp_tui.state.state import Session
from acp_tui.state.subagents import descendants_of
from acp_tui.text import clean_line
from acp_tui.ui.checkpoints import find_prompt
from acp_tui.ui.review.scopes import ReviewScope, turns_of

if TYPE_CHECKING:
    from acp_tui.rewind.store import Checkpoints
    from acp_tui.ui.checkpoints import CheckpointsFeature
    from acp_tui.ui.review.on_disk import DiskChanges, DiskFiles, SessionCheckpoints, TurnClaims
    from acp_tui.ui.review.screen import ReviewScreen

PAUSE = 0.5
"""Seconds between two readings, at least: an agent tells of its work many times a second."""
RUNNING = 2.0
"""Seconds after which it is read again while a turn runs: programs change files without a word."""
SHARE = 4
"""How many times as long as a reading took the pause after it is, at least: that of a large folder takes seconds."""
NOT_KEPT = "the files before its turns were not kept"


class DiskReader:
    """Gives each reading to `show`; None where only what was reported is known, with the reason in the scope."""

    def __init__(
        self,
        screen: "ReviewScreen",
        scope: ReviewScope,
        checkpoints: "CheckpointsFeature",
        show: "Callable[[DiskFiles | None], None]",
    ) -> None:
        self._screen = screen
        self._scope = scope
        self._checkpoints = checkpoints
        self._show = show
        self.changes: DiskChanges | None = None
        """Reads the texts of what is listed."""
        self._store: Checkpoints | None = None
        self._timer: Timer | None = None
        self._is_reading = False
        self._is_due = False
        self._pause = 0.0

    @property
    def can_read(self) -> bool:
        """Whether anything may be kept of the session's folder."""
        screen = self._screen
        return self._checkpoints.folder_of(screen.tab, screen.session) is not None

    def read_soon(self, *, now: bool = False) -> None:
        """Read when the pause is over, or `now`, for another scope."""
        self._is_due = True
        if now and self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._is_reading or self._timer is not None:
            return
        if now or not self._pause:
            self._begin()
        else:
            self._timer = self._screen.set_timer(self._pause, self._begin)

    def _begin(self) -> None:
        self._timer, self._is_reading, self._is_due = None, True, False
        self._screen.run_worker(self._read(), group="disk")

    async def _read(self) -> None:
        from acp_tui.git.errors import CheckpointError

        began = monotonic()
        try:
            found = await self._find()
        except CheckpointError as error:
            found, self._scope.why_reported = None, clean_line(str(error))
        took = monotonic() - began
        self._pause = max(PAUSE, SHARE * took)
        self._is_reading = False
        self._scope.touched = found.turns if found is not None else None
        self._scope.kept_late = found is not None and found.late
        if found is not None:
            self._scope.why_reported = ""
        self._show(found)
        if self._is_due:
            self.read_soon()
        elif self._screen.session.turn is not None:
            self._timer = self._screen.set_timer(max(RUNNING, self._pause), self._begin)

    async def _find(self) -> "DiskFiles | None":
        """Read what changed in the scope; None, and why, where that isn't known. Raises CheckpointError."""
        from acp_tui.ui.review.on_disk import DiskChanges, read_session, spans_of

        screen = self._screen
        if self._store is None:
            kept = await self._checkpoints.find_kept(screen.tab, screen.session)
            self._store, self._scope.why_reported = kept.store, kept.why
        if self._store is None:
            return None
        if self.changes is None:
            self.changes = await to_thread.run_sync(DiskChanges, self._store, screen.session.cwd)
        owner = self._checkpoints.owner_of(screen.tab, screen.session)
        own = await to_thread.run_sync(read_session, self._store, owner, abandon_on_cancel=True)
        session, number = screen.session, self._scope.number
        subagents = list(descendants_of(screen.tab.agent.state, session.session_id))
        claims = _claims_at(session, own, subagents)
        spans = spans_of(_since_begin(session, own, claims), claims)
        turn = self._scope.turn(session)
        begin, end = (-math.inf, math.inf) if turn is None else (turn.begin, turn.end)
        changed = changed_files(session, begin, end, subagents)
        reported = {one.path: one for one in changed}
        found = await to_thread.run_sync(
            self.changes.read, spans, number, reported, abandon_on_cancel=True
        )
        if found is None:
            self._scope.why_reported = NOT_KEPT
        return found


def _since_begin(
    session: Session, kept: "SessionCheckpoints", turns: "Mapping[str, TurnClaims]"
) -> "SessionCheckpoints":
    """Drop checkpoints that are older than a new session: an agent may reuse session ids after a restart."""
    if session.opened_by:
        return kept
    count = len(kept.checkpoints)
    first = next((at for at in range(count) if kept.checkpoints[at].ref in turns), count)
    return kept._replace(checkpoints=kept.checkpoints[first:])


def _claims_at(
    session: Session, kept: "SessionCheckpoints", subagents: Sequence[Session]
) -> "dict[str, TurnClaims]":
    """Return the turns that began at checkpoints, by their refs, with what is said of files in them."""
    from acp_tui.rewind.checkpoint import CheckpointKind
    from acp_tui.ui.review.on_disk import TurnClaims

    turns = turns_of(session)
    numbers = {one.entries.start: number for number, one in enumerate(turns)}
    found = {}
    end = len(session.entries)
    for one in reversed(kept.checkpoints):
        at = (
            find_prompt(session, one.reason, end)
            if one.reason.kind is CheckpointKind.TURN
            else None
        )
        if at is not None:
            end, turn = at, turns[numbers[at]]
            entries = session.entries[turn.entries.start : turn.entries.stop]
            claims = claims_in(session, entries, turn.begin, turn.end, subagents)
            found[one.ref] = TurnClaims(numbers[at], claims)
    return found
