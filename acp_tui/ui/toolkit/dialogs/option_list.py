"""The editor of a form field with options, of which one or several are chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from acp_tui.text import clean_line, clean_title
from acp_tui.ui.keys import OPTIONS
from acp_tui.ui.textual_fixes.key_bindings import bindings_of
from acp_tui.ui.toolkit.type_ahead import TypedAhead

GAP = "  "
"""The space between options in the same row."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its value, its name, and a detail in small print."""

    value: str | bool
    name: str
    detail: str = ""


class Options(Widget, can_focus=True):
    """Shows all options in one row if they fit, else one per row.

    Space chooses; Enter chooses and goes to the next field.
    """

    BINDINGS = OPTIONS  # type: ignore[assignment]

    class Submitted(Message):
        """Enter was pressed: the next field should get the focus."""

        def __init__(self, options: "Options") -> None:
            super().__init__()
            self.options = options

    class OptionMarked(Message):
        """Another option was marked."""

        def __init__(self, options: "Options") -> None:
            super().__init__()
            self.options = options

    def __init__(self, options: Sequence[Option], chosen: Sequence[object], several: bool) -> None:
        super().__init__()
        self._options = options
        self.several = several
        self.chosen = [option.value for option in options if option.value in chosen]
        self._cursor = next(
            (at for at, option in enumerate(options) if option.value in self.chosen), 0
        )

    def on_key(self, event: events.Key) -> None:
        """Pass typed words to the prompt, so that an Enter after them doesn't submit the form."""
        character = event.character or ""
        bound = bool(bindings_of(self, event.key))
        if event.is_printable and not bound and not character.isdigit():
            event.stop()
            self.post_message(TypedAhead(event))

    def action_move(self, step: int) -> None:
        """Mark the next option in a direction; it wraps around."""
        self._cursor = (self._cursor + step) % max(1, len(self._options))
        self.refresh()
        self.post_message(self.OptionMarked(self))

    @property
    def marked(self) -> Region:
        """The region of the marked option on the screen."""
        y = 0 if self._in_one_row(self.content_size.width) else self._cursor
        return Region(self.region.x, self.region.y + y, self.region.width, 1)

    def action_choose(self) -> None:
        """Toggle the marked option, or choose it if only one can be chosen."""
        if not self._options:
            return
        value = self._options[self._cursor].value
        if value in self.chosen:
            self.chosen.remove(value)
        elif self.several:
            self.chosen = [one.value for one in self._options if one.value in (value, *self.chosen)]
        else:
            self.chosen = [value]
        self.refresh()

    def action_go_on(self) -> None:
        """Choose the marked option if only one can be chosen, and go to the next field."""
        if self._options and not self.several:
            self.chosen = [self._options[self._cursor].value]
            self.refresh()
        self.post_message(self.Submitted(self))

    def on_click(self, event: events.Click) -> None:
        """Choose the clicked option."""
        at = event.y
        if self._in_one_row(self.content_size.width):
            ends = accumulate(one.cell_length + len(GAP) for one in self._drawn()[:-1])
            at = sum(end <= event.x for end in ends)
        if at < len(self._options):
            self._cursor = at
            self.action_choose()

    def on_focus(self) -> None:
        """Show the mark."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the mark."""
        self.refresh()

    # Drawing

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return 1 if self._in_one_row(width) else len(self._options)

    def render(self) -> Content:
        width = max(1, self.content_size.width)
        drawn = self._drawn()
        if self._in_one_row(width):
            return Content(GAP).join(drawn)
        return Content("\n").join(one.truncate(width, ellipsis=True) for one in drawn)

    def _in_one_row(self, width: int) -> bool:
        drawn = self._drawn()
        needed = sum(one.cell_length for one in drawn) + len(GAP) * (len(drawn) - 1)
        return needed <= width and not any(option.detail for option in self._options)

    def _drawn(self) -> list[Content]:
        return [self._draw(at, option) for at, option in enumerate(self._options)]

    def _draw(self, at: int, option: Option) -> Content:
        signs = ("☑", "☐") if self.several else ("●", "○")
        marked = self.has_focus and at == self._cursor
        chosen = option.value in self.chosen
        return Content.assemble(
            ("▌" if marked else " ", "$primary"),
            (f" {signs[0] if chosen else signs[1]} ", "$success" if chosen else "$text-muted"),
            (clean_title(option.name), "bold $primary" if marked else "$foreground"),
            (f"  {clean_line(option.detail)}" if option.detail else "", "$text-muted"),
        )
