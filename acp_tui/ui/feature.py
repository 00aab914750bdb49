"""A feature: one thing that a person can do."""

from collections.abc import Mapping
from typing import ClassVar

from acp_tui.ui.events import Event


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
