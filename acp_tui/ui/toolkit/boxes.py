"""The kinds of boxes over the conversation, their place and width, and the content of their edges.

- A question is as high as its content, in the middle of the screen or below the list row that it is
  about.
- A list keeps its upper edge and its search field in the same rows while the user types. A narrow
  list has short rows. A list aside doesn't dim the screen next to it, which the user watches while
  choosing. A list with details next to it is as wide as the screen.
- A page takes the whole screen.

Texts in the edges take no rows: the upper edge has the title or the question, the lower one the
keys, the most important first, and last those that list all actions and that go back. Only one box
is open at a time, apart from the help, actions run with Alt+X, and questions that a box asks. Esc
is called `back` in lists and pages, and `cancel` in questions and previews; where it does something
else, it is named after that.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.toolkit.hints import Hint, NamesKeys, hint_row

QUESTION, BELOW, PAGE = "-question", "-question -below", "-page"
LIST, NARROW, ASIDE = "-list", "-list -narrow", "-list -aside"
"""The kinds of boxes, as `DEFAULT_CLASSES` of their screens."""
QUESTION_WIDTH, LIST_WIDTH, NARROW_WIDTH, ASIDE_WIDTH = 100, 100, 80, 60
"""Their maximum widths, in cells."""
KINDS = (
    f"$question-width: {QUESTION_WIDTH}; $list-width: {LIST_WIDTH}; $aside-width: {ASIDE_WIDTH};"
    f" $narrow-width: {NARROW_WIDTH};\n"
    + Path(__file__).with_name("boxes.tcss").read_text(encoding="utf-8")
)
"""The CSS of all kinds, for screens over the conversation."""
EDGES = 6
"""Cells of an edge that text can't use."""
MORE: Hint = ("alt+x", "more")
"""The hint for the key that lists all other actions."""
LAST = 30
"""Characters shown of the end of a text that is being typed into the prompt."""


class BoxFrame(Vertical, NamesKeys):
    """A box with a title, a count and keys in its edges.

    A message that doesn't fit the lower edge is shown above it.
    """

    DEFAULT_CSS = """
    BoxFrame {
        border: round $primary;
        background: $surface;
        padding: 0 1;
        border-subtitle-align: left;
        border-subtitle-color: $text-muted;
        & > .message { dock: bottom; height: auto; color: $warning; display: none; }
    }
    """

    def __init__(self, *, title: Content | str = "", count: str = "") -> None:
        super().__init__()
        self._title = Content()
        self._count = ""
        self._keys: Sequence[Hint] = ()
        self._places: tuple[str, ...] = ()
        self._message: str | None = None
        self._long_message = Static(markup=False, classes="message")
        self.entitle(title, count)

    def on_mount(self) -> None:
        """Mount the widget for messages that don't fit the edge."""
        self.mount(self._long_message)

    def on_resize(self) -> None:
        """Fit the texts in the edges to the new width."""
        self._show_title()
        self.name_keys()

    def entitle(self, title: Content | str, count: str = "") -> None:
        """Set the title, and the count of the box's items."""
        self._title = Content.styled(title, "bold") if isinstance(title, str) else title
        self._count = count
        self._show_title()

    def offer(self, keys: Iterable[Hint], *places: str) -> None:
        """Show keys and what they do instead of a message; `places` are where they are bound."""
        *first, last = keys
        more = [MORE] if bindings.has_palette_actions(self.screen) else []
        self._keys, self._places, self._message = [*first, *more, last], places, None
        self.name_keys()

    def show_message(self, words: str) -> None:
        """Show a message instead of the keys, until keys are offered again."""
        self._message = words
        self.name_keys()

    def name_keys(self) -> None:
        words, room = self._message, room_in_edge(self)
        is_long = words is not None and Content(words).cell_length > room
        self._long_message.update(words or "")
        self._long_message.display = is_long
        if words is not None and not is_long:
            self.border_subtitle = Content.styled(words, "$warning")
        else:
            last_kept = 2 if MORE in self._keys else 1
            self.border_subtitle = hint_row(self._keys, room, *self._places, kept=last_kept)

    def _show_title(self) -> None:
        title, count = self._title, Content.styled(self._count, "$text-muted")
        room = room_in_edge(self) - count.cell_length - 2
        if self._count and room > 0:
            title = title.truncate(room, ellipsis=True)
            gap = room - title.cell_length
            line = " " * gap if self.styles.border_top[0] == "blank" else "─" * gap
            title = Content.assemble(title, " ", (line, "$primary"), " ", count)
        self.border_title = title


def room_in_edge(box: Widget) -> int:
    """Return the cells for text in an edge; before the layout, as many as on the screen."""
    width = box.outer_size.width or (box.screen.size.width if box.is_attached else 0)
    return max(0, width - EDGES)


class QuestionBox(Vertical, NamesKeys):
    """A box with a question in its upper edge, where nothing covers it, and keys below."""

    DEFAULT_CSS = Path(__file__).with_name("question_box.tcss").read_text(encoding="utf-8")
    _keys: Sequence[Hint] | None = None
    """The keys that are shown; None while something else replaces them."""

    def ask(self, question: str, more: str = "", loud: Content | str = "") -> None:
        """Show the question, after `loud` and before the less prominent `more`."""
        self.border_title = Content.assemble(
            loud, (f"◆ {clean_line(question)}", "bold $warning"), (clean_line(more), "$text-muted")
        )

    def offer(self, keys: Iterable[Hint]) -> None:
        """Show keys and what they do: the most important first, the one that goes back last."""
        self._keys = [*keys]
        self.name_keys()

    def on_resize(self) -> None:
        """Fit the keys to the new width."""
        self.name_keys()

    def name_keys(self) -> None:
        if self._keys is not None:
            self.border_subtitle = hint_row(self._keys, room_in_edge(self))

    def show_prompt_text(self, text: str) -> None:
        """Show text that was typed into the prompt and doesn't answer the question."""
        line = " ".join(clean_line(text).split())
        begin = "…" if len(line) > LAST else ""
        self._show_key_notice("in the prompt: ", f"{begin}{line[-LAST:]}")

    def show_dropped_key(self) -> None:
        """Show that a key was dropped: it was too early, or began text that can't be typed here."""
        self._show_key_notice("that key didn't count")

    def _show_key_notice(self, words: str, text: str = "") -> None:
        self._keys = None
        self.border_subtitle = Content.assemble(
            (words, "$warning"), (text, "$foreground"), ("   Up or Down to answer", "$text-muted")
        )
