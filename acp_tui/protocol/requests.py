"""Params and results of the agent's requests (ACP: File System, Terminals, Requesting Permission)."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from acp_tui.protocol.model import DefaultOnError, Items, Listed, Model, Salvaged
from acp_tui.protocol.updates import ToolCallUpdate

NonNegativeInt = Annotated[int, Field(ge=0)]
PermissionOptionKind = Literal["allow_once", "allow_always", "reject_once", "reject_always"]


class PermissionOption(Model):
    """An answer that the agent offers. Its meaning is in `kind`, never in the id or name."""

    option_id: str
    name: str
    kind: PermissionOptionKind | str

    @property
    def rejects(self) -> bool:
        """Whether its kind rejects; any other kind may allow something."""
        return self.kind in ("reject_once", "reject_always")


class AnyPermissionRequest(Model):
    """A permission request, in the form shared by both versions."""

    session_id: str
    options: Items[PermissionOption]

    def is_allowed_by(self, result: Any) -> bool:
        """Return whether a result selects an option that may allow the tool call."""
        chosen = result.outcome.option_id if isinstance(result, RequestPermissionResult) else None
        return any(not one.rejects for one in self.options if one.option_id == chosen)

    if TYPE_CHECKING:

        @property
        def asked(self) -> ToolCallUpdate:
            """The tool call that would run if allowed, as described by the request."""


class RequestPermissionParams(AnyPermissionRequest):
    tool_call: ToolCallUpdate

    @property
    def asked(self) -> ToolCallUpdate:
        """The tool call that waits for the answer."""
        return self.tool_call


class PermissionOutcome(Model):
    outcome: Literal["selected", "cancelled"] | str
    option_id: str | None = None


class RequestPermissionResult(Model):
    outcome: PermissionOutcome

    @classmethod
    def selected(cls, option_id: str) -> "RequestPermissionResult":
        """Build the result for a selected option."""
        return cls(outcome=PermissionOutcome(outcome="selected", option_id=option_id))

    @classmethod
    def cancelled(cls) -> "RequestPermissionResult":
        """Build the result for a request whose turn was canceled before an answer."""
        return cls(outcome=PermissionOutcome(outcome="cancelled"))


class ReadTextFileParams(Model):
    """`path` is absolute; `line` counts from 1."""

    session_id: str
    path: str
    line: Annotated[NonNegativeInt | None, DefaultOnError()] = None
    limit: Annotated[NonNegativeInt | None, DefaultOnError()] = None


class ReadTextFileResult(Model):
    content: str


class WriteTextFileParams(Model):
    session_id: str
    path: str
    content: str


class EnvVariable(Model):
    name: str
    value: str


class CreateTerminalParams(Model):
    session_id: str
    command: str
    args: Listed[str] = []
    env: Listed[EnvVariable] = []
    cwd: Salvaged[str] = None
    output_byte_limit: Annotated[NonNegativeInt | None, DefaultOnError()] = None


class CreateTerminalResult(Model):
    terminal_id: str


class TerminalParams(Model):
    session_id: str
    terminal_id: str


class TerminalExitStatus(Model):
    exit_code: Salvaged[int] = None
    signal: Salvaged[str] = None


class TerminalOutputResult(Model):
    output: str
    truncated: bool
    exit_status: Salvaged[TerminalExitStatus] = None


class CancelRequestParams(Model):
    """The params of `$/cancel_request`."""

    request_id: Any = None
