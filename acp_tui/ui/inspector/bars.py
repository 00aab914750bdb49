"""The time of a turn as bars, each of which leads to its frame."""

from collections.abc import Iterator
from textwrap import wrap

from textual.content import Content
from textual.style import Style

from acp_tui.debug.turn_times import Share, TimeSpan, TurnTimes, summary
from acp_tui.formatting import exact_duration
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.inspector.columns import fit_said
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.idle import Rest

STYLES = {
    Share.MODEL: "$primary",
    Share.TOOL: "$success",
    Share.PERSON: "$warning",
    Share.CLIENT: "$accent",
}
NAMES, MOST_NAMES = 30, 60
"""Cells for the names beside the bars of a waterfall, and where there is much room."""
DURATION = 8
"""Cells for how long it took."""
MOST_SPANS = 500
INDENT, DEEPEST = "  ", 6
"""Before the names of what a subagent did, and how many of them at most: the name needs room."""
HARD = "\N{NO-BREAK SPACE}"
AROUND = 8
"""Rows of the page that are no bars: its edges, the figures and their signs, a gap, and the axis."""
BESIDE = 3
"""Cells of a row beside what it says: for the mark, and for the scroll bar."""


class BarList(Listing):
    """The row that was marked when keys rested last has a ground of its own, on which all keeps its
    colors.
    """

    def __init__(self) -> None:
        super().__init__()
        self.around, self.share = AROUND, 1.0
        self._grounded = 0
        self._rest = Rest(self, self._ground)

    def move_to(self, index: int) -> None:
        """Mark this row."""
        super().move_to(index)
        self._rest.wait()

    def move(self, step: int) -> None:
        """Move the mark by so many rows."""
        super().move(step)
        self._rest.wait()

    def _ground(self) -> None:
        if self._grounded != self.cursor:
            self._grounded = self.cursor
            self.refresh()

    def draw_row(self, row: Content, is_marked: bool, width: int) -> Content:
        """Tint the row as a whole."""
        drawn = super().draw_row(row, is_marked, width)
        if row is not self._rows[self._grounded]:
            return drawn
        shown = Style.from_rich_style(Palette.of(self.app)["row.shown"])
        rest = " " * max(0, width - drawn.cell_length)
        return Content.assemble(drawn, rest).stylize_before(shown)


def figures(turn: TurnTimes, width: int) -> Content:
    """Draw the times of a turn in words, and the colors of its bars."""
    there = {span.share for span in turn.spans}
    signs = Content.assemble(
        *((f"██ {share}  ", STYLES[share]) for share in Share if share in there)
    )
    return Content("\n").join([*map(Content, _wrapped(summary(turn), width)), signs])


def shown_spans(turn: TurnTimes) -> list[TimeSpan]:
    """Return what has a bar: the waits for the first words, then what took time, as it began."""
    return [*turn.waits, *turn.spans[:MOST_SPANS]]


def bars(turn: TurnTimes, width: int) -> Iterator[Content]:
    """Draw a bar for each span of a turn."""
    names, room = _columns(width)
    for wait in turn.waits:
        yield _row(turn, wait, names, room, "─", "$foreground")
    for span in turn.spans[:MOST_SPANS]:
        yield _row(turn, span, names, room, "█", STYLES[span.share])


def axis(turn: TurnTimes, width: int) -> Content:
    """Draw the times below the bars, and how many find no room."""
    names, room = _columns(width)
    left_out = len(turn.spans) - MOST_SPANS
    more = f"… {left_out:,} more" if left_out > 0 else ""
    return Content.styled(f" {more:<{names}} {_times(turn.seconds, room)}", "$text-muted")


def _columns(width: int) -> tuple[int, int]:
    """The cells of the names, and of the longest bar."""
    names = min(MOST_NAMES, max(NAMES, width // 3))
    return names, max(10, width - names - DURATION - 2 - BESIDE)


def _times(seconds: float, room: int) -> str:
    """The times below the bars: at their ends, and around quarters where there is room."""
    parts = 4 if room >= 4 * (DURATION + 2) else 1
    cells = [" "] * room
    for part in range(parts + 1):
        words = exact_duration(seconds * part / parts) if part else "0s"
        middle = room * part // parts - len(words) // 2
        at = max(0, min(middle, room - len(words)))
        cells[at : at + len(words)] = words
    return "".join(cells)


def _wrapped(told: str, width: int) -> Iterator[str]:
    """The figures of a turn in lines, each with its name."""
    for line in wrap(told.replace(" ", HARD).replace(f"{HARD}·{HARD}", f"{HARD}· "), width):
        yield line.replace(HARD, " ")


def _row(turn: TurnTimes, span: TimeSpan, names: int, room: int, sign: str, style: str) -> Content:
    end = turn.end if span.end is None else span.end
    scale = room / turn.seconds if turn.seconds else 0.0
    start = min(room - 1, int((span.start - turn.start) * scale))
    length = max(1, min(room - start, round((end - span.start) * scale)))
    open_end = "…" if span.end is None else ""
    took = f"{exact_duration(end - span.start):>{DURATION}}{open_end}"
    return Content.assemble(
        fit_said(f"{INDENT * min(span.depth, DEEPEST)}{span.name}", names),
        " " * (start + 1),
        (sign * length, style),
        (" " * (room - start - length) + took, "$text-muted"),
    )
