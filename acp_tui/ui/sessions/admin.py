"""Changes of sessions that an agent keeps: open, fork, rename, archive, delete."""

import os
from dataclasses import replace
from pathlib import Path

from anyio import to_thread

from acp_tui.host.agent import Agent
from acp_tui.host.session_names import session_title
from acp_tui.state import commands
from acp_tui.text import clean_title
from acp_tui.ui.ask import ask_for_line, confirm
from acp_tui.ui.feature import Feature
from acp_tui.ui.window import Window

OpensKept = commands.OpenSession | commands.ForkSession


class SessionAdminFeature(Feature):
    """Opens, renames, archives and deletes an agent's sessions, after a question where that matters."""

    name = "session_admin"

    def __init__(self, window: Window) -> None:
        self._window = window

    def open(self, agent: Agent, command: OpensKept) -> None:
        """Open a session; if the agent says that it belongs to another folder, a person has to agree."""
        listed = agent.state.catalogue.sessions.get(command.session_id)
        folder = listed.cwd if listed is not None else ""
        if folder in ("", agent.state.peer.cwd):
            agent.do(command)
        else:
            self._window.spawn(self._open_elsewhere(agent, command, folder))

    async def _open_elsewhere(self, agent: Agent, command: OpensKept, folder: str) -> None:
        place = await to_thread.run_sync(_real_folder, folder, abandon_on_cancel=True)
        if place.is_relative_to(agent.state.peer.cwd):
            agent.do(command)
            return
        facts = [
            f"{agent.name} says that this session belongs to another folder:",
            "",
            f"  {place}",
            "",
            "It will read and write the files there without asking.",
        ]
        agreed = replace(command, folder=str(place))
        confirm(self._window, "Work in this folder?", facts, "Open it", lambda: agent.do(agreed))

    def delete(self, agent: Agent, session_id: str) -> None:
        """Ask, and let the agent delete a session."""
        title = clean_title(session_title(agent.state, session_id) or session_id)
        facts = [title, "The agent forgets it for good."]
        command = commands.DeleteSession(session_id)
        confirm(self._window, "Delete this session?", facts, "Delete it", lambda: agent.do(command))

    def archive(self, agent: Agent, session_id: str) -> None:
        """Archive a session, or restore an archived one."""
        listed = agent.state.catalogue.sessions.get(session_id)
        archived = bool(listed is not None and listed.archived)
        agent.do(commands.ArchiveSession(session_id, not archived))

    def ask_status(self, agent: Agent, session_id: str) -> None:
        """Ask whether the agent has a session in memory."""
        agent.do(commands.AskStatus(session_id))

    def rename(self, agent: Agent, session_id: str) -> None:
        """Ask for a title, and set it."""
        if not agent.state.peer.offers("session/set_title"):
            self._window.terminal.bell()
            return

        def written(line: str | None) -> None:
            if line and line.strip():
                agent.do(commands.RenameSession(session_id, line.strip()))

        title = session_title(agent.state, session_id)
        ask_for_line(self._window, "The session's title", (), title, written)


def _real_folder(folder: str) -> Path:
    """Resolve links and `..`; a path that can't exist is returned as it is."""
    try:
        return Path(os.path.realpath(folder))
    except ValueError:  # a NUL
        return Path(folder)
