"""The transcript of a session: what moves in it, and what its keys and clicks do."""

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from acp_tui.protocol.content import ImageContent
from acp_tui.session.changes import (
    Change,
    EntryAdded,
    EntryChanged,
    Facet,
    SessionChanged,
    TerminalChanged,
)
from acp_tui.session.state import Session, State
from acp_tui.ui.transcript import entry_markdown, jumps
from acp_tui.ui.transcript.copier import CopyingView
from acp_tui.ui.transcript.document import Document, Place
from acp_tui.ui.transcript.entries.entry_view import Context, Fold
from acp_tui.ui.transcript.locations import location_of
from acp_tui.wire.recording import Record


class Transcript(CopyingView):
    """The entries of a session, with a cursor that moves between them."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor(-1)", "Entry above", show=False),
        Binding("down,j", "cursor(1)", "Entry below", show=False),
        Binding("ctrl+up,K", "lines(-1)", "Line up", show=False),
        Binding("ctrl+down,J", "lines(1)", "Line down", show=False),
        Binding("pageup,b", "pages(-1)", "Page up", show=False),
        Binding("pagedown,space", "pages(1)", "Page down", show=False),
        Binding("home,g", "home", "Beginning", show=False),
        Binding("end,G", "end", "End", show=False),
        Binding("left_square_bracket", "jump('turn', -1)", "Turn above", show=False),
        Binding("right_square_bracket", "jump('turn', 1)", "Turn below", show=False),
        Binding("T", "jump('tool_call', -1)", "Tool call above", show=False),
        Binding("t", "jump('tool_call', 1)", "Tool call below", show=False),
        Binding("P", "jump('permission', -1)", "Answered question above", show=False),
        Binding("p", "jump('permission', 1)", "Answered question below", show=False),
        Binding("E", "jump('error', -1)", "Error above", show=False),
        Binding("e", "jump('error', 1)", "Error below", show=False),
        Binding("enter", "toggle_entry", "Open or fold", show=False),
        Binding("v", "select", "Begin or end a selection of lines", show=False),
        Binding("shift+up", "extend(-1)", "Select a line up", show=False),
        Binding("shift+down", "extend(1)", "Select a line down", show=False),
        Binding("escape", "end_selection", "End the selection or the search", show=False),
        Binding("y", "copy", "Copy the selection, else the entry", show=False),
        Binding("Y", "copy_markdown", "Copy it as Markdown", show=False),
        Binding("c", "copy_code", "Copy the code block", show=False),
        Binding("s", "split_diffs", "Diffs side by side, or not", show=False),
        Binding("o", "open", "Open the location or the images", show=False),
        Binding("i", "app.inspect", "The frames that made this entry", show=False),
        Binding("n", "search_next", "Next match", show=False),
        Binding("N", "search_previous", "Previous match", show=False),
    ]

    looks_at_key: Callable[[events.Key], Awaitable[None]] | None = None
    """Is shown each key first, and may stop it."""

    @dataclass
    class LinkClicked(Message):
        url: str

    @dataclass
    class OpenLocation(Message):
        path: str
        line: int | None

    @dataclass
    class OpenImages(Message):
        images: list[ImageContent]

    def __init__(
        self,
        state: State,
        session_id: str | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        records: Sequence[Record] = (),
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        self._state = state
        self._clock = clock
        self._records = records
        self._session_id = session_id
        super().__init__(self._new_document(), name=name, id=id, classes=classes)

    def on_unmount(self) -> None:
        """Let go of the session: what is left of a widget is only found as garbage, much later."""
        self._state = State()
        self._search = self._painter = None
        self._document = self._new_document()

    def _new_document(self) -> Document:
        session = self._state.sessions.get(self._session_id or "", Session(""))
        return Document(Context(self._state, session, self._clock, self._records))

    def show(self, session_id: str | None) -> None:
        """Show another session, from its end."""
        self._session_id = session_id
        self._search = None
        document = self._new_document()
        document.context.split = self._document.context.split
        self.open_document(document)

    def changed(self, changes: Iterable[Change]) -> None:
        """Note what moved; it is drawn with the next frame."""
        for change in changes:
            match change:
                case EntryAdded() | EntryChanged():
                    self._entry_changed(change)
                case SessionChanged(facet=Facet.TURN, session_id=self._session_id):
                    self.mark_dirty(self._document.unsettled)
                case TerminalChanged(terminal_id=terminal_id):
                    self.mark_dirty(self._document.showing(terminal_id))

    def _entry_changed(self, change: EntryAdded | EntryChanged) -> None:
        if change.session_id != self._session_id:
            return
        if self._state.sessions.get(change.session_id) is not self._document.context.session:
            self.show(change.session_id)
        if not self.following and change.index >= self.last_on_screen:
            self.has_new_below = True
        self.mark_dirty((change.index,))

    # Moving

    async def on_key(self, event: events.Key) -> None:
        """Let a key be looked at before it is a command."""
        if self.looks_at_key is not None:
            await self.looks_at_key(event)

    def on_focus(self) -> None:
        """Put the cursor on the last entry on screen that can be opened, if it is nowhere."""
        if self._cursor is None:
            top = self.scroll_offset.y
            shown = self._document.between(top, top + self.size.height - 1)
            seen = [at for at in reversed(shown) if self._document.view(at).height]
            opens = [at for at in seen if self._document.view(at).foldable]
            self._cursor = next(iter([*opens, *seen]), None)

    @property
    def current(self) -> int | None:
        """The entry under the cursor; without one, the first on screen, or the last of all."""
        if self._cursor is not None or not self._document.height:
            return self._cursor
        if self.following:
            return len(self._document) - 1
        return self._document.locate(self.scroll_offset.y).entry

    def _go(self, index: int) -> None:
        self._cursor = index
        self.reveal(Place(index, 0), self._document.view(index).height)
        self.refresh()

    def action_cursor(self, step: int) -> None:
        current = self.current
        if current is None:
            return
        if self.is_selecting:
            self.action_extend(step)
        elif self._cursor is None:
            self._go(current)
        elif not self._scroll_within(current, step):
            index = self._document.neighbor(current, step)
            if index is not None:
                self._go(index)

    def _scroll_within(self, index: int, step: int) -> bool:
        """Scroll on in an entry that is too long for the screen; False if it ends there."""
        top, rows = self.scroll_offset.y, self.size.height
        first = self._document.offset(Place(index, 0))
        height = self._document.view(index).height
        if height <= rows:
            return False
        end = first + height
        rest = end - top - rows if step > 0 else top - first
        if rest <= 0 or end <= top or first >= top + rows:
            return False
        self.scroll_to_line(top + step * min(rest, max(1, rows // 2)))
        return True

    def show_entry(self, session_id: str, index: int) -> None:
        """Put the cursor on an entry."""
        if session_id != self._session_id:
            self.show(session_id)
        if index < len(self._document):
            self._go(index)

    def action_lines(self, step: int) -> None:
        self.scroll_to_line(self.scroll_offset.y + step)

    def action_pages(self, step: int) -> None:
        lines = step * max(1, self.size.height - 1)
        if self.is_selecting:
            self.action_extend(lines)
        else:
            self.scroll_to_line(self.scroll_offset.y + lines)

    def action_home(self) -> None:
        if self.is_selecting:
            self.action_extend(-self._document.height)
            return
        self._cursor = self._document.neighbor(-1, 1)
        self.scroll_to_line(0)
        self.refresh()

    def action_end(self) -> None:
        if self.is_selecting:
            self.action_extend(self._document.height)
            return
        self._cursor = self._document.neighbor(len(self._document), -1)
        self.scroll_to_line(self.max_scroll_y)
        self.refresh()

    def action_jump(self, kind: str, step: int) -> None:
        current = self.current
        if current is None:
            return
        start = current if self._cursor is not None else current + (step < 0)
        index = jumps.find(self._document.entries, kind, start, step)
        if index is None:
            self.app.bell()
            return
        self._cursor = index
        self.scroll_to_line(self._document.offset(Place(index, 0)))
        self.refresh()

    # What can be done with an entry

    def action_toggle_entry(self) -> None:
        if self.current is not None:
            self.toggle_entry(self.current)

    def toggle_entry(self, index: int) -> None:
        """Open or fold an entry; its first line stays where it is if what opens can be seen."""
        self._cursor = index
        self.screen.clear_selection()
        view = self._document.view(index)
        view.toggle()
        self.hold(index)
        rows = self.size.height
        self.reveal(Place(index, 0), view.height if view.height <= rows else rows // 2)

    def is_folded(self, index: int) -> bool:
        """Whether only the first line of an entry is shown."""
        return self._document.view(index).fold is Fold.FOLDED

    def action_split_diffs(self) -> None:
        if self._anchor is not None:
            self._anchor.remember(self._document)
        split = self._document.split_diffs()
        self._frame()
        self.post_message(self.Said("diffs side by side" if split else "diffs in one column"))

    def action_open(self) -> None:
        entry = self._document.entries[self.current] if self.current is not None else None
        images = list(entry_markdown.images(entry)) if entry is not None else []
        if images:
            self.post_message(self.OpenImages(images))
        elif (place := location_of(entry)) is not None:
            self.post_message(self.OpenLocation(place.path, place.line))
        else:
            self.post_message(self.Said("nothing to open in this entry"))

    def on_click(self, event: events.Click) -> None:
        """A click opens what it is on; else it puts the cursor there, and more select a text."""
        if self.selects(event) or self.text_selection is not None:
            return
        meta = event.style.meta
        if "link" in meta:
            self.post_message(self.LinkClicked(meta["link"]))
        elif "path" in meta:
            self.post_message(self.OpenLocation(meta["path"], meta["line"]))
        elif "end" in meta:
            self.action_end()
        elif event.y + self.scroll_offset.y < self._document.height:
            index = self._document.locate(event.y + self.scroll_offset.y).entry
            self._cursor = index
            if "toggle" in meta:
                self.toggle_entry(index)
            elif "open" in meta:
                self.action_open()
            self.refresh()
