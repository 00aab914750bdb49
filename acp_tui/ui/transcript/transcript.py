"""The transcript of a session: shows its changes, and handles keys and clicks."""

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual import events
from textual.actions import SkipAction
from textual.message import Message
from textual.selection import Selection

from acp_tui.protocol.content import Diff, FileChange, SessionRef
from acp_tui.protocol.events import Record
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.changes import Change, EntryAdded, EntryChanged, TerminalChanged, TurnChanged
from acp_tui.state.entries import Entry, SubagentEntry, ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.textual_fixes.line_scroll_view import DrawnRow
from acp_tui.ui.transcript import bindings, entry_cursor, entry_markdown
from acp_tui.ui.transcript.clicks import Clicks
from acp_tui.ui.transcript.document import Document, LinePlace
from acp_tui.ui.transcript.document_view import DocumentView
from acp_tui.ui.transcript.entries.context import Context
from acp_tui.ui.transcript.entries.entry_view import ViewOf
from acp_tui.ui.transcript.folds import Folds, RowMark
from acp_tui.ui.transcript.links import Links
from acp_tui.ui.transcript.ports import Outside
from acp_tui.ui.transcript.search import Search, SearchCursor
from acp_tui.ui.transcript.selected_text import Copier
from acp_tui.ui.transcript.selection import ScreenSelection


@dataclass
class ShownSession:
    """The session in a transcript: creates its document, and passes on its changes."""

    state: State
    session_id: str | None
    outside: Outside
    view_of: ViewOf
    clock: Callable[[], float]
    records: Sequence[Record] = ()

    def document(self) -> Document:
        """Return the session's document with the display choices; empty if it is unknown."""
        session = self.state.sessions.get(self.session_id or "", Session(""))
        context = Context(self.state, session, self.clock, self.records, shows_agent_exit=True)
        context.with_chips = self.outside.with_chips
        context.split = self.outside.split_diffs
        context.folds = dict(self.outside.folds)
        return Document(context, self.view_of)

    def release(self) -> None:
        """Drop the references to the session."""
        self.state, self.session_id = State(), None

    def apply(self, changes: Iterable[Change], transcript: "Transcript") -> None:
        """Mark the changed entries; they are drawn in the next frame."""
        for change in changes:
            match change:
                case EntryAdded() | EntryChanged() if change.session_id == self.session_id:
                    session = self.state.sessions.get(change.session_id)
                    if session is not transcript.document.context.session:
                        transcript.show(change.session_id)
                    if not transcript.following and change.index >= transcript.last_on_screen:
                        transcript.show_new_below()
                    transcript.mark_dirty((change.index,))
                case TurnChanged(session_id=self.session_id):
                    transcript.mark_dirty(transcript.document.unsettled)
                case TerminalChanged(terminal_id=terminal_id):
                    transcript.mark_dirty(transcript.document.showing(terminal_id))


