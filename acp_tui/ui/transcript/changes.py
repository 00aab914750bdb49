"""Find and go to the changes in a transcript's diffs."""

from textual.selection import Selection

from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.lines.stack import Shortened, Stack
from acp_tui.ui.transcript.document import Document, LinePlace
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.ports import Viewport


def go_to_change(
    view: Viewport, cursor: EntryCursor, selected: Selection | None, step: int
) -> tuple[int, int] | None:
    """Go to the next change (`step` 1) or the previous one (-1), from the selection or else the
    screen's edge.

    Return its first and last line; None if there is none.
    """
    start = selected.start if selected is not None else None
    edge = view.top - 1 if step > 0 else view.top + view.rows
    found = next_change(view.document, start.y if start is not None else edge, step)
    if found is None:
        return None
    index, first, last = found
    cursor.index = index
    if not view.top <= first <= last < view.top + view.rows:
        view.scroll_to_line(max(0, first - view.rows // 4))
    view.stop_following()
    return first, last


def next_change(document: Document, at: int, step: int) -> tuple[int, int, int] | None:
    """Return the entry, first line and last line of the change below line `at` (`step` 1) or above
    it (-1).

    Entries that are not laid out yet are skipped.
    """
    if not document.height:
        return None
    first = document.locate(max(0, min(at, document.height - 1))).entry
    for index in range(first, len(document) if step > 0 else -1, step):
        rows = [
            (document.offset(LinePlace(index, begin)), document.offset(LinePlace(index, end)))
            for begin, end in rows_in(document.view(index))
        ]
        beyond = [one for one in rows if (one[0] > at if step > 0 else one[0] < at)]
        if beyond:
            return index, *(beyond[0] if step > 0 else beyond[-1])
    return None


def rows_in(lines: object) -> list[tuple[int, int]]:
    """Return the first and last row of each change in `lines`."""
    match lines:
        case DiffLines():
            return lines.change_rows()
        case Shortened():
            rows = rows_in(lines.lines)
            return [one for one in rows if not lines.hidden or one[1] < lines.limit]
        case Stack():
            found = []
            top = 0
            for part in lines.parts:
                if part.lines.height:
                    top += part.gap
                    found += [(top + one, top + end) for one, end in rows_in(part.lines)]
                    top += part.lines.height
            return found
    return []
