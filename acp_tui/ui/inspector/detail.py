"""The detail: one record in full, as foldable JSON, with a search."""

from collections.abc import Callable, Iterator
from time import perf_counter

from textual import events
from textual.actions import SkipAction
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from acp_tui.debug.view import Group
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.frame_parts import frame_parts, redraw_facts
from acp_tui.ui.json.json_lines import JsonTree
from acp_tui.ui.lines.lines import BUDGET
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import (
    Highlight,
    StyledSpan,
    TextLines,
    draw_spans,
    highlight_strip,
)

NOT_FOUND = "not in this frame"


class Detail(LinesView, can_focus=True):
    """Shows the record under the table's cursor; `raw` shows its bytes instead of its JSON.

    While it has the focus, one of its lines is marked: JSON folds there, and a search starts there.
    """

    BINDINGS = bindings.DETAIL  # type: ignore[assignment]

    class Focused(Message):
        """The detail got or lost the focus, or the search moved to another match."""

    def __init__(self) -> None:
        super().__init__()
        self.raw = False
        self._line = 0
        self._search_text = ""
        self._group: Group | None = None
        self._shown_facts: tuple[object, ...] = ()
        self._stack = Stack()
        self._parts: list[StackPart] = []
        self._pending_parts: Iterator[StackPart | None] = iter(())
        """The parts that are still to be built; None where building may pause."""
        self._reading: Timer | None = None
        self._deferred: list[Callable[[], None]] = []
        """Actions that wait until the lines that they need are laid out."""

    def show_group(self, group: Group | None) -> None:
        """Show the first record of a row."""
        if group is None or self._group is None or group.first.index != self._group.first.index:
            self._search_text = ""
        self._group = group
        self._shown_facts = redraw_facts(group)
        self._line = 0
        self._deferred = []
        self._parts = []
        self._pending_parts = frame_parts(group, self.raw) if group is not None else iter(())
        self._stack = Stack()
        self._make_parts()
        self.show(self._stack)

    def _make_parts(self) -> None:
        """Build the record's parts, in slices if it is long."""
        if self._reading is not None:
            self._reading.stop()
            self._reading = None
        until = perf_counter() + BUDGET
        for part in self._pending_parts:
            if part is not None:
                self._parts.append(part)
            elif perf_counter() > until:
                self._reading = self.set_timer(0.001, self._make_more)
                break
        waits = [] if self._reading is None else [StackPart(TextLines("reading…", "muted"), gap=1)]
        self._stack.replace([*self._parts, *waits])

    def _make_more(self) -> None:
        self._make_parts()
        super().update_lines()

    def follow(self, group: Group | None) -> None:
        """Update the detail if the response, a finding or another chunk has arrived."""
        if redraw_facts(group) != self._shown_facts:
            self.show_group(group)

    def toggle_raw(self) -> None:
        """Toggle between bytes and JSON."""
        self.raw = not self.raw
        self.show_group(self._group)

    def on_focus(self) -> None:
        self.refresh()
        self.post_message(self.Focused())

    def on_blur(self) -> None:
        self.refresh()
        self.post_message(self.Focused())

    def render_line(self, y: int) -> Strip:
        strip, palette = super().render_line(y), self._colors()
        line = self.scroll_offset.y + y
        if self._search_text and line < self._stack.height:
            found = self._found_in(line)
            style = palette["search.match"]
            strip = highlight_strip(strip, (Highlight(start, end, style) for start, end in found))
        at = self.has_focus and line == self._line
        mark = draw_spans([StyledSpan("❯" if at else " ", "cursor")], palette).apply_style(
            self.rich_style
        )
        return Strip.join([mark, strip.crop(0, strip.cell_length - 1)])

    def _columns(self, width: int) -> int:
        return super()._columns(width - 1)  # the first column is for the mark

    # The marked line

    def action_move(self, step: int) -> None:
        """Move the mark by lines."""
        self._act_on(self._line + step, lambda: self._go_to_line(self._line + step))

    def action_pages(self, step: int) -> None:
        """Move the mark by pages."""
        rows = step * max(1, self.size.height - 1)
        self._act_on(self._line + rows, lambda: self._go_to_line(self._line + rows))

    def action_first(self) -> None:
        """Go to the first line."""
        self._go_to_line(0)

    def action_last(self) -> None:
        """Go to the last line."""
        self._act_on(None, lambda: self._go_to_line(self._stack.height - 1))

    def _act_on(self, line: int | None, act: Callable[[], None]) -> None:
        """Call `act` once a line is laid out, or all lines for None.

        A long record is laid out in slices: before the last slice, a key might act on the wrong
        line.
        """
        is_known = line is not None and line < self._stack.height
        if not self._deferred and (is_known or self._stack.is_laid_out):
            act()
        else:
            self._deferred.append(act)

    def laid_out(self) -> None:
        """Run the actions that waited for the layout."""
        deferred, self._deferred = self._deferred, []
        for act in deferred:
            self._act_on(None, act)

    def _go_to_line(self, line: int) -> None:
        self._line = max(0, min(line, self._stack.height - 1))
        top = self.scroll_offset.y
        if not top <= self._line < top + self.size.height:
            beyond = self._line - self.size.height + 1
            y = self._line if self._line < top else beyond
            self.scroll_to(y=y, animate=False, force=True, immediate=True)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Mark the clicked line; a second click folds or unfolds it."""
        line = event.y + self.scroll_offset.y
        if line == self._line:
            self.action_toggle_fold()
        else:
            self._go_to_line(line)

    # Folding

    def action_toggle_fold(self) -> None:
        """Fold or unfold the object or list that begins at the marked line."""
        self._act_on(self._line, self._toggle_fold)

    def _toggle_fold(self) -> None:
        found = self._tree_at_line()
        if found is not None and found[0].toggle(found[1]):
            self.update_lines()

    def action_fold_line(self) -> None:
        """Fold the object or list that begins at the marked line, or the one around it."""
        self._act_on(self._line, self._fold_line)

    def _fold_line(self) -> None:
        found = self._tree_at_line()
        if found is not None:
            tree, y = found
            self._line += tree.fold(y) - y
            self.update_lines()
            self._act_on(self._line, lambda: self._go_to_line(self._line))

    def action_unfold_line(self) -> None:
        """Unfold the object or list that begins at the marked line."""
        self._act_on(self._line, self._unfold_line)

    def _unfold_line(self) -> None:
        found = self._tree_at_line()
        if found is not None:
            found[0].unfold(found[1])
            self.update_lines()

    def _tree_at_line(self) -> tuple[JsonTree, int] | None:
        """Return the JSON tree of the marked line, and the line's number in it."""
        if self._line >= self._stack.height:
            return None
        found = self._stack.find(self._line)
        if found is None or not isinstance(found[0].lines, JsonTree):
            return None
        return found[0].lines, found[1]

    def update_lines(self) -> None:
        """Lay out the lines again after folding."""
        self._stack.touch(0)
        super().update_lines()

    # Search

    def find(self, text: str) -> int:
        """Highlight a text, go to the first match from the marked line on, and return the number of
        matching lines.
        """
        self._search_text = text.casefold()
        if self._search_text:
            for part in self._stack.parts:
                if isinstance(part.lines, JsonTree):
                    part.lines.unfold_all()
            self.update_lines()
        lines = self._matching_lines()
        if lines:
            self._go_to_line(next((line for line in lines if line >= self._line), lines[0]))
        self.refresh()
        return len(lines)

    def action_next_match(self, step: int) -> None:
        """Go to the next or previous matching line."""
        lines = self._matching_lines()
        if not lines:
            raise SkipAction
        after = [line for line in lines if (line - self._line) * step > 0]
        self._go_to_line((after or lines)[0 if step > 0 else -1])
        self.post_message(self.Focused())

    def _matching_lines(self) -> list[int]:
        if not self._search_text:
            return []
        return [line for line in range(self._stack.height) if self._found_in(line)]

    def _found_in(self, line: int) -> list[tuple[int, int]]:
        """Return the start and end of each match in a line."""
        text = self._stack.plain(line).casefold()
        found, at = [], text.find(self._search_text)
        while at != -1:
            found.append((at, at + len(self._search_text)))
            at = text.find(self._search_text, at + len(self._search_text))
        return found

    @property
    def found_words(self) -> str:
        """The number of the marked match, as "2 of 5"; "" without a search."""
        if not self._search_text:
            return ""
        lines = self._matching_lines()
        if not lines:
            return NOT_FOUND
        return f"{sum(line <= self._line for line in lines):,} of {len(lines):,}"

    @property
    def is_searched(self) -> bool:
        """Whether a search is active."""
        return bool(self._search_text)
