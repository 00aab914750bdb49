"""The library's public names: host ACP agents, and read recordings.

`acp_tui` exports the same names; see docs/library.md.
"""

from acp_tui.config.limits import Limits
from acp_tui.config.remote import Remote
from acp_tui.errors import (
    AcpTuiError,
    AgentExitedError,
    AgentStartError,
    AgentTimeoutError,
    NotPossibleError,
    RequestError,
    SignInRequiredError,
)
from acp_tui.library.agent import Agent, Session
from acp_tui.library.agent_start import Files, open_agent
from acp_tui.library.connection import Change, Changes
from acp_tui.library.questions import Elicitation, PermissionRequest
from acp_tui.library.recordings import (
    RecordedSession,
    Recording,
    Replay,
    lint,
    read_recording,
    replay,
)
from acp_tui.library.turn import Findings, Timings, ToolCall, ToolCalls, Turn, Usage
from acp_tui.protocol.content import Diff
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.setup import SessionInfo
from acp_tui.protocol.updates import PlanEntry
from acp_tui.recordings.recording import RecordingError

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
]
