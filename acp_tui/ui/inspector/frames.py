"""The table of frames with the detail of the marked one: in the inspector, or beside the
conversation.
"""

import json
from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.timer import Timer

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.findings import Severity
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.recordings.recording import format_record
from acp_tui.state.state import State
from acp_tui.text import clean_line, clean_text, reveal_escapes
from acp_tui.ui.inspector import links
from acp_tui.ui.inspector.detail import Detail
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.status import frames_and_events
from acp_tui.ui.inspector.table import BUDGET, PAUSE, FrameTable
from acp_tui.ui.keys import key_name
from acp_tui.ui.toolkit.clipboard import too_long
from acp_tui.ui.toolkit.timers import DeferredWork

_SHELL = {
    **{byte: f"\\{byte:03o}" for byte in (*range(0x20), *range(0x7F, 0x100))},
    ord("'"): "'\\''",
    ord("\\"): "\\\\",
    ord("%"): "%%",
}


def as_line(record: Record) -> str:
    """Return the frame's line as it was sent, with escapes for characters that a terminal would
    interpret.
    """
    if not isinstance(record, Frame):
        return format_record(record)
    text = record.raw.decode("utf-8", "replace")
    if clean_line(text) == text:
        return text
    value = jsonrpc.decode(record.raw)
    if isinstance(value, Malformed):
        return clean_line(reveal_escapes(text))
    return json.dumps(value, separators=(",", ":"))


def frame_json(record: Record) -> str:
    """Return the frame's JSON, indented; its line if it isn't JSON."""
    value = (
        jsonrpc.decode(record.raw)
        if isinstance(record, Frame)
        else json.loads(format_record(record))
    )
    if isinstance(value, Malformed):
        return as_line(record)
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text if clean_text(text) == text else json.dumps(value, indent=2)


def as_command(frame: Frame) -> str:
    """Return a shell command that prints exactly the frame's bytes, for piping into an agent."""
    line = frame.raw.decode("latin-1").translate(_SHELL)
    return f"printf '{line}\\n' |"


class FramesPort(Protocol):
    """The surroundings of a `Frames` widget."""

    played: Callable[[], int] | None
    """Returns the number of records played so far; None if this isn't a replay."""

    def show_note(self, words: str) -> None:
        """Show a note below the screen in front."""

    def copy(self, text: str, confirmation: str) -> None:
        """Copy a text and confirm it with `confirmation`, or explain why it is too long."""

    def show_entry(self, session_id: str, index: int) -> None:
        """Go to an entry of the transcript."""


