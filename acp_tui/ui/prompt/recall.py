"""The history of sent prompts: stored in a file, recalled with Up, and searched."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import anyio
from anyio import to_thread

from acp_tui.text import clean_text
from acp_tui.ui.feature import Feature, SettingsChanged, ViewRefreshed
from acp_tui.ui.prompt.editor import EditorWindow
from acp_tui.ui.tabs.tab import Tab

if TYPE_CHECKING:
    from acp_tui.store.prompts import PromptFile, SentPrompt

LATER = 0.3
"""Seconds after which older prompts are loaded, so that a new session is drawn first."""
MOST_PROMPTS = 500
"""Most prompts of earlier runs that Up finds."""


class RecallFeature(Feature):
    """Stores sent prompts, and finds them again."""

    name = "recall"
    handlers: ClassVar = {ViewRefreshed: "load", SettingsChanged: "use_settings"}
    path: Path | None = None
    """The prompt history file, if prompts can be stored."""
    enabled = True

    def __init__(self, window: EditorWindow) -> None:
        self._window = window
        self._is_loaded = False

    def use_settings(self, event: SettingsChanged) -> None:
        """Enable or disable the prompt history."""
        self.enabled = event.settings.history

    def load(self, _: ViewRefreshed) -> None:
        """Load the prompts of earlier runs into the editor's history, once there is a session."""
        if (
            not self.enabled
            or self.path is None
            or self._is_loaded
            or self._window.tabs.shown.session is None
        ):
            return
        self._is_loaded = True
        self._window.spawn(self._load_older(self.path))

    async def _load_older(self, path: Path) -> None:
        await anyio.sleep(LATER)
        folder = folder_of(self._window.tabs.shown)
        stored = await to_thread.run_sync(_file(path).load)
        here = [clean_text(one.text) for one in stored if one.folder == folder]
        self._window.editor.remember_older(here[-MOST_PROMPTS:])

    def store(self, text: str) -> None:
        """Store a prompt that is being sent."""
        if self.enabled and self.path is not None:
            folder = folder_of(self._window.tabs.shown)
            self._window.spawn(self._add_to_file(_file(self.path), folder, text))

    async def _add_to_file(self, file: "PromptFile", folder: str, text: str) -> None:
        try:
            await to_thread.run_sync(file.add_prompt, folder, text)
        except OSError as error:
            self.path = None
            words = f"{error.strerror}: {error.filename!r}"
            title = "Prompts are not kept"
            self._window.notify(words, title=title, severity="warning")

    def open(self) -> None:
        """Open the search in all sent prompts."""
        self._window.spawn(self._open_picker())

    async def _open_picker(self) -> None:
        from acp_tui.ui.prompt.recall_picker import RecallPicker

        front = self._window.screens[-1]
        stored: list[SentPrompt] = []
        if self.enabled and self.path is not None:
            stored = await to_thread.run_sync(_file(self.path).load)
        prompt = self._window.editor
        sent = [(clean_text(one.text), one.folder, one.at) for one in reversed(stored)]
        known = {text for text, _, _ in sent}
        folder = folder_of(self._window.tabs.shown)
        own = [(text, folder, None) for text in prompt.earlier.of_this_run() if text not in known]
        self._window.push(RecallPicker([*own, *sent], folder, self._write_into_prompt), over=front)

    def _write_into_prompt(self, text: str) -> None:
        """Replace the text of the prompt; undo restores it."""
        prompt = self._window.editor
        prompt.focus()
        prompt.write(text)


def _file(path: Path) -> "PromptFile":
    from acp_tui.store.prompts import PromptFile  # not needed at startup

    return PromptFile(path)


def folder_of(tab: Tab) -> str:
    """Return the folder of a tab's session, else of its agent."""
    return (tab.session.cwd if tab.session is not None else None) or tab.agent.state.peer.cwd or ""
