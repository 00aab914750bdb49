"""The sessions feature: switches tabs; opens, closes, renames, archives and deletes sessions."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from anyio import to_thread

from acp_tui.host.agent import Agent
from acp_tui.host.session_names import can_reopen, session_name, session_title
from acp_tui.state import commands
from acp_tui.state.peer import Phase
from acp_tui.text import clean_title
from acp_tui.ui.ask import ask_for_line, confirm
from acp_tui.ui.feature import Feature, ViewRefreshed
from acp_tui.ui.keys import key_name
from acp_tui.ui.sessions.agents import LAST, UP, AgentsFeature
from acp_tui.ui.sessions.recorded import RecordedFeature, list_recorded
from acp_tui.ui.tabs.conditions import chooses_session
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import ClosedTab, is_gone
from acp_tui.ui.toolkit.hints import describe_closing_key
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.index.search import RecentSession

NO_QUESTION = "no question in another tab"


class SessionsFeature(Feature):
    """Shows, opens and closes the sessions of all agents, which share one row of tabs."""

    name = "sessions"
    handlers: ClassVar = {ViewRefreshed: "offer_choice"}

    def __init__(
        self,
        window: Window,
        agents: AgentsFeature,
        admin: "SessionAdminFeature",
        recorded: RecordedFeature,
    ) -> None:
        self._window = window
        self._tabs = window.tabs
        self._agents = agents
        self._admin = admin
        self._recorded = recorded

    # Switching tabs

    def show_tab(self, tab: Tab) -> None:
        """Switch to a tab."""
        self._tabs.show(tab)
        self._window.refresh_view()

    def step(self, step: int) -> None:
        """Switch to the next or previous tab."""
        tabs = self._tabs.visible
        self.show_tab(tabs[(tabs.index(self._tabs.shown) + step) % len(tabs)])

    def show_number(self, number: int) -> None:
        """Switch to a tab by its number, from 1."""
        tabs = self._tabs.visible
        if number <= len(tabs):
            self.show_tab(tabs[number - 1])

    def go_to_question(self) -> None:
        """Switch to the tab that has waited longest for the user."""
        waiting = self._tabs.waiting_elsewhere()
        here = self._window.question is not None
        behind = self._window.leave_overlay() if waiting or here else False
        if waiting and not (behind and here):
            self.show_tab(waiting[0])
            self._window.prompt.focus()
        elif not here:
            self._window.refuse(NO_QUESTION)

    def refusal(self, action: str) -> str:
        match action:
            case "show_number" | "step" if len(self._tabs.visible) < 2:
                return "only one tab is open"
            case "go_to_question" if not self._tabs.waiting_elsewhere():
                return NO_QUESTION
        return ""

    # Opening

    def new(self) -> None:
        """Open a tab with the only agent, or ask which agent to use."""
        if self._agents.is_choice:
            self._agents.choose()
        else:
            self.new_of_shown()

    def new_of_shown(self) -> None:
        """Open a new session of the agent that is shown."""
        self._agents.open_session(self._tabs.agent)

    def open_picker(self) -> None:
        """List the agent's sessions."""
        agent = self._tabs.agent
        if self._agents.is_ready(agent):
            if agent.state.peer.offers("session/list"):
                agent.do(commands.ListSessions())
            self._push_picker()

    def offer_choice(self, _: ViewRefreshed) -> None:
        """List the agent's sessions if none is open or being opened.

        Recorded sessions are listed if the user asked to choose and the agent offers no list.
        """
        if len(self._window.screens) > 1:
            return
        agent = self._tabs.agent
        if agent.choosing and agent.state.open_sessions():
            agent.choosing = False
            if not agent.state.peer.offers("session/list"):
                self._push_picker()
        elif self.is_choice_needed():
            self._push_picker()

    def _push_picker(self) -> None:
        from acp_tui.ui.sessions.picker import SessionPicker

        agent = self._tabs.agent
        picker = SessionPicker(self._tabs, agent, self, self._window.clock)
        self._window.push(picker, self._open_unless_chosen)
        if agent.place and not agent.state.peer.offers("session/list"):
            self._window.spawn(list_recorded(agent, picker.show_recorded))

    def _open_unless_chosen(self, _: None) -> None:
        if self.is_choice_needed():
            self._tabs.agent.do(commands.NewSession())

    def is_choice_needed(self) -> bool:
        """Return whether the user has to choose a session; a new one begins if no choice is made."""
        state = self._tabs.agent.state
        alone = len(self._tabs.of(self._tabs.agent)) == 1
        waits = alone and self._tabs.shown.session_id is None
        return waits and state.peer.phase is Phase.CONNECTED and chooses_session(state)

    def open(self, agent: Agent, session_id: str) -> None:
        """Switch to a session, or load it with its history."""
        self._tabs.closed.mark_reopening(agent, session_id)
        tab = self._tabs.find(agent, session_id)
        if tab is not None and not (tab.session is None or tab.session.lost):
            self.show_tab(tab)
        else:
            self._admin.open(agent, commands.OpenSession(session_id, history=True))

    def open_recorded(self, agent: Agent, recorded: "RecentSession") -> None:
        """Open a recorded session; if the agent can't load sessions, show the recording."""
        if can_reopen(agent.state.peer):
            self.open(agent, recorded.session_id)
        else:
            self._recorded.show(agent, recorded)

    def act(self, agent: Agent, session_id: str, action: str) -> None:
        """Run an action of the list on a session."""
        tab = self._tabs.find(agent, session_id)
        match action:
            case "resume":
                self._admin.open(agent, commands.OpenSession(session_id, history=False))
            case "fork":
                self._admin.open(agent, commands.ForkSession(session_id))
            case "close" if tab is not None:
                self._close_tab(tab)
            case "delete":
                self._admin.delete(agent, session_id)
            case "archive":
                self._admin.archive(agent, session_id)
            case "status":
                self._admin.ask_status(agent, session_id)
            case _:
                self._admin.rename(agent, session_id)

    # Closing

    def close_shown(self) -> None:
        """Close the shown tab, unless it is the only one."""
        self._close_tab(self._tabs.shown)

    def reopen(self) -> None:
        """Reopen the last closed tab whose agent is running and can open its session."""
        why_not = "nothing was closed here"
        for closed in self._tabs.closed.latest_first():
            agent, session_id = closed.agent, closed.session_id
            tab = self._tabs.find(agent, session_id) if session_id else None
            if agent not in self._tabs.agents or is_gone(agent.state.peer):
                why_not = f"{agent.name} has ended; {key_name('alt+n')} starts it"
            elif tab is not None and not tab.hidden and _closing(tab):
                why_not = "it is not closed yet"
            elif session_id and (tab or (closed.has_entries and can_reopen(agent.state.peer))):
                self.open(agent, session_id)
                return
            elif not closed.has_entries:
                self._reopen_empty(closed)
                return
            else:
                why_not = f"{agent.name} offers no way to open it again"
            why_not += UP if closed.written else ""
        self._window.refuse(why_not)

    def _reopen_empty(self, closed: ClosedTab) -> None:
        """Open a session in place of a closed empty one, with the text from its prompt."""
        if self._agents.is_ready(closed.agent):
            self._agents.open_session(closed.agent)
            self._tabs.closed.remove(closed)
            self._window.prompt.prepend_text(closed.written, "what you wrote there is back")

    def name_closing_key(self) -> None:
        """Name the key that closes a session: in browsers it is Ctrl+W, which deletes a word here."""
        self._window.show_note(describe_closing_key())

    def _close_tab(self, tab: Tab) -> None:
        agent = tab.agent
        facts = _lost_by_closing(tab)
        if len(self._tabs.visible) < 2:
            self._window.refuse(
                f"this is the only session: {key_name('ctrl+t')} opens another, {key_name('ctrl+q')} quits"
            )
        elif len(self._tabs.of(agent)) < 2:
            ends = [f"It is the last session of {agent.name}, which is ended."]
            self._confirm(facts and [*facts, *ends], lambda: self._agents.close_agent(agent, LAST))
        else:
            self._confirm(facts, lambda: self._close_session(tab))

    def _confirm(self, facts: Sequence[str], close: Callable[[], None]) -> None:
        """Call `close`, after a yes if `facts` describe a loss."""
        if facts:
            confirm(self._window, "Close this session?", facts, "Close it", close)
        else:
            close()

    def _close_session(self, tab: Tab) -> None:
        agent, session = tab.agent, tab.session
        if tab not in self._tabs.visible:
            return
        closed = self._window.prompt.save_closed_draft(tab)
        there = session is not None and session.opened and not is_gone(agent.state.peer)
        if session is None:
            self._cancel_opening(tab)
        elif session.subagent is not None:
            self._tabs.hide(tab)
        elif there and agent.state.peer.offers("session/close") and not _closing(tab):
            agent.do(commands.CloseSession(session.session_id))
        else:
            if there and not _closing(tab):
                agent.do(commands.Cancel(session.session_id))
            self._tabs.hide(tab)  # even if the close request isn't answered: the user asked twice
        if closed.written:
            returns = tab.hidden or not closed.has_entries or can_reopen(agent.state.peer)
            opens = f"; {key_name('alt+shift+w')} opens it again with what you wrote"
            self._window.show_note(f"closed{opens if returns else UP}")
        self._window.refresh_view()

    def _cancel_opening(self, tab: Tab) -> None:
        """Cancel the request for a tab's session, and remove the tab."""
        calls = tab.agent.state.calls
        openings = [number for number, call in calls.items() if call.method == "session/new"]
        if openings:
            tab.agent.do(commands.CancelRequest(openings[-1]))
        self._tabs.remove(tab)


