"""The transcript beside the frames: live, or as it was at an earlier record."""

from collections.abc import Callable, Iterable
from time import perf_counter

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.recordings.records import time_of
from acp_tui.state.changes import Change
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.inspector.history import History
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.transcript.entries.entry_view import ViewOf
from acp_tui.ui.transcript.ports import Outside
from acp_tui.ui.transcript.transcript import Transcript

BUDGET = 0.012
"""Seconds of replay in one slice."""


class SnapshotView(Vertical):
    """Shows the live session or, after `show_position`, the session as it was at a record."""

    def __init__(
        self,
        state: State,
        source: LogSource,
        outside: Outside,
        view_of: ViewOf,
        clock: Callable[[], float],
    ) -> None:
        super().__init__(id="past")
        self._outside = outside
        self._view_of = view_of
        self._live = state
        self._log = source.log
        self._records = source.log.records
        self._checkpoints = source.checkpoints
        self._live_clock = clock
        self._history: History | None = None
        self._goal = 0
        self._timer: Timer | None = None
        self._shown: Session | None = None
        self._session_id: str | None = None
        self._moment = Static(markup=False, id="moment")
        self._words = ""
        self.transcript: Transcript | None = None
        self.is_live = True

    def compose(self) -> ComposeResult:
        yield self._moment

    @property
    def goal(self) -> int:
        """The number of records after which the session is shown."""
        return self._goal

    def _clock(self) -> float:
        """Return the time of the state that is shown."""
        if self.is_live or not self._goal:
            return self._live_clock()
        return time_of(self._records, self._goal - 1)

    def show_live(self, session_id: str | None) -> None:
        """Show the live session."""
        self.is_live = True
        self._moment.display = False
        self._open_session(self._live, session_id)

    def show_position(self, position: int, session_id: str | None) -> None:
        """Show the session as it was after `position` records."""
        if self._history is None:
            self._history = History(self._records, self._checkpoints)
        if self.is_live:
            self.is_live = False
            self._close_session()
        self._goal = position
        self._session_id = session_id or self._session_id
        self._seek_on()

    def _seek_on(self) -> None:
        history = self._history
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if history is None or self.is_live or not self.is_mounted:
            return
        there = history.seek(self._goal, perf_counter() + BUDGET)
        self._show_moment(there, history)
        if not there:
            self._timer = self.set_timer(0.002, self._seek_on)
            return
        moved = history.moved()
        if moved is None:
            self._close_session()
        self._show_state(history.state, moved or ())

    def _show_moment(self, there: bool, history: History) -> None:
        at = self._goal
        if there:
            time = time_of(self._records, at - 1) - time_of(self._records, 0) if at else 0.0
            words = f"{self._moment_of(at)} · {time:.1f}s · Esc now"
        else:
            words = f"going there: {history.position / max(1, at):.0%} · Esc now"
        self._moment.display = True
        if words != self._words:  # each update costs a layout
            self._words = words
            self._moment.update(words)

    def _moment_of(self, at: int) -> str:
        """Describe the last frame among the first `at` records."""
        numbers, total = self._log.numbers, self._log.frame_count
        last = next((numbers[one] for one in reversed(range(at)) if numbers[one]), 0)
        if not last:
            return f"before frame 1 of {total:,}"
        return f"{'' if numbers[at - 1] else 'after '}frame {last:,} of {total:,}"

    def _show_state(self, state: State, moved: Iterable[Change]) -> None:
        session_id = self._session_id
        if session_id not in state.sessions:
            opened = [one.session_id for one in state.sessions.values() if one.opened]
            session_id = next(reversed(opened or list(state.sessions)), None)
        if state.sessions.get(session_id or "") is not self._shown:
            self._open_session(state, session_id)
        elif self.transcript is not None:
            self.transcript.changed(moved)

    def changed(self, changes: Iterable[Change]) -> None:
        """Update the transcript of the live session."""
        if self.is_live and self.transcript is not None:
            self.transcript.changed(changes)

    def _open_session(self, state: State, session_id: str | None) -> None:
        """Show a session of this state, unless it is shown already."""
        session = state.sessions.get(session_id or "")
        if session is not None and session is self._shown and self.transcript is not None:
            return
        self._close_session()
        self._shown, self._session_id = session, session_id or self._session_id
        if session is not None:
            self.transcript = Transcript(
                state,
                session_id,
                self._outside,
                self._view_of,
                clock=self._clock,
                records=self._records,
            )
            self.mount(self.transcript)

    def _close_session(self) -> None:
        self._shown = None
        if self.transcript is not None:
            self.transcript.remove()
            self.transcript = None
