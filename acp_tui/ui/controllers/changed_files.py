"""The files that the agent changed, and how its writes are undone."""

from typing import TYPE_CHECKING

from acp_tui.protocol.content import Diff
from acp_tui.session.commands import UndoWrite
from acp_tui.session.reducers.file_writes import newest
from acp_tui.session.state import FileWrite
from acp_tui.text import clean_line
from acp_tui.ui.controllers.ask import confirm
from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.controllers.external import ExternalController


class ChangedFileController(Controller):
    """Undoes a write only after a yes."""

    name = "changed_files"

    def __init__(self, window: Window, external: "ExternalController") -> None:
        self._window = window
        self.external = external

    def open(self) -> None:
        """Show the files that the agent changed in the session that is shown."""
        from acp_tui.ui.dialogs.changed_files import FilesScreen

        tab = self._window.tabs.shown
        if tab.session is None:
            self._window.say("there is no session yet")
        else:
            self._window.push(FilesScreen(tab.agent, tab.session.session_id, self))

    def undo_newest(self) -> None:
        """Undo the agent's last write, after a yes."""
        tab = self._window.tabs.shown
        write = newest(tab.session) if tab.session is not None else None
        if tab.session is None or write is None:
            self._window.say("there is no write of the agent's that can be undone")
        else:
            self.undo(tab.agent, tab.session.session_id, write)

    def undo(self, agent: Agent, session_id: str, write: FileWrite) -> None:
        """Undo a write, after a yes."""
        from acp_tui.ui.diff.diff_lines import stats
        from acp_tui.ui.lines.paths import shown_path

        cwd = agent.state.session(session_id).cwd
        facts = [clean_line(shown_path(write.path, cwd)), ""]
        if write.created:
            facts.append("The agent made it: it is deleted.")
        elif write.text is not None:
            diff = Diff(path=write.path, old_text=write.old_text, new_text=write.text)
            added, removed = stats(diff)
            facts.append(f"The agent's +{added} −{removed} are undone.")
        facts.append("Nothing is done if it has changed since.")
        command = UndoWrite(session_id, write.number)
        confirm(
            self._window,
            "Undo this write?",
            facts,
            "Undo it",
            lambda: agent.do(command),
        )
