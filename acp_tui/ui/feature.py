"""A feature: one thing that a person can do."""

from collections.abc import Sequence
from typing import ClassVar

from acp_tui.host.agent import Agent
from acp_tui.state.changes import Change


class Feature:
    """A part of what the app does, with a state of its own. `bindings` names its methods."""

    name: ClassVar[str]
    """How bindings call it."""

    @property
    def topic(self) -> str:
        """The section of the help that is wanted first; empty if any is."""
        return ""

    def allows(self, action: str) -> bool:  # noqa: ARG002
        """Whether a key may do this now; else it goes on to what else is bound to it."""
        return True

    def does_nothing(self, action: str) -> bool:  # noqa: ARG002
        """Whether this would only be refused now, so that it isn't offered."""
        return False

    def ready(self) -> None:
        """Begin: the screen is there."""

    def follow(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Do what follows from a change in the state of an agent."""

    def refresh(self) -> None:
        """Bring up to date what is shown."""

    def forget(self, agent: Agent) -> None:
        """Let go of an agent that was closed."""

    def close(self) -> None:
        """Finish: the app ends."""