class Transcript(DocumentView):
    """The entries of a session, with a cursor that moves between them."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS = bindings.TRANSCRIPT  # type: ignore[assignment]

    filter_key: Callable[[events.Key], Awaitable[None]] | None = None
    """Called with each key first; it may stop the event."""

    class Marked(Message):
        """Enter does something else now: another entry is marked, or it was opened or folded."""

    class Selecting(Message):
        """A selection by keyboard began or ended."""

    @dataclass
    class MatchesCounted(Message):
        """The matches so far, whether the search is complete, and the current one from 1."""

        count: int
        complete: bool
        number: int | None = None

    class SearchLeft(Message):
        """Posted when the user ends the search."""

    def __init__(
        self,
        state: State,
        session_id: str | None,
        outside: Outside,
        view_of: ViewOf,
        *,
        clock: Callable[[], float] = time.monotonic,
        records: Sequence[Record] = (),
    ) -> None:
        self._outside = outside
        self._shown = ShownSession(state, session_id, outside, view_of, clock, records)
        self._mark = RowMark(self, lambda: self.post_message(self.Marked()))
        self._links = Links(outside, self.refresh, self._screen_rows)
        super().__init__(self._shown.document())
        self._search = SearchCursor(
            self, self.cursor, lambda *news: self.post_message(self.MatchesCounted(*news))
        )
        self._selected = ScreenSelection(self, lambda: self.post_message(self.Selecting()))
        self._copier = Copier(self, self.cursor, self._copied, self.set_timer)
        self._folds = Folds(self, self.cursor, outside, self._selected.clear)
        self._clicks = Clicks(self, self.action_open, self._selected, self._folds, self._links)

    def on_unmount(self) -> None:
        """Release the session: removed widgets are in reference cycles, collected much later."""
        self._shown.release()
        self._search.search = None
        self.forget_rows()
        self.document = self._shown.document()

    def show(self, session_id: str | None) -> None:
        """Show another session, from its end."""
        self._selected.drop()
        self._shown.session_id = session_id
        self._search.search = None
        self.open_document(self._shown.document())

    def show_entry(self, session_id: str, index: int) -> None:
        """Show an entry of a session, and put the cursor on it."""
        if session_id != self._shown.session_id:
            self.show(session_id)
        if index < len(self.document):
            self.cursor.go_to(index)
            self._mark.defer_update()

    def changed(self, changes: Iterable[Change]) -> None:
        """Mark the changed entries; they are drawn in the next frame."""
        self._shown.apply(changes, self)

    # Moving

    async def on_key(self, event: events.Key) -> None:
        """Pass a key to the filter before its binding; while labels are shown, it is for them."""
        self._mark.defer_update()
        if self._links.have_letters:
            event.stop()
            event.prevent_default()
            self._links.handle_key(event)
        elif self.filter_key is not None:
            await self.filter_key(event)

    def on_focus(self) -> None:
        """Put the cursor on an entry that is on screen."""
        self.cursor.keep_on_screen()
        self.cursor.place()
        self._mark.defer_update()

    def on_blur(self) -> None:
        """Remove the mark."""
        self._mark.defer_update()

    @property
    def enter(self) -> str:
        """A word for what Enter does with the marked entry; "" if nothing."""
        return self._mark.enter

    @property
    def grounded(self) -> LinePlace | None:
        return self._mark.place

    @property
    def current(self) -> int | None:
        """The entry that keys act on."""
        return self.cursor.current

    def action_cursor(self, step: int) -> None:
        if self.is_selecting:
            self.action_extend(step)
        else:
            self.cursor.move(step)

    def action_lines(self, step: int) -> None:
        self.scroll_to_line(self.top + step)

    def action_pages(self, step: int) -> None:
        """Scroll by a screen less one row, or extend the selection by as much."""
        far = step * max(1, self.rows - 1)
        if self.is_selecting:
            self.action_extend(far)
        else:
            self.scroll_to_line(self.top + far)

    def action_home(self) -> None:
        if self.is_selecting:
            self.action_extend(-self.document.height)
        else:
            self.cursor.go_to_first()

    def action_end(self) -> None:
        if self.is_selecting:
            self.action_extend(self.document.height)
        else:
            self.cursor.go_to_last()

    def action_jump(self, kind: str, step: int) -> None:
        if not self.cursor.jump(kind, step):
            self._outside.show_note(entry_cursor.describe_missing(kind, step))

    def action_change(self, step: int) -> None:
        """Select the next change in a diff, or the previous one, counted from the selection."""
        from acp_tui.ui.transcript.changes import go_to_change  # deferred: it loads diffs

        change = go_to_change(self, self.cursor, self.text_selection, step)
        if change is None:
            self._outside.show_note(entry_cursor.describe_missing("change", step))
        else:
            self._selected.select_rows(*change)

    def action_hint_links(self) -> None:
        self._links.show_letters()

    def _screen_rows(self) -> list[DrawnRow]:
        """Return the rows on screen without link labels."""
        return [super(Transcript, self).row(y) for y in range(self.rows)]

    def row(self, y: int) -> DrawnRow:
        return self._links.drawn(y, super().row(y))

    # Actions on an entry

    def action_toggle_entry(self) -> None:
        if self.current is not None:
            self.toggle_entry(self.current)

    def toggle_entry(self, index: int) -> None:
        """Open or fold an entry."""
        self._folds.toggle(index)

    def action_toggle_kind(self) -> None:
        self._folds.toggle_kind()

    def action_split_diffs(self) -> None:
        self._folds.split_diffs()

    def apply_preferences(self) -> None:
        """Apply the diff layout and the folds that were chosen in an earlier run."""
        self._folds.apply_split()
        self._folds.apply_folds()

    def action_open(self) -> None:
        entry = self.document.entries[self.current] if self.current is not None else None
        open_target(entry, self._outside)

    def on_click(self, event: events.Click) -> None:
        """Open what is clicked, else move the cursor there; double or triple clicks select."""
        if self._clicks.handle(event):
            self._mark.defer_update()

    # Selecting

    @property
    def is_selecting(self) -> bool:
        """Whether movement keys extend a selection."""
        return self._selected.lines.is_active

    def action_select(self) -> None:
        self._selected.lines.toggle()

    def action_extend(self, lines: int) -> None:
        self._selected.lines.extend(lines)

    def action_end_selection(self) -> None:
        """Clear a selection by keyboard, else end the search, else clear it; or pass the key on."""
        if self._search.search is not None and not self.is_selecting:
            self.post_message(self.SearchLeft())
        elif self.text_selection is not None:
            self._selected.clear()
        else:
            raise SkipAction

    def selection_updated(self, selection: Selection | None) -> None:
        super().selection_updated(selection)
        if selection is None:
            self._selected.lines.clear()

    def rewrap(self) -> None:
        super().rewrap()
        self._mark.defer_update()

    def wrap_for_width(self) -> None:
        if not self.is_wrapped and self.text_selection is not None:
            self._selected.clear()  # its line numbers are about to change
        super().wrap_for_width()

    def scrolled(self) -> None:
        super().scrolled()
        self._mark.defer_update()

    def frame(self) -> None:
        super().frame()
        self._mark.follow_document()

    # Searching

    @property
    def matches(self) -> Search | None:
        return self._search.search

    def lay_out(self, until: float) -> bool:
        done = super().lay_out(until)
        return self._search.run(self.document.touched, until) and done

    def search(self, text: str) -> None:
        """Search for a text while it is typed; an empty one ends the search."""
        self._search.start(text)

    def search_here(self) -> None:
        """Put the cursor on the current match, and open the entry that hides it."""
        self._search.open_current()

    def action_search_next(self) -> None:
        self._search.go_to_next(1)

    def action_search_previous(self) -> None:
        self._search.go_to_next(-1)

    # Copying

    def action_copy(self) -> None:
        self._copier.copy_text(self.text_selection)

    def action_copy_markdown(self) -> None:
        self._copier.copy_markdown(self.text_selection)

    def action_copy_code(self) -> None:
        code = self._copier.next_code()
        if code is not None:
            self._outside.copy(*code)
        elif self.current is not None:
            self._outside.show_note("no code to copy in this entry")

    def _copied(self, text: str) -> None:
        self._outside.copy(text)
        self._selected.clear()


def open_target(entry: Entry | None, outside: Outside) -> None:
    """Open an entry's subagent session, else its images, else the file that it works on."""
    sessions = linked_sessions_of(entry)
    images = list(entry_markdown.entry_images(entry)) if entry is not None else []
    location = location_of(entry)
    if sessions:
        outside.show_session(sessions[0])
    elif images:
        outside.open_images(images)
    elif location is not None:
        outside.edit(location.path, location.line)
    else:
        outside.show_note("nothing to open in this entry")


def linked_sessions_of(entry: Entry | None) -> list[str]:
    """Return the ids of the subagent sessions that an entry links to, in order."""
    if isinstance(entry, SubagentEntry):
        return [entry.session_id]
    content = entry.content if isinstance(entry, ToolCallEntry) else []
    return [item.session_id for item in content if isinstance(item, SessionRef)]


def location_of(entry: Entry | None) -> ToolCallLocation | None:
    """Return a tool call's first location, else the file that it changes."""
    if not isinstance(entry, ToolCallEntry):
        return None
    changed = (
        ToolCallLocation(path=one.path)
        for one in entry.content
        if isinstance(one, Diff | FileChange) and one.path
    )
    return next((place for place in (*entry.locations, *changed)), None)
