"""A feature: one thing that a person can do."""

from collections.abc import Mapping
from typing import ClassVar

from acp_tui.ui.events import Event


class Feature:
    """A part of what the app does, with a state of its own. `bindings` names its methods."""

    name: ClassVar[str]
    """How bindings call it."""
    hears: ClassVar[Mapping[type[Event], str]] = {}
    """The events that reach it, each with the method that is called with it. What isn't declared costs nothing."""

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
