"""Sessions of our recordings: shown where the agent can't open them, and told to a new one."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acp_tui.session import commands
from acp_tui.session.state import Phase
from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.sessions.names import opens_again
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.controllers.agents import AgentController
    from acp_tui.ui.controllers.prompts import PromptController
    from acp_tui.ui.dialogs.sessions import SessionPicker

TELLS = "Enter tells the new session what our recording has"


class RecordedController(Controller):
    """Nothing of a recording is sent by itself: it is written into the prompt."""

    name = "recorded"

    def __init__(
        self, window: Window, prompts: "PromptController", agents: "AgentController"
    ) -> None:
        self._window = window
        self._tabs = window.tabs
        self._prompts = prompts
        self._agents = agents

    def refresh(self) -> None:
        for agent in self._tabs.agents:
            if agent.resumed:
                self._show_in_place(agent)

    def _show_in_place(self, agent: Agent) -> None:
        """Once it is known that an agent doesn't open the session that it was asked for at its start, show
        that from our recording; where no other session is open by then, begin one.
        """
        phase = agent.state.peer.phase
        if phase not in (Phase.CONNECTED, Phase.NO_SESSION):
            return
        is_without = not opens_again(agent.state.peer)
        if is_without or phase is Phase.NO_SESSION:
            session_id, agent.resumed = agent.resumed, ""
            if is_without:
                for tab in self._tabs.of(agent):
                    tab.queue.paused = bool(tab.queue.waiting)  # it was meant for that session
                agent.do(commands.NewSession())
            self._window.spawn(self._show(agent, session_id, agent.place, begins=not is_without))
        elif agent.state.open_sessions():
            agent.resumed = ""

    def show(self, agent: Agent, session_id: str, folder: str) -> None:
        """Show a session of our recordings, of this agent in a folder; a person may begin a new one that
        is told of it.
        """
        place = (folder, *agent.place[1:])
        self._window.spawn(self._show(agent, session_id, place, begins=True))

    async def _show(
        self, agent: Agent, session_id: str, place: Sequence[str], *, begins: bool
    ) -> None:
        """Show it; what it is told goes into a session that `begins` then, or into the one that is open."""
        import sqlite3

        from acp_tui.ui.dialogs.recorded import RecordedScreen
        from acp_tui.ui.recorded_sessions import said_before
        from acp_tui.ui.retelling import retell_recorded

        try:
            said = await said_before(session_id, place) if place else []
        except (OSError, sqlite3.Error) as error:
            self._window.refuse(f"its recording can't be read: {error}")
            return
        told = retell_recorded(said)
        if told is None:
            self._window.refuse("no recording has what was said in that session")
        elif agent in self._tabs.agents:
            tell = self._teller(agent, told, begins=begins)
            self._window.push(RecordedScreen(agent.name, said, self._window.clock, tell))

    def _teller(self, agent: Agent, told: str, *, begins: bool) -> Callable[[], None]:
        def tell() -> None:
            if begins:
                self._agents.open_session(agent)
            else:
                self._prompts.show_tab(self._tabs.of(agent)[0])
            self._prompts.begin_with(told, TELLS)

        return tell


async def list_recorded(picker: "SessionPicker", agent: Agent) -> None:
    """List in a picker what our recordings know of an agent."""
    import sqlite3

    from acp_tui.ui.recorded_sessions import recorded_sessions

    try:
        async for found in recorded_sessions(agent.place):
            picker.show_recorded(found)
    except (OSError, sqlite3.Error) as error:
        picker.show_recorded([], f"our recordings can't be read: {error}")
