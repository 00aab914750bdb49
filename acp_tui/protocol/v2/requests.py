"""Params of the requests of a version 2 agent, and of the client's requests to stop something."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from acp_tui.protocol import requests as v1
from acp_tui.protocol.model import BY_TYPE, Model, Salvaged
from acp_tui.protocol.v2.updates import ToolCallUpdateV2


class ToolCallSubject(Model):
    """A tool call that waits for permission."""

    type: Literal["tool_call"] = "tool_call"
    tool_call: ToolCallUpdateV2


class CommandSubject(Model):
    """A command that would run in `cwd`, perhaps for a tool call."""

    type: Literal["command"] = "command"
    command: str
    cwd: str
    tool_call_id: Salvaged[str] = None
    terminal_id: Salvaged[str] = None


class UnknownSubject(Model):
    """A subject that this client doesn't know: shown as received."""

    type: str


_IDS = ("_meta", "type", "toolCallId", "terminalId")
"""Fields of a command that don't describe what would run. Rules judge by all others, known or not."""

Subject = Annotated[ToolCallSubject | CommandSubject | UnknownSubject, BY_TYPE]


def _some(value: Any) -> Any:
    """Return a list unchanged. Raises ValueError if it is empty."""
    if isinstance(value, list) and not value:
        raise ValueError("must have at least one item")
    return value


class RequestPermissionRequest(v1.AnyPermissionRequest):
    """`title` and `description` are about the question; `subject` is what would be done."""

    title: str
    description: Salvaged[str] = None
    subject: Subject | None = None
    options: Annotated[list[v1.PermissionOption], BeforeValidator(_some)]

    @property
    def is_command(self) -> bool:
        """Whether the question is about a command, which is part of the request itself."""
        return isinstance(self.subject, CommandSubject)

    @property
    def tool_call_id(self) -> str | None:
        """The tool call that the question is about, if the request names one."""
        match self.subject:
            case ToolCallSubject(tool_call=call):
                return call.tool_call_id
            case CommandSubject(tool_call_id=tool_call_id):
                return tool_call_id
        return None

    @property
    def terminal_id(self) -> str | None:
        """The terminal in which the command would run, if the request names one."""
        return self.subject.terminal_id if isinstance(self.subject, CommandSubject) else None

    @property
    def asked(self) -> ToolCallUpdateV2:
        """The tool call that would run; a command is converted to one."""
        match self.subject:
            case ToolCallSubject(tool_call=call):
                return call
            case CommandSubject() as subject:
                raw = {name: said for name, said in subject.wire().items() if name not in _IDS}
                return ToolCallUpdateV2(
                    tool_call_id=self.tool_call_id or "", kind="execute", raw_input=raw
                )
        raw_subject = self.subject.wire() if self.subject is not None else None
        return ToolCallUpdateV2(tool_call_id="", title=self.title, raw_input=raw_subject)


class CancelToolCallParams(Model):
    session_id: str
    tool_call_id: str


class CancelTerminalParams(Model):
    session_id: str
    terminal_id: str
