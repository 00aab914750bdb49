"""The transcript of a session: what moves in it, and what its keys and clicks do."""

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.actions import SkipAction
from textual.geometry import Offset
from textual.message import Message
from textual.selection import Selection

from acp_tui.session.changes import Change, EntryAdded, EntryChanged, TerminalChanged, TurnChanged
from acp_tui.session.state import Session, State
from acp_tui.ui import bindings
from acp_tui.ui.textual_fixes.line_scroll_view import Row
from acp_tui.ui.transcript import entry_markdown
from acp_tui.ui.transcript.copier import Copier
from acp_tui.ui.transcript.document import Document
from acp_tui.ui.transcript.document_view import DocumentView
from acp_tui.ui.transcript.entries.context import Context, Fold, ViewOf
from acp_tui.ui.transcript.locations import location_of
from acp_tui.ui.transcript.outside import Outside
from acp_tui.ui.transcript.place import GUTTER, Place
from acp_tui.ui.transcript.resting_mark import RestingMark
from acp_tui.ui.transcript.search import Search
from acp_tui.ui.transcript.search_cursor import SearchCursor
from acp_tui.ui.transcript.selection import LineSelection, clicked_selection
from acp_tui.wire.recording import Record

if TYPE_CHECKING:
    from acp_tui.ui.transcript.link_hints import LinkHints

_ACTS = {"link", "path", "end", "toggle", "open"}
"""The names by which a part of a line says what a click on it does."""


