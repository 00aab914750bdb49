"""Features: what a person can do, each as a part that gets the events that it declares."""

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
    """Something that happened."""


@dataclass
class AppReady(Event):
    """The first screen is mounted."""


@dataclass
class AppClosed(Event):
    """The app ends."""


@dataclass
class LogGrown(Event):
    """An agent's log has grown. Emitted for each chunk: handlers must be fast."""

    agent: Agent
    changes: Sequence[Change]


@dataclass
class AgentChanged(Event):
    """More changed in an agent's state than the text of an entry."""

    agent: Agent
    changes: Sequence[Change]


@dataclass
class AgentClosed(Event):
    """An agent has left the screen for good."""

    agent: Agent


@dataclass
class ViewRefreshed(Event):
    """The screen was updated after agents changed, or a person did something."""


@dataclass
class SettingsChanged(Event):
    """These settings hold from now on: at the start, and when their file has changed."""

    settings: Settings


@dataclass
class QuestionAsked(Event):
    """An agent asks something that a person has to answer."""

    asked: "Asked"


@dataclass
class PersonWanted(Event):
    """A dialog needs the user; `what` completes a sentence that begins with the agent's name."""

    agent: Agent
    what: str


@dataclass
class TurnCancelAsked(Event):
    """A person wants the turn of a session canceled."""

    agent: Agent
    session_id: str


@dataclass
class EscapeUnused(Event):
    """Esc was pressed in a tab where nothing can be canceled, and this text was written in the prompt."""

    tab: "Tab"
    text: str


@dataclass
class PromptSent(Event):
    """A person sent a text from the prompt."""

    text: str


@dataclass
class ActionDone(Event):
    """A key's action was run: `sessions.step`."""

    action: str


class Feature:
    """A part of the app with its own state; `bindings` names its methods."""

    name: ClassVar[str]
    """How bindings call it."""
    hears: ClassVar[Mapping[type[Event], str]] = {}
    """The events that it handles, each with the name of the method. Others cost nothing."""

    @property
    def topic(self) -> str:
        """The section of the help that is wanted first; empty if any is."""
        return ""

    def allows(self, action: str) -> bool:  # noqa: ARG002
        """Return whether a key may run this action now; otherwise the key's next binding is tried."""
        return True

    def refusal(self, action: str) -> str:  # noqa: ARG002
        """Return why the action does nothing now, "" if it does something."""
        return ""
