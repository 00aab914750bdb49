"""How much of each entry is shown, and whether diffs are side by side."""

from collections.abc import Callable, Mapping

from acp_tui.ui.transcript.entries.context import Fold
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.ports import Outside
from acp_tui.ui.transcript.viewport import Viewport


class Folds:
    """Opens and folds entries, one by one or all of a kind; the choice for a kind is remembered.

    `deselect` is called before lines change: a selection would cover others.
    """

    def __init__(
        self,
        view: Viewport,
        cursor: EntryCursor,
        outside: Outside,
        deselect: Callable[[], object],
    ) -> None:
        self._view = view
        self._cursor = cursor
        self._outside = outside
        self._deselect = deselect

    def toggle(self, index: int) -> None:
        """Open or fold an entry; its first line stays in its row if the opened part fits on screen."""
        self._cursor.index = index
        self._deselect()
        self._view.document.view(index).toggle()
        self._view.hold(index, reveal=True)

    def toggle_kind(self) -> None:
        """Open or fold all entries of the same kind as the marked one, now and in later runs."""
        current = self._cursor.current
        view = self._view.document.view(current) if current is not None else None
        if view is None or view.kind is None:
            self._outside.say("there is nothing to fold of this kind")
            return
        opens = view.fold is Fold.FOLDED
        fold = Fold.OPEN if opens else Fold.FOLDED
        self._fold_all({view.kind: fold})
        self._outside.remember_fold(view.kind, fold)
        self._outside.say(f"all {view.kind} {'open' if opens else 'folded'}, in later runs, too")

    def fold_as_wanted(self) -> None:
        """Apply the folds chosen in an earlier run."""
        known = self._view.document.context.folds
        wanted = self._outside.folds.items()
        self._fold_all({kind: fold for kind, fold in wanted if kind not in known})

    def _fold_all(self, folds: Mapping[str, Fold]) -> None:
        """Fold and open all of these kinds; the marked entry stays where it is."""
        for kind, fold in folds.items():
            self._view.document.fold_all(kind, fold)
        if folds:
            self._deselect()
            current = self._cursor.current
            if current is not None:
                self._view.hold(current)
            else:
                self._view.frame()

    def split_diffs(self) -> None:
        """Toggle between diffs side by side and in one column, and remember it."""
        split = self._view.split_diffs()
        self._outside.remember_split(split)
        self._outside.say("diffs side by side" if split else "diffs in one column")

    def split_as_wanted(self) -> None:
        """Apply the choice for diffs of an earlier run."""
        wanted, context = self._outside.split_diffs, self._view.document.context
        if wanted is not None and context.split is None:
            context.split = not wanted
            self._view.split_diffs()
