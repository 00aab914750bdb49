"""Notifications in their own row: remarks, refusals, warnings and errors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import chop_cells
from textual.content import Content
from textual.geometry import Size
from textual.timer import Timer
from textual.widget import Widget

SECONDS = 3.0
"""How long a note is shown."""
MOST_ROWS = 2
"""Most rows of a note; a longer one is cut, with an ellipsis."""


class NoteKind(NamedTuple):
    """A kind of note: its sign, and a word before notes without a title."""

    sign: str
    word: str
    style: str
    lasts: bool = False
    """Whether it reappears after a newer note, and stays when a question comes up."""


REMARK = NoteKind("•", "", "$foreground")
REFUSAL = NoteKind("!", "", "$warning")
WARNING = NoteKind("⚠", "Warning", "$warning", lasts=True)
ERROR = NoteKind("✗", "Error", "$error", lasts=True)
SEVERITIES = {"information": REMARK, "warning": WARNING, "error": ERROR}


def always() -> bool:
    """Return True: the note is valid for as long as it is shown."""
    return True


@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """A message that is shown while `is_valid` returns true; the title is its subject."""

    words: str
    kind: NoteKind = REMARK
    seconds: float = SECONDS
    is_valid: Callable[[], bool] = always
    title: str = ""

    @property
    def content(self) -> Content:
        """The note as it is drawn."""
        sign, word, style, _ = self.kind
        head = self.title or word
        words = " ".join(self.words.split())
        return Content.assemble(
            (f"{sign} ", f"bold {style}"),
            (f"{head}: " if head else "", f"bold {style}"),
            (words, "$foreground"),
        )


class NoteRow(Widget):
    """Shows the newest note.

    With the classes `-noted` and `-noted-twice`, the screen's stylesheet assigns it rows that are
    otherwise empty, so that no text moves.
    """

    DEFAULT_CSS = """
    NoteRow {
        height: auto;
        padding: 0 1;
        background: $panel;
    }
    """

    def __init__(self, before: Callable[[], Content] = Content) -> None:
        """Create a row; `before` returns content that must stay in view, in front of the note."""
        super().__init__()
        self._before = before
        self._notes: list[Note] = []
        self._timer: Timer | None = None
        self._is_covered = False
        self.display = False

    def cover(self, is_covered: bool) -> None:
        """Hide the note while a screenshot is taken, or show it again."""
        self._is_covered = is_covered
        self._show()

    def show_note(self, note: Note) -> None:
        """Show a note, and drop those that don't last."""
        self._set_notes([one for one in self._notes if one.kind.lasts] + [note])

    def drop_outdated(self) -> None:
        """Drop notes that are no longer true."""
        self._set_notes([one for one in self._notes if one.is_valid()])

    def drop_passing(self) -> None:
        """Drop notes that don't last, because something more important comes up."""
        self._set_notes([one for one in self._notes if one.kind.lasts])

    @property
    def notes(self) -> Sequence[Note]:
        """The notes that haven't expired, newest last."""
        return self._notes

    def _set_notes(self, notes: list[Note]) -> None:
        before, self._notes = self._notes[-1:], notes
        if notes[-1:] == before:
            return
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if notes:
            self._timer = self.set_timer(notes[-1].seconds, self._drop_newest)
        self._show()

    def _drop_newest(self) -> None:
        self._timer = None
        self._set_notes(self._notes[:-1])

    def float_at(self, row: int, width: int) -> None:
        """Cover this row of the screen, where the stylesheet leaves no empty rows for notes."""
        self.styles.offset = (0, row)
        self.styles.width = width

    def unfloat(self) -> None:
        """Return to the row for notes."""
        if self.styles.inline.has_rule("offset"):
            self.styles.inline.clear_rule("offset")
            self.styles.inline.clear_rule("width")
            self.refresh(layout=True)

    def on_mount(self) -> None:
        """Show notes that were added before the widget was mounted."""
        self._show()

    def on_resize(self) -> None:
        """Fit the number of rows to the new width."""
        self._make_room()

    def _show(self) -> None:
        if not self.is_attached:
            return
        self.display = bool(self._notes) and not self._is_covered
        self._make_room()
        self.refresh(layout=True)

    def _make_room(self) -> None:
        shown = self._notes and not self._is_covered
        rows = len(self._rows(self.screen.size.width - 2, MOST_ROWS)) if shown else 0
        self.screen.set_class(rows == 1, "-noted")
        self.screen.set_class(rows > 1, "-noted-twice")

    def get_content_height(self, _container: Size, _viewport: Size, width: int) -> int:
        return len(self._rows(width, MOST_ROWS))

    def render(self) -> Content:
        return Content("\n").join(self._rows(self.content_size.width, self.content_size.height))

    def _rows(self, width: int, most: int) -> list[Content]:
        if not self._notes:
            return []
        remaining, width = self._before() + self._notes[-1].content, max(1, width)
        rows: list[Content] = []
        while len(rows) < most - 1 and remaining.cell_length > width:
            at = _end_of_row(remaining.plain, width)
            rows.append(remaining[:at].rstrip())
            remaining = remaining[at:]
            remaining = remaining[len(remaining.plain) - len(remaining.plain.lstrip()) :]
        return [*rows, remaining.truncate(width, ellipsis=True)]


def _end_of_row(text: str, width: int) -> int:
    """Return where a row ends: after a word, unless a long one would leave most of it empty."""
    at = len(chop_cells(text, width)[0])
    behind = text.rfind(" ", 0, at + 1)
    return behind if behind > width // 2 else at
