"""Events: each names something that happened, and reaches the features that declare it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_tui.host.agent import Agent
from acp_tui.state.changes import Change

if TYPE_CHECKING:
    from acp_tui.config.settings import Settings
    from acp_tui.ui.tabs.open_questions import Asked
    from acp_tui.ui.tabs.tab import Tab


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""


@dataclass(frozen=True, slots=True)
class AppReady(Event):
    """The first screen is mounted."""


@dataclass(frozen=True, slots=True)
class AppClosed(Event):
    """The app ends."""


@dataclass(frozen=True, slots=True)
class LogGrown(Event):
    """An agent's log has grown. Emitted for each chunk: handlers must be fast."""

    agent: Agent
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class AgentChanged(Event):
    """More changed in an agent's state than the text of an entry."""

    agent: Agent
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class AgentClosed(Event):
    """An agent has left the screen for good."""

    agent: Agent


@dataclass(frozen=True, slots=True)
class ViewRefreshed(Event):
    """The screen was updated after agents changed, or a person did something."""


@dataclass(frozen=True, slots=True)
class SettingsChanged(Event):
    """These settings hold from now on: at the start, and when their file has changed."""

    settings: "Settings"


@dataclass(frozen=True, slots=True)
class QuestionAsked(Event):
    """An agent asks something that a person has to answer."""

    asked: "Asked"


@dataclass(frozen=True, slots=True)
class PersonWanted(Event):
    """A dialog needs the user; `what` completes a sentence that begins with the agent's name."""

    agent: Agent
    what: str


@dataclass(frozen=True, slots=True)
class TurnCancelAsked(Event):
    """A person wants the turn of a session canceled."""

    agent: Agent
    session_id: str


@dataclass(frozen=True, slots=True)
class EscapeUnused(Event):
    """Esc was pressed in a tab where nothing can be canceled."""

    tab: "Tab"


@dataclass(frozen=True, slots=True)
class PromptSent(Event):
    """A person sent a text from the prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class ActionDone(Event):
    """A key's action was run: `sessions.step`."""

    action: str
