"""A short list of answers, chosen by number, by arrows or by a click."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.guard import Guard
from acp_tui.ui.transcript.text_lines import rows

MARGIN = 7
"""Cells before a label."""
MOST_ROWS = 6
"""How many rows a label may take."""
NONE = -1
"""The cursor where nothing is marked."""
LONGEST = 2000
"""How many characters of a label are looked at."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer: an icon and a style that tell its kind, a label, and more in small print."""

    label: str
    icon: str = "•"
    style: str = "$foreground"
    detail: str = ""
    offered: bool = True


class Choices(Widget, can_focus=True):
    """Each with its detail below; both are wrapped beside its number, so that none looks like two."""

    BINDINGS = bindings.CHOICES  # type: ignore[assignment]

    class Chosen(Message):
        """A choice was made."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class Armed(Message):
        """Guarded choices take keys from now on."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._guard = Guard(clock)
        self._choices: Sequence[Choice] = ()
        self._cursor = 0
        self._timer: Timer | None = None

    def show(self, choices: Sequence[Choice], *, guarded: bool = True, marked: bool = True) -> None:
        """Offer these; `guarded` choices take no key for a moment. If none is `marked`, Enter does
        nothing before an arrow or a number.
        """
        self._choices = choices
        first = next((at for at, one in enumerate(choices) if one.offered), 0)
        self._cursor = first if marked else NONE
        if guarded:
            self.guard()
        self.refresh(layout=True)

    def on_mount(self) -> None:
        """What comes back on the screen is guarded like what is new there."""
        self.app.app_resume_signal.subscribe(self, lambda _: self.guard())

    def on_unmount(self) -> None:
        """Let go of what the signal would keep."""
        self.app.app_resume_signal.unsubscribe(self)

    @property
    def is_armed(self) -> bool:
        """Whether keys count by now."""
        return self._guard.armed

    def guard(self) -> None:
        """Take no key until this has been seen for a moment: that begins when it has been drawn."""
        self._guard.hold()
        self.call_after_refresh(self._guard.begin)
        self._dim()

    def _dim(self) -> None:
        """Show that no key counts, until one does again."""
        self.add_class("-guarded")
        if self._timer is None:
            self._timer = self.set_interval(0.05, self._look)

    def _look(self) -> None:
        if self._guard.armed and self._timer is not None:
            self._timer.stop()
            self._timer = None
            self.remove_class("-guarded")
            self.post_message(self.Armed())

    def on_key(self, event: events.Key) -> None:
        """Take no answer from what is typed for something else."""
        if self._guard.turns_away(self, event):
            self._dim()

    def on_focus(self) -> None:
        """The mark shows."""
        self.refresh()

    def on_blur(self) -> None:
        """The mark hides."""
        self.refresh()

    def action_move(self, step: int) -> None:
        """Mark the choice before or after."""
        count = len(self._choices)
        start = 0 if self._cursor == NONE and step < 0 else self._cursor
        for distance in range(1, count + 1):
            at = (start + step * distance) % count
            if self._choices[at].offered:
                self._cursor = at
                break
        self._show_mark()
        self.refresh()

    def _show_mark(self) -> None:
        """Scroll what is around to the marked choice: not all of a long list may be in view."""
        shown = [index for index, _ in self._rows(self.content_size.width)]
        if self._cursor in shown and isinstance(self.parent, Widget):
            first, many = shown.index(self._cursor), shown.count(self._cursor)
            region = Region(0, first, 1, many).translate(self.virtual_region.offset)
            self.parent.scroll_to_region(region, animate=False)

    def action_choose(self) -> None:
        """Choose what is marked."""
        if self._cursor != NONE:
            self._choose(self._cursor)

    def action_number(self, number: int) -> None:
        """Choose by number, counted from 1."""
        self._choose(number - 1)

    def on_click(self, event: events.Click) -> None:
        """Choose what is clicked on."""
        shown = [index for index, _ in self._rows(self.content_size.width)]
        if event.y < len(shown) and not self._guard.early(event):
            self._choose(shown[event.y])

    def _choose(self, index: int) -> None:
        """Keys that come at once may pass `on_key` together: each is for what was shown by then."""
        if not self._guard.armed:
            return
        if index < len(self._choices) and self._choices[index].offered:
            self._cursor = index
            self.refresh()
            self.post_message(self.Chosen(index))

    def rows_in(self, width: int) -> int:
        """How many rows the choices take in this width."""
        return sum(1 for _ in self._rows(width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return self.rows_in(width)

    def render(self) -> Content:
        width = max(1, self.content_size.width)
        shown = (row.truncate(width, ellipsis=True) for _, row in self._rows(width))
        return Content("\n").join(shown)

    def _rows(self, width: int) -> Iterator[tuple[int, Content]]:
        """Each row, with the index of its choice."""
        for index, choice in enumerate(self._choices):
            marked = index == self._cursor and choice.offered and self.has_focus
            style = f"bold {choice.style}" if marked else choice.style
            for line, text in enumerate(_wrapped(clean_line(choice.label), width - MARGIN)):
                yield index, Content.assemble(self._head(index, line == 0), (text, style))
            if choice.detail:
                for text in _wrapped(clean_line(choice.detail), width - MARGIN):
                    yield index, Content.styled(f"{' ' * MARGIN}{text}", "$text-muted")

    def _head(self, index: int, first: bool) -> Content:
        """What stands before a row of a label: the cursor, and in the first its number."""
        choice = self._choices[index]
        marked = index == self._cursor and choice.offered and self.has_focus
        number = str(index + 1) if first and index < 9 and choice.offered else " "
        return Content.assemble(
            ("▌" if marked else " ", "$primary"),
            (f" {number} ", "bold $primary"),
            (f" {choice.icon if first else ' '} ", choice.style),
        )


def _wrapped(label: str, width: int) -> list[str]:
    """A label or detail in rows; of a very long one the first rows."""
    label = " ".join(label.split())
    lines = [label[start:end] for start, end in rows(label[:LONGEST], max(1, width))]
    if len(lines) > MOST_ROWS or len(label) > LONGEST:
        lines = [*lines[: MOST_ROWS - 1], f"{lines[min(len(lines), MOST_ROWS) - 1]} …"]
    return lines
