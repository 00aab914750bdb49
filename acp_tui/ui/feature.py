"""The base of features, and the events that they can handle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from acp_tui.config.settings import Settings
from acp_tui.host.agent import Agent
from acp_tui.state.changes import Change

if TYPE_CHECKING:
    from acp_tui.ui.tabs.tab import Tab
    from acp_tui.ui.tabs.tabs import Asked


@dataclass
class Event:
    """The base of all events."""


@dataclass
class AppReady(Event):
    """The first screen is mounted."""


@dataclass
class AppClosed(Event):
    """The app is closing."""


@dataclass
class LogGrown(Event):
    """An agent's log has grown. Emitted for each chunk: handlers must be fast."""

    agent: Agent
    changes: Sequence[Change]


@dataclass
class AgentChanged(Event):
    """An agent's state changed in more than the text of an entry."""

    agent: Agent
    changes: Sequence[Change]


@dataclass
class AgentClosed(Event):
    """An agent was closed for good."""

    agent: Agent


@dataclass
class ViewRefreshed(Event):
    """The screen was updated after an agent's changes or a user's action."""


@dataclass
class SettingsChanged(Event):
    """The settings were read, at the start or after their file changed."""

    settings: Settings


@dataclass
class QuestionAsked(Event):
    """An agent asks a question that the user has to answer."""

    asked: "Asked"


@dataclass
class UserNeeded(Event):
    """A dialog needs the user; `what` completes a sentence that begins with the agent's name."""

    agent: Agent
    what: str


@dataclass
class TurnCancelRequested(Event):
    """The user canceled a session's turn."""

    agent: Agent
    session_id: str


@dataclass
class EscapeUnused(Event):
    """Esc was pressed in a tab where nothing can be canceled; `text` is what was in the prompt."""

    tab: "Tab"
    text: str


@dataclass
class PromptSent(Event):
    """The user sent a text from the prompt."""

    text: str


@dataclass
class ActionDone(Event):
    """A key's action was run, for instance `sessions.step`."""

    action: str


class Feature:
    """A part of the app with its own state. Key bindings call its methods."""

    name: ClassVar[str]
    """The feature's name in key bindings."""
    handlers: ClassVar[Mapping[type[Event], str]] = {}
    """The events that it handles, each with the name of its method. Other events cost nothing."""

    @property
    def topic(self) -> str:
        """The section that the help begins with; "" for no preference."""
        return ""

    def allows(self, action: str) -> bool:  # noqa: ARG002
        """Return whether a key may run this action now; otherwise the key's next binding is tried."""
        return True

    def refusal(self, action: str) -> str:  # noqa: ARG002
        """Return why the action does nothing now; "" if it works."""
        return ""
