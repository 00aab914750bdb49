"""What the frames of either side mean: requests, notifications and responses."""

from typing import Any, NamedTuple

from acp_tui.protocol.frames import Direction, Origin
from acp_tui.protocol.jsonrpc import Error, ErrorCode, Id, Message
from acp_tui.protocol.model import Model


class Requested(NamedTuple):
    """One side called a method.

    If its params are invalid, `params` is None and `problem` says why. `by` is the origin of the call,
    if that isn't the side itself.
    """

    direction: Direction
    at: float
    number: int
    id: Id
    method: str
    params: Model | None
    raw: Any = None
    problem: str | None = None
    by: Origin | None = None

    @property
    def call(self) -> str:
        """The method by its name in version 1; `method` may be that of another version."""
        if getattr(self.params, "replay_from", None) is not None:
            return "session/load"
        return RENAMED.get(self.method, self.method)


RENAMED = {"auth/login": "authenticate", "auth/logout": "logout"}
"""Methods of version 2 that are another's of version 1 under a new name."""


class Notified(NamedTuple):
    """One side sent a notification."""

    direction: Direction
    at: float
    number: int
    method: str
    params: Model | None
    raw: Any = None
    problem: str | None = None
    by: Origin | None = None


class Responded(NamedTuple):
    """A pending request was answered, with a `result` or an `error`.

    `problem` says why the result is invalid for the method; `raw` keeps it. The response may have been
    `stopped` on its way to the agent.
    """

    direction: Direction
    at: float
    number: int
    request: Requested
    result: Model | None
    error: Error | None = None
    raw: Any = None
    problem: str | None = None
    by: Origin | None = None
    stopped: Origin | None = None

    @property
    def is_unsent(self) -> bool:
        """Whether no frame shows this: the request or its answer was lost on the way."""
        return self.number == self.request.number


class Stray(NamedTuple):
    """A response that answers nothing: its id is unknown, or was answered before. It has an `error`,
    or a result, which is `raw`.
    """

    direction: Direction
    at: float
    number: int
    id: Id
    raw: Any = None
    error: Error | None = None
    by: Origin | None = None


class Unreadable(NamedTuple):
    """A line that isn't a message: noise on the agent's stdout, a batch, or a line that
    `is_over_limit`.

    It may be one of the `lines` of a JSON object, counted up to here; the last of them has that object
    as its `value`. `lost_message` if it contains a message, or a piece of one, that isn't read.
    """

    direction: Direction
    at: float
    number: int
    reason: str
    excerpt: str
    wants_answer: bool = False
    lines: int = 0
    value: dict[str, Any] | None = None
    by: Origin | None = None
    is_over_limit: bool = False
    lost_message: bool = False

    @property
    def error(self) -> Error:
        """The error with which the sender of the line is answered."""
        code = ErrorCode.PARSE_ERROR if self.is_over_limit else ErrorCode.INVALID_REQUEST
        return Error(code, self.reason)


class Aside(NamedTuple):
    """A frame that the client knows nothing of: it was stopped on its way here, or the agent was given
    its `message` in the place `of` the frame of a number.
    """

    direction: Direction
    at: float
    number: int
    of: int = 0
    message: Message | None = None


WireEvent = Requested | Notified | Responded | Stray | Unreadable | Aside
