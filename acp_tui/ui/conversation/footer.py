"""The keys that the last row shows in the conversation: those that matter where one is."""

from collections.abc import Sequence

from acp_tui.session.state import Peer, Phase, Session
from acp_tui.ui.hints import WIDE, Hint
from acp_tui.ui.sessions.conditions import is_stuck

SEARCH_KEYS: list[Hint] = [
    ("enter", "to the match"),
    ("down", "next"),
    ("up", "before"),
    ("escape", "back"),
]
_SELECTING_KEYS: list[Hint] = [
    ("down", "select more"),
    ("y", "copy"),
    ("Y", "copy as Markdown"),
    ("escape", "cancel"),
]
QUEUE_KEYS: list[Hint] = [
    ("enter", "edit"),
    ("shift+up", "earlier"),
    ("delete", "throw away"),
    ("alt+g", "send now"),
    ("f6", "back"),
]
_SEARCHED_KEYS: list[Hint] = [("n", "next"), ("N", "before"), ("escape", "end the search")]
CHOOSING_KEYS: list[Hint] = [
    ("enter,tab", "choose"),
    ("down", "next"),
    ("up", "before"),
    ("escape", "hide the list"),
]
"""While a list of commands or files is open over the prompt."""
_QUESTION_KEYS: list[Hint] = [
    ("pageup", "scroll"),
    ("tab", "transcript"),
    ("alt+slash", "search"),
    ("f12", "frame"),
    ("f1", "keys"),
    ("ctrl+q", "leave"),
]
_MOVE, _TURNS, _SELECT = (
    ("j,k", "move"),
    ("left_square_bracket,right_square_bracket", "turn"),
    ("v", "select"),
)
_TRANSCRIPT_KEYS: list[Hint] = [
    _MOVE,
    ("y", "copy"),
    ("slash", "search"),
    ("tab", "prompt"),
    ("f1", "keys"),
    ("f12", "frames"),
    _TURNS,
    _SELECT,
]
_OPENING = 21
"""Letters of the words for Enter and `y` on a wide screen: the keys behind them stay where they are."""
_PLAIN: list[Hint] = [("y", "copy    "), ("tab", "prompt"), ("j,k", "move           ")]
"""The first keys there where Enter does nothing: they take as many cells."""
_READING: list[Hint] = [("alt+slash", "search"), ("f12", "frames")]
_LAST: list[Hint] = [
    ("ctrl+q", "leave"),
    ("ctrl+o", "sessions"),
    ("f4", "options"),
    ("alt+u", "go back to a turn"),
]
_REPLAY_KEYS: list[Hint] = [("f12", "frames"), ("f1", "keys"), ("ctrl+q", "leave")]


def question_keys(own: Sequence[Hint]) -> list[Hint]:
    """Return the keys while a question waits: its own, and those that it leaves."""
    taken = {key for key, _ in own}
    return [*own, *(one for one in _QUESTION_KEYS if one[0] not in taken)]


def trouble_keys(phase: Phase, *, named: bool) -> list[Hint]:
    """Return the keys for an agent that can't be used; `named` is whether those of what tells of it
    stand there.
    """
    new = [("ctrl+t", "new session")] if phase is Phase.NO_SESSION else []
    first = [] if named else [*new, ("alt+a", "restart")]
    return [
        *first,
        ("alt+n", "another agent"),
        ("f12", "frames"),
        ("f1", "keys"),
        ("ctrl+q", "leave"),
    ]


def replay_keys(keys: Sequence[Hint]) -> list[Hint]:
    """Return the keys of a replay, which has these of its own; none if there are none."""
    return [*keys, *_REPLAY_KEYS] if keys else []


def transcript_keys(
    replay: Sequence[Hint],
    session: Session | None,
    width: int,
    *,
    enter: str,
    selecting: bool,
    searching: bool,
    asked: bool,
) -> list[Hint]:
    """Return the keys for reading: while lines are selected, a search is open, or a question waits
    in the prompt. `enter` is what Enter does, if anything. On a wide screen they take as many cells as
    those for writing.
    """
    if selecting:
        return _SELECTING_KEYS
    first = [("enter", enter)] if enter else []
    keys = [*first, *_TRANSCRIPT_KEYS]
    if width >= WIDE:
        copy = ("y", "copy".ljust(_OPENING - len(enter)))
        own = [*first, ("tab", "prompt"), copy] if enter else _PLAIN
        more = [*_modes(session), *_LAST, *([_MOVE] if enter else []), _TURNS, _SELECT]
        keys = [*own, *_READING, ("f1", "keys"), *more]
    if asked:
        keys = [("tab", "answer"), *(one for one in keys if one[0] != "tab")]
    return [*(_SEARCHED_KEYS if searching else replay_keys(replay)), *keys]


def prompt_keys(
    peer: Peer, session: Session | None, now: float, width: int, *, queued: bool, runs: bool
) -> list[Hint]:
    """Return the keys for writing; `queued` is whether prompts wait to be sent, `runs` whether a command
    of the person's is written.
    """
    turn = session.turn if session is not None else None
    first = [("enter", "run it here" if runs else "queue" if turn is not None else "send")]
    if turn is not None and turn.cancelled is None:
        first = [("escape", "cancel"), *first, ("alt+g", "send now")]
    if is_stuck(peer, session, now):
        first.insert(0, ("alt+a", "restart the agent"))
    queue = [("f6", "open the queue")] if queued else []
    keys, line, tab = ("f1", "keys"), ("ctrl+j", "new line"), ("tab", "transcript")
    if width >= WIDE:
        return [*first, tab, line, *queue, *_READING, keys, *_modes(session), *_LAST]
    return [*first, *queue, keys, line, tab, *_modes(session), *_LAST]


def _modes(session: Session | None) -> list[Hint]:
    return [("shift+tab", "mode")] if session is not None and session.mode else []
