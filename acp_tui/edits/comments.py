"""Comments on lines of changed files, and the prompt that they make."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from acp_tui.text import clean, clean_line

REMOVED = "-"

Subject = tuple[bool, int, str]
"""What tells a line from others: whether it was removed, its number, its text."""


class CommentedLine(NamedTuple):
    """A line of a diff: its sign, its number in the file (from 1; 0 where it isn't known), its text."""

    sign: str
    number: int
    text: str

    @property
    def is_removed(self) -> bool:
        """Whether it stands in the file no longer."""
        return self.sign == REMOVED

    @property
    def subject(self) -> Subject:
        """What tells it from others: whether it is called added depends on what it is compared with."""
        return self.is_removed, self.number, self.text


class Comment(NamedTuple):
    """What a person says about a line, or about some that follow each other."""

    path: str
    lines: tuple[CommentedLine, ...]
    words: str = ""
    is_gone: bool = False
    """Whether its lines stand in the file no longer, though they weren't removed when it was made."""

    @property
    def subject(self) -> tuple[str, tuple[CommentedLine, ...]]:
        """What tells it from others: a second one on the same lines takes its place."""
        return self.path, self.lines

    @property
    def place(self) -> str:
        """The path, and the lines of the file; those that are gone only if there are no others."""
        return ":".join([self.path, *filter(None, [numbers(self.lines)])])

    @property
    def told_place(self) -> str:
        """The place, and whether its lines are still there."""
        place = clean_line(self.place)  # a name may have a line break
        if all(one.is_removed for one in self.lines):
            return f"{place} (removed)"
        return f"{place} (no longer there)" if self.is_gone else place


class Texts(NamedTuple):
    """The lines of a file, before its changes and after them, as a diff shows them."""

    old: Sequence[str] = ()
    new: Sequence[str] = ()


def numbers(lines: Sequence[CommentedLine]) -> str:
    """Return the numbers of lines as "3" or "3-5"; empty if they aren't known."""
    there = [one for one in lines if not one.is_removed] or lines
    known = [one.number for one in there if one.number]
    if not known:
        return ""
    return f"{known[0]}-{known[-1]}" if known[-1] != known[0] else f"{known[0]}"


def as_prompt(comments: Iterable[Comment]) -> str:
    """Return a prompt with all of them, each with its place and the lines that it is about: quoted, for
    others wrote these.
    """
    return "\n\n".join(map(_told, comments))


def _told(comment: Comment) -> str:
    quoted = [f"> {one.sign}{clean(one.text)}" for one in comment.lines]
    return "\n".join([f"> {comment.told_place}", *quoted, comment.words])


class Comments:
    """What a person has said about a session's changes, the oldest first."""

    def __init__(self) -> None:
        self._kept: list[Comment] = []
        self._removed: list[tuple[int, Comment]] = []
        self._texts: dict[str, Texts] = {}
        """For each file the texts in which its comments have their numbers."""

    def __iter__(self) -> Iterator[Comment]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def on(self, path: str) -> list[Comment]:
        """Return those on a file."""
        return [one for one in self._kept if one.path == path]

    def about(self, subject: Comment) -> Comment:
        """Return what was said about these lines, else what was given."""
        return next((one for one in self._kept if one.subject == subject.subject), subject)

    def put(self, comment: Comment) -> None:
        """Keep a comment in place of the one on the same lines; without words none is kept."""
        at = self._find(comment)
        if not comment.words:
            self.remove(comment)
        elif at is None:
            self._kept.append(comment)
        else:
            self._kept[at] = comment

    def remove(self, comment: Comment) -> None:
        """Remove the comment on these lines; `restore` brings it back."""
        at = self._find(comment)
        if at is not None:
            self._removed.append((at, self._kept.pop(at)))

    def restore(self) -> Comment | None:
        """Bring back what was removed last, and return it, unless its lines have another one by now."""
        while self._removed:
            at, comment = self._removed.pop()
            if self._find(comment) is None:
                self._kept.insert(at, comment)
                return comment
        return None

    def follow(self, path: str, texts: Texts) -> None:
        """Let the comments on a file go with their lines, where it has these texts by now."""
        before = self._texts.get(path, texts)
        self._texts[path] = texts
        self._kept = [
            _followed(one, before, texts) if one.path == path else one for one in self._kept
        ]

    def take_all(self) -> list[Comment]:
        """Return all of them, and begin anew."""
        taken, self._kept = self._kept, []
        self._removed.clear()
        return taken

    def _find(self, comment: Comment) -> int | None:
        same = (at for at, one in enumerate(self._kept) if one.subject == comment.subject)
        return next(same, None)


def _followed(comment: Comment, before: Texts, now: Texts) -> Comment:
    """Return a comment with the numbers that its lines have by now. Of lines that are gone, the numbers
    stay if all of them are.
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
    """Return where lines are by now: all of them together, else each alone, as far as they are there."""
    together = _moved_together(lines, before, now)
    if together or len(lines) < 2:
        return together
    alone = (_moved_together([one], before, now) for one in lines)
    return {line: moved for found in alone for line, moved in found.items()}


def _moved_together(
    lines: Sequence[CommentedLine], before: Sequence[str], now: Sequence[str]
) -> dict[CommentedLine, CommentedLine]:
    """Return where lines are by now, as far from each other as they were; the nearest of such places to
    where the end of the file would have taken them.
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
    """Return how many lines at the end are the same."""
    pairs = zip(reversed(before), reversed(now), strict=False)
    return next(
        (at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(now))
    )
