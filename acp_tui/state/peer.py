"""The agent: its process, what it reported about itself, and the phase of the connection."""

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from acp_tui.config.known_agents import name_of_command
from acp_tui.protocol.dialects import dialect_of
from acp_tui.protocol.events import QuirkHelped
from acp_tui.protocol.initialization import AgentCapabilities, AuthMethod, InitializeResult
from acp_tui.protocol.jsonrpc import Error, Id
from acp_tui.protocol.process_events import (
    Disconnected,
    ProcessExited,
    RestartPlanned,
    SourceChanged,
)
from acp_tui.protocol.setup import SystemPrompt
from acp_tui.protocol.unstable import AuthStatus, Provider
from acp_tui.protocol.wire_events import Requested

STDERR_LINES = 500
"""Newest lines of the agent's stderr that are stored."""
NOISE_LINES = 4
"""Lines that aren't messages, stored in addition to the last one while the agent starts up."""


class Phase(StrEnum):
    """The phase of the connection."""

    STARTING = "starting"
    INITIALIZING = "initializing"
    SIGN_IN = "sign-in"
    NO_SESSION = "no session"
    CONNECTED = "connected"
    FAILED = "failed"
    EXITED = "exited"


@dataclass(slots=True)
class SignIn:
    """A sign-in that the agent requires for the `blocked` request."""

    blocked: Requested
    error: Error
    methods: list[AuthMethod]
    trying: str | None = None
    failure: Error | None = None


@dataclass(slots=True)
class ProcessState:
    """The agent's process, or the connection to its `url`.

    `place` is the container, sandbox or host that it runs in; `served` says where its files and
    commands are, `elsewhere` whether its files are on another machine. `cut` if a turn was running
    when it ended.
    """

    pid: int | None = None
    place: str = ""
    served: str = ""
    elsewhere: bool = False
    started: float | None = None
    exit: ProcessExited | Disconnected | None = None
    cut: bool = False


@dataclass(slots=True)
class RestartState:
    """The `planned` automatic restart, or why restarts were `stopped`.

    `source` is a change of the agent's source since it was started; `reason` is the change that it
    was restarted for.
    """

    planned: RestartPlanned | None = None
    stopped: str | None = None
    requested: bool = False
    """Whether the user requested a restart; the old process may not have ended yet."""
    source: SourceChanged | None = None
    reason: str = ""


@dataclass(slots=True)
class AgentOutput:
    """The agent's output that isn't a message."""

    stderr: deque[str] = field(default_factory=lambda: deque(maxlen=STDERR_LINES))
    stdout_closed: bool = False
    noise: tuple[str, str] | None = None
    """Why the last text on stdout isn't a message, and the text; kept until a session is open."""
    noise_before: deque[str] = field(default_factory=lambda: deque(maxlen=NOISE_LINES))
    """The lines before `noise`, one of which may contain the address to sign in at."""


@dataclass(slots=True)
class Peer:
    """The agent: its command or `url`, and what it reported about itself.

    `trouble` is why it can't be used or, if it is connected, why there is no session. While it is
    initialized in a protocol version that it may not support, `fallback` is why it will be
    initialized again in version 1, or "" while it may still respond.
    """

    argv: tuple[str, ...] = ()
    cwd: str = ""
    url: str = ""
    process: ProcessState = field(default_factory=ProcessState)
    restart: RestartState = field(default_factory=RestartState)
    output: AgentOutput = field(default_factory=AgentOutput)
    initialized: InitializeResult | None = None
    sign_in: SignIn | None = None
    trouble: str | None = None
    fallback: str | None = None
    quirks: list[QuirkHelped] = field(default_factory=list)
    waiting: int = 0
    stalled: float | None = None
    unstable: bool = False
    auth_status: AuthStatus | None = None
    providers: list[Provider] | None = None
    unread_providers: int = 0
    offered: Any = None
    """The params of our `initialize`, as sent."""
    hand_ids: set[Id] = field(default_factory=set)
    """The ids of requests that the user wrote by hand."""

    @property
    def unreachable_reason(self) -> str | None:
        """Why no response will ever arrive; None while one still can, even if only after a restart."""
        if self.has_fallback:
            return None
        if self.process.exit is not None:
            return self.process.exit.words
        return "the agent closed its output" if self.output.stdout_closed else None

    @property
    def has_fallback(self) -> bool:
        """Return whether version 1 is tried next if the agent doesn't initialize in this version."""
        return self.fallback is not None and self.initialized is None

    @property
    def phase(self) -> Phase:
        """The connection's phase, derived from the other fields."""
        if self.restart.requested:
            return Phase.STARTING
        if self.has_fallback:
            return Phase.INITIALIZING
        if self.process.exit is not None:
            return Phase.EXITED
        if self.trouble is not None:
            there = self.initialized is not None and self.unreachable_reason is None
            return Phase.NO_SESSION if there else Phase.FAILED
        if self.process.started is None:
            return Phase.STARTING
        if self.initialized is None:
            return Phase.INITIALIZING
        return Phase.CONNECTED if self.sign_in is None else Phase.SIGN_IN

    @property
    def name(self) -> str:
        """The agent's display name: as it reports, else from its command or host."""
        info = self.initialized.agent_info if self.initialized else None
        if info is not None:
            return info.title or info.name
        if self.url:
            return self.url.partition("://")[2].partition("/")[0]
        return name_of_command(self.argv) or "agent"

    @property
    def capabilities(self) -> AgentCapabilities:
        """The agent's capabilities; the defaults before it has reported them."""
        return self.initialized.agent_capabilities if self.initialized else AgentCapabilities()

    def refuses_prompt(self, prompt: SystemPrompt) -> str | None:
        """Return why the agent can't use this system prompt, or None if it can."""
        offered = self.capabilities.session_capabilities.system_prompt
        if offered is None:
            return f"{self.name} takes no system prompt: it doesn't offer systemPrompt."
        if prompt.mode == "override" and (offered.mode is None or offered.mode.override is None):
            return (
                f"{self.name} takes a system prompt only in addition to its own (append): it doesn't "
                "offer systemPrompt.mode.override."
            )
        return None

    @property
    def version(self) -> int:
        """The negotiated protocol version, for display only: behavior depends on the dialect."""
        return 1 if self.initialized is None else self.initialized.shape

    def offers(self, call: str) -> bool:
        """Return whether the agent supports a call, under its name in the negotiated version."""
        agent = self.initialized
        return agent is not None and dialect_of(self.version).offers(
            agent, call, unstable=self.unstable
        )
