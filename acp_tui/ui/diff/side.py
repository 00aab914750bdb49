"""One side of a diff: its lines as they are drawn, and their syntax colors."""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

from acp_tui.edits.line_diff import BOM, ignores_line_ends, is_dos
from acp_tui.protocol.content import Diff
from acp_tui.ui.lines.visible import visible_line

COLORED_AT_ONCE = 32
"""Lines that go through the lexer at a time, after as many again that give it context."""
MOST_COLORED = 16_000
"""Most characters that go through the lexer at a time; longer texts stay uncolored."""
MOST_WORDS = 300
"""Most words in a line that are compared with those of another."""
LEAST_ALIKE = 0.4
"""Least similarity of two lines for which highlighting their differences is useful."""

ColoredPiece = tuple[str, _TokenType]

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Kana and Han: written without spaces, so each character counts as a word."""
_WORDS = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}])\w)+|\s+|[^\w\s]")


class DiffSide:
    """The lines of one version of a file.

    `ended` is whether the last line has a newline. `dos` is whether all lines end with a carriage
    return, which then isn't shown. With `any_ends`, line ends are ignored in the comparison, as a
    note describes their differences.
    """

    def __init__(self, text: str, path: str, *, dos: bool, any_ends: bool) -> None:
        self.lines = text.split("\n")
        self.ended = self.lines[-1] == ""
        if self.ended:
            self.lines.pop()
        self._path = path
        self._dos = dos
        self._any_ends = any_ends
        self._colored: dict[int, list[list[ColoredPiece]]] = {}

    @property
    def keys(self) -> "list[str | tuple[str]]":
        """The lines as comparison keys: a last line without a newline only equals another such
        line.
        """
        lines = self.lines
        if self._any_ends and lines:
            lines = [one.removesuffix("\r") for one in lines]
            lines[0] = lines[0].removeprefix(BOM)
        if self.ended or not lines:
            return [*lines]
        return [*lines[:-1], (lines[-1],)]

    def shown(self, index: int) -> str:
        """Return a line as it is drawn, without control characters and tabs."""
        line = self.lines[index]
        return visible_line(line[:-1] if self._dos and line.endswith("\r") else line)

    def all_shown(self) -> list[str]:
        """Return all lines as they are drawn."""
        return [self.shown(index) for index in range(len(self.lines))]

    def colored(self, index: int) -> list[ColoredPiece]:
        """Return a line in pieces that each have one syntax color."""
        chunk, line = divmod(index, COLORED_AT_ONCE)
        pieces = self._colored.get(chunk)
        if pieces is None:
            if len(self._colored) > 64:
                self._colored.clear()
            pieces = self._colored[chunk] = self._color(chunk * COLORED_AT_ONCE)
        return pieces[line]

    def _color(self, start: int) -> list[list[ColoredPiece]]:
        lead = max(0, start - COLORED_AT_ONCE)
        end = min(start + COLORED_AT_ONCE, len(self.lines))
        lines = [self.shown(index) for index in range(lead, end)]
        lexer = _lexer(self._path.replace("\\", "/").rsplit("/", 1)[-1])
        colored = _lexed(lexer, lines) if lexer else []
        plain = [[(line, Token)] for line in lines]
        if ["".join([text for text, _ in line]) for line in colored[: len(lines)]] != lines:
            colored = plain
        return colored[start - lead : len(lines)]


def sides_of(diff: Diff, source: str | None = None) -> tuple[DiffSide, DiffSide]:
    """Return both sides of a diff; `source` is the old path of a renamed file."""
    before, after = diff.old_text or "", diff.new_text
    any_ends = ignores_line_ends(before, after)
    both = is_dos(before) and is_dos(after)
    old, new = (is_dos(before), is_dos(after)) if any_ends else (both, both)
    return (
        DiffSide(before, source or diff.path, dos=old, any_ends=any_ends),
        DiffSide(after, diff.path, dos=new, any_ends=any_ends),
    )


def dot_last_spaces(line: str, other: str) -> str:
    """Return a line with its trailing spaces as dots, if the other line has a different number of
    them.
    """
    words, others = line.rstrip(" "), other.rstrip(" ")
    spaces = len(line) - len(words)
    return line if spaces == len(other) - len(others) else words + "·" * spaces


def replace_text(pieces: list[ColoredPiece], text: str) -> list[ColoredPiece]:
    """Return the pieces with their text replaced by a text of the same length."""
    found, at = [], 0
    for piece, kind in pieces:
        found.append((text[at : at + len(piece)], kind))
        at += len(piece)
    return found


@lru_cache(maxsize=64)
def _lexer(name: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _lexed(lexer: Lexer, lines: list[str]) -> list[list[ColoredPiece]]:
    text = "\n".join(lines)
    if len(text) > MOST_COLORED:
        return []
    colored: list[list[ColoredPiece]] = [[]]
    for kind, value in lexer.get_tokens(text):
        first, *others = value.split("\n")
        if first:
            colored[-1].append((first, kind))
        colored += [[(part, kind)] if part else [] for part in others]
    return colored


class ChangedWords(NamedTuple):
    """The differing words of two lines: start and end of each, on both sides."""

    old: list[tuple[int, int]]
    new: list[tuple[int, int]]


@lru_cache(maxsize=512)
def find_changed_words(old: str, new: str) -> ChangedWords:
    """Return the words in which two lines differ; none if the lines have little in common."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    a = _WORDS.findall(old)
    b = _WORDS.findall(new)
    if max(len(a), len(b)) > MOST_WORDS:
        alike = 2 * (start + end) / (len(old) + len(new) or 1)
        marks = ChangedWords([(start, len(old) - end)], [(start, len(new) - end)])
        return marks if alike > LEAST_ALIKE else ChangedWords([], [])
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    same = 0
    old_marks, new_marks = [], []
    old_at, new_at = _offsets(a), _offsets(b)
    for tag, i0, i1, j0, j1 in matcher.get_opcodes():
        if tag == "equal":
            same += sum(len(word.strip()) for word in a[i0:i1])
            continue
        old_marks.append((old_at[i0], old_at[i1]))
        new_marks.append((new_at[j0], new_at[j1]))
    size = len("".join(old.split())) + len("".join(new.split()))
    if 2 * same < LEAST_ALIKE * size:
        return ChangedWords([], [])
    return ChangedWords(_joined(old_marks, old), _joined(new_marks, new))


def _common(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    size = min(len(one), len(other))
    return next((at for at in range(size) if one[at] != other[at]), size)


def _offsets(words: list[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets


def _joined(marks: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Return the marks; those with only spaces between them are merged."""
    joined: list[tuple[int, int]] = []
    for start, end in marks:
        if start == end:
            continue
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
