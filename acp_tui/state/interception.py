"""What is done to frames on their way: breakpoints, what they hold, and faults on purpose."""

from dataclasses import dataclass, field

from acp_tui.protocol.beside_edits import BESIDE_EDITS, KNOWLEDGE
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Id
from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.entries import CallKey


@dataclass(slots=True)
class Switch:
    """A breakpoint or a fault: whether it is on, and how many frames it has had."""

    on: bool = True
    count: int = 0


@dataclass(slots=True)
class HeldFrame:
    """The frame of a `number` is held since `at` by a breakpoint's `filter`.

    `name` is its method, or of an update its kind. It is passed on at `due`, if at all by itself.
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
    """The answer to a permission request of an `id`, which was stopped on its way to the agent.

    `words` tell it at the place `at` of what is told of a tool call, and what it `meant` is the id of
    an option, or else what it was. A `rule` may have given it.
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
    """From `since` on one side lacks exactly what the other one sent, of what edits of files depend on,
    `until` the next turn; or forever, if it `lasts`: what the agent knows of a file may be wrong.
    """

    since: float
    lasts: bool = False
    until: float | None = None


@dataclass(slots=True)
class HeldFrames:
    """`breakpoints` and `faults` by what a person wrote, `frames` that are held by their numbers.

    What was `altered` is kept by session. `answers` are ours that the agent didn't get, or not yet, by
    the numbers of their frames.
    """

    breakpoints: dict[str, Switch] = field(default_factory=dict)
    faults: dict[str, Switch] = field(default_factory=dict)
    frames: dict[int, HeldFrame] = field(default_factory=dict)
    altered: dict[str, list[Altered]] = field(default_factory=dict)
    answers: dict[int, StoppedAnswer] = field(default_factory=dict)

    @property
    def breakpoints_on(self) -> int:
        """How many breakpoints hold frames."""
        return sum(one.on for one in self.breakpoints.values())

    def alter(self, session_id: str, name: str, at: float) -> None:
        """Note that a frame of a session was altered; `name` is its method, or of an update its kind."""
        if name not in BESIDE_EDITS:
            self.altered.setdefault(session_id, []).append(Altered(at, name in KNOWLEDGE))

    def begin_turn(self, session_id: str, at: float) -> None:
        """Judge edits again that begin from now on."""
        for one in self.altered.get(session_id, ()):
            if one.until is None and not one.lasts:
                one.until = at

    def excuses(self, session_id: str, begun: float) -> bool:
        """Whether an edit that began then may differ for what was altered, and not for the agent."""
        spans = self.altered.get(session_id, ())
        return any(one.until is None or one.until > begun for one in spans)
