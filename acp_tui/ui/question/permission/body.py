"""The subject of a permission request: its rows, how many are out of view, and the view that
scrolls them.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from textual.message import Message

from acp_tui.formatting import counted
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.rows import CONTEXT, lead_for
from acp_tui.ui.json.json_lines import JsonLines
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Named, Stack

COMMAND = "command"
FIRST = (COMMAND, "diff")
"""The parts that `out_of_view` names first."""
ACTS = (COMMAND, "diff", "path", "change")
"""The names of parts that would be run or written."""
INPUT = "input"
"""The name of the rest of a tool's input."""
GUTTER = 1
"""Cells at the left that no text reaches, whoever wrote it."""
CHANGE = 2
"""Rows of a change that should be in view: a line and its replacement."""


class Lead(NamedTuple):
    """The space above a change: whether there are empty rows, and how many lines of context."""

    gaps: bool
    lines: int


AMPLE = Lead(gaps=True, lines=CONTEXT)
BARE = Lead(gaps=False, lines=CONTEXT)
LEADS = (
    AMPLE,
    BARE,
    *(Lead(gaps=False, lines=lead_for(lines)) for lines in range(CONTEXT, -1, -1)),
)
"""Leads from ample to bare: first the empty rows go, then the row that counts lines, then lines of
context.
"""


class QuestionBody(Stack):
    """The parts of the subject, from top to bottom."""

    def __init__(self, parts: Iterable[Named]) -> None:
        named = list(parts)
        super().__init__(part._replace(indent=part.indent + GUTTER) for part, _ in named)
        self._names = [name for _, name in named]
        self._gaps = [part.gap for part in self.parts]
        self._lead = AMPLE
        diffs = (at for at, one in enumerate(self.parts) if isinstance(one.lines, DiffLines))
        self._diff = next(diffs, None)
        """The index of the first diff."""

    # Room

    def fit(self, most: int) -> bool:
        """Choose the lead for `most` rows; return whether parts have to be laid out again.

        Unless everything fits, empty rows are dropped, then lines above the first diff until all of
        it is in view, or at least its first change. If nothing helps, the lead is ample.
        """
        lead = self._lead_in(most)
        if lead == self._lead:
            return False
        self._lead = lead
        gaps = zip(self.parts, self._gaps, strict=True)
        self.replace([part._replace(gap=gap if lead.gaps else 0) for part, gap in gaps])
        if self._diff is not None:
            self.touch(self._diff)
            self._change().lead(lead.lines)
        return True

    def rows_of_change(self, most: int) -> int:
        """Return how many rows of the first change can be in view within `most` rows; `CHANGE` if
        there is no change.
        """
        fit = (
            rows for rows in (CHANGE, 1) if any(self._fits_change(one, most, rows) for one in LEADS)
        )
        return next(fit, 0)

    def _lead_in(self, most: int) -> Lead:
        every = (one for one in (AMPLE, BARE) if self._height_with(one) <= most)
        if self._diff is None:
            return next(every, BARE)
        whole = (one for one in LEADS if self._is_diff_in_view(one, most))
        fit = (one for rows in (CHANGE, 1) for one in LEADS if self._fits_change(one, most, rows))
        return next(every, None) or next(whole, None) or next(fit, AMPLE)

    def _height_with(self, lead: Lead) -> int:
        """Return the height of the whole body with a lead."""
        heights = [part.lines.height for part in self.parts]
        if self._diff is not None:
            heights[self._diff] = self._change().end_at(lead.lines) or heights[self._diff]
        gaps = zip(heights, self._gaps, strict=True)
        return sum(height + gap * lead.gaps for height, gap in gaps if height)

    def _fits_change(self, lead: Lead, most: int, rows: int) -> bool:
        """Return whether `rows` rows of the first change fit in `most`; True if there is no change."""
        at = self._change().change_at(lead.lines) if self._diff is not None else None
        return at is None or self._above(lead) + at + rows <= most

    def _is_diff_in_view(self, lead: Lead, most: int) -> bool:
        """Return whether all of the first diff is in view."""
        end = self._change().end_at(lead.lines) if self._diff is not None else None
        return end is not None and self._above(lead) + end <= most

    def _above(self, lead: Lead) -> int:
        """Return the number of rows above the first diff."""
        assert self._diff is not None
        above = lead.gaps * self._gaps[self._diff]
        for part, gap in zip(self.parts[: self._diff], self._gaps, strict=False):
            height = part.lines.height
            above += height + gap if lead.gaps and height else height
        return above

    def _change(self) -> DiffLines:
        assert self._diff is not None
        lines = self.parts[self._diff].lines
        assert isinstance(lines, DiffLines)
        return lines

    def is_command(self, y: int) -> bool:
        """Return whether row `y` belongs to a command that the tool call would run."""
        if not 0 <= y < self.height:
            return False
        index, line = self._heights.locate(y)
        return self._names[index] == COMMAND and line >= self.parts[index].gap

    # Rows out of view

    def unread(self, rows_seen: int, *, to_end: bool) -> bool:
        """Return whether anything that would be run or written is below the first `rows_seen` rows.

        That is the end of a command, or the first change of a diff; with `to_end`, the end of any
        part. An input counts only if the tool call has nothing else, and then like a command. A
        part that isn't laid out yet may be any of these.
        """
        if self._next < len(self.parts):
            return True
        judged = set(ACTS) if {COMMAND, "diff", "change"} & set(self._names) else {*ACTS, INPUT}
        top = 0
        for at, (part, name) in enumerate(zip(self.parts, self._names, strict=True)):
            height = part.lines.height + part.gap if part.lines.height else 0
            if name in judged and height:
                wholly = to_end or name in (COMMAND, INPUT)
                rows = height if wholly else part.gap + self._begins_at(at) + 1
                if top + rows > rows_seen:
                    return True
            top += height
        return False

    def _begins_at(self, index: int) -> int:
        """Return the line of a part at which its first change begins."""
        lines = self.parts[index].lines
        if not isinstance(lines, DiffLines):
            return 0
        return lines.change_at(self._lead.lines if index == self._diff else CONTEXT) or 0

    def out_of_view(self, rows_seen: int) -> str:
        """Describe the rows after the first `rows_seen`; "" if there are none."""
        below = self.height - rows_seen
        if below <= 0:
            return ""
        words = f"{counted(below, 'more row')} below"
        counts = self._count_below(rows_seen)
        if not counts:
            return words
        name = next((one for one in FIRST if one in counts), next(iter(counts)))
        rows = counts[name]
        if rows == below:
            return f"{counted(below, 'more row')} of the {name} below"
        return f"{words}, {rows:,} of the {name}"

    def cut(self) -> str:
        """Return the name of a part that is too long to be shown whole; "" if there is none."""
        for part, name in zip(self.parts, self._names, strict=True):
            if isinstance(part.lines, DiffLines | JsonLines) and part.lines.is_cut:
                return name
        return ""

    def _count_below(self, rows_seen: int) -> Counter[str]:
        """Count the rows below the first `rows_seen`, by the names of their parts."""
        top = 0
        below: Counter[str] = Counter()
        for part, name in zip(self.parts, self._names, strict=True):
            height = part.lines.height + part.gap if part.lines.height else 0
            top += height
            if name and height and top > rows_seen:
                below[name] += min(height, top - rows_seen)
        return below


