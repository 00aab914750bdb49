"""A field of a form in which one or several of some options are chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget

from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.guard import TypedAhead
from acp_tui.ui.textual_fixes.key_bindings import bindings_of


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose: its value, its name, and more in small print."""

    value: str | bool
    name: str
    detail: str = ""


class Options(Widget, can_focus=True):
    """One row for each option. Space chooses; so does Enter, and goes on."""

    BINDINGS = bindings.OPTIONS  # type: ignore[assignment]

    class Done(Message):
        """A person goes on from here."""

        def __init__(self, options: "Options") -> None:
            super().__init__()
            self.options = options

    def __init__(self, options: Sequence[Option], chosen: Sequence[object], several: bool) -> None:
        super().__init__()
        self._options = options
        self._several = several
        self.chosen = [option.value for option in options if option.value in chosen]
        self._cursor = next(
            (at for at, option in enumerate(options) if option.value in self.chosen), 0
        )

    def on_key(self, event: events.Key) -> None:
        """Leave words to the prompt: an Enter after them sends no form."""
        character = event.character or ""
        bound = bool(bindings_of(self, event.key))
        if event.is_printable and not bound and not character.isdigit():
            event.stop()
            self.post_message(TypedAhead(event))

    def action_move(self, step: int) -> None:
        """Mark the option before or after."""
        self._cursor = (self._cursor + step) % max(1, len(self._options))
        self.refresh()
        if isinstance(self.parent, Widget):
            row = Region(0, self._cursor, 1, 1).translate(self.virtual_region.offset)
            self.parent.scroll_to_region(row, animate=False, force=True)

    def action_choose(self) -> None:
        """Choose what is marked, or no longer."""
        if not self._options:
            return
        value = self._options[self._cursor].value
        if value in self.chosen:
            self.chosen.remove(value)
        elif self._several:
            self.chosen = [one.value for one in self._options if one.value in (value, *self.chosen)]
        else:
            self.chosen = [value]
        self.refresh()

    def action_go_on(self) -> None:
        """Of one choice take what is marked; then to the next field."""
        if self._options and not self._several:
            self.chosen = [self._options[self._cursor].value]
            self.refresh()
        self.post_message(self.Done(self))

    def on_click(self, event: events.Click) -> None:
        """Choose what is clicked on."""
        if event.y < len(self._options):
            self._cursor = event.y
            self.action_choose()

    def on_focus(self) -> None:
        """Show the mark."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the mark."""
        self.refresh()

    def render(self) -> Content:
        width = max(1, self.content_size.width)
        rows = [self._row(at, option) for at, option in enumerate(self._options)]
        return Content("\n").join(row.truncate(width, ellipsis=True) for row in rows)

    def _row(self, at: int, option: Option) -> Content:
        signs = ("☑", "☐") if self._several else ("●", "○")
        marked = self.has_focus and at == self._cursor
        chosen = option.value in self.chosen
        return Content.assemble(
            ("▌" if marked else " ", "$primary"),
            (f" {signs[0] if chosen else signs[1]} ", "$success" if chosen else "$text-muted"),
            (clean_line(option.name), "bold $primary" if marked else "$foreground"),
            (f"  {clean_line(option.detail)}" if option.detail else "", "$text-muted"),
        )