class Frames(Container):
    """A table of frames and the detail. Finds an entry's frames, and a frame's entry."""

    class Settled(Message):
        """The cursor has rested on another record."""

    class Counted(Message):
        """The numbers of frames and findings have changed."""

    def __init__(self, state: State, source: LogSource, outside: FramesPort) -> None:
        super().__init__(id="frames")
        self.source = source
        self.table = FrameTable(source)
        self.table.played = outside.played
        self.detail = Detail()
        self._state = state
        self._outside = outside
        self._deferred_show = DeferredWork(self, self._post_settled)
        """Shows the frame under the cursor in full once the cursor rests; frames that it only
        passes aren't laid out.
        """
        self._search_timer: Timer | None = None
        self._target_frame: int | None = None
        self._seeks_finding = False
        self._finding: int | None = None
        self._target_entry: tuple[str, int] | None = None
        self._search: links.EntryFrames | None = None

    def compose(self) -> ComposeResult:
        yield self.table
        yield self.detail

    def wake(self) -> None:
        """Read new frames."""
        self.table.wake()

    # The cursor

    def on_frame_table_cursor_moved(self) -> None:
        """Show the frame under the cursor once the cursor stops."""
        self._deferred_show.defer()

    def show_now(self) -> None:
        """Show the frame under the cursor now, without posting `Settled`."""
        self._deferred_show.cancel()
        self.table.show(self.table.group)
        self.detail.follow(self.table.group)  # an unchanged one keeps its folds and marked line

    def _post_settled(self) -> None:
        self.show_now()
        self.post_message(self.Settled())

    def on_frame_table_source_read(self, event: FrameTable.SourceRead) -> None:
        """Go to the requested frame or entry, if it has been read now."""
        event.stop()
        if event.news:
            self._go_to_target()
            if not self._deferred_show.is_pending:
                self.table.show(self.table.group)
                self.detail.follow(self.table.group)
        self.post_message(self.Counted())

    def on_frame_table_nothing(self, event: FrameTable.Nothing) -> None:
        """Explain why a key did nothing."""
        event.stop()
        self._outside.show_note(event.words)

    def on_frame_table_opened(self, event: FrameTable.Opened) -> None:
        """Focus the detail."""
        event.stop()
        if self._has_room():
            self.show_now()
            self.detail.focus()

    def toggle_raw(self) -> None:
        """Toggle between the frame's bytes and its JSON."""
        if self._has_room():
            self.detail.toggle_raw()

    def _has_room(self) -> bool:
        """Return whether the detail is on screen; if not, explain why."""
        if not self.detail.display:
            where = f"{key_name('f12')} shows all of it"
            self._outside.show_note(f"no room for the frame itself here: {where}")
        return bool(self.detail.display)

    # From an entry to its frames, and back

    def show_frame(self, number: int) -> None:
        """Go to a frame by its number, once it is read."""
        self._target_frame = number
        self._go_once_read()

    def show_newest_finding(self) -> None:
        """Go to the newest error or warning, once the whole log is read."""
        self._seeks_finding = True
        self._go_once_read()

    @property
    def at_finding(self) -> bool:
        """Whether the cursor is at the newest finding, or on its way there."""
        group, goal = self.table.group, self.table.goal
        goes = self._seeks_finding or (goal is not None and goal == self._finding)
        return goes or (group is not None and self._finding in group)

    def go_to_record(self, index: int) -> None:
        """Go to a record; clear the filter if it hides the record."""
        view = self.source.view
        if not len(view) or index not in view[view.position_of(index)]:
            self._show_all()
        self.table.go_to_record(index)

    def show_entry(self, session_id: str, index: int) -> None:
        """Go to an entry's frames, once they are read."""
        self._target_entry = (session_id, index)
        self._go_once_read()

    def _go_once_read(self) -> None:
        self.table.wake(PAUSE)
        self._go_to_target()

    def _go_to_target(self) -> None:
        log = self.source.log
        if len(log) < len(log.records):
            return
        if self._target_frame is not None:
            number, self._target_frame = self._target_frame, None
            if number in log.numbers:
                self._show_all()
                self.table.go_to_record(log.numbers.index(number))
        if self._seeks_finding:
            self._seeks_finding = False
            place = log.findings.last(Severity.ERROR, Severity.WARNING)
            self._finding = place
            if place is not None:
                self._show_all()
                self.table.go_to_record(place)
        if self._target_entry is not None:
            (session_id, index), self._target_entry = self._target_entry, None
            session = self._state.sessions.get(session_id)
            if session is not None and index < len(session.entries):
                self._search = links.EntryFrames(log, session, index)
                self._search_on()

    def _search_on(self) -> None:
        """Search a slice of the log for an entry's frames; go to the first once all are found."""
        if self._search_timer is not None:
            self._search_timer.stop()
            self._search_timer = None
        search = self._search
        if search is None:
            return
        if not search.work(perf_counter() + BUDGET):
            self._outside.show_note(f"looking for its messages: {search.share:.0%}")
            self._search_timer = self.set_timer(PAUSE, self._search_on)
            return
        self._search = None
        self.table.linked = search.found
        if search.found:
            self._show_all()
            self.table.go_to_record(search.found[0])
            frames = sum(self.source.log.numbers[at] > 0 for at in search.found)
            count = frames_and_events(frames, len(search.found) - frames)
            self._outside.show_note(f"{count} made this entry (▎); o shows only these")

    def _show_all(self) -> None:
        """Clear the filter, which might hide the requested frame."""
        if self.source.only is not None or self.source.filter:
            self.source.choose("")
            self.table.refilter()

    def show_entry_of_frame(self) -> None:
        """Go to the transcript entry of the frame under the cursor."""
        at = self.table.at
        found = links.entry_of(self.source.log, self._state, at) if at is not None else None
        if found is None:
            self._outside.show_note("nothing in the transcript belongs to this frame")
        else:
            self._outside.show_entry(*found)

    def copy(self) -> None:
        """Copy the frame under the cursor as one line."""
        record = self._record_to_copy()
        if record is not None:
            self._outside.copy(as_line(record), "copied as one line")

    def copy_as(self) -> None:
        """Copy a frame sent to the agent as a command that prints it, any other as JSON."""
        record = self._record_to_copy()
        if isinstance(record, Frame) and record.direction is Direction.OUT:
            self._outside.copy(as_command(record), "copied as a command: printf … |")
        elif record is not None:
            self._outside.copy(frame_json(record), "copied as JSON")

    def _record_to_copy(self) -> Record | None:
        """Return the record under the cursor; if it is too long to copy, explain that without
        reading it.
        """
        group = self.table.group
        if group is None:
            return None
        row = group.first
        if refused := too_long(row.size if row.spread is None else row.whole_size):
            self._outside.show_note(f"{refused}; e saves what is shown")
            return None
        return row.whole

    def toggle_only(self) -> None:
        """Toggle between all frames and only those of the entry that was last gone to."""
        if not self.table.linked:
            self._outside.show_note(
                f"press i or {key_name('f12')} on an entry of the transcript first"
            )
            return
        shown = self.source.only is not None
        self.source.choose_only(None if shown else frozenset(self.table.linked))
        self.table.refilter()


class FrameActions:
    """Actions on the frame under the cursor, in the inspector and beside the conversation."""

    frames: "Frames"

    def action_entry(self) -> None:
        """Go to the transcript entry of the frame under the cursor."""
        self.frames.show_entry_of_frame()

    def action_finding(self, step: int) -> None:
        """Go to the next or previous finding."""
        self.frames.table.action_finding(step)

    def action_partner(self) -> None:
        """Go from a request to its response, or back."""
        self.frames.table.action_partner()

    def action_copy(self) -> None:
        """Copy the frame under the cursor as one line."""
        self.frames.copy()

    def action_copy_as(self) -> None:
        """Copy the frame as a command that prints it, or as JSON."""
        self.frames.copy_as()

    def action_only(self) -> None:
        """Toggle between all frames and only those of the entry that was last gone to."""
        self.frames.toggle_only()

    def action_raw(self) -> None:
        """Toggle between the frame's bytes and its JSON."""
        self.frames.toggle_raw()
