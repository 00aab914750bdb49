"""The keys that the last row shows in the conversation: those that matter where one is."""

from collections.abc import Sequence

from acp_tui.session.state import Peer, Phase, Session
from acp_tui.ui.hints import Hint
from acp_tui.ui.sessions.status import is_stuck

SEARCH_KEYS: list[Hint] = [
    ("enter", "to the match"),
    ("down", "next"),
    ("up", "before"),
    ("escape", "close"),
]
_SELECTING_KEYS: list[Hint] = [
    ("down", "select more"),
    ("y", "copy"),
    ("Y", "copy as Markdown"),
    ("escape", "end"),
]
QUEUE_KEYS: list[Hint] = [
    ("enter", "edit"),
    ("shift+up", "earlier"),
    ("delete", "throw away"),
    ("ctrl+g", "send now"),
    ("f6", "back"),
]
_SEARCHED_KEYS: list[Hint] = [("n", "next"), ("N", "before"), ("escape", "end the search")]
QUESTION_KEYS: list[Hint] = [
    ("pageup", "read"),
    ("tab", "transcript"),
    ("ctrl+f", "search"),
    ("f12", "frame"),
    ("f1", "keys"),
    ("ctrl+q", "leave"),
]
_TRANSCRIPT_KEYS: list[Hint] = [
    ("enter", "open"),
    ("y", "copy"),
    ("slash", "search"),
    ("tab", "prompt"),
    ("v", "select"),
    ("f12", "frames"),
    ("f1", "keys"),
]
_REPLAY_KEYS: list[Hint] = [("f12", "frames"), ("f1", "keys"), ("ctrl+q", "leave")]


def trouble_keys(phase: Phase) -> list[Hint]:
    """Return the keys for an agent that can't be used."""
    new = [("ctrl+t", "new session")] if phase is Phase.NO_SESSION else []
    common = [("ctrl+r", "restart"), ("tab", "move"), ("f1", "keys"), ("ctrl+q", "leave")]
    return [*new, *common]


def replay_keys(keys: Sequence[Hint]) -> list[Hint]:
    """Return the keys of a replay, which has these of its own; none if there are none."""
    return [*keys, *_REPLAY_KEYS] if keys else []


def transcript_keys(
    replay: Sequence[Hint], *, selecting: bool, searching: bool, asked: bool
) -> list[Hint]:
    """Return the keys for reading: while lines are selected, a search is open, or a question waits
    in the prompt.
    """
    if selecting:
        return _SELECTING_KEYS
    answer = [("tab", "answer")] if asked else []
    return [*answer, *(_SEARCHED_KEYS if searching else replay_keys(replay)), *_TRANSCRIPT_KEYS]


def prompt_keys(peer: Peer, session: Session | None, now: float, *, queued: bool) -> list[Hint]:
    """Return the keys for writing; `queued` is whether prompts wait to be sent."""
    turn = session.turn if session is not None else None
    first = [("enter", "queue" if turn is not None else "send")]
    if turn is not None and turn.cancelled is None:
        first = [("escape", "cancel"), *first, ("ctrl+g", "send now")]
    if is_stuck(peer, session, now):
        first.insert(0, ("ctrl+r", "restart the agent"))
    queue = [("f6", "queue")] if queued else []
    modes = [("shift+tab", "mode")] if session is not None and session.mode else []
    common = [("f1", "keys"), ("ctrl+j", "new line"), ("tab", "transcript"), *modes]
    more = [("ctrl+o", "sessions"), ("f4", "options")]
    return [*first, *queue, *common, ("ctrl+q", "leave"), *more]
