"""Breakpoints, the frames that they hold, injected faults, and the effects on edits."""

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
"""Kinds of updates, and methods, that edits don't depend on. Those that begin or end a turn, or
change the mode, are not among them: edits are judged by when they were asked for.
"""
KNOWLEDGE = frozenset(("fs/read_text_file", "terminal/output"))
"""Methods that read the contents of files, which may also affect the agent's edits in later turns."""


@dataclass(slots=True)
class Switch:
    """A breakpoint or a fault: whether it is on, and how many frames it has matched."""

    on: bool = True
    count: int = 0


@dataclass(slots=True)
class HeldFrame:
    """A frame held since `at` by a breakpoint's `filter`.

    `name` is its method, or the kind of an update. It is sent on at `due`; None means that it waits
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
    """A response to a permission request that was stopped before it reached the agent.

    `words` describe it, at index `at` of the tool call's decisions or rulings; `meant` is the id of
    the selected option, or the outcome. `rule` is the rule that decided it, if any.
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
    """A time span in which one side didn't get what the other sent, so edits may differ.

    It ends with the next turn (`until`), or never if it `lasts`: then the agent may be wrong about
    a file's contents.
    """

    since: float
    lasts: bool = False
    until: float | None = None


@dataclass(slots=True)
class HeldFrames:
    """Breakpoints, faults, held frames, and their effects.

    `breakpoints` and `faults` are by their text, `frames` by number, `altered` by session.
    `answers` are responses of ours that the agent hasn't got, or not yet, by frame number.
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
        """Record that a session's frame was altered; `name` is its method, or a kind of update."""
        if name not in BESIDE_EDITS:
            self.altered.setdefault(session_id, []).append(Altered(at, name in KNOWLEDGE))

    def begin_turn(self, session_id: str, at: float) -> None:
        """End the spans that last until the next turn."""
        for one in self.altered.get(session_id, ()):
            if one.until is None and not one.lasts:
                one.until = at

    def excuses(self, session_id: str, begun: float) -> bool:
        """Return whether an altered frame, not the agent, may have caused an edit that began then."""
        spans = self.altered.get(session_id, ())
        return any(one.until is None or one.until > begun for one in spans)
