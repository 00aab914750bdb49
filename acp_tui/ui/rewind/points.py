"""The points to which a session can be rewound, including those of other sessions in its folder."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import Entry, MessageEntry, Role, ToolCallEntry, TurnEndEntry, is_prompt
from acp_tui.state.session import Session
from acp_tui.ui.checkpoints import find_prompt
from acp_tui.ui.markdown.inline import parse_inline
from acp_tui.ui.markdown.references import Definitions
from acp_tui.ui.markdown.styled_text import plain_text

if TYPE_CHECKING:
    from acp_tui.rewind.checkpoint import CheckpointOwner
    from acp_tui.rewind.store import CheckpointedTurn

LONGEST_ANSWER = 400
"""Most characters of an answer that are read."""
_BLOCK = re.compile(r"\s*(?:(?:#{1,6}|[-*+>])\s+)*")
"""The beginning of a Markdown heading, list item or quote."""


class Point(NamedTuple):
    """A turn, or a rewind, that can be rewound to before.

    `at` is when it began, in seconds since 1970. `kept` has the files saved before it, if there are
    any; `entry` is the prompt's index in the transcript; `took` is how many seconds the agent
    worked, if the turn has ended.
    """

    words: str
    at: float
    session_id: str
    kept: "CheckpointedTurn | None" = None
    entry: int | None = None
    took: float | None = None
    cursor: str = ""
    """The id of the agent's cursor at which it can fork the session, if there is one."""
    is_fork: bool = False
    """Whether this is a point within a turn, at which the agent can fork, but no files were saved.
    """

    @property
    def is_return(self) -> bool:
        """Whether this is a rewind, or the undo of one."""
        return self.kept is not None and _is_return(self.kept)

    @property
    def is_undo(self) -> bool:
        """Whether this is the undo of a rewind."""
        from acp_tui.rewind.checkpoint import CheckpointKind

        return self.kept is not None and self.kept.checkpoint.reason.kind is CheckpointKind.UNDO


class Points(NamedTuple):
    """The points of the session and those of others, newest first."""

    own: Sequence[Point] = ()
    others: Sequence[Point] = ()

    @property
    def last_return(self) -> Point | None:
        """The latest rewind, by any session."""
        returns = [one for one in (*self.own, *self.others) if one.is_return]
        return max(returns, key=lambda one: one.at, default=None)


def find_points(
    session: Session,
    owner: "CheckpointOwner",
    turns: "Sequence[CheckpointedTurn]",
    since_1970: Callable[[float], float],
) -> Points:
    """List all points; `since_1970` converts a time of the transcript."""
    own: list[CheckpointedTurn] = []
    others: list[CheckpointedTurn] = []
    for turn in turns:
        is_last_return = turn is turns[0] and _is_return(turn)  # it can be undone from any session
        mine = is_last_return or owner.owns(turn.checkpoint)
        (own if mine else others).append(turn)
    points = _with_cursors(session, list(_own_points(session, own, since_1970)), since_1970)
    return Points(points, [_point(turn) for turn in others])


def _with_cursors(
    session: Session, points: list[Point], since_1970: Callable[[float], float]
) -> list[Point]:
    """Add the agent's cursors to the turns that begin at them, and a point for each cursor within a
    turn.
    """
    for cursor, index in sorted(session.indexes.cursors.items(), key=lambda one: one[1]):
        if cursor not in session.fork_cursors or not 0 < index <= len(session.entries):
            continue
        begins = _next_prompt(session, index)
        if begins is not None:
            points = [one._replace(cursor=cursor) if one.entry == begins else one for one in points]
            continue
        last = session.entries[index - 1]
        words = _words_of(last)
        if words:
            at = since_1970(last.at)
            point = Point(words, at, session.session_id, entry=index, cursor=cursor, is_fork=True)
            later = (one.entry is not None and one.entry >= index for one in points)
            place = max((number for number, is_later in enumerate(later, 1) if is_later), default=0)
            points.insert(place, point)
    return points


def _next_prompt(session: Session, index: int) -> int | None:
    """Return the index of the next prompt; None if a message or a tool call comes before it."""
    for at in range(index, len(session.entries)):
        if is_prompt(session.entries[at]):
            return at
        if isinstance(session.entries[at], MessageEntry | ToolCallEntry):
            return None
    return None


def _words_of(entry: Entry) -> str:
    """Return the text for a point after an entry; "" if the entry isn't part of the conversation."""
    if isinstance(entry, ToolCallEntry):
        return entry.title
    return entry.text if isinstance(entry, MessageEntry) else ""


def _own_points(
    session: Session, turns: "Sequence[CheckpointedTurn]", since_1970: Callable[[float], float]
) -> Iterator[Point]:
    """Yield the session's points, including prompts before which no files were saved."""
    end = len(session.entries)
    for turn in turns:
        reason = turn.checkpoint.reason
        at = None if _is_return(turn) else find_prompt(session, reason, end)
        if at is not None:
            yield from _prompts(session, range(at + 1, end), since_1970)
            end = at
        yield _point(turn, at, _took(session, at))
    yield from _prompts(session, range(end), since_1970)


def _point(turn: "CheckpointedTurn", entry: int | None = None, took: float | None = None) -> Point:
    reason = turn.checkpoint.reason
    return Point(reason.words, turn.checkpoint.at, reason.session_id, turn, entry, took)


def _is_return(turn: "CheckpointedTurn") -> bool:
    from acp_tui.rewind.checkpoint import CheckpointKind  # lazy import: not needed at startup

    return turn.checkpoint.reason.kind is not CheckpointKind.TURN


def _prompts(
    session: Session, places: range, since_1970: Callable[[float], float]
) -> Iterator[Point]:
    for at in reversed(places):
        entry = session.entries[at]
        if is_prompt(entry):
            words = entry.own_text
            began, took = since_1970(entry.at), _took(session, at)
            yield Point(words, began, session.session_id, entry=at, took=took)


def _took(session: Session, prompt: int | None) -> float | None:
    """Return how many seconds the agent worked in a prompt's turn, not counting waits for the user."""
    for entry in session.entries[prompt + 1 :] if prompt is not None else ():
        if is_prompt(entry):
            return None
        if isinstance(entry, TurnEndEntry):
            return entry.worked
    return None


def first_answer_line(session: Session, point: Point) -> str:
    """Return the first line of the agent's answer to a point's prompt, as plain text."""
    if point.entry is None or point.session_id != session.session_id:
        return ""
    for entry in session.entries[point.entry + 1 :]:
        if is_prompt(entry):
            break
        if isinstance(entry, MessageEntry) and entry.role is Role.AGENT:
            runs = (one.text for one in entry.blocks if isinstance(one, TextRun))
            first = next(
                (one.strip()[:LONGEST_ANSWER].split("\n")[0] for one in runs if one.strip()), ""
            )
            return " ".join(
                map(plain_text, parse_inline(_BLOCK.sub("", first, count=1), Definitions().env()))
            )
    return ""


def has_prompts(session: Session) -> bool:
    """Return whether a session has a prompt to rewind to."""
    return any(map(is_prompt, session.entries))