def _lost_by_closing(tab: Tab) -> list[str]:
    """Describe the loss if a tab is closed; an empty list if there is none."""
    session, peer = tab.session, tab.agent.state.peer
    if session is None or not (session.turn or session.entries):
        return []
    if session.turn is not None:
        loss = "Its turn is canceled."
    elif session.subagent is not None:
        return []  # it goes on under its parent
    elif peer.offers("session/list") and can_reopen(peer):
        loss = f"{key_name('ctrl+o')} opens it again, if the agent keeps it."
    else:
        loss = "The agent offers no way to open it again."
    return [session_name(tab.agent.state, session), loss]


def _closing(tab: Tab) -> bool:
    """Return whether the agent was asked to close this session and hasn't answered yet."""
    close_params = (
        call.params for call in tab.agent.state.calls.values() if call.method == "session/close"
    )
    return any(getattr(one, "session_id", None) == tab.session_id for one in close_params)


OpensKept = commands.OpenSession | commands.ForkSession


class SessionAdminFeature(Feature):
    """Opens, renames, archives and deletes an agent's sessions; asks first where that matters."""

    name = "session_admin"

    def __init__(self, window: Window) -> None:
        self._window = window

    def open(self, agent: Agent, command: OpensKept) -> None:
        """Open a session; if it belongs to another folder, according to the agent, only after a
        yes.
        """
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
        """Ask the agent to delete a session, after a yes."""
        title = clean_title(session_title(agent.state, session_id) or session_id)
        facts = [title, "The agent forgets it for good."]
        command = commands.DeleteSession(session_id)
        confirm(self._window, "Delete this session?", facts, "Delete it", lambda: agent.do(command))

    def archive(self, agent: Agent, session_id: str) -> None:
        """Archive or unarchive a session."""
        listed = agent.state.catalogue.sessions.get(session_id)
        archived = bool(listed is not None and listed.archived)
        agent.do(commands.ArchiveSession(session_id, not archived))

    def ask_status(self, agent: Agent, session_id: str) -> None:
        """Ask the agent whether it has a session in memory."""
        agent.do(commands.AskStatus(session_id))

    def rename(self, agent: Agent, session_id: str) -> None:
        """Ask the user for a title, and set it."""
        if not agent.state.peer.offers("session/set_title"):
            self._window.terminal.bell()
            return

        def written(line: str | None) -> None:
            if line and line.strip():
                agent.do(commands.RenameSession(session_id, line.strip()))

        title = session_title(agent.state, session_id)
        ask_for_line(self._window, "The session's title", (), title, written)


def _real_folder(folder: str) -> Path:
    """Resolve links and `..`; a path that can't exist is returned as is."""
    try:
        return Path(os.path.realpath(folder))
    except ValueError:  # a NUL
        return Path(folder)
