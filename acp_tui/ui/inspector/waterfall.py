"""Where the time of a turn went, as bars."""

from collections.abc import Iterator
from textwrap import wrap
from time import perf_counter

from textual.content import Content

from acp_tui.text import clean_line
from acp_tui.ui.inspector.columns import fit
from acp_tui.ui.inspector.pages import InspectorPage
from acp_tui.ui.inspector.table import BUDGET, PAUSE
from acp_tui.ui.transcript.turn_reading import TurnReading
from acp_tui.wire.anatomy import Anatomy, Share, Span, told
from acp_tui.wire.cells import duration

STYLES = {
    Share.MODEL: "$text-primary",
    Share.TOOL: "$text-success",
    Share.PERSON: "$text-warning",
    Share.CLIENT: "$text-accent",
}
NAMES = 30
"""Cells for the names beside the bars of a waterfall."""
MOST_SPANS = 500
HARD = "\N{NO-BREAK SPACE}"


class WaterfallPage(InspectorPage):
    """Reads the turn, which may be long, and shows it."""

    def __init__(self, turn: TurnReading, width: int) -> None:
        super().__init__("Where the time went", [Content("reading the turn")])
        self._turn = turn
        self._width = width

    def on_mount(self) -> None:
        """Read on, until all is read."""
        found = self._turn.work(perf_counter() + BUDGET)
        if found is None:
            self.show([Content(f"reading the turn: {self._turn.share:.0%}")])
            self.set_timer(PAUSE, self.on_mount)
        else:
            self.show(list(waterfall(found, self._width)))


def waterfall(turn: Anatomy, width: int) -> Iterator[Content]:
    """The spans of a turn as bars over its time."""
    yield from map(Content, _wrapped(told(turn), width - 2))
    yield Content.assemble(
        *(part for share in Share for part in ((f"━━ {share}  ", STYLES[share]),))
    )
    yield Content()
    room = max(10, width - NAMES - 10)
    for span in turn.spans[:MOST_SPANS]:
        yield _bar(turn, span, room)
    if len(turn.spans) > MOST_SPANS:
        yield Content(f"… {len(turn.spans) - MOST_SPANS:,} more")
    axis = f"{duration(turn.seconds):>{room}}"
    yield Content.styled(f"{'':<{NAMES}} 0s{axis[2:]}", "$text-muted")


def _wrapped(told: str, width: int) -> Iterator[str]:
    """The figures of a turn in lines, each with its name."""
    for line in wrap(told.replace(" ", HARD).replace(f"{HARD}·{HARD}", f"{HARD}· "), width):
        yield line.replace(HARD, " ")


def _bar(turn: Anatomy, span: Span, room: int) -> Content:
    end = turn.end if span.end is None else span.end
    scale = room / turn.seconds if turn.seconds else 0.0
    start = min(room - 1, int((span.start - turn.start) * scale))
    length = max(1, min(room - start, round((end - span.start) * scale)))
    open_end = "…" if span.end is None else ""
    return Content.assemble(
        fit(clean_line(span.name), NAMES),
        " " * (start + 1),
        ("━" * length, STYLES[span.share]),
        (" " * (room - start - length) + f" {duration(end - span.start)}{open_end}", "$text-muted"),
    )
