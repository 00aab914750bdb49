"""Recorded sessions, which are shown if the agent can't load them, and can be quoted in a new
session's prompt.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import anyio

from acp_tui.host.agent import Agent
from acp_tui.host.session_names import can_reopen
from acp_tui.state import commands
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from acp_tui.ui.feature import Feature, ViewRefreshed
from acp_tui.ui.tabs.conditions import opens_session
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.index.passages import PassageKind
    from acp_tui.index.search import RecentSession
    from acp_tui.ui.sessions.agents import AgentsFeature
    from acp_tui.ui.sessions.recorded_screen import ShownReason

ReadPassages = Callable[[], Awaitable["list[tuple[PassageKind, str]]"]]
"""Reads the messages and tool calls of a session."""
LATE = 1.0
"""Seconds after the response to `session/load` in which the agent may still begin to replay."""
SENDS_CONVERSATION = "Enter gives the session the recorded conversation"


class RecordedFeature(Feature):
    """Shows recorded sessions. Nothing from them is sent by itself, only put into the prompt."""

    name = "recorded"
    handlers: ClassVar = {ViewRefreshed: "show_missing"}

    def __init__(self, window: Window, agents: "AgentsFeature") -> None:
        self._window = window
        self._tabs = window.tabs
        self._agents = agents
        self._empty: set[tuple[Agent, str]] = set()
        """The loaded sessions that were found without a history."""

    def show_missing(self, _: ViewRefreshed) -> None:
        """Show the recordings of sessions that agents didn't replay."""
        for agent in self._tabs.agents:
            for tab in self._tabs.of(agent):
                session = tab.session
                if session is not None and _misses_history(agent, session):
                    self._show_unreplayed(agent, session)
            if agent.resumed:
                self._show_in_place(agent)

    def _show_unreplayed(self, agent: Agent, session: Session) -> None:
        """Show the recording of a session, once, if the agent replays nothing of it."""
        if (agent, session.session_id) in self._empty:
            return
        self._empty.add((agent, session.session_id))
        recording = agent.resumed_from if agent.resumed == session.session_id else ""
        read = partial(_read_passages, session.session_id, agent.place, recording)

        async def show_unless_replayed() -> None:
            from acp_tui.ui.sessions.recorded_screen import CANNOT_REPLAY, NOTHING_REPLAYED

            await anyio.sleep(LATE)
            tab = self._tabs.find(agent, session.session_id)
            if tab is not None and _misses_history(agent, session):
                why = NOTHING_REPLAYED if session.is_replay_empty else CANNOT_REPLAY
                await self._show_recorded(agent, read, partial(self._insert_into, tab), why)

        self._window.spawn(show_unless_replayed())

    def _show_in_place(self, agent: Agent) -> None:
        """Show the recording of the session that the agent should resume at its start, if it can't.
        If no other session is open by then, open a new one.
        """
        phase = agent.state.peer.phase
        if phase not in (Phase.CONNECTED, Phase.NO_SESSION):
            return
        is_without = not can_reopen(agent.state.peer)
        if is_without or phase is Phase.NO_SESSION:
            session_id, agent.resumed = agent.resumed, ""
            if is_without:
                for tab in self._tabs.of(agent):
                    tab.queue.paused = bool(tab.queue.waiting)  # it was meant for that session
                if not (opens_session(agent.state) or agent.state.open_sessions()):
                    agent.do(commands.NewSession())
            read = partial(_read_passages, session_id, agent.place, agent.resumed_from)
            insert = self._insert_into_open if is_without else self._insert_into_new
            self._window.spawn(self._show_recorded(agent, read, partial(insert, agent)))
        elif agent.state.open_sessions():
            agent.resumed = ""

    def show(self, agent: Agent, recorded: "RecentSession") -> None:
        """Show a recorded session, from which the user can put the conversation into a new
        session's prompt.
        """
        place = (recorded.cwd, *recorded.command)
        read = partial(_read_passages, recorded.session_id, place, recorded.recording)
        insert = partial(self._insert_into_new, agent)
        self._window.spawn(self._show_recorded(agent, read, insert))

    async def _show_recorded(
        self,
        agent: Agent,
        read: ReadPassages,
        insert: Callable[[str], None],
        why: "ShownReason | None" = None,
    ) -> None:
        """Show a recorded session and the reason `why`, by default that the agent can't open it.

        Enter passes the conversation to `insert`.
        """
        import sqlite3

        from acp_tui.recordings.recording import RecordingError
        from acp_tui.ui.retelling import quote_recorded
        from acp_tui.ui.sessions.recorded_screen import CANNOT_OPEN, RecordedScreen

        try:
            passages = await read()
        except (OSError, sqlite3.Error, RecordingError) as error:
            self._window.refuse(f"its recording can't be read: {error}")
            return
        conversation = quote_recorded(passages)
        if conversation is None:
            self._window.refuse("no recording has what was said in that session")
            return
        if agent not in self._tabs.agents:
            return  # it was closed while the recording was being read
        clock, insert_conversation = self._window.clock, partial(insert, conversation)
        why = why or CANNOT_OPEN
        self._window.push(RecordedScreen(agent.name, passages, clock, insert_conversation, why))

    def _insert_into_new(self, agent: Agent, conversation: str) -> None:
        self._agents.open_session(agent)
        self._window.prompt.prepend_text(conversation, SENDS_CONVERSATION)

    def _insert_into_open(self, agent: Agent, conversation: str) -> None:
        self._insert_into(self._tabs.of(agent)[0], conversation)

    def _insert_into(self, tab: Tab, conversation: str) -> None:
        self._tabs.show(tab)
        self._window.refresh_view()
        self._window.prompt.prepend_text(conversation, SENDS_CONVERSATION)


def _misses_history(agent: Agent, session: Session) -> bool:
    """Return whether an agent shows nothing of an earlier session, though nobody asked for that."""
    cannot_load = not agent.state.peer.offers("session/load")
    return session.is_replay_empty or (cannot_load and session.is_without_history)


async def _read_passages(
    session_id: str, place: Sequence[str], recording: str
) -> "list[tuple[PassageKind, str]]":
    """Read the messages and tool calls of a session; none if the agent's folder and command aren't
    known.
    """
    from acp_tui.ui.sessions.recorded_screen import read_passages

    return await read_passages(session_id, place, recording) if place else []


async def list_recorded(
    agent: Agent, show: "Callable[[Sequence[RecentSession], str], None]"
) -> None:
    """Read an agent's recorded sessions; pass them to `show`, or the error if they can't be read."""
    import sqlite3

    from acp_tui.ui.sessions.recorded_screen import recorded_sessions

    try:
        async for found in recorded_sessions(agent.place):
            show(found, "")
    except (OSError, sqlite3.Error) as error:
        show([], f"the recordings can't be read: {error}")
