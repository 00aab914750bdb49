"""Comments on lines of changed files, and the prompt made from them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from acp_tui.text import clean_line, clean_text

REMOVED = "-"

Subject = tuple[bool, int, str]
"""The identity of a line: whether it was removed, its number, and its text."""


class CommentedLine(NamedTuple):
    """A line of a diff: its sign, its number in the file (from 1; 0 if unknown), and its text."""

    sign: str
    number: int
    text: str

    @property
    def is_removed(self) -> bool:
        """Return whether the line was removed from the file."""
        return self.sign == REMOVED

    @property
    def subject(self) -> Subject:
        """The line's identity, without the sign, which depends on the other side of the diff."""
        return self.is_removed, self.number, self.text


class Comment(NamedTuple):
    """A comment on a line, or on consecutive lines."""

    path: str
    lines: tuple[CommentedLine, ...]
    words: str = ""
    is_gone: bool = False
    """Whether its lines were removed from the file after the comment was written."""

    @property
    def subject(self) -> tuple[str, tuple[CommentedLine, ...]]:
        """The comment's identity: a new comment on the same lines replaces it."""
        return self.path, self.lines

    @property
    def place(self) -> str:
        """The path and line numbers; numbers of removed lines only if there are no others."""
        return ":".join([self.path, *filter(None, [format_line_numbers(self.lines)])])

    @property
    def described_place(self) -> str:
        """The place, with a note if its lines no longer exist."""
        place = clean_line(self.place)  # a file name may contain a line break
        if all(one.is_removed for one in self.lines):
            return f"{place} (removed)"
        return f"{place} (no longer there)" if self.is_gone else place


class Texts(NamedTuple):
    """The lines of a file before and after its changes, as shown in a diff."""

    old: Sequence[str] = ()
    new: Sequence[str] = ()


def format_line_numbers(lines: Sequence[CommentedLine]) -> str:
    """Format the numbers of lines as "3" or "3-5"; "" if unknown."""
    there = [one for one in lines if not one.is_removed] or lines
    known = [one.number for one in there if one.number]
    if not known:
        return ""
    return f"{known[0]}-{known[-1]}" if known[-1] != known[0] else f"{known[0]}"


def format_comments(comments: Iterable[Comment]) -> str:
    """Format all comments as a prompt, each with its place and its quoted lines: others wrote them."""
    return "\n\n".join(map(_format_comment, comments))


def _format_comment(comment: Comment) -> str:
    quoted = [f"> {one.sign}{clean_text(one.text)}" for one in comment.lines]
    return "\n".join([f"> {comment.described_place}", *quoted, comment.words])


class Comments:
    """The user's comments on a session's changes, oldest first."""

    def __init__(self) -> None:
        self._comments: list[Comment] = []
        self._removed: list[tuple[int, Comment]] = []
        self._texts: dict[str, Texts] = {}
        """The texts of each file to which the line numbers of its comments refer."""

    def __iter__(self) -> Iterator[Comment]:
        return iter(self._comments)

    def __len__(self) -> int:
        return len(self._comments)

    def on(self, path: str) -> list[Comment]:
        """Return the comments on a file."""
        return [one for one in self._comments if one.path == path]

    def about(self, subject: Comment) -> Comment:
        """Return the comment on the same lines, or else the given one."""
        return next((one for one in self._comments if one.subject == subject.subject), subject)

    def add(self, comment: Comment) -> None:
        """Add a comment, replacing the one on the same lines; without words, remove it."""
        at = self._find_comment(comment)
        if not comment.words:
            self.remove(comment)
        elif at is None:
            self._comments.append(comment)
        else:
            self._comments[at] = comment

    def remove(self, comment: Comment) -> None:
        """Remove the comment on these lines; `restore` undoes that."""
        at = self._find_comment(comment)
        if at is not None:
            self._removed.append((at, self._comments.pop(at)))

    def restore(self) -> Comment | None:
        """Restore and return the last removed comment whose lines haven't another one by now."""
        while self._removed:
            at, comment = self._removed.pop()
            if self._find_comment(comment) is None:
                self._comments.insert(at, comment)
                return comment
        return None

    def follow(self, path: str, texts: Texts) -> None:
        """Update the line numbers of a file's comments to its new texts."""
        before = self._texts.get(path, texts)
        self._texts[path] = texts
        self._comments = [
            _followed(one, before, texts) if one.path == path else one for one in self._comments
        ]

    def remove_all(self) -> list[Comment]:
        """Remove and return all comments."""
        taken, self._comments = self._comments, []
        self._removed.clear()
        return taken

    def _find_comment(self, comment: Comment) -> int | None:
        same = (at for at, one in enumerate(self._comments) if one.subject == comment.subject)
        return next(same, None)


def _followed(comment: Comment, before: Texts, now: Texts) -> Comment:
    """Return a comment with the new numbers of its lines.

    If all of its lines have disappeared, the old numbers are kept.
    """
    known = [one for one in comment.lines if one.number]
    old = _moved([one for one in known if one.is_removed], before.old, now.old)
    new = _moved([one for one in known if not one.is_removed], before.new, now.new)
    if not new and any(not one.is_removed for one in known):
        return comment._replace(is_gone=True)
    places = {**old, **new}
    lines = (
        places.get(one, one if one.is_removed else one._replace(number=0)) for one in comment.lines
    )
    return comment._replace(lines=tuple(lines), is_gone=False)


def _moved(
    lines: Sequence[CommentedLine], before: Sequence[str], now: Sequence[str]
) -> dict[CommentedLine, CommentedLine]:
    """Return the new places of lines: of all together, or else of each that still exists."""
    together = _moved_together(lines, before, now)
    if together or len(lines) < 2:
        return together
    alone = (_moved_together([one], before, now) for one in lines)
    return {line: moved for found in alone for line, moved in found.items()}


def _moved_together(
    lines: Sequence[CommentedLine], before: Sequence[str], now: Sequence[str]
) -> dict[CommentedLine, CommentedLine]:
    """Return the new places of lines that are still at the same distances.

    If there are several such places, return the one nearest to where the file's change in length
    would move them.
    """
    if not lines:
        return {}
    first = lines[0]
    expected = first.number
    if expected > len(before) - _same_at_end(before, now):
        expected += len(now) - len(before)
    starts = [at for at, text in enumerate(now, start=1) if text == first.text]
    for start in sorted(starts, key=lambda at: abs(at - expected)):
        moved = [one._replace(number=one.number + start - first.number) for one in lines]
        if all(one.number <= len(now) and now[one.number - 1] == one.text for one in moved):
            return dict(zip(lines, moved, strict=True))
    return {}


def _same_at_end(before: Sequence[str], now: Sequence[str]) -> int:
    """Return the number of equal lines at the end."""
    pairs = zip(reversed(before), reversed(now), strict=False)
    return next(
        (at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(now))
    )
