"""Base classes of screens over the conversation, and a page of lines to read."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.ui import keys
from acp_tui.ui.textual_fixes.compositor import compose_narrowly
from acp_tui.ui.toolkit.boxes import KINDS, PAGE, BoxFrame
from acp_tui.ui.toolkit.notes import MOST_ROWS, Note, NoteRow

T = TypeVar("T")


def show_cursor(screen: Screen[Any], *, is_behind: bool) -> None:
    """Show a screen's cursor, unless another screen with its own is in front.

    Only the focused widget is restyled: restyling the whole screen took longer than drawing the one
    in front.
    """
    screen.set_class(is_behind, "-behind", update=False)
    if screen.focused is not None:
        screen.focused.update_node_styles()


def scroll_page(view: Widget, pages: int) -> None:
    """Scroll a view by a page, down if `pages` is positive."""
    if pages > 0:
        view.scroll_page_down(animate=False)
    else:
        view.scroll_page_up(animate=False)


class OverlayScreen(ModalScreen[T]):
    """A screen over the conversation that closes once, and never closes another one.

    Screens below it get no keys, unless its `is_modal` is False. Textual's `dismiss` closes
    whatever is on top, and fails the second time; but keys may arrive late, when a question is in
    front, or after a first Esc.
    """

    DEFAULT_CSS = KINDS
    BINDINGS: ClassVar = [keys.bind_key("question_mark", "app.help", "")]
    """Binds `?` again, as the app's own keys don't reach a modal screen."""

    class Closed(Message):
        """The screen was closed, with notes that haven't expired."""

        def __init__(self, notes: Sequence[Note] = ()) -> None:
            super().__init__()
            self.notes = notes

    _result: tuple[T | None] | None = None
    _was_in_front = False

    def __init__(self) -> None:
        super().__init__()
        compose_narrowly(self)
        self.notes = NoteRow()

    def on_unmount(self) -> None:
        """Report to the app that the screen was closed."""
        self.app.post_message(self.Closed(self.notes.notes))

    def show(self) -> None:
        """Update the screen's content, if it can change."""

    def show_note(self, note: Note) -> None:
        """Show a note at the bottom: in the last rows if they are empty, else below the content."""
        self.notes.show_note(note)
        if self.is_mounted:
            self._show_notes()

    def _show_notes(self) -> None:
        if not self.notes.is_attached:
            ends = max((one.region.bottom for one in self.children), default=0)
            self.notes.set_class(ends > self.size.height - MOST_ROWS, "-below")
            self.mount(self.notes)

    def show_waiting(self, words: Content) -> None:
        """Show which other tabs wait for the user, in a row of its own; an empty text hides it."""
        rows = self.query("#waiting-elsewhere").results(Static)
        row = next(iter(rows), None)
        if row is not None:
            row.update(words)
            row.display = bool(words)
        elif words:
            self.mount(Static(words, id="waiting-elsewhere"))

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close with a result, now or when no screen is in front. A second call does nothing."""
        if self.is_active:
            self._result = None
            return super().dismiss(result)
        if self in self.app.screen_stack:
            self._result = (result,)
        return AwaitComplete()

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss()

    def on_screen_suspend(self) -> None:
        """Hide the cursor here: the screen in front has its own."""
        self._set_behind(True)

    def _set_behind(self, is_behind: bool) -> None:
        from acp_tui.ui.toolkit.dialogs.listing import Listing  # deferred: it loads pygments

        show_cursor(self, is_behind=is_behind)
        for listing in self.query(Listing):
            listing.cover(is_behind)

    @on(events.ScreenResume)
    def _restyle(self, event: events.ScreenResume) -> None:
        """Let Textual restyle a screen that is shown again; a new one has its styles already."""
        event.refresh_styles = self._was_in_front
        self._was_in_front = True

    def on_screen_resume(self) -> None:
        """Close if that was only waiting for the screen in front; show pending notes."""
        self._set_behind(False)
        if self.notes.notes:
            self.call_after_refresh(self._show_notes)
        if self._result is not None:
            self.dismiss(*self._result)


class Page(OverlayScreen[None]):
    """Lines to read, in a frame; keys scroll them, and Esc closes the page."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_name("page.tcss")
    BINDINGS = keys.PAGE  # type: ignore[assignment]
    PLACE: ClassVar = "page"

    def __init__(
        self,
        title: str,
        lines: Iterable[Content] = (),
        count: str = "",
        keys: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Create a page.

        `count` is the number of listed things, in words; `keys` are the page's own keys with their words.
        """
        super().__init__()
        self._keys = keys
        self._frame = BoxFrame(title=title, count=count)
        self._text = Content("\n").join(lines)

    def compose(self) -> ComposeResult:
        with self._frame, VerticalScroll():
            yield Static(self._text, markup=False)

    def on_mount(self) -> None:
        """Show the keys."""
        self._frame.offer([*self._keys, ("escape", "back")], self.PLACE)
