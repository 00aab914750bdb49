"""Sessions of our recordings: shown where the agent can't open them, and told to a new one."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import anyio

from acp_tui.host.agent import Agent
from acp_tui.host.session_names import opens_again
from acp_tui.state import commands
from acp_tui.state.state import Phase, Session
from acp_tui.ui.events import ViewRefreshed
from acp_tui.ui.feature import Feature
from acp_tui.ui.tabs.conditions import opens_session
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.index.passages import PassageKind
    from acp_tui.index.search import RecentSession
    from acp_tui.ui.sessions.agents import AgentsFeature

Said = Callable[[], Awaitable["list[tuple[PassageKind, str]]"]]
"""Reads what was said and done in a session."""
LATE = 1.0
"""Seconds after the answer to a load in which an agent may still begin to replay."""
TELLS = "Enter gives the new session the recorded conversation"


class RecordedFeature(Feature):
    """Nothing of a recording is sent by itself: it is written into the prompt."""

    name = "recorded"
    hears: ClassVar = {ViewRefreshed: "show_missing"}

    def __init__(self, window: Window, agents: "AgentsFeature") -> None:
        self._window = window
        self._tabs = window.tabs
        self._agents = agents
        self._empty: set[tuple[Agent, str]] = set()
        """The sessions that were loaded and of which nothing was replayed."""

    def show_missing(self, _: ViewRefreshed) -> None:
        """Show from recordings what agents have not replayed."""
        for agent in self._tabs.agents:
            for tab in self._tabs.of(agent):
                session = tab.session
                if session is not None and session.shows_nothing:
                    self._show_what_is_missing(agent, session)
            if agent.resumed:
                self._show_in_place(agent)

    def _show_what_is_missing(self, agent: Agent, session: Session) -> None:
        """Show from our recording, once, a session of which its agent has replayed nothing."""
        if (agent, session.session_id) in self._empty:
            return
        self._empty.add((agent, session.session_id))
        recording = agent.resumed_from if agent.resumed == session.session_id else ""
        said = partial(_said, session.session_id, agent.place, recording)
        self._window.spawn(self._show_unless_replayed(agent, session, said))

    async def _show_unless_replayed(self, agent: Agent, session: Session, read: Said) -> None:
        from acp_tui.ui.sessions.recorded_screen import SHOWED_NOTHING

        await anyio.sleep(LATE)
        if session.shows_nothing and self._tabs.find(agent, session.session_id) is not None:
            await self._show(agent, read, begins=False, why=SHOWED_NOTHING)

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
                if not (opens_session(agent.state) or agent.state.open_sessions()):
                    agent.do(commands.NewSession())
            said = partial(_said, session_id, agent.place, agent.resumed_from)
            self._window.spawn(self._show(agent, said, begins=not is_without))
        elif agent.state.open_sessions():
            agent.resumed = ""

    def show(self, agent: Agent, recorded: "RecentSession") -> None:
        """Show a session of our recordings; a person may begin a new one that is told of it."""
        place = (recorded.cwd, *recorded.command)
        said = partial(_said, recorded.session_id, place, recorded.recording)
        self._window.spawn(self._show(agent, said, begins=True))

    async def _show(
        self, agent: Agent, read: Said, *, begins: bool, why: str | None = None
    ) -> None:
        """Show it, and `why`; what it is told goes into a session that `begins` then, or into the one that
        is open.
        """
        import sqlite3

        from acp_tui.recordings.recording import RecordingError
        from acp_tui.ui.retelling import retell_recorded
        from acp_tui.ui.sessions.recorded_screen import CANNOT_OPEN, RecordedScreen

        try:
            said = await read()
        except (OSError, sqlite3.Error, RecordingError) as error:
            self._window.refuse(f"its recording can't be read: {error}")
            return
        told = retell_recorded(said)
        if told is None:
            self._window.refuse("no recording has what was said in that session")
        elif agent in self._tabs.agents:
            tell = self._teller(agent, told, begins=begins)
            clock = self._window.clock
            self._window.push(RecordedScreen(agent.name, said, clock, tell, why or CANNOT_OPEN))

    def _teller(self, agent: Agent, told: str, *, begins: bool) -> Callable[[], None]:
        def tell() -> None:
            if begins:
                self._agents.open_session(agent)
            else:
                self._tabs.show(self._tabs.of(agent)[0])
                self._window.refresh_view()
            self._window.prompt.begin_with(told, TELLS)

        return tell


async def _said(
    session_id: str, place: Sequence[str], recording: str
) -> "list[tuple[PassageKind, str]]":
    """Read what was said in a session; nothing if it isn't known where its agent ran."""
    from acp_tui.ui.sessions.recorded_screen import said_before

    return await said_before(session_id, place, recording) if place else []


async def list_recorded(
    agent: Agent, show: "Callable[[Sequence[RecentSession], str], None]"
) -> None:
    """Read the recorded sessions of an agent; call `show` with them, or with why they can't be read."""
    import sqlite3

    from acp_tui.ui.sessions.recorded_screen import recorded_sessions

    try:
        async for found in recorded_sessions(agent.place):
            show(found, "")
    except (OSError, sqlite3.Error) as error:
        show([], f"the recordings can't be read: {error}")
