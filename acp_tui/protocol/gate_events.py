"""Facts about frames that a person holds at a breakpoint, and about faults on purpose."""

from typing import NamedTuple

from acp_tui.protocol.frames import Direction


class BreakpointSet(NamedTuple):
    """Frames that pass a `filter` are held from now on, if it is `on` and not `removed`."""

    at: float
    filter: str
    on: bool = True
    removed: bool = False


class FrameHeld(NamedTuple):
    """The frame of a number is held by a breakpoint's `filter`: whom it is for doesn't have it.

    `name` is its method, or of an update its kind.
    """

    at: float
    frame: int
    direction: Direction
    name: str
    filter: str
    is_answer: bool = False
    session_id: str = ""


class FrameDelayed(NamedTuple):
    """A person has a held frame passed on after `seconds`; None means that it waits for a key."""

    at: float
    frame: int
    seconds: float | None


class FrameReleased(NamedTuple):
    """A held frame was released: `passed`, `edited`, `doubled`, `dropped`, `answered` in place of the
    receiver, or `left` because the connection ended.

    What was passed on follows as frames of its own.
    """

    at: float
    frame: int
    done: str


class FaultSet(NamedTuple):
    """A fault was switched on, off (`on` is False) or `removed`; `seed` is that of its random numbers."""

    at: float
    fault: str
    on: bool = True
    removed: bool = False
    seed: int = 0


class FaultInjected(NamedTuple):
    """A fault was done to a frame on purpose, and in words what was done.

    `fault` is as it was asked for, `kind` its name. The frame is `about` a method, or of an update its
    kind.
    """

    at: float
    frame: int
    direction: Direction
    fault: str
    kind: str
    words: str
    session_id: str = ""
    about: str = ""
