"""Screens over the conversation."""

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

T = TypeVar("T")


class OverlayScreen(ModalScreen[T]):
    """Leaves once, and takes nothing away but itself. What is below takes no keys, unless a screen
    says that it is not `is_modal`.

    Textual takes away whatever is on top, and fails at the second time. But keys come late: a
    question may be above by then, or a second Esc be waiting.
    """

    class Left(Message):
        """A screen has gone."""

    _result: tuple[T | None] | None = None

    def on_unmount(self) -> None:
        """Tell the app."""
        self.app.post_message(self.Left())

    def show(self) -> None:
        """Show what is true now, if that can change."""

    def tell_waiting(self, words: Content) -> None:
        """Show in a row of its own who waits for the person meanwhile; nothing if nobody does."""
        rows = self.query("#waiting-elsewhere").results(Static)
        row = next(iter(rows), None)
        if row is not None:
            row.update(words)
            row.display = bool(words)
        elif words:
            self.mount(Static(words, id="waiting-elsewhere"))

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Leave with a result: at once, or when nothing is above any more. Leaving twice is leaving
        once.
        """
        if self.is_active:
            self._result = None
            return super().dismiss(result)
        if self in self.app.screen_stack:
            self._result = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """What was above is gone."""
        if self._result is not None:
            self.dismiss(*self._result)
