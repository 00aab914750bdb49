"""The widths of text: prose is kept narrow, as long lines are hard to read however wide the window is."""

SPLIT_WIDTH = 120
"""Cells from which on the two sides of a diff are next to each other by default."""


class Measure:
    """The widest line of prose in cells; 0 for the width of the window."""

    def __init__(self, cells: int = 0) -> None:
        self.cells = cells
        self._forms: dict[tuple[int, int], tuple[int, int]] = {}

    def within(self, width: int) -> int:
        """Return how many of `width` cells prose may take."""
        return min(width, self.cells) if self.cells else width

    def form(self, width: int) -> tuple[int, int]:
        """Return a key that changes whenever lines of `width` cells have to be laid out again."""
        form = (width, self.cells)
        return self._forms.setdefault(form, form)  # one object, as thousands of entries keep it


measure = Measure()
"""The measure of this program, from the settings."""
