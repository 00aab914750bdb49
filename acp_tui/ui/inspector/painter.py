"""The rows of the frame table as strips."""

from collections.abc import Collection, Sequence

from textual.strip import Strip

from acp_tui.debug.columns import detail, finding_words, worst_finding
from acp_tui.debug.view import Group
from acp_tui.text import reveal_escapes
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.inspector.columns import (
    SAID,
    SEVERITY_STYLES,
    FrameColumn,
    Needs,
    fit,
    fit_said,
    that_fit,
    used,
)
from acp_tui.ui.lines.text_lines import StyledSpan, draw

REMEMBERED = 2000
"""How many rows' words are kept."""
MARKED = StyledSpan("●", "warning")
PLAYED = StyledSpan("▶", "warning")
LINKED = StyledSpan("▎", "cursor")
UNMARKED = StyledSpan(" ")


def mark(
    group: Group, bookmarks: Sequence[int], linked: Sequence[int], played: int | None = None
) -> StyledSpan:
    """What stands before a row where a replay stands, that has a bookmark, or belongs to the entry one
    came from.
    """
    if played is not None and played - 1 in group:
        return PLAYED
    if any(True for _ in group.among(bookmarks)):
        return MARKED
    return LINKED if any(True for _ in group.among(linked)) else UNMARKED


class RowPainter:
    """Draws rows in the columns that find room."""

    def __init__(self) -> None:
        self._columns: list[FrameColumn] = []
        self._words: dict[tuple[int, int], str] = {}
        self.tells_findings = False
        """Whether of a row that broke a rule is told how, instead of what it says."""

    def lay_out(self, width: int, hidden: Collection[str], needs: Needs, stays: str) -> None:
        """Choose the columns for so many cells, without the hidden ones, with the one that stays."""
        self._columns = that_fit(width - 1, hidden, needs, stays)

    def titles(self, width: int, palette: Palette) -> Strip:
        """The line above the rows."""
        cells = [fit(column.title, column.width, column.right) for column in self._columns]
        return draw(
            [StyledSpan(fit(" " + " ".join([*cells, SAID]), width), "table.header")], palette
        )

    def row(self, group: Group, mark: StyledSpan, width: int, palette: Palette) -> Strip:
        """One row, behind its mark."""
        spans = [mark]
        for column in self._columns:
            spans += [column.cell(group), StyledSpan(" ")]
        rest = width - 1 - used(self._columns)
        finding = worst_finding(group) if self.tells_findings else None
        if finding is not None:
            told = fit(reveal_escapes(finding_words(finding)), rest)
            spans.append(StyledSpan(told, SEVERITY_STYLES[finding.severity]))
        else:
            spans.append(StyledSpan(fit_said(self._said(group), rest), "muted"))
        return draw(spans, palette)

    def _said(self, group: Group) -> str:
        """The words of a group; those of a message that still grows are looked up again."""
        key = (group.first.index, min(len(group), 50))
        words = self._words.get(key)
        if words is None:
            if len(self._words) > REMEMBERED:
                self._words.clear()
            words = self._words[key] = detail(group)
        return words
