"""What is copied of lines: their text or their source, and the blocks of code in them."""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.selection import Selection

from acp_tui.edits.steps import Steps, finish_steps
from acp_tui.ui.lines.stack import Shortened, Stack, wrap_at
from acp_tui.ui.markdown.code import CodeRow
from acp_tui.ui.transcript.document import GUTTER, LinePlace

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document import Document
    from acp_tui.ui.transcript.entries.entry_view import EntryView

LINES_AT_ONCE = 32
"""How many lines are taken between two steps."""
LOOKED_AT = 5000
"""How many lines of an entry are looked at for code blocks."""


@runtime_checkable
class HasCode(Protocol):
    def code_block_at(self, y: int) -> str | None: ...

    def code_row_at(self, y: int) -> CodeRow | None: ...


def _with_code(lines: object, y: int, indent: int = 0) -> tuple[HasCode, int, int] | None:
    """Return the lines within some lines that can tell of code in line `y`, `y` there, and the
    indent.
    """
    if isinstance(lines, HasCode):
        return lines, y, indent
    if isinstance(lines, Shortened):
        is_hint = lines.hidden > 0 and y == lines.limit
        return None if is_hint else _with_code(lines.lines, y, indent)
    found = lines.find(y) if isinstance(lines, Stack) else None
    return _with_code(found[0].lines, found[1], indent + found[0].indent) if found else None


def code_block_at(lines: object, y: int) -> str | None:
    """Return the source of the code block that line `y` of some lines belongs to."""
    found = _with_code(lines, y)
    return found[0].code_block_at(found[1]) if found else None


def code_row_at(lines: object, y: int) -> CodeRow | None:
    """Return the code in line `y` of some lines; its columns are those of `plain`."""
    found = _with_code(lines, y)
    row = found[0].code_row_at(found[1]) if found else None
    if row is None or found is None:
        return None
    indent = found[2]
    return CodeRow(row.margin + indent, row.start + indent, row.end + indent, *row[3:])


def code_blocks(view: "EntryView[Any]", first: int) -> tuple[list[str], int]:
    """Return the code blocks of an entry, and which of them is the first from line `first` on."""
    blocks: list[str] = []
    y = number = 0
    before = None
    while y < min(view.height, LOOKED_AT):
        block = code_block_at(view, y)
        if block is not None and block != before:
            blocks.append(block)
            y += max(0, block.count("\n") - 1)  # no line of code takes less than a row
        if block is not None and y < first:
            number = len(blocks)
        before = block
        y += 1
    return blocks, number if number < len(blocks) else 0


def selected_source(document: "Document", selection: Selection) -> str:
    """Return the source of the selected lines, as Markdown; lines are taken whole."""
    first, last = _selected_lines(document, selection)
    pieces = []
    for index in document.between(first, last):
        top = document.offset(LinePlace(index, 0))
        end = min(last - top, document.view(index).height - 1)
        pieces.append(document.view(index).source(max(0, first - top), end))
    return "\n\n".join(piece for piece in pieces if piece)


def _selected_lines(document: "Document", selection: Selection) -> tuple[int, int]:
    last = document.height - 1
    start, end = selection
    return start.y if start else 0, min(end.y if end else last, last)


def selected_text(document: "Document", selection: Selection) -> str:
    """Return the text of the selected lines, without gutter and the breaks that only the width
    makes; of code, without what is drawn around it.
    """
    return finish_steps(selected_text_steps(document, selection))


def selected_text_steps(document: "Document", selection: Selection) -> Steps[str]:
    """Do the same as `selected_text`, in steps: many lines may have to be drawn for it."""
    start, end = selection
    first_line, last_line = _selected_lines(document, selection)
    lines: list[str] = []
    for y in range(first_line, last_line + 1):
        if y % LINES_AT_ONCE == 0:
            yield
        if y >= document.height:  # it became shorter meanwhile
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
