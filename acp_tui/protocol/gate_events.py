"""Facts about frames held by the user at breakpoints, and about injected faults."""

from typing import NamedTuple

from acp_tui.protocol.frames import Direction


class BreakpointSet(NamedTuple):
    """The user set a breakpoint, which holds frames that match its `filter` while it is `on`.

    `removed` if the user removed it.
    """

    at: float
    filter: str
    on: bool = True
    removed: bool = False


class FrameHeld(NamedTuple):
    """A breakpoint's `filter` holds the frame with this number: its receiver hasn't got it.

    `name` is its method, or the kind of an update.
    """

    at: float
    frame: int
    direction: Direction
    name: str
    filter: str
    is_answer: bool = False
    session_id: str = ""


class FrameDelayed(NamedTuple):
    """The user delays a held frame by `seconds`; None means until a key is pressed."""

    at: float
    frame: int
    seconds: float | None


class FrameReleased(NamedTuple):
    """A held frame was released: `passed`, `edited`, `doubled`, `dropped`, `answered` for the
    receiver, or `left` because the connection ended.

    Frames that were sent on are recorded after it.
    """

    at: float
    frame: int
    done: str


class FaultSet(NamedTuple):
    """A fault was switched on, off (`on` is False) or `removed`; `seed` is for its random numbers."""

    at: float
    fault: str
    on: bool = True
    removed: bool = False
    seed: int = 0


class FaultInjected(NamedTuple):
    """A fault was injected into a frame; `words` says how.

    `fault` is its specification, `kind` its name. The frame is `about` a method, or a kind of
    update.
    """

    at: float
    frame: int
    direction: Direction
    fault: str
    kind: str
    words: str
    session_id: str = ""
    about: str = ""
