"""Breakpoints, the frames that they hold, and injected faults."""

from dataclasses import dataclass, field

from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Id
from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.entries import CallKey

BESIDE_EDITS = frozenset(
    (
        "agent_message_chunk",
        "agent_thought_chunk",
        "user_message_chunk",
        "plan",
        "available_commands_update",
        "session_info_update",
        "usage_update",
        "session/list",
        "elicitation/create",
        "elicitation/complete",
    )
)
"""Kinds of updates, and methods. Where a turn begins or ends, or the mode changes, edits do depend on it:
they are judged by when they were asked for."""
KNOWLEDGE = frozenset(("fs/read_text_file", "terminal/output"))
"""Methods by which an agent learns what is in files: it may edit by that in a later turn, too."""


@dataclass(slots=True)
class Switch:
    """A breakpoint or a fault: whether it is on, and how many frames it matched."""

    on: bool = True
    count: int = 0


@dataclass(slots=True)
class HeldFrame:
    """A frame held since `at` by a breakpoint's `filter`.

    `name` is its method, or the kind of an update. It is passed on at `due`; None means that it waits
    for the user.
    """

    number: int
    at: float
    direction: Direction
    name: str
    filter: str
    is_answer: bool = False
    session_id: str = ""
    due: float | None = None


@dataclass(frozen=True, slots=True)
class StoppedAnswer:
    """An answer to a permission request that was stopped on its way to the agent.

    `words` describe it, at index `at` of the tool call's decisions or rulings; `meant` is the id of
    its option, or its outcome. A `rule` may have given it.
    """

    id: Id
    session_id: str
    call: CallKey
    options: list[PermissionOption]
    words: str
    at: int
    meant: str
    rule: str = ""


@dataclass(slots=True)
class Altered:
    """A time span in which a side did not get exactly what the other sent, so edits may differ.

    It ends with the next turn (`until`), or never if it `lasts`: then the agent's knowledge of a
    file may be wrong.
    """

    since: float
    lasts: bool = False
    until: float | None = None


@dataclass(slots=True)
class HeldFrames:
    """Breakpoints, faults, held frames, and their effects.

    `breakpoints` and `faults` are keyed by their text, `frames` by number, `altered` by session.
    `answers` are ours that the agent didn't get, or not yet, by frame number.
    """

    breakpoints: dict[str, Switch] = field(default_factory=dict)
    faults: dict[str, Switch] = field(default_factory=dict)
    frames: dict[int, HeldFrame] = field(default_factory=dict)
    altered: dict[str, list[Altered]] = field(default_factory=dict)
    answers: dict[int, StoppedAnswer] = field(default_factory=dict)

    @property
    def breakpoints_on(self) -> int:
        """Return the number of breakpoints that are on."""
        return sum(one.on for one in self.breakpoints.values())

    def alter(self, session_id: str, name: str, at: float) -> None:
        """Record that a frame of a session was altered; `name` is its method, or the kind of an
        update.
        """
        if name not in BESIDE_EDITS:
            self.altered.setdefault(session_id, []).append(Altered(at, name in KNOWLEDGE))

    def begin_turn(self, session_id: str, at: float) -> None:
        """End the spans that only last until the next turn."""
        for one in self.altered.get(session_id, ()):
            if one.until is None and not one.lasts:
                one.until = at

    def excuses(self, session_id: str, begun: float) -> bool:
        """Return whether an altered frame, and not the agent, may explain an edit that began then."""
        spans = self.altered.get(session_id, ())
        return any(one.until is None or one.until > begun for one in spans)
