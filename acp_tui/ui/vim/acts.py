"""What comes of a key: the text and the cursor as they are after it."""

from typing import Literal

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.ui.vim.places import down, line_end, line_start, on_letter

Also = Literal["", "undo", "redo", "older", "newer"]


class Act(NamedTuple):
    """What becomes of the text, the cursor and the selection, and what else is done."""

    text: str
    at: int
    anchor: int | None = None
    """Where the selection begins; the cursor is in it."""
    also: Also = ""


def line_or_history(text: str, at: int, lines: int) -> Act:
    """Go up or down; beyond the first and the last line to another prompt."""
    to = down(text, at, lines)
    if line_start(text, to) == line_start(text, at):
        return Act(text, at, also="newer" if lines > 0 else "older")
    return Act(text, on_letter(text, to))


def joined(text: str, at: int, count: int) -> Act:
    """Join a line and so many below it."""
    for _ in range(count):
        end = line_end(text, at)
        if end == len(text):
            break
        at = end
        rest = text[end + 1 :].lstrip(" \t")
        is_apart = end == line_start(text, end) or text[end - 1].isspace()
        joins = is_apart or not rest or rest.startswith(("\n", ")"))
        text = text[:end] + ("" if joins else " ") + rest
    return Act(text, on_letter(text, at))
