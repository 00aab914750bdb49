"""The part of the app that shows which files the agent changed, and takes its writes back."""

from typing import TYPE_CHECKING

from acp_tui.protocol.content import Diff
from acp_tui.session.commands import UndoWrite
from acp_tui.session.reducers.file_writes import newest
from acp_tui.session.state import FileWrite
from acp_tui.text import clean_line
from acp_tui.ui.reading import ReadingApp
from acp_tui.ui.sessions.agent import Agent

if TYPE_CHECKING:
    from acp_tui.ui.dialogs.changed_files import FilesScreen


class ReviewingApp(ReadingApp):
    """Nothing is taken back but after a yes."""

    def action_files(self) -> None:
        """Show the files that the agent changed in the session that is shown."""
        from acp_tui.ui.dialogs.changed_files import FilesScreen

        if self.session is None:
            self.say("there is no session yet")
        else:
            self.push_screen(FilesScreen(self.agent, self.session.session_id))

    def show_files(self) -> None:
        """Bring the list up to date, where it is shown."""
        if len(self.screen_stack) == 1:
            return
        from acp_tui.ui.dialogs.changed_files import FilesScreen

        screen = self._on_stack(FilesScreen)
        if screen is not None:
            screen.show()

    def action_undo_write(self) -> None:
        """Take back the agent's last write, after a yes."""
        session = self.session
        write = newest(session) if session is not None else None
        if session is None or write is None:
            self.say("there is no write of the agent's that can be taken back")
        else:
            self._undo(self.agent, session.session_id, write)

    def on_files_screen_undo(self, event: "FilesScreen.Undo") -> None:
        """Take that write back, after a yes."""
        self._undo(event.agent, event.session_id, event.write)

    def on_files_screen_open(self, event: "FilesScreen.Open") -> None:
        """Open it in the editor."""
        self.edit(event.path)

    def _undo(self, agent: Agent, session_id: str, write: FileWrite) -> None:
        from acp_tui.ui.diff.diff_lines import stats
        from acp_tui.ui.lines.paths import shown_path

        cwd = agent.state.session(session_id).cwd
        facts = [clean_line(shown_path(write.path, cwd)), ""]
        if write.created:
            facts.append("The agent made it: it is deleted.")
        elif write.text is not None:
            diff = Diff(path=write.path, old_text=write.old_text, new_text=write.text)
            added, removed = stats(diff)
            facts.append(f"The agent's +{added} −{removed} are taken back.")
        facts.append("Nothing is done if it has changed since.")
        command = UndoWrite(session_id, write.number)
        self.confirm("Take this write back?", facts, "Take it back", lambda: agent.do(command))
