"""Events made from frames: requests, notifications, responses, and lines that aren't messages."""

from typing import Any, NamedTuple

from acp_tui.protocol.frames import Direction, Origin
from acp_tui.protocol.jsonrpc import Error, ErrorCode, Id, Message
from acp_tui.protocol.model import Model


class Requested(NamedTuple):
    """A request from either side.

    If its params are invalid, `params` is None and `problem` says why. `by` is who caused it, if not that
    side itself.
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
        """The method's name in version 1; `method` is its name in the version that is spoken."""
        if getattr(self.params, "replay_from", None) is not None:
            return "session/load"
        return RENAMED.get(self.method, self.method)


RENAMED = {"auth/login": "authenticate", "auth/logout": "logout"}
"""Methods that version 2 renamed, with their names in version 1."""


class Notified(NamedTuple):
    """A notification from either side."""

    direction: Direction
    at: float
    number: int
    method: str
    params: Model | None
    raw: Any = None
    problem: str | None = None
    by: Origin | None = None


class Responded(NamedTuple):
    """The response to a pending request: a `result` or an `error`.

    If the result is invalid, `result` is None, `problem` says why, and `raw` has it. The response may have
    been `stopped` before it reached the agent.
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
        """Whether there is no frame of the response: the request was never sent, or its response was lost."""
        return self.number == self.request.number


class Stray(NamedTuple):
    """A response to no pending request: its id is unknown, or was answered before.

    It has an `error`, or a result in `raw`.
    """

    direction: Direction
    at: float
    number: int
    id: Id
    raw: Any = None
    error: Error | None = None
    by: Origin | None = None


class Unreadable(NamedTuple):
    """A line that isn't a message: noise on stdout, a batch, or a line that `is_over_limit`.

    If a JSON object is spread over several lines, `lines` counts those up to this one, and the last
    one has the object as its `value`. `lost_message` if a message in it, or a part of one, was not
    read.
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
        """The error that the line's sender gets in response."""
        code = ErrorCode.PARSE_ERROR if self.is_over_limit else ErrorCode.INVALID_REQUEST
        return Error(code, self.reason)


class Aside(NamedTuple):
    """A frame that the client never sent or got.

    It was stopped on its way to the client, or the agent got its `message` instead `of` the frame with that
    number.
    """

    direction: Direction
    at: float
    number: int
    of: int = 0
    message: Message | None = None


WireEvent = Requested | Notified | Responded | Stray | Unreadable | Aside
