"""Tables: column widths that fit, and borders."""

from collections.abc import Callable

from acp_tui.ui.lines.cells import row_of_spaces, width_of
from acp_tui.ui.markdown.leaves import Leaf, LeafTable
from acp_tui.ui.markdown.styled_text import Line, TextLook, plain_text, wrap_line
from acp_tui.ui.markdown.syntax import split_cells

CellParser = Callable[[str, TextLook], list[Line]]
"""Parses the text of a cell into lines."""

BORDER = TextLook(("table.border",))
HEADER = TextLook(("table.header",))
NARROWEST = 4
"""Fewest cells that a column needs; with less, rows are drawn as records."""

SLACK = 6
"""Extra cells for the columns of a long table, beyond what its first rows need."""


def draw_table(
    leaf: Leaf, table: LeafTable, width: int, cell: CellParser, version: int
) -> list[Line]:
    """Draw the rows of a leaf; the table's first leaf has the header, its last one a border."""
    rows = [_fit_cells(split_cells(row), len(table.aligns)) for row in leaf.text.splitlines()]
    header = _fit_cells(split_cells(table.header), len(table.aligns))
    widths = _widths(leaf, table, width, cell, version)
    if not widths:
        return _records(header, rows, width, cell)
    drawn: list[Line] = []
    if leaf.first:
        drawn.append(_border(widths, "┌┬┐"))
        drawn += _row(header, widths, table.aligns, cell, HEADER)
        drawn.append(_border(widths, "├┼┤"))
    before = 1
    for index, row in enumerate(rows):
        lines = _row(row, widths, table.aligns, cell, TextLook())
        if index and (before > 1 or len(lines) > 1):  # otherwise the end of a row can't be seen
            drawn.append(_border(widths, "├┼┤"))
        drawn += lines
        before = len(lines)
    if leaf.last:
        drawn.append(_border(widths, "└┴┘"))
    return drawn


def _fit_cells(row: list[str], count: int) -> list[str]:
    return (row + [""] * count)[:count]


def _widths(
    leaf: Leaf, table: LeafTable, width: int, cell: CellParser, version: int
) -> tuple[int, ...]:
    """Return the widths of the columns, based on the first rows; () if the table doesn't fit."""
    key = (width, version, len(table.rows), leaf.first and leaf.last)
    if table.widths is not None and table.widths[0] == key:
        return table.widths[1]
    header = _fit_cells(split_cells(table.header), len(table.aligns))
    text = leaf.text if leaf.first else table.rows
    rows = [_fit_cells(split_cells(row), len(header)) for row in text.splitlines()]
    natural = [
        max(_natural(column, cell) for column in columns)
        for columns in zip(header, *rows, strict=True)
    ]
    widths = shrink_widths(natural, width - 3 * len(natural) - 1)
    if widths and not (leaf.first and leaf.last):
        widths = _roomy(widths, width - 3 * len(natural) - 1)
    table.widths = (key, widths)
    return widths


def _natural(text: str, cell: CellParser) -> int:
    return max(1, *(width_of(plain_text(line)) for line in cell(text, TextLook())))


def shrink_widths(natural: list[int], room: int) -> tuple[int, ...]:
    """Return widths that fit into `room`, with the widest columns narrowed; () if none fit."""
    if sum(natural) <= room:
        return tuple(natural)
    if room < sum(min(size, NARROWEST) for size in natural):
        return ()
    low, high = NARROWEST, max(natural)
    while low < high:  # binary search for the widest limit with which all columns fit
        limit = (low + high + 1) // 2
        if sum(min(size, limit) for size in natural) <= room:
            low = limit
        else:
            high = limit - 1
    widths = [min(size, low) for size in natural]
    spare = room - sum(widths)
    for index, size in enumerate(natural):
        if spare > 0 and size > widths[index]:
            widths[index] += 1
            spare -= 1
    return tuple(widths)


def _roomy(widths: tuple[int, ...], room: int) -> tuple[int, ...]:
    """Widen the columns, as far as there is room, for rows that have not arrived yet."""
    wider = list(widths)
    spare = room - sum(widths)
    for index, size in enumerate(widths):
        more = min(max(SLACK, size // 2), spare // (len(widths) - index))
        wider[index], spare = size + more, spare - more
    return tuple(wider)


def _border(widths: tuple[int, ...], corners: str) -> Line:
    inner = corners[1].join("─" * (width + 2) for width in widths)
    return [(corners[0] + inner + corners[2], BORDER)]


def _row(
    row: list[str],
    widths: tuple[int, ...],
    aligns: tuple[str, ...],
    cell: CellParser,
    look: TextLook,
) -> list[Line]:
    columns = [
        [part for line in cell(text, look) for part in wrap_line(line, width)]
        for text, width in zip(row, widths, strict=True)
    ]
    drawn = []
    for index in range(max(len(column) for column in columns)):
        line: Line = [("│ ", BORDER)]
        for place, (column, width, align) in enumerate(zip(columns, widths, aligns, strict=True)):
            if place:
                line.append((" │ ", BORDER))
            line += _aligned(column[index] if index < len(column) else [], width, align)
        line.append((" │", BORDER))
        drawn.append(line)
    return drawn


def _aligned(line: Line, width: int, align: str) -> Line:
    free = max(0, width - width_of(plain_text(line)))
    left = {"left": 0, "right": free, "center": free // 2}[align]
    padded: Line = [(row_of_spaces(left), TextLook())] if left else []
    padded += line
    if free > left:
        padded.append((row_of_spaces(free - left), TextLook()))
    return padded


def _records(header: list[str], rows: list[list[str]], width: int, cell: CellParser) -> list[Line]:
    """Return each row as lines of "header: value", for widths into which no table fits."""
    drawn: list[Line] = []
    for row in rows or [[""] * len(header)]:
        for name, value in zip(header, row, strict=True):
            title = [part for line in cell(name, HEADER) for part in line]
            for line in cell(value, TextLook()) or [[]]:
                drawn += wrap_line([*title, (": ", HEADER), *line] if title else line, width)
                title = []
        drawn.append([("─" * min(width, 8), BORDER)])
    return drawn
