"""What a person asks of the client. Never the agent's slash commands."""

from collections.abc import Callable
from dataclasses import dataclass

from acp_tui.protocol.content import ContentBlock


@dataclass(frozen=True, slots=True)
class Prompt:
    session_id: str
    prompt: tuple[ContentBlock, ...]


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop the turn; every permission that waits is answered `cancelled`."""

    session_id: str


@dataclass(frozen=True, slots=True)
class AnswerPermission:
    """Answer a question by one of its options' ids; None cancels it."""

    number: int
    option_id: str | None


@dataclass(frozen=True, slots=True)
class SetMode:
    session_id: str
    mode_id: str


@dataclass(frozen=True, slots=True)
class SetConfigOption:
    session_id: str
    config_id: str
    value: bool | str


@dataclass(frozen=True, slots=True)
class Authenticate:
    """Sign in by one of the agent's methods, then retry what was refused."""

    method_id: str


@dataclass(frozen=True, slots=True)
class NewSession:
    """Open a session in the client's working directory."""


@dataclass(frozen=True, slots=True)
class Restart:
    """Stop what is left of the agent and start its command again."""


Command = (
    Prompt
    | Cancel
    | AnswerPermission
    | SetMode
    | SetConfigOption
    | Authenticate
    | NewSession
    | Restart
)
Do = Callable[[Command], None]
"""How a view asks; it never waits, the answer comes back as state."""
