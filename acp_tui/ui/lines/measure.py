"""How wide text is drawn: prose, as long lines are hard to read however wide the window is, and the sides of diffs."""

SPLIT_WIDTH = 120
"""Cells from which on the two sides of a diff are next to each other by default."""


class Measure:
    """The cells that a line of prose gets at most; 0 for all that there are."""

    def __init__(self, cells: int = 0) -> None:
        self.cells = cells
        self._forms: dict[tuple[int, int], tuple[int, int]] = {}

    def within(self, width: int) -> int:
        """Return how many of `width` cells prose gets."""
        return min(width, self.cells) if self.cells else width

    def form(self, width: int) -> tuple[int, int]:
        """Return what is another one whenever lines of `width` cells have to be laid out again."""
        form = (width, self.cells)
        return self._forms.setdefault(form, form)  # many keep it


measure = Measure()
"""The one of this program, as the settings say."""
