"""The terminal client and debugger for Agent Client Protocol agents, and its library.

The names of `acp_tui.api` are here, too; they are loaded at their first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_tui import sync
    from acp_tui.api import (
        AcpTuiError,
        Agent,
        AgentExitedError,
        AgentStartError,
        AgentTimeoutError,
        Change,
        Changes,
        Diff,
        Elicitation,
        Files,
        Finding,
        Findings,
        Frame,
        Limits,
        NotPossibleError,
        PermissionOption,
        PermissionRequest,
        PlanEntry,
        RecordedSession,
        Recording,
        RecordingError,
        Remote,
        Replay,
        RequestError,
        Session,
        SessionInfo,
        SignInRequiredError,
        Timings,
        ToolCall,
        ToolCalls,
        Turn,
        Usage,
        lint,
        open_agent,
        read_recording,
        replay,
    )

__version__ = "0.1.0"
__all__ = [
    "AcpTuiError",
    "Agent",
    "AgentExitedError",
    "AgentStartError",
    "AgentTimeoutError",
    "Change",
    "Changes",
    "Diff",
    "Elicitation",
    "Files",
    "Finding",
    "Findings",
    "Frame",
    "Limits",
    "NotPossibleError",
    "PermissionOption",
    "PermissionRequest",
    "PlanEntry",
    "RecordedSession",
    "Recording",
    "RecordingError",
    "Remote",
    "Replay",
    "RequestError",
    "Session",
    "SessionInfo",
    "SignInRequiredError",
    "Timings",
    "ToolCall",
    "ToolCalls",
    "Turn",
    "Usage",
    "lint",
    "open_agent",
    "read_recording",
    "replay",
    "sync",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "sync":
        return import_module("acp_tui.sync")
    return getattr(import_module("acp_tui.api"), name)