BAR = "▌"


class Subject(LinesView):
    """The scrolling view of the subject. Keys of the prompt scroll it; it reports how much is out
    of view.
    """

    class LaidOut(Message):
        """All rows are laid out."""

    def __init__(self) -> None:
        super().__init__()
        self.judged = QuestionBody(())

    def sign_at(self, line: int) -> str:
        """Return the bar that marks a command's rows, which no text from the agent can imitate."""
        return BAR if self.judged.is_command(line) else ""

    def judge(self, body: QuestionBody) -> None:
        """Show the body by which the user judges the request."""
        self.judged = body
        self.show(body)

    def fit(self, rows: int) -> None:
        """Show as much of a change as fits in `rows`.

        Does nothing before the whole body is laid out: fitting restarts the layout, and would do so
        after each slice.
        """
        if self.is_laid_out and self.judged.fit(rows):
            self.update_lines()

    @property
    def _rows_seen(self) -> int:
        """The number of rows in view or above."""
        return self.scroll_offset.y + self.scrollable_content_region.height

    def is_unread(self, *, to_end: bool) -> bool:
        """Return whether something below the rows in view must be seen before it is allowed."""
        return self.judged.unread(self._rows_seen, to_end=to_end)

    def laid_out(self) -> None:
        """Report that the rows below are known now."""
        self.post_message(self.LaidOut())

    def out_of_view(self) -> str:
        """Describe the rows below the view; "" if there are none."""
        return self.judged.out_of_view(self._rows_seen)

    def read_on(self, step: int, *, pages: bool) -> bool:
        """Scroll; return False if there is nothing more in that direction."""
        rest = self.virtual_size.height - self._rows_seen
        more = rest if step > 0 else self.scroll_offset.y
        if more > 0:
            rows = max(1, self.size.height - 1) if pages else 1
            self.scroll_relative(y=step * rows, animate=False, force=True)
        return more > 0
