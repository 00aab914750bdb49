"""Says notes where the person looks: on the screen in front."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_tui.ui.toolkit.notes import Note
from acp_tui.ui.toolkit.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpApp


class Saying:
    """What an app says in passing."""

    def __init__(self, app: "AcpApp") -> None:
        self._app = app

    @property
    def notes(self) -> Sequence[Note]:
        """What is said in front, the newest last."""
        return (self._overlay or self._app.conversation).notes.notes

    def say(self, note: Note) -> None:
        """Show a note in front."""
        if self._overlay is not None:
            self._overlay.say(note)
        else:
            self._app.conversation.notes.say(note)

    @property
    def _overlay(self) -> OverlayScreen[object] | None:
        """The screen in front, unless it is the conversation."""
        front = self._app.screens[-1] if self._app.screens else None
        return front if isinstance(front, OverlayScreen) else None
