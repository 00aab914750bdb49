"""Attributes the changes of a text to authors, by replaying all edits in order."""

from collections.abc import Sequence
from typing import NamedTuple

from acp_tui.edits.hunks import LineHunk
from acp_tui.edits.line_diff import compare_lines
from acp_tui.edits.steps import finish_steps


class AuthoredEdit(NamedTuple):
    """An edit of a whole file or a part of it; `author` is a name, or None if unknown."""

    author: str | None
    old_text: str
    new_text: str
    is_whole: bool


class _Line(NamedTuple):
    """A line of the replayed text, with its index in the old text; None if the author added it."""

    origin: int | None
    author: str | None = None


class HunkAuthors:
    """Replays edits from an old text to a new one; changes that no edit explains have no author."""

    def __init__(self, old: str, new: str, edits: Sequence[AuthoredEdit]) -> None:
        self._text = _plain(old)
        self._lines = [_Line(at) for at in range(len(_lines_of(self._text)))]
        self._removed: dict[int, str | None] = {}
        """Who removed each line of the old text, by the line's index."""
        for edit in edits:
            before, after = _plain(edit.old_text), _plain(edit.new_text)
            if edit.is_whole:
                self._become(before, None)
                self._become(after, edit.author)
            elif before and self._text.count(before) == 1:
                self._become(self._text.replace(before, after), edit.author)
        self._become(_plain(new), None)

    def authors_of(self, hunk: LineHunk) -> list[str | None]:
        """Return the authors of a hunk of the whole change; None is an unknown one."""
        old, new = range(hunk.old_start, hunk.old_end), self._lines[hunk.new_start : hunk.new_end]
        gone = [self._removed[at] for at in old if at in self._removed]
        added = [line.author for line in new if line.origin is None]
        return list(dict.fromkeys([*gone, *added])) or [None]

    def _become(self, text: str, author: str | None) -> None:
        """Replace the text; attribute the changed lines to an author."""
        if text == self._text:
            return
        lines: list[_Line] = []
        for one in finish_steps(compare_lines(_lines_of(self._text), _lines_of(text))):
            before = self._lines[one.old_start : one.old_end]
            if one.same:
                lines += before
            else:
                self._removed |= {line.origin: author for line in before if line.origin is not None}
                lines += [_Line(None, author)] * (one.new_end - one.new_start)
        self._text, self._lines = text, lines


def _plain(text: str) -> str:
    """Convert CRLF to LF: an agent's diff may have other line endings than the file."""
    return text.replace("\r\n", "\n")


def _lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []
