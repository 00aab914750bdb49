"""The hints in the last row of the conversation: the keys that matter for the focused widget."""

from collections.abc import Sequence

from acp_tui.state.peer import Peer, Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subagents import is_at_work
from acp_tui.ui.synonyms import name_in
from acp_tui.ui.tabs.conditions import TROUBLED, is_ready, is_stuck
from acp_tui.ui.toolkit.hints import WIDE, Hint

_FOUND_ONE: list[Hint] = [("enter", "to the match")]
_FOUND_MORE: list[Hint] = [*_FOUND_ONE, ("down", "next"), ("up", "before")]
_SELECTING_KEYS: list[Hint] = [
    ("down", "select more"),
    ("y", "copy"),
    ("Y", "copy as Markdown"),
    ("escape", "cancel"),
]
_SEND_NOW = ("alt+g", "send now")
_QUEUE_KEYS: list[Hint] = [
    ("enter", "edit"),
    ("shift+up", "earlier"),
    ("delete", "remove"),
    _SEND_NOW,
    ("escape", "back"),
]
_RUN = ("enter", "run it here")
_TROUBLE_KEYS: list[Hint] = [
    ("alt+n", "another agent"),
    ("f12", "protocol"),
    ("f1", "keys"),
    ("ctrl+q", "quit"),
]
_STEPS: list[Hint] = [("n", "next"), ("N", "before")]
_END: list[Hint] = [("escape", "end the search")]
CHOOSING_KEYS: list[Hint] = [
    ("enter,tab", "choose"),
    ("down", "next"),
    ("up", "before"),
    ("escape", "hide the list"),
]
"""Hints while a list of commands or files is open over the prompt."""
_CHANGES = ("f7", "changes")
"""The hint for the list of changed files."""
_QUESTION_KEYS: list[Hint] = [
    _CHANGES,
    ("pageup", "scroll"),
    ("tab", "transcript"),
    ("alt+slash", "search"),
    ("f12", "protocol"),
    ("f1", "keys"),
    ("ctrl+q", "quit"),
]
_MOVE, _TURNS, _SELECT = (
    ("j,k", "move"),
    ("left_square_bracket,right_square_bracket", "turn"),
    ("v", "select"),
)
_TRANSCRIPT_KEYS: list[Hint] = [
    _MOVE,
    ("y", "copy"),
    ("tab", "prompt"),
    _CHANGES,
    ("f1", "keys"),
    ("slash", "search"),
    ("f12", "protocol"),
    _TURNS,
    _SELECT,
]
_OPENING = 10
"""Characters of the hints for Enter and `j` on a wide screen: the hints after them stay where they
are.
"""
_FRAMES = ("f12", "protocol")
_READING: list[Hint] = [("alt+slash", "search"), _FRAMES, _CHANGES]
_LAST: list[Hint] = [
    ("ctrl+q", "quit"),
    ("ctrl+o", "sessions"),
    ("f4", "options"),
    ("alt+u", "rewind"),
]
_REPLAY_KEYS: list[Hint] = [("f12", "protocol"), ("f1", "keys"), ("ctrl+q", "quit")]


def question_keys(own: Sequence[Hint], *, continues_line: bool) -> list[Hint]:
    """Return the hints while a question waits: its own keys, and the others that still work.

    `continues_line` is whether Enter begins a new line in the prompt below.
    """
    used_keys = {key for key, _ in own}
    own = _new_line_by_enter(own) if continues_line else own
    return [*own, *(one for one in _QUESTION_KEYS if one[0] not in used_keys)]


def _new_line_by_enter(keys: Sequence[Hint]) -> list[Hint]:
    return [("enter", "new line") if key == "enter" else (key, words) for key, words in keys]


def ways_on(peer: Peer, session: Session | None, now: float, *, named: bool) -> list[Hint]:
    """Return the hints for keys that help an agent in trouble, wherever the focus is.

    `named` is whether the trouble panel shows its own keys.
    """
    if peer.phase in TROUBLED:
        new = [("ctrl+t", "new session")] if peer.phase is Phase.NO_SESSION and not named else []
        return [*new, ("alt+a", "connect" if peer.url else "restart")]
    return [("alt+a", "restart the agent")] if is_stuck(peer, session, now) else []


def trouble_keys(*, runs: bool, has_transcript: bool) -> list[Hint]:
    """Return the hints of the prompt while the agent can't be used: nothing can be sent, but one of
    the user's own commands still `runs`.

    With a transcript (`has_transcript`), there may be changes to review.
    """
    agents, *others = _TROUBLE_KEYS
    return [*([_RUN] if runs else []), agents, *([_CHANGES] if has_transcript else []), *others]


def familiar_keys(words: str) -> list[Hint]:
    """Return the hints while a familiar command is written, even at a question; `words` describe
    the command.
    """
    name = name_in(words)
    return [("enter", name[0].lower() + name[1:]), ("f1", "keys")]


def search_keys(count: int) -> list[Hint]:
    """Return the hints of the search, which has found `count` matches so far."""
    found = _FOUND_MORE if count > 1 else _FOUND_ONE if count else []
    return [*found, ("escape", "back")]


def queue_keys(*, can_send: bool) -> list[Hint]:
    """Return the hints of the queue; nothing can be sent to an agent that is gone."""
    return [one for one in _QUEUE_KEYS if can_send or one[1] != _SEND_NOW[1]]


def replay_keys(keys: Sequence[Hint]) -> list[Hint]:
    """Return the hints of a replay whose own ones are `keys`; none if there are none."""
    return [*keys, *_REPLAY_KEYS] if keys else []


def transcript_keys(
    replay: Sequence[Hint],
    session: Session | None,
    width: int,
    *,
    enter: str,
    selecting: bool,
    found: int | None,
    asked: bool,
) -> list[Hint]:
    """Return the hints of the transcript.

    `selecting` is whether lines are being selected, `found` the number of matches of an open
    search, `asked` whether a question waits, and `enter` what Enter does, if anything. On a wide
    screen the first hints take as many cells as those of the prompt.
    """
    if selecting:
        return _SELECTING_KEYS
    first = [("enter", enter)] if enter else []
    keys = [*first, *_TRANSCRIPT_KEYS]
    if width >= WIDE and found is None:
        own = _opening_keys(enter)
        named = {key for key, _ in own}
        more = [one for one in (_MOVE, _TURNS, _SELECT) if one[0] not in named]
        keys = [*own, *_READING, ("f1", "keys"), *_modes(session), *_LAST, *more]
    if asked:
        keys = [("tab", "answer"), *(one for one in keys if one[0] != "tab")]
    if found is not None:
        return [*(_STEPS if found > 1 else []), *_END, *keys]
    return [*replay_keys(replay), *keys]


def _opening_keys(enter: str) -> list[Hint]:
    """Return the first hints of the transcript on a wide screen, which take as many cells as those
    of the prompt.
    """
    tab, free = ("tab", "prompt"), _OPENING - len(enter)
    if not enter:
        return [("y", "copy    "), tab, _MOVE, _SELECT]
    if free < len(_MOVE[1]):
        return [("enter", enter), tab, ("y", "copy".ljust(free + len("copy   j/k ")))]
    return [("enter", enter), tab, ("y", "copy"), (_MOVE[0], _MOVE[1].ljust(free))]


def prompt_keys(
    state: State,
    session: Session | None,
    width: int,
    *,
    queued: bool,
    runs: bool,
    continues_line: bool,
    has_transcript: bool,
    suggests: bool,
) -> list[Hint]:
    """Return the hints of the prompt.

    `queued` is whether prompts are queued, `runs` whether one of the user's own commands is
    written, `continues_line` whether Enter begins a new line, `has_transcript` whether there is a
    transcript, `suggests` whether Tab inserts the agent's suggestion.
    """
    first = [_RUN] if runs else _sending_keys(state, session, queued=queued)
    if continues_line:
        first = _new_line_by_enter(first)
    queue = [("f6", "open the queue")] if queued else []
    keys, line = ("f1", "keys"), ("ctrl+j", "new line")
    tab: list[Hint] = (
        [("tab", "write that")] if suggests else [("tab", "transcript")] if has_transcript else []
    )
    if width >= WIDE:
        reading = _READING if has_transcript else [_FRAMES]
        return [*first, *tab, line, *queue, *reading, keys, *_modes(session), *_LAST]
    if has_transcript and len([*first, *queue]) > 1:
        return [*first, *queue, _CHANGES, keys, *tab, *_modes(session), line, *_LAST]
    if has_transcript:
        return [*first, *queue, keys, *tab, _CHANGES, *_modes(session), line, *_LAST]
    leave, *others = _LAST
    return [*first, *queue, *tab, keys, _FRAMES, leave, line, *_modes(session), *others]


def _sending_keys(state: State, session: Session | None, *, queued: bool) -> list[Hint]:
    """Return the hints for Enter, which sends or queues, and Esc, which cancels or takes back."""
    if session is not None and session.subagent is not None:
        about = session.subagent
        stops = about.can_cancel and about.canceled is None and is_at_work(state, session)
        return [("escape", "cancel")] if stops else []
    turn = session.turn if session is not None else None
    if turn is not None:
        queue = ("enter", "queue")
        return [queue] if turn.cancelled is not None else [("escape", "cancel"), queue, _SEND_NOW]
    stop = [("escape", "take back")] if queued else []
    if session is not None and session.reported.active is not None:  # works without a turn
        stop = [("escape", "cancel")]
    words = "send" if is_ready(state.peer, session) else "send when it is ready"
    return [*stop, ("enter", words)]


def _modes(session: Session | None) -> list[Hint]:
    """Return the hint for the next mode; none for a subagent, whose mode only the agent sets."""
    if session is None or session.subagent is not None or not session.config.mode:
        return []
    return [("shift+tab", "mode")]
