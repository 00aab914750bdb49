"""The view of an entry: its parts, folding, and the mark in the gutter."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from acp_tui.state.entries import Entry
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.stack import Shortened, Stack
from acp_tui.ui.transcript.entries.context import Context, Fold

AnyEntry = TypeVar("AnyEntry", bound=Entry)


class EntryView(Stack, Generic[AnyEntry]):
    """One entry, as lines. A subclass composes its parts in `sync`."""

    foldable: ClassVar[bool] = True
    bar: ClassVar[str | None] = None
    """The style of a bar to the left of the entry, if any."""
    tint: ClassVar[str | None] = None
    """The style that fills the entry's lines to the right edge, if any."""

    def __init__(self, entry: AnyEntry, context: Context) -> None:
        super().__init__()
        self.entry = entry
        self.context = context
        self._chosen: Fold | None = None
        self._synced = False

    @property
    def fold(self) -> Fold:
        """How much is shown: the user's choice for this entry, or its kind, or the default."""
        if self._chosen is not None:
            return self._chosen
        chosen = self.context.folds.get(self.kind) if self.kind is not None else None
        return self.default_fold if chosen is None or self.ignores_kind_fold else chosen

    @property
    def kind(self) -> str | None:
        """The group of entries that fold together, in words; None if this entry folds alone."""
        return None

    @property
    def ignores_kind_fold(self) -> bool:
        """Whether the entry ignores the user's choice for its kind."""
        return False

    @property
    def default_fold(self) -> Fold:
        return Fold.FOLDED if self.foldable else Fold.OPEN

    @property
    def live(self) -> bool:
        """Whether the entry is running: its `clock_lines` show a running time."""
        return False

    @property
    def clock_lines(self) -> Sequence[int]:
        return (0,)

    def is_client_note(self, line: int) -> bool:  # noqa: ARG002
        """Return whether a line is a note by acp-tui within the agent's text."""
        return False

    @property
    def is_final(self) -> bool:
        """Whether the entry stays the same when the turn ends."""
        return not self.live

    @property
    def terminals(self) -> list[str]:
        """The ids of the terminals that the entry shows."""
        return []

    def sync(self) -> bool:
        """Update the parts from the entry; return False if work is left for the next call."""
        raise NotImplementedError

    def changed(self) -> None:
        """Schedule an update, because the entry, or something that it shows, has changed."""
        self._synced = False

    def lay_out(self, width: int, until: float) -> bool:
        if not self._synced:
            self._synced = self.sync()
        return super().lay_out(width, until) and self._synced

    def toggle(self) -> None:
        """Go to the next fold: folded, open, and full if there is more to show."""
        self.choose(self._toggled)

    @property
    def toggle_word(self) -> str:
        """A word for what `toggle` does; "" if nothing."""
        if self._toggled is self.fold:
            return ""
        if self._toggled < self.fold:
            return "fold" if self.foldable else "show less"
        return "show all" if self._toggled is Fold.FULL else "open"

    @property
    def _toggled(self) -> Fold:
        if self.fold is Fold.FOLDED:
            return Fold.OPEN
        if self.fold is Fold.OPEN and self.has_more:
            return Fold.FULL
        return Fold.FOLDED if self.foldable else Fold.OPEN

    def choose(self, fold: Fold | None) -> None:
        """Set how much is shown; None follows the choice for the entry's kind."""
        self._chosen = fold
        self.changed()

    def shorten(self, lines: LineColumn, limit: int) -> LineColumn:
        """Return the first `limit` lines, or all of them if the entry is shown in full."""
        return lines if self.fold is Fold.FULL else Shortened(lines, limit)

    @property
    def has_more(self) -> bool:
        """Whether something is left out while the entry is open."""
        columns = (part.lines for part in self.parts)
        return any(isinstance(one, Shortened) and one.hidden > 0 for one in columns)


ViewOf = Callable[[Entry, Context], EntryView[Any]]
"""Creates the view of an entry."""
