"""The errors that the package raises: all of them are AcpTuiErrors."""

from collections.abc import Sequence
from typing import Any


class AcpTuiError(Exception):
    """The base of all errors of this package."""


class AgentStartError(AcpTuiError):
    """The agent's command can't be started, or what it started is not an ACP agent that we understand."""


class AgentExitedError(AcpTuiError):
    """The agent is gone: it exited, was killed, or closed its output.

    `exit_code` and `signal` say how its process ended, as far as it has; `stderr` has its last lines.
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
    """The agent did not answer a request within its limit."""


class NotPossibleError(AcpTuiError):
    """The request was not sent: the agent doesn't offer it, or can't take it now."""


class RequestError(AcpTuiError):
    """The agent answered a request with an error, or with a result that can't be read.

    `code` and `data` are those of the JSON-RPC error; `code` is None where the result can't be read.
    """

    def __init__(
        self, method: str, message: str, *, code: int | None = None, data: Any = None
    ) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.code = code
        self.data = data


class SignInRequiredError(RequestError):
    """The agent wants a sign-in first. `methods` are the ids that `auth` can name."""

    def __init__(self, method: str, message: str, *, code: int, methods: Sequence[str]) -> None:
        offered = ", ".join(methods) or "none"
        super().__init__(method, f"{message} (sign-in methods: {offered})", code=code)
        self.methods = tuple(methods)
