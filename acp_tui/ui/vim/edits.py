"""Edits of vim's that need no more than the text, a place in it, and what was deleted last."""

from typing import Literal

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.ui.vim.places import down, first_letter, line_end, line_start, on_letter

Also = Literal["", "undo", "redo", "older", "newer"]


class Act(NamedTuple):
    """What becomes of the text, the cursor and the selection, and what else is done."""

    text: str
    at: int
    anchor: int | None = None
    """Where the selection begins; the cursor is in it."""
    also: Also = ""


class Register(NamedTuple):
    """What was deleted or yanked last, and whether that is whole lines."""

    text: str
    lines: bool


def put(register: Register, text: str, at: int, count: int, *, after: bool) -> Act:
    """Put what was deleted last behind or before a place, some times."""
    lines = register.lines
    put_all = "\n".join([register.text] * count) if lines else register.text * count
    if not register.text and not lines:
        return Act(text, at)
    if lines and after:
        end = line_end(text, at)
        made = f"{text[:end]}\n{put_all}{text[end:]}"
        return Act(made, on_letter(made, first_letter(made, end + 1), end + 1))
    if lines:
        start = line_start(text, at)
        made = f"{text[:start]}{put_all}\n{text[start:]}"
        return Act(made, on_letter(made, first_letter(made, start), start))
    place = min(at + 1, line_end(text, at)) if after else at
    return Act(text[:place] + put_all + text[place:], place + len(put_all) - 1)


def without_lines(text: str, begin: int, end: int) -> Act:
    """Take lines out, with the break behind them."""
    if end < len(text):
        end += 1
    else:
        begin = max(0, begin - 1)  # the last line goes with the break before it
    left = text[:begin] + text[end:]
    return Act(left, first_letter(left, min(begin, len(left))))


def swapped(text: str, at: int, count: int) -> Act:
    """Swap the case of letters, in the line at most."""
    end = min(at + count, line_end(text, at))
    made = text[:at] + text[at:end].swapcase() + text[end:]
    return Act(made, on_letter(made, end, at))


def replaced(text: str, at: int, count: int, letter: str) -> Act:
    """Replace letters of a line, all of them or none."""
    if at + count > line_end(text, at):
        return Act(text, at)
    return Act(text[:at] + letter * count + text[at + count :], at + count - 1)


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


def line_or_history(text: str, at: int, lines: int) -> Act:
    """Go up or down; beyond the first and the last line to another prompt."""
    to = down(text, at, lines)
    if line_start(text, to) == line_start(text, at):
        return Act(text, at, also="newer" if lines > 0 else "older")
    return Act(text, on_letter(text, to))
