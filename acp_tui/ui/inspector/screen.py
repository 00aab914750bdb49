"""The inspector's screen: every frame on the wire, with its meaning and its findings."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from acp_tui.debug.filters.predicates import filter_for
from acp_tui.debug.turn_bounds import find_prompt
from acp_tui.state.changes import Change
from acp_tui.state.state import State
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.ask_bar import Ask, AskBar, BreakpointAsk, FilterAsk, FindAsk, SeekAsk
from acp_tui.ui.inspector.columns import column_needs
from acp_tui.ui.inspector.detail import NOT_FOUND
from acp_tui.ui.inspector.files import InspectorFiles
from acp_tui.ui.inspector.frames import FrameActions, Frames
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.pages import ColumnsPage, StatisticsPage, statistics_lines
from acp_tui.ui.inspector.snapshot_view import SnapshotView
from acp_tui.ui.inspector.status import StatusRow, inspector_status, queue_rows
from acp_tui.ui.inspector.table import PAUSE, FrameTable
from acp_tui.ui.inspector.waterfall import WaterfallPage
from acp_tui.ui.tabs.status import allows_all_warning
from acp_tui.ui.toolkit.boxes import PAGE
from acp_tui.ui.toolkit.hints import WIDE, Hint, KeyHints
from acp_tui.ui.toolkit.screens import OverlayScreen
from acp_tui.ui.transcript.entries.views import view_of

if TYPE_CHECKING:
    from acp_tui.ui.inspector.feature import InspectorFeature

TABLE: list[Hint] = [
    ("f12", "back"),
    ("slash", "filter"),
    ("n", "finding"),
    ("p", "pair"),
    ("v", "raw"),
    ("w", "time"),
    ("S", "stats"),
    ("f1", "keys"),
    ("b", "break"),
    ("B", "report"),
    ("enter", "open"),
]
FRAME: list[Hint] = [
    ("f12", "back"),
    ("slash", "search"),
    ("tab", "table"),
    ("y", "copy"),
    ("v", "raw"),
    ("enter", "fold"),
    ("f1", "keys"),
    ("Y", "copy as"),
    ("p", "pair"),
]
WIDE_TABLE: list[Hint] = [
    *TABLE[:2],
    ("tab", "frame"),
    *TABLE[2:8],
    ("enter", "open"),
    ("y", "copy"),
    ("b", "break"),
    ("i", "entry"),
    ("full_stop", "step"),
    ("e", "save"),
    ("s", "split"),
    ("B", "report"),
]
IN_FRAME = {"slash": "search", "tab": "table", "enter": "fold"}
"""Labels that differ while the detail has the focus, as long as those of the table: the others stay
in their places, and Tab redraws only these.
"""
WIDE_FRAME: list[Hint] = [(key, IN_FRAME.get(key, words)) for key, words in WIDE_TABLE]


STEPS: list[Hint] = [
    ("comma", "back"),
    ("full_stop", "on"),
    ("g", "go to"),
    ("escape", "to now"),
]
"""Hints while an earlier state of the session is shown."""


def keys_of_table(width: int, *, past: bool, replay: bool = False) -> list[Hint]:
    """Return the hints while the table has the focus.

    `past` is whether an earlier state of the session is shown. In a `replay`, F12 returns to the
    playback.
    """
    (leave, back), *keys = WIDE_TABLE if width >= WIDE else TABLE
    leaves = (leave, "replay" if replay else back)
    if not past:
        return [leaves, *keys]
    others = [one for one in keys if one[0] not in ("full_stop", "f1")]
    return [*STEPS, (leave, "leave"), ("f1", "keys"), *others]


def keys_of_frame(width: int, *, found: str) -> list[Hint]:
    """Return the hints while the detail has the focus; `found` describes the search result."""
    keys = WIDE_FRAME if width >= WIDE else FRAME
    if not found:
        return keys
    others = [one for one in keys if one[0] not in ("n", "slash")]
    steps: list[Hint] = [] if found == NOT_FOUND else [("n", "next"), ("N", "before")]
    return [*steps, ("escape", f"end the search ({found})"), *others]


WIDEST = 160
"""Most cells of a page over the inspector."""


class InspectorScreen(FrameActions, OverlayScreen[None]):
    """Shows the table of frames, the detail of the one under the cursor, and the session as it was
    then.
    """

    DEFAULT_CLASSES = PAGE
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings.INSPECTOR  # type: ignore[assignment]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide"), (160, "-widest")]  # noqa: RUF012

    def __init__(
        self,
        state: State,
        clock: Callable[[], float],
        source: LogSource,
        inspector: "InspectorFeature",
    ) -> None:
        super().__init__()
        self._state = state
        self._ask: Ask | None = None
        self.agent_label = ""
        """The agent's name if there are several agents."""
        self.source = source
        self.frames = Frames(state, source, inspector)
        self.table = self.frames.table
        self._choices = inspector.choices
        self.table.hidden = self._choices.hidden_columns
        self.snapshot = SnapshotView(state, source, inspector.outside, view_of, clock)
        self._split_by_step = False
        """Whether stepping in time opened the transcript: returning to the present closes it again.
        """
        self._clock = clock
        self._hold = inspector.hold
        self._held = Static(markup=False, id="held")
        self._held.display = False
        self.status = StatusRow()
        self.hints = KeyHints()
        self.files = InspectorFiles(self, self.status, source, state.peer, inspector.folder_for)

    @property
    def is_modal(self) -> bool:
        """False, although this is an overlay: the app's keys all work here, as in the conversation."""
        return False

    def compose(self) -> ComposeResult:
        with Container(id="panes"):
            yield self.snapshot
            yield self.frames
        yield self._held
        yield self.status
        yield self.hints

    def on_mount(self) -> None:
        self.table.focus()
        self.show_hints()
        self._show_held()
        self.set_interval(1.0, self._show_held)

    def on_detail_focused(self) -> None:
        """Update the hints for the new focus."""
        self.show_hints()

    def show_hints(self) -> None:
        """Update the hints, and drop a note that no longer holds."""
        self.status.drop_outdated()
        if self._ask is not None:
            self.hints.show([*self._ask.keys, ("f1", "keys")])
        elif self.frames.detail.has_focus:
            found = self.frames.detail.found_words
            self.hints.show(keys_of_frame(self.size.width, found=found))
        else:
            past = not self.snapshot.is_live
            self.table.pinned = "time" if past else ""
            self.hints.show(
                keys_of_table(self.size.width, past=past, replay=self.table.played is not None)
            )

    def on_screen_suspend(self) -> None:
        """Remove the note and the list of held frames: the dialog in front may show that list."""
        self.status.forget()
        self._held.display = False

    def on_screen_resume(self) -> None:
        """Read the records that arrived while another screen was in front."""
        self.table.wake(PAUSE)
        self._show_held()
        self._show_counts()

    def changed(self, changes: Iterable[Change]) -> None:
        """Read new frames, and update the transcript."""
        if self.is_active:
            self.table.wake()
            self.snapshot.changed(changes)
            self._show_held()

    def on_frame_table_cursor_moved(self) -> None:
        """Update the hints; the note may no longer hold for this frame."""
        self.show_hints()

    def on_frames_settled(self) -> None:
        """Show the session as it was at the frame under the cursor."""
        self._show_counts()
        group = self.table.group
        if self.snapshot.is_live or group is None or self.snapshot.goal - 1 in group:
            return  # the session is already there: a step in time is finer than a row
        self._go_to(group.last.index + 1)

    def on_frames_counted(self) -> None:
        """Update the counts."""
        self._show_counts()

    def _show_counts(self) -> None:
        table, filtering = self.table, isinstance(self._ask, FilterAsk)
        counts = inspector_status(
            self.source,
            table.following,
            table.goal,
            self.agent_label,
            played=table.played_time,
            breakpoints=self._state.holding.breakpoints_on,
            filtering=filtering,
        )
        self.status.update(allows_all_warning(self._state) + counts)

    def _show_held(self) -> None:
        """List the frames held at breakpoints, if any."""
        waits = self.is_active and bool(self._state.holding.frames)
        if waits:
            self._held.update(queue_rows(self._state.holding, self._clock()))
        self._held.display = waits

    async def action_breakpoint(self) -> None:
        """Ask for a breakpoint; suggest one for frames like the one under the cursor."""
        group = self.table.group
        text = "" if group is None else filter_for(group.first)
        await self._show_bar(BreakpointAsk(text, self.source.log, self._hold))

    # Earlier states of the session

    def action_split(self) -> None:
        """Show or hide the transcript."""
        self.toggle_class("-split")
        if (self.has_class("-split") and self.snapshot.is_live) or (
            not self.has_class("-split") and not self.snapshot.is_live
        ):
            self.snapshot.show_live(self._session_here())
            self.show_hints()

    def action_back(self) -> None:
        """Show the session one record earlier."""
        self._step_in_time(-1)

    def action_forth(self) -> None:
        """Show the session one record later."""
        self._step_in_time(1)

    def _step_in_time(self, step: int) -> None:
        group = self.table.group
        if group is None:
            return
        self.frames.show_now()  # a step in time is finer than a row
        if self.snapshot.is_live:
            self._split_by_step = not self.has_class("-split")
            self.add_class("-split")
            self._go_to(group.first.index + 1)
            return
        goal = min(max(self.snapshot.goal + step, 1), len(self.source.log))
        self._go_to(goal)
        with self.prevent(FrameTable.CursorMoved):
            self.table.go_to_record(goal - 1)
        self.frames.show_now()

    def _go_to(self, position: int) -> None:
        self.snapshot.show_position(position, self._session_here())
        self.show_hints()

    def _session_here(self) -> str | None:
        """Return the session id of the frame under the cursor, or of the session opened last."""
        group = self.table.group
        if group is not None and group.first.session:
            return group.first.session
        opened = [session for session in self._state.sessions.values() if session.opened]
        return opened[-1].session_id if opened else None

    # The input line

    async def action_filter(self) -> None:
        """Ask for a filter; in the detail, for text to find in the frame."""
        detail = self.frames.detail
        await self._show_bar(FindAsk(detail) if detail.has_focus else FilterAsk(self.table))

    async def action_seek(self) -> None:
        """Ask for a position in the log."""
        await self._show_bar(SeekAsk(self.source.log.records, self.table.go_to_record))

    async def _show_bar(self, ask: Ask) -> None:
        for bar in self.query(AskBar):
            bar.remove()
        self._ask = ask
        self.status.forget()
        self.show_hints()
        await self.mount(AskBar(ask), before=self.status)

    def on_ask_bar_input_closed(self, event: AskBar.InputClosed) -> None:
        """Return the focus to the table or the detail."""
        event.stop()
        ask, self._ask = self._ask, None
        self._show_counts()
        self.show_hints()
        (self.frames.detail if isinstance(ask, FindAsk) else self.table).focus()

    # Pages

    def action_statistics(self) -> None:
        """Show the statistics page."""
        lines = list(statistics_lines(self.source.log, min(WIDEST, self.size.width) - 4))
        self.app.push_screen(StatisticsPage("Statistics of this session", lines))

    def action_waterfall(self) -> None:
        """Show the waterfall of the turn under the cursor."""
        at = self.table.at
        log = self.source.log
        prompt = find_prompt(log, at) if at is not None else None
        if prompt is None:
            where = "had begun by then" if log.prompts else "so far"
            self.status.show_note(f"no turn {where}: after a prompt, w shows its time")
            return
        width = min(WIDEST, self.size.width) - 4
        self.app.push_screen(
            WaterfallPage(self.source, prompt, width, self._now), self._go_to_record
        )

    def _go_to_record(self, index: int | None) -> None:
        if index is not None:
            self.frames.go_to_record(index)

    def _now(self) -> float | None:
        """Return the time; None once the agent is gone."""
        return None if self._state.peer.unreachable_reason is not None else self._clock()

    def action_columns(self) -> None:
        """Choose the columns."""
        self.app.push_screen(
            ColumnsPage(self.table.hidden, column_needs(self.source.log), self.table.width),
            self._use_columns,
        )

    def _use_columns(self, hidden: set[str] | None) -> None:
        if hidden is not None:
            self.table.choose_columns(hidden)
            self._choices.hide_columns(hidden)

    def action_save(self) -> None:
        """Save the filtered records to a file."""
        self.files.write_shown()

    def action_report(self) -> None:
        """Write a bug report about the frame under the cursor."""
        if self.table.at is not None:
            self.files.write_report(self.table.at)

    # Closing

    def action_close(self) -> None:
        """Close one thing for each press: the file being written, the search, the detail, the
        earlier state, the filter, the screen.
        """
        if self.files.cancel():
            self.status.show_note("canceling…")
        elif self.frames.detail.has_focus and self.frames.detail.is_searched:
            self.frames.detail.find("")
            self.show_hints()
        elif self.frames.detail.has_focus:
            self.table.focus()
        elif not self.snapshot.is_live and self._split_by_step:
            self.action_split()  # show the detail again, which the transcript had replaced
        elif not self.snapshot.is_live:
            self.snapshot.show_live(self._session_here())
            self.show_hints()
        elif self.source.filter or self.source.only is not None:
            self.source.choose("")
            self.table.refilter()
        else:
            self.dismiss()
