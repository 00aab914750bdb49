"""Code blocks: wrapped line by line, highlighted when they are drawn."""

from functools import lru_cache
from typing import NamedTuple

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from acp_tui.ui.lines.cells import code_breaks, fitting_count, row_of_spaces, width_of
from acp_tui.ui.markdown.styled_text import (
    Line,
    TextLook,
    align_to_graphemes,
    plain_text,
    slice_line,
)

BLOCK = TextLook(("code.block",))
LABEL = TextLook(("code.block", "code.label"))
CONTINUED = TextLook(("code.block", "code.continuation"))
MARK = "↪ "
"""The prefix of a row that continues the code line above."""


class CodeRow(NamedTuple):
    """A drawn row of code: where its margin, the code and the fill begin, and its kind."""

    margin: int
    start: int
    end: int
    label: bool  # names the language; contains no code
    continued: bool  # continues the code line above


def code_row(line: Line) -> CodeRow | None:
    """Return where the code in a drawn line is; None if it has none."""
    at = 0
    for index, (text, look) in enumerate(line):
        if look.roles[:1] == BLOCK.roles:
            continued = line[index + 1 :][:1] == [(MARK, CONTINUED)]
            start = at + 1 + (len(MARK) if continued else 0)
            last, last_look = line[-1]
            filled = index < len(line) - 1 and last_look == BLOCK and not last.strip()
            end = len(plain_text(line)) - (len(last) if filled else 0)
            return CodeRow(at, start, end, look == LABEL, continued)
        at += len(text)
    return None


def code_rows(text: str, width: int) -> list[tuple[int, int, int]]:
    """Return the line number, start and end of each row of wrapped code; tabs are expanded."""
    rows = []
    for number, line in enumerate(_lines(text)):
        room = width - 2
        size = width_of(line)
        if size <= room or room < 4:
            parts = code_breaks(line, max(1, room))
        else:
            first = code_breaks(line, room)[0][1]
            parts = [(0, first)]
            parts += [
                (first + a, first + b) for a, b in code_breaks(line[first:], room - len(MARK))
            ]
        rows += [(number, start, end) for start, end in parts]
    return rows


def draw_code(text: str, width: int, language: str, before: str) -> list[Line]:
    """Draw code on its background; `before` is the code above it, for the lexer."""
    colored = highlight_code(text, language, before)
    drawn = []
    for number, start, end in code_rows(text, width):
        continued = start > 0 and width - 2 >= 4
        line: Line = [(" ", BLOCK)]
        if continued:
            line.append((MARK, CONTINUED))
        line += slice_line(colored[number], [(start, end)])[0] if end > start else []
        drawn.append(pad_code(line, width))
    return drawn


def draw_label(language: str, width: int) -> Line:
    """Draw the line above code that names its language."""
    text = f" {language}"
    return pad_code([(text[: fitting_count(text, max(1, width))], LABEL)], width)


def pad_code(line: Line, width: int) -> Line:
    """Pad a line of code with its background."""
    free = width - sum(width_of(text) for text, _ in line)
    if free > 0:
        line.append((row_of_spaces(free), BLOCK))
    return line


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        del lines[-1]
    return [line.expandtabs(4) for line in lines]


@lru_cache(maxsize=16)  # an open block is drawn again in each frame
def highlight_code(text: str, language: str, before: str) -> list[Line]:
    """Return lines of code as spans of Pygments tokens."""
    lexer = _lexer(language)
    lines = _lines(text)
    if lexer is None:
        return [[(line, BLOCK)] for line in lines]
    skip = len(_lines(before)) if before else 0
    colored: list[Line] = [[]]
    for kind, value in lexer.get_tokens(before + text):
        look = TextLook(("code.block", kind))
        for index, part in enumerate(value.split("\n")):
            if index:
                colored.append([])
            if part:
                colored[-1].append((part, look))
    colored = [align_to_graphemes(_expand_tabs(line)) for line in colored[skip : skip + len(lines)]]
    return [
        found if "".join([part for part, _ in found]) == line else [(line, BLOCK)]
        for line, found in zip(lines, colored + [[]] * len(lines), strict=False)
    ]


def _expand_tabs(line: Line) -> Line:
    """Expand tabs in a line, by their columns in the whole line rather than in a span."""
    if not any("\t" in text for text, _ in line):
        return line
    column, expanded = 0, []
    for text, look in line:
        part = (row_of_spaces(column % 4) + text).expandtabs(4)[column % 4 :]
        column += len(part)
        expanded.append((part, look))
    return expanded


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
