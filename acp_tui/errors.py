"""The errors that the package raises; all are subclasses of AcpTuiError."""

from collections.abc import Sequence
from typing import Any


class AcpTuiError(Exception):
    """The base of all errors of this package."""


class AgentStartError(AcpTuiError):
    """The agent's command can't be started, or its `initialize` failed."""


class AgentExitedError(AcpTuiError):
    """The agent is gone: it exited, was killed, or closed its output.

    `exit_code` and `signal` say how its process ended, if it has; `stderr` has its last lines.
    """

    def __init__(
        self,
        message: str,
        *,
        exit_code: int | None = None,
        signal: str | None = None,
        stderr: Sequence[str] = (),
    ) -> None:
        tail = "".join(f"\n  {line}" for line in stderr)
        super().__init__(f"{message}; the end of its stderr:{tail}" if tail else message)
        self.exit_code = exit_code
        self.signal = signal
        self.stderr = tuple(stderr)


class AgentTimeoutError(AcpTuiError, TimeoutError):
    """The agent did not respond to a request within the time limit."""


class NotPossibleError(AcpTuiError):
    """The request was not sent: the agent lacks the capability, or can't accept it now."""


class RequestError(AcpTuiError):
    """The agent responded to a request with an error, or with a result that can't be parsed.

    `code` and `data` are those of the JSON-RPC error; `code` is None if the result can't be parsed.
    """

    def __init__(
        self, method: str, message: str, *, code: int | None = None, data: Any = None
    ) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.code = code
        self.data = data


class SignInRequiredError(RequestError):
    """The agent requires a sign-in first. `methods` are the ids that `auth` can name."""

    def __init__(self, method: str, message: str, *, code: int, methods: Sequence[str]) -> None:
        offered = ", ".join(methods) or "none"
        super().__init__(method, f"{message} (sign-in methods: {offered})", code=code)
        self.methods = tuple(methods)
