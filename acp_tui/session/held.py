"""What is done to frames on their way: breakpoints, what they hold, and faults on purpose."""

from dataclasses import field

from acp_tui.lazy_dataclass import lazy_dataclass
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Id
from acp_tui.protocol.requests import PermissionOption


@lazy_dataclass(slots=True)
class Switch:
    """A breakpoint or a fault: whether it is on, and how many frames it has had."""

    on: bool = True
    count: int = 0


@lazy_dataclass(slots=True)
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


@lazy_dataclass(frozen=True)
class StoppedAnswer:
    """The answer to a permission request of an `id`, which was stopped on its way to the agent.

    `words` tell it at the place `at` of what is told of a tool call, and what it `meant` is the id of
    an option, or else what it was. A `rule` may have given it.
    """

    id: Id
    session_id: str
    tool_call_id: str
    options: list[PermissionOption]
    words: str
    at: int
    meant: str
    rule: str = ""


@lazy_dataclass(slots=True)
class Holding:
    """`breakpoints` and `faults` by what a person wrote, `frames` that are held by their numbers.

    In `altered` sessions one side did not get exactly what the other one sent, of what edits of files
    depend on. `answers` are ours that
    the agent didn't get, or not yet, by the numbers of their frames.
    """

    breakpoints: dict[str, Switch] = field(default_factory=dict)
    faults: dict[str, Switch] = field(default_factory=dict)
    frames: dict[int, HeldFrame] = field(default_factory=dict)
    altered: set[str] = field(default_factory=set)
    answers: dict[int, StoppedAnswer] = field(default_factory=dict)