class Transcript(DocumentView):
    """The entries of a session, with a cursor that moves between them."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS = bindings.TRANSCRIPT  # type: ignore[assignment]

    looks_at_key: Callable[[events.Key], Awaitable[None]] | None = None
    """Gets each key first, and may stop it."""

    class Marked(Message):
        """Enter does something else now: another entry is marked, or it was opened or folded."""

    class Selecting(Message):
        """A selection by keys began or ended."""

    @dataclass
    class Searched(Message):
        """How many matches there are so far, if that is all, and which is current, from 1."""

        count: int
        complete: bool
        number: int | None = None

    class SearchLeft(Message):
        """The reader ends the search."""

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
        self._state = state
        self._outside = outside
        self._view_of = view_of
        self._clock = clock
        self._records = records
        self._session_id = session_id
        self._mark = RestingMark(self, lambda: self.post_message(self.Marked()))
        super().__init__(self._new_document())
        self._copier = Copier(self, self.cursor, self._copied, self.set_timer)
        self._search = SearchCursor(
            self, self.cursor, lambda *news: self.post_message(self.Searched(*news))
        )
        self._selection = LineSelection(
            self, self.cursor, self._select, lambda: self.post_message(self.Selecting())
        )
        self._links: LinkHints | None = None

    def on_unmount(self) -> None:
        """Let go of the session: what is left of a widget is only found as garbage, much later."""
        self._state = State()
        self._search.search = None
        self.forget_rows()
        self.document = self._new_document()

    def _new_document(self) -> Document:
        session = self._state.sessions.get(self._session_id or "", Session(""))
        context = Context(self._state, session, self._clock, self._records, tells_end=True)
        context.split = self._outside.split_diffs
        context.folds = dict(self._outside.folds)
        return Document(context, self._view_of)

    def show(self, session_id: str | None) -> None:
        """Show another session, from its end."""
        if self.is_selecting:
            self._selection.clear()
            self.screen.clear_selection()
        self._session_id = session_id
        self._search.search = None
        self.open_document(self._new_document())

    def show_entry(self, session_id: str, index: int) -> None:
        """Put the cursor on an entry."""
        if session_id != self._session_id:
            self.show(session_id)
        if index < len(self.document):
            self.cursor.go(index)
            self._mark.wait()

    def changed(self, changes: Iterable[Change]) -> None:
        """Note what moved; it is drawn with the next frame."""
        for change in changes:
            match change:
                case EntryAdded() | EntryChanged():
                    self._entry_changed(change)
                case TurnChanged(session_id=self._session_id):
                    self.mark_dirty(self.document.unsettled)
                case TerminalChanged(terminal_id=terminal_id):
                    self.mark_dirty(self.document.showing(terminal_id))

    def _entry_changed(self, change: EntryAdded | EntryChanged) -> None:
        if change.session_id != self._session_id:
            return
        if self._state.sessions.get(change.session_id) is not self.document.context.session:
            self.show(change.session_id)
        if not self.following and change.index >= self.last_on_screen:
            self.tell_new_below()
        self.mark_dirty((change.index,))

    # Moving

    async def on_key(self, event: events.Key) -> None:
        """Let a key be looked at before it is a command; while links have letters, it is one of these."""
        self._mark.wait()
        if self._links is not None and self._links.is_shown:
            event.stop()
            event.prevent_default()
            self._links.take(event)
        elif self.looks_at_key is not None:
            await self.looks_at_key(event)

    def on_focus(self) -> None:
        """Put the cursor where the reader looks."""
        self.cursor.place()
        self._mark.wait()

    def on_blur(self) -> None:
        """Take the mark away."""
        self._mark.wait()

    @property
    def enter(self) -> str:
        """What Enter does with the marked entry, as it was when keys rested; empty if nothing."""
        return self._mark.enter

    @property
    def grounded(self) -> Place | None:
        return self._mark.place

    @property
    def current(self) -> int | None:
        """The entry that keys work on."""
        return self.cursor.current

    def action_cursor(self, step: int) -> None:
        if self.is_selecting:
            self.action_extend(step)
        else:
            self.cursor.move(step)

    def action_lines(self, step: int) -> None:
        self.scroll_to_line(self.top + step)

    def action_pages(self, step: int) -> None:
        lines = step * max(1, self.rows - 1)
        if self.is_selecting:
            self.action_extend(lines)
        else:
            self.scroll_to_line(self.top + lines)

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
            self.app.bell()

    def action_change(self, step: int) -> None:
        """Select the next change in a diff, or the one before: the selection is where one goes on from."""
        selection = self.text_selection
        begun = selection.start if selection is not None else None
        edge = self.top - 1 if step > 0 else self.top + self.rows
        at = begun.y if begun is not None else edge
        from acp_tui.ui.transcript.changes import next_change  # at a start nobody looks for one

        found = next_change(self.document, at, step)
        if found is None:
            self.app.bell()
            return
        index, first, last = found
        self.cursor.index = index
        if not self.top <= first <= last < self.top + self.rows:
            self.scroll_to_line(max(0, first - self.rows // 4))
        self.stay()
        self._select(Selection(Offset(GUTTER, first), Offset(self.size.width, last)))
        self.refresh()

    def action_hint_links(self) -> None:
        """Put letters on the links on screen."""
        from acp_tui.ui.transcript.link_hints import LinkHints

        if self._links is None:
            self._links = LinkHints(self._outside, self.refresh, self._screen_rows)
        if not self._links.show():
            self._outside.say("there is no link on the screen")

    def _screen_rows(self) -> list[Row]:
        """Return what is on screen, without letters on links."""
        return [super(Transcript, self).row(y) for y in range(self.rows)]

    def row(self, y: int) -> Row:
        row = super().row(y)
        if self._links is None or not self._links.is_shown:
            return row
        return Row(self._links.drawn(y, row), row.cell_length)

    # What can be done with an entry

    def action_toggle_entry(self) -> None:
        if self.current is not None:
            self.toggle_entry(self.current)

    def toggle_entry(self, index: int) -> None:
        """Open or fold an entry; its first line stays where it is if what opens can be seen."""
        self.cursor.index = index
        self.screen.clear_selection()
        self.document.view(index).toggle()
        self.hold(index, reveal=True)

    def action_toggle_kind(self) -> None:
        """Open or fold all entries of one kind, also those to come."""
        view = self.document.view(self.current) if self.current is not None else None
        if view is None or view.kind is None:
            self._outside.say("there is nothing to fold of this kind")
            return
        opens = view.fold is Fold.FOLDED
        fold = Fold.OPEN if opens else Fold.FOLDED
        self._fold_all({view.kind: fold})
        self._outside.keep_fold(view.kind, fold)
        self._outside.say(f"all {view.kind} {'open' if opens else 'folded'}, in later runs, too")

    def fold_as_wanted(self) -> None:
        """Fold and open what was wanted so in an earlier run."""
        known = self.document.context.folds
        wanted = self._outside.folds.items()
        self._fold_all({kind: fold for kind, fold in wanted if kind not in known})

    def _fold_all(self, folds: Mapping[str, Fold]) -> None:
        """Fold and open all of these kinds; the marked entry stays where it is."""
        for kind, fold in folds.items():
            self.document.fold_all(kind, fold)
        if folds:
            self.screen.clear_selection()
            if self.current is not None:
                self.hold(self.current)
            else:
                self.frame()

    def action_split_diffs(self) -> None:
        split = self.split_diffs()
        self._outside.keep_split(split)
        self._outside.say("diffs side by side" if split else "diffs in one column")

    def draw_diffs_as_wanted(self) -> None:
        """Draw diffs as they were chosen to be in an earlier run."""
        wanted = self._outside.split_diffs
        if wanted is not None and self.document.context.split is None:
            self.document.context.split = not wanted
            self.split_diffs()

    def action_open(self) -> None:
        entry = self.document.entries[self.current] if self.current is not None else None
        images = list(entry_markdown.images(entry)) if entry is not None else []
        if images:
            self._outside.open_images(images)
        elif (location := location_of(entry)) is not None:
            self._outside.edit(location.path, location.line)
        else:
            self._outside.say("nothing to open in this entry")

    def on_click(self, event: events.Click) -> None:
        """Open what is clicked on, else put the cursor there; more clicks select text."""
        if self._selects(event) or self.text_selection is not None:
            return
        self._mark.wait()
        meta, line = event.style.meta, event.y + self.top
        if "link" in meta or "path" in meta:
            self._follow_link(event.x, event.y)
        elif "end" in meta:
            self.action_end()
        elif line < self.document.height:
            index = self.document.locate(line).entry
            self.cursor.index = index
            if "toggle" in meta:
                self.toggle_entry(index)
            elif "open" in meta:
                self.action_open()
            self.refresh()

    def _follow_link(self, x: int, y: int) -> None:
        from acp_tui.ui.transcript.link_hints import follow, link_at

        link = link_at(self._screen_rows(), x, y)
        if link is not None:
            follow(link, self._outside)

    # Selecting

    @property
    def is_selecting(self) -> bool:
        """Whether the keys that move extend a selection."""
        return self._selection.is_active

    def action_select(self) -> None:
        self._selection.toggle()

    def action_extend(self, lines: int) -> None:
        self._selection.extend(lines)

    def action_end_selection(self) -> None:
        """End a selection, else the search; without both the key means something else."""
        if self._search.search is not None and not self.is_selecting:
            self.post_message(self.SearchLeft())
        elif self.text_selection is not None:
            self.screen.clear_selection()
        else:
            raise SkipAction

    def _selects(self, event: events.Click) -> bool:
        """Select a word by two clicks on a text, its line by three; return whether it does so.

        Textual would select all there is.
        """
        if event.chain < 2:
            return False
        event.prevent_default()
        if event.style.meta.keys() & _ACTS:
            return False
        offset = Offset(event.x, event.y + self.top)
        selection = clicked_selection(self.document, offset, event.chain)
        if selection is not None:
            self._select(selection)
        return True

    def _select(self, selection: Selection | None) -> None:
        if selection is None:
            self.screen.clear_selection()
        else:
            self.screen.selections = {self: selection}
            self.selection_updated(selection)

    def selection_updated(self, selection: Selection | None) -> None:
        super().selection_updated(selection)
        if selection is None:
            self._selection.clear()

    def rewrap(self) -> None:
        if self.text_selection is not None:
            self._selection.hold(self.text_selection)
        super().rewrap()
        self._mark.wait()

    def scrolled(self) -> None:
        super().scrolled()
        self._mark.wait()

    def frame(self) -> None:
        super().frame()
        self._mark.look()
        selection = self._selection.find()
        if selection is not None:
            self.screen.selections = {self: selection}

    # Searching

    @property
    def matches(self) -> Search | None:
        return self._search.search

    def lay_out(self, until: float) -> bool:
        done = super().lay_out(until)
        return self._search.run(self.document.touched, until) and done

    def search(self, text: str) -> None:
        """Search as the text is typed; nothing ends it."""
        self._search.start(text)

    def search_here(self) -> None:
        """Put the cursor on the current match; open what hides it."""
        self._search.open_current()

    def action_search_next(self) -> None:
        self._search.go(1)

    def action_search_previous(self) -> None:
        self._search.go(-1)

    # Copying

    def action_copy(self) -> None:
        self._copier.copy_text(self.text_selection)

    def action_copy_markdown(self) -> None:
        self._copier.copy_markdown(self.text_selection)

    def _copied(self, text: str) -> None:
        self._outside.copy(text)
        self.screen.clear_selection()

    def action_copy_code(self) -> None:
        code = self._copier.next_code()
        if code is not None:
            self._outside.copy(*code)
        elif self.current is not None:
            self._outside.say("no code to copy in this entry")
