"""The frame of a box: its title in the upper edge, at the right of it how many there are, and its keys in the lower edge.

Keys stand in the order of their weight, those last that show all and that lead back; what finds no room is left out whole.
"""

from collections.abc import Iterable, Sequence

from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.ui import bindings
from acp_tui.ui.toolkit.hints import Hint, NamesKeys, hint_row

EDGES = 6
"""Cells of an edge that no text takes."""
MORE: Hint = ("alt+x", "more")
"""What else can be done here."""


class BoxFrame(Vertical, NamesKeys):
    """What stands in the edges takes no row; what is told and finds no room there stands above the
    lower edge.
    """

    DEFAULT_CSS = """
    BoxFrame {
        border: round $primary;
        background: $surface;
        padding: 0 1;
        border-subtitle-align: left;
        border-subtitle-color: $text-muted;
        & > .told { dock: bottom; height: auto; color: $warning; display: none; }
    }
    """

    def __init__(self, *, title: Content | str = "", count: str = "") -> None:
        super().__init__()
        self._title = Content()
        self._count = ""
        self._keys: Sequence[Hint] = ()
        self._places: tuple[str, ...] = ()
        self._told: str | None = None
        self._told_above = Static(markup=False, classes="told")
        self.entitle(title, count)

    def on_mount(self) -> None:
        """Have a place for what is told and finds no room in the edge: below all else."""
        self.mount(self._told_above)

    def on_resize(self) -> None:
        """Fit what stands in the edges."""
        self._show_title()
        self.name_keys()

    def entitle(self, title: Content | str, count: str = "") -> None:
        """Show a title, and how many there are of what is in the box."""
        self._title = Content.styled(title, "bold") if isinstance(title, str) else title
        self._count = count
        self._show_title()

    def offer(self, keys: Iterable[Hint], *places: str) -> None:
        """Show the keys of some places and what they do; what was told instead is over."""
        *first, last = keys
        more = [MORE] if bindings.has_palette_actions(self.screen) else []
        self._keys, self._places, self._told = [*first, *more, last], places, None
        self.name_keys()

    def tell(self, words: str) -> None:
        """Say in place of the keys what was done, or why not, until they are offered again."""
        self._told = words
        self.name_keys()

    def name_keys(self) -> None:
        words, room = self._told, self._room
        is_long = words is not None and Content(words).cell_length > room
        self._told_above.update(words or "")
        self._told_above.display = is_long
        if words is not None and not is_long:
            self.border_subtitle = Content.styled(words, "$warning")
        else:
            kept = 2 if MORE in self._keys else 1
            self.border_subtitle = hint_row(self._keys, room, *self._places, kept=kept)

    def _show_title(self) -> None:
        title, count = self._title, Content.styled(self._count, "$text-muted")
        room = self._room - count.cell_length - 2
        if self._count and room > 0:
            title = title.truncate(room, ellipsis=True)
            gap = room - title.cell_length
            line = " " * gap if self.styles.border_top[0] == "blank" else "─" * gap
            title = Content.assemble(title, " ", (line, "$primary"), " ", count)
        self.border_title = title

    @property
    def _room(self) -> int:
        return room_in_edge(self)


def room_in_edge(box: Widget) -> int:
    """Return how many cells a text has in an edge: before the box has its place, as many as the screen leaves."""
    width = box.outer_size.width or (box.screen.size.width if box.is_attached else 0)
    return max(0, width - EDGES)
