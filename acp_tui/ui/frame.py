"""The frame of every dialog: its title in the upper edge, its keys in the lower one."""

from collections.abc import Iterable, Sequence

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.ui import bindings
from acp_tui.ui.hints import NamesKeys

EDGES = 6
"""Cells of an edge that no text takes."""


MORE = ("alt+x", "more")
"""What else can be done here."""


class Frame(Vertical, NamesKeys):
    """What stands in the edges takes no row; keys that find no room there stand above the edge."""

    DEFAULT_CSS = """
    Frame {
        border: round $primary;
        background: $surface;
        padding: 0 1;
        border-subtitle-align: left;
        border-subtitle-color: $text-muted;
        & > .more-keys { height: auto; margin-top: 1; display: none; }
    }
    """

    def __init__(self, *, title: Content | str = "", one_row: bool = False) -> None:
        """Where all keys are to stand in `one_row`, the last ones find no room first, but for how to
        see all of them, and to go back.
        """
        super().__init__()
        self._one_row = one_row
        self._keys: Sequence[tuple[str, str]] = ()
        self._places: tuple[str, ...] = ()
        self._told: Content | None = None
        self._more = Static(markup=False, classes="more-keys")
        self.entitle(title)

    def on_mount(self) -> None:
        """Have a place for the keys that find no room in the edge: below all else."""
        self.mount(self._more)

    def on_resize(self) -> None:
        """Fit the keys."""
        self.name_keys()

    def entitle(self, title: Content | str) -> None:
        """Show a title."""
        self.border_title = Content.styled(title, "bold") if isinstance(title, str) else title

    def offer(self, keys: Iterable[tuple[str, str]], *places: str) -> None:
        """Show the keys of some places and what they do; what was told instead is over."""
        *first, last = keys
        more = [MORE] if bindings.has_deeds(self.screen) else []
        self._keys, self._places, self._told = [*first, *more, last], places, None
        self.name_keys()

    def tell(self, words: str) -> None:
        """Say in place of the keys what was done, or why not, until they are offered again."""
        self._told = Content.styled(words, "$warning")
        self.name_keys()

    def name_keys(self) -> None:
        width = max(1, (self.outer_size.width or self.screen.size.width) - EDGES)
        keys = self._keys
        rows = bindings.hint_rows(keys, width, *self._places)
        while self._one_row and "\n" in rows.plain and len(keys) > 2:
            keys = [*keys[:-3], *keys[-2:]]
            rows = bindings.hint_rows(keys, width, *self._places)
        *above, last = rows.split("\n")
        self.border_subtitle = self._told if self._told is not None else last
        self._more.update(Content("\n").join(above))
        self._more.display = bool(above) and self._told is None
