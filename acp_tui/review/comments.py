"""Comments on lines of changed files, and the prompt that they make."""

from collections.abc import Iterable

from acp_tui.lazy_named_tuple import NamedTuple


class Comment(NamedTuple):
    """What a person says about a line. `line` counts from 1; 0 where it isn't known.

    `sign` is that of the line in the diff: a removed line is none of the file anymore.
    """

    path: str
    line: int
    sign: str
    quoted: str
    words: str

    @property
    def place(self) -> tuple[str, int, str, str]:
        """What tells it from others: a second one on the same line takes its place."""
        return self.path, self.line, self.sign, self.quoted


def as_prompt(comments: Iterable[Comment]) -> str:
    """Return a prompt with all of them, each with its place and the line that it is about."""
    return "\n\n".join(map(_told, comments))


def _told(comment: Comment) -> str:
    place = f"{comment.path}:{comment.line}" if comment.line else comment.path
    removed = " (removed)" if comment.sign == "-" else ""
    return f"{place}{removed}\n> {comment.sign}{comment.quoted}\n{comment.words}"
