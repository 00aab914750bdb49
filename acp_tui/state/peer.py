"""The agent at the other end: its process, what it reported of itself, and the phase of the connection."""

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
"""The agent's newest stderr lines that are stored."""
NOISE_LINES = 4
"""Lines that aren't messages, stored in addition to the last one while the agent starts."""


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
    """A sign-in that the agent requires before it accepts the `blocked` request."""

    blocked: Requested
    error: Error
    methods: list[AuthMethod]
    trying: str | None = None
    failure: Error | None = None


@dataclass(slots=True)
class ProcessState:
    """The agent's process, or the connection to its `url`.

    `place` is the container, sandbox or host where it runs, `served` says what it gets there;
    `elsewhere` if its files aren't the client's. `cut` if a turn was running when it ended.
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
    """The automatic restart that is `planned`, or why it was `stopped`.

    `source` is a change of the agent's source since it started; `reason` is the change because of which
    it was started again.
    """

    planned: RestartPlanned | None = None
    stopped: str | None = None
    requested: bool = False
    """Whether a restart was requested: the old process may still be ending."""
    source: SourceChanged | None = None
    reason: str = ""


@dataclass(slots=True)
class AgentOutput:
    """What the agent wrote that isn't a message."""

    stderr: deque[str] = field(default_factory=lambda: deque(maxlen=STDERR_LINES))
    stdout_closed: bool = False
    noise: tuple[str, str] | None = None
    """Why the last text on stdout isn't a message, and that text; kept until a session is open."""
    noise_before: deque[str] = field(default_factory=lambda: deque(maxlen=NOISE_LINES))
    """The lines before `noise`: one may contain the address for signing in."""


@dataclass(slots=True)
class Peer:
    """The agent: its command or `url`, and what it reported of itself.

    `trouble` is why it can't be used or, while it is connected, why there is no session. While it is
    asked in a protocol version that it may not know, `fallback` is why it will be asked again in
    version 1, or "" while it may still answer.
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
    def gone(self) -> str | None:
        """The reason why no response will ever come; None while one can, if only after a restart."""
        if self.falls_back:
            return None
        if self.process.exit is not None:
            return self.process.exit.words
        return "the agent closed its output" if self.output.stdout_closed else None

    @property
    def falls_back(self) -> bool:
        """Return whether version 1 is tried next if the agent doesn't initialize now."""
        return self.fallback is not None and self.initialized is None

    @property
    def phase(self) -> Phase:
        """The connection's phase, derived from the facts."""
        if self.restart.requested:
            return Phase.STARTING
        if self.falls_back:
            return Phase.INITIALIZING
        if self.process.exit is not None:
            return Phase.EXITED
        if self.trouble is not None:
            there = self.initialized is not None and self.gone is None
            return Phase.NO_SESSION if there else Phase.FAILED
        if self.process.started is None:
            return Phase.STARTING
        if self.initialized is None:
            return Phase.INITIALIZING
        return Phase.CONNECTED if self.sign_in is None else Phase.SIGN_IN

    @property
    def name(self) -> str:
        """The agent's display name: as it reports, else by its command or host."""
        info = self.initialized.agent_info if self.initialized else None
        if info is not None:
            return info.title or info.name
        if self.url:
            return self.url.partition("://")[2].partition("/")[0]
        return name_of_command(self.argv) or "agent"

    @property
    def capabilities(self) -> AgentCapabilities:
        """The agent's capabilities; none before it has reported them."""
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
        """Return whether the agent offers a call, under its name in this protocol version."""
        agent = self.initialized
        return agent is not None and dialect_of(self.version).offers(
            agent, call, unstable=self.unstable
        )
