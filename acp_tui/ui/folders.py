"""Which folder each session was opened in: what runs for a person runs there, or not at all."""

from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from anyio import to_thread

from acp_tui.host.agent import Agent
from acp_tui.store.same_folder import SameFolder
from acp_tui.ui.feature import AgentClosed, Feature, ViewRefreshed
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.window import Window


class FoldersFeature(Feature):
    """Looks at the folder of a session as soon as that has a tab, not when something is to be run in it."""

    name = "folders"
    hears: ClassVar = {ViewRefreshed: "note_folders", AgentClosed: "forget"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._begun: set[tuple[Agent, str, str]] = set()
        self._found: dict[tuple[Agent, str, str], SameFolder] = {}

    def note_folders(self, _: ViewRefreshed) -> None:
        """Look at the folders of new sessions."""
        for tab in self._window.tabs.visible:
            key = _key(tab)
            if key is not None and key not in self._begun:
                self._begun.add(key)
                self._window.spawn(self._note(tab))

    def forget(self, event: AgentClosed) -> None:
        """Drop the folders of the sessions of an agent that was closed."""
        agent = event.agent
        self._begun = {key for key in self._begun if key[0] is not agent}
        self._found = {key: one for key, one in self._found.items() if key[0] is not agent}

    async def of(self, tab: Tab) -> SameFolder:
        """Return the folder of a tab's session, as it was when that was opened; before there is one, the
        folder that we are in. Raises OSError if it wasn't there.
        """
        key = _key(tab)
        if key is None:
            return await to_thread.run_sync(SameFolder, Path.cwd())
        if key not in self._found:
            folder = await to_thread.run_sync(SameFolder, Path(key[2]), abandon_on_cancel=True)
            self._found.setdefault(key, folder)
        return self._found[key]

    async def _note(self, tab: Tab) -> None:
        with suppress(OSError):  # told to who wants to run something there
            await self.of(tab)


def _key(tab: Tab) -> tuple[Agent, str, str] | None:
    """Return the key under which a session's folder is cached. It holds the folder, as a session loaded again
    may be in another.
    """
    session = tab.session
    folder = tab.agent.state.folder_here(session) if session is not None else None
    return (tab.agent, session.session_id, folder) if session is not None and folder else None
