"""Copies lines of the transcript as text, Markdown, or only code, in time slices."""

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.selection import Selection

from acp_tui.edits.steps import Steps, finish_steps
from acp_tui.ui.lines.lines import BUDGET
from acp_tui.ui.lines.stack import Shortened, Stack, wrap_at
from acp_tui.ui.markdown.code import CodeRow
from acp_tui.ui.transcript.document import GUTTER, Document, LinePlace
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.entry_markdown import markdown_steps
from acp_tui.ui.transcript.frames import PAUSE
from acp_tui.ui.transcript.ports import Viewport

if TYPE_CHECKING:
    from acp_tui.ui.transcript.entries.entry_view import EntryView

SLICE_LINES = 32
"""Lines copied in one step."""
MOST_SEARCHED = 5000
"""Most lines of an entry that are searched for code blocks."""


@runtime_checkable
class HasCode(Protocol):
    def code_block_at(self, y: int) -> str | None: ...

    def code_row_at(self, y: int) -> CodeRow | None: ...


def _with_code(lines: object, y: int, indent: int = 0) -> tuple[HasCode, int, int] | None:
    """Return the part of `lines` at `y` that knows code blocks, `y` within it, and its indent."""
    if isinstance(lines, HasCode):
        return lines, y, indent
    if isinstance(lines, Shortened):
        is_hint = lines.hidden > 0 and y == lines.limit
        return None if is_hint else _with_code(lines.lines, y, indent)
    found = lines.find(y) if isinstance(lines, Stack) else None
    return _with_code(found[0].lines, found[1], indent + found[0].indent) if found else None


def code_block_at(lines: object, y: int) -> str | None:
    """Return the source of the code block at line `y`; None if there is none."""
    found = _with_code(lines, y)
    return found[0].code_block_at(found[1]) if found else None


def code_row_at(lines: object, y: int) -> CodeRow | None:
    """Return the code in line `y`; its columns are those of `plain`."""
    found = _with_code(lines, y)
    row = found[0].code_row_at(found[1]) if found else None
    if row is None or found is None:
        return None
    indent = found[2]
    return CodeRow(row.margin + indent, row.start + indent, row.end + indent, *row[3:])


def code_blocks(view: "EntryView[Any]", first: int) -> tuple[list[str], int]:
    """Return an entry's code blocks, and the index of the first one at or below line `first`."""
    blocks: list[str] = []
    y = number = 0
    before = None
    while y < min(view.height, MOST_SEARCHED):
        block = code_block_at(view, y)
        if block is not None and block != before:
            blocks.append(block)
            y += max(0, block.count("\n") - 1)  # each line of code takes at least a row
        if block is not None and y < first:
            number = len(blocks)
        before = block
        y += 1
    return blocks, number if number < len(blocks) else 0


def selected_source(document: Document, selection: Selection) -> str:
    """Return the Markdown source of the selected lines, including partly selected ones in full."""
    first, last = _selected_lines(document, selection)
    pieces = []
    for index in document.between(first, last):
        top = document.offset(LinePlace(index, 0))
        end = min(last - top, document.view(index).height - 1)
        pieces.append(document.view(index).source(max(0, first - top), end))
    return "\n\n".join(piece for piece in pieces if piece)


def _selected_lines(document: Document, selection: Selection) -> tuple[int, int]:
    last = document.height - 1
    start, end = selection
    return start.y if start else 0, min(end.y if end else last, last)


def selected_text(document: Document, selection: Selection) -> str:
    """Return the selected text without gutter, soft line breaks, and frames around code."""
    return finish_steps(selected_text_steps(document, selection))


def selected_text_steps(document: Document, selection: Selection) -> Steps[str]:
    """Do the same as `selected_text`, in steps: many lines may have to be drawn."""
    start, end = selection
    first_line, last_line = _selected_lines(document, selection)
    lines: list[str] = []
    for y in range(first_line, last_line + 1):
        if y % SLICE_LINES == 0:
            yield
        if y >= document.height:  # it became shorter between two steps
            break
        place = document.locate(y)
        left = max(0, start.x - GUTTER) if start is not None and y == first_line else 0
        right = max(0, end.x - GUTTER) if end is not None and y == end.y else None
        view = document.view(place.entry)
        inside = 0 <= place.line < view.height
        code = code_row_at(view, place.line) if inside else None
        if code is not None and code.label and first_line < last_line:
            continue
        line = _source_part(document.plain(place), code, left, right)
        wrap = wrap_at(view, place.line) if lines and inside else None
        if wrap is None:
            lines.append(line)
        elif code is not None:
            lines[-1] += line
        else:
            lines[-1] += wrap.glue + line[wrap.start :]
    return "\n".join(line.rstrip() for line in lines)


def _source_part(line: str, code: CodeRow | None, left: int, right: int | None) -> str:
    """Return a part of a drawn line, without what is drawn around code."""
    if code is None or code.label:
        return line[left:right]
    end = code.end if right is None else min(code.end, right)
    return line[left : min(code.margin, end)] + line[max(left, code.start) : end]


class Copier:
    """Copies the selection, else the entry under the cursor.

    Works in time slices: `copied` is called with the text, and `later` schedules the next slice in
    a number of seconds.
    """

    def __init__(
        self,
        view: Viewport,
        cursor: EntryCursor,
        copied: Callable[[str], object],
        later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        self._view = view
        self._cursor = cursor
        self._copied = copied
        self._later = later
        self._steps: Steps[str] | None = None
        self._last_code: tuple[EntryView[Any], int, int] | None = None
        """The view, the first line on screen, and the index of the block that was copied last."""

    def copy_text(self, selection: Selection | None) -> None:
        """Copy the selection as it is drawn; if there is none, the current entry as Markdown."""
        if selection is None:
            self._copy_entry()
        else:
            self._start_copying(selected_text_steps(self._view.document, selection))

    def copy_markdown(self, selection: Selection | None) -> None:
        """Copy the selection as Markdown; if there is none, the current entry."""
        source = selected_source(self._view.document, selection) if selection is not None else ""
        if source:
            self._copied(source)
        else:
            self._copy_entry()

    def _copy_entry(self) -> None:
        if self._cursor.current is not None:
            document = self._view.document
            entry = document.entries[self._cursor.current]
            self._start_copying(markdown_steps(entry, document.context.state))

    def _start_copying(self, steps: Steps[str]) -> None:
        """Copy the text that these steps return; abandon a copy that is still in progress."""
        self._steps = steps
        self._copy_slice(steps)

    def _copy_slice(self, steps: Steps[str]) -> None:
        if steps is not self._steps:
            return
        until = perf_counter() + BUDGET
        try:
            while perf_counter() < until:
                next(steps)
        except StopIteration as end:
            self._steps = None
            self._copied(end.value)
        else:
            self._later(PAUSE, lambda: self._copy_slice(steps))

    def next_code(self) -> tuple[str, str] | None:
        """Return the entry's first code block below the top of the screen, and a confirmation to
        show.

        Called again at the same place, it returns the next block.
        """
        if self._cursor.current is None:
            return None
        document, top = self._view.document, self._view.top
        view = document.view(self._cursor.current)
        first = max(0, top - document.offset(LinePlace(self._cursor.current, 0)))
        blocks, number = code_blocks(view, first)
        if not blocks:
            return None
        if self._last_code is not None and self._last_code[:2] == (view, top):
            number = (self._last_code[2] + 1) % len(blocks)
        self._last_code = (view, top, number)
        words = f"copied block {number + 1} of {len(blocks)}" if len(blocks) > 1 else "copied"
        return blocks[number], words
