"""Remembers the folder in which each session was opened: programs started for its user run in that
folder, or not at all.
"""

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
    """Resolves a session's folder as soon as the session has a tab, not just before something runs
    in it.
    """

    name = "folders"
    handlers: ClassVar = {ViewRefreshed: "note_folders", AgentClosed: "forget"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._resolving: set[tuple[Agent, str, str]] = set()
        self._found: dict[tuple[Agent, str, str], SameFolder] = {}

    def note_folders(self, _: ViewRefreshed) -> None:
        """Resolve the folders of new sessions."""
        for tab in self._window.tabs.visible:
            key = _key(tab)
            if key is not None and key not in self._resolving:
                self._resolving.add(key)
                self._window.spawn(self._note(tab))

    def forget(self, event: AgentClosed) -> None:
        """Drop the folders of a closed agent's sessions."""
        agent = event.agent
        self._resolving = {key for key in self._resolving if key[0] is not agent}
        self._found = {key: one for key, one in self._found.items() if key[0] is not agent}

    async def of(self, tab: Tab) -> SameFolder:
        """Return the folder of a tab's session, as it was when the session was opened; before there
        is a session, the current folder. Raises OSError if the folder didn't exist.
        """
        key = _key(tab)
        if key is None:
            return await to_thread.run_sync(SameFolder, Path.cwd())
        if key not in self._found:
            folder = await to_thread.run_sync(SameFolder, Path(key[2]), abandon_on_cancel=True)
            self._found.setdefault(key, folder)
        return self._found[key]

    async def _note(self, tab: Tab) -> None:
        with suppress(OSError):  # reported when the user wants to run something there
            await self.of(tab)


def _key(tab: Tab) -> tuple[Agent, str, str] | None:
    """Return the cache key of a session's folder. It includes the folder, which may differ when the
    session is loaded again.
    """
    session = tab.session
    folder = tab.agent.state.folder_here(session) if session is not None else None
    return (tab.agent, session.session_id, folder) if session is not None and folder else None
