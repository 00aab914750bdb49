"""The window as the parts of the prompt see it."""

from typing import TYPE_CHECKING, Protocol

from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.prompt.editor import PromptEditor


class EditorWindow(Window, Protocol):
    """Has the editor in which prompts are written."""

    @property
    def editor(self) -> "PromptEditor":
        """The editor below the conversation."""
