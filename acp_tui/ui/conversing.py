"""The part of the app that goes between sessions and agents, opens and closes them."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.session import commands
from acp_tui.session.state import Phase
from acp_tui.text import clean_line
from acp_tui.ui.conversation.prompt import CLOSES
from acp_tui.ui.managing import ManagingApp
from acp_tui.ui.sessions.agent import Agent, Hosts
from acp_tui.ui.sessions.names import opens_again
from acp_tui.ui.sessions.status import choosing
from acp_tui.ui.sessions.tabs import Tab, is_gone
from acp_tui.ui.textual_fixes.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.conversation.session_tabs import SessionTabs
    from acp_tui.ui.dialogs.agents import AgentPicker
    from acp_tui.ui.dialogs.sessions import SessionPicker


LAST = ": that was its last session"
NOT_NOW = {
    Phase.SIGN_IN: "the agent wants a sign-in first: F4",
    Phase.FAILED: "the agent isn't running",
    Phase.EXITED: "the agent isn't running",
}
"""Why no session can be opened."""
OpensKept = commands.OpenSession | commands.ForkSession
READY = (Phase.CONNECTED, Phase.NO_SESSION)
"""When one can be."""


class ConversingApp(ManagingApp):
    """The sessions of all agents stand in one row of tabs."""

    def __init__(
        self, agents: Sequence[Agent], hosts: Hosts | None, clock: Callable[[], float]
    ) -> None:
        super().__init__(agents, clock)
        self._hosts = hosts

    def converse(self) -> None:
        """Follow the state: which sessions are open, and which can take a prompt."""
        self.save_draft()
        self.tabs.follow()
        self.tabs.pause()
        self.take_up()
        self.show_draft()
        self.send_waiting()
        self.conversation.show()
        self._show_sessions()

    # Going between tabs

    def show_tab(self, tab: Tab) -> None:
        """Show this tab."""
        self.save_draft()
        self.tabs.show(tab)
        self.refresh_all()

    def action_step_session(self, step: int) -> None:
        """Show the next tab, or the one before."""
        tabs = self.tabs.visible
        self.show_tab(tabs[(tabs.index(self.tabs.shown) + step) % len(tabs)])

    def action_show_session(self, number: int) -> None:
        """Show a tab by its number, from 1."""
        tabs = self.tabs.visible
        if number <= len(tabs):
            self.show_tab(tabs[number - 1])

    def action_go_to_question(self) -> None:
        """Show the tab in which somebody waits for the person, from the longest on."""
        waiting, here = self.tabs.waiting_elsewhere(), self.conversation.question is not None
        behind = isinstance(self.screen, OverlayScreen)
        if isinstance(self.screen, OverlayScreen) and (waiting or here):
            self.screen.dismiss()
        if waiting and not (behind and here):
            self.show_tab(waiting[0])
            self.conversation.prompt.focus()
        elif not here:
            self.say("nobody waits for you elsewhere")

    def on_waiting_elsewhere_wanted(self) -> None:
        """Show who waits."""
        self.action_go_to_question()

    def on_session_tabs_chosen(self, event: "SessionTabs.Chosen") -> None:
        """Show what was clicked on."""
        self.show_tab(event.tab)

    # Opening

    def action_new_session(self) -> None:
        """Open a tab: with the only agent there is, else with one to be chosen."""
        known = self._hosts.known if self._hosts is not None else {}
        if known or len(self.tabs.agents) > 1:
            self.action_choose_agent()
        else:
            self._open_session(self.agent)

    def on_trouble_panel_new(self) -> None:
        """Open a new session in the place of the one that could not be."""
        self._open_session(self.agent)

    def on_trouble_panel_choose(self) -> None:
        """Show the sessions that the agent keeps."""
        self.action_sessions()

    def action_choose_agent(self) -> None:
        """Choose an agent for a new tab, be it running or not."""
        from acp_tui.ui.dialogs.agents import AgentPicker

        if self._hosts is None:
            self.say("no agent can be started here")
        else:
            self.push_screen(AgentPicker(self.tabs, self._hosts.known))

    def on_agent_picker_chosen(self, event: "AgentPicker.Chosen") -> None:
        """Open a session with the agent that was chosen; start it if it isn't running."""
        self._leave_picker()
        choice, hosts = event.choice, self._hosts
        if isinstance(choice, Agent):
            self._open_session(choice)
        elif hosts is not None:
            self.save_draft()
            name, how = (choice, hosts.known[choice]) if isinstance(choice, str) else ("", choice)
            self.tabs.add(hosts.open(how, name))
            self.refresh_all()

    def _open_session(self, agent: Agent) -> None:
        if agent.state.peer.phase not in READY:
            self.say(NOT_NOW.get(agent.state.peer.phase, "the agent is not there yet"))
            return
        self.save_draft()
        self.tabs.open(agent)
        agent.do(commands.NewSession())
        self.refresh_all()

    # Closing

    def action_close_session(self) -> None:
        """Close the tab that is shown, if there is another."""
        self._close_tab(self.tabs.shown)

    def action_say_what_closes(self) -> None:
        """Say which key it is that closes: elsewhere it is this one, and here it deletes words."""
        self.say(CLOSES)

    def _close_tab(self, tab: Tab) -> None:
        agent = tab.agent
        facts = _lost_by_closing(tab)
        if len(self.tabs.visible) < 2:
            self.say("this is the only session: Ctrl+T opens another, Ctrl+Q leaves")
        elif len(self.tabs.of(agent)) < 2:
            ends = [f"It is the last session of {agent.name}, which is ended."]
            self._agree(facts and [*facts, *ends], lambda: self.close_agent(agent, LAST))
        else:
            self._agree(facts, lambda: self._close_session(tab))

    def _agree(self, facts: Sequence[str], close: Callable[[], None]) -> None:
        """Close it; where something would be lost by that, only after a yes."""
        if facts:
            self.confirm("Close this session?", facts, "Close it", close)
        else:
            close()

    def _close_session(self, tab: Tab) -> None:
        agent, session = tab.agent, tab.session
        if tab not in self.tabs.visible:
            return
        self._keep_draft(tab)
        there = session is not None and session.opened and not is_gone(agent.state.peer)
        if session is None:
            self._give_up(tab)
        elif session.subagent is not None:
            self.tabs.hide(tab)
        elif there and agent.state.peer.offers("session/close") and not _closing(tab):
            agent.do(commands.CloseSession(session.session_id))
        else:
            if there and not _closing(tab):
                agent.do(commands.Cancel(session.session_id))
            self.tabs.hide(tab)  # also one whose close is not answered: it was asked for twice
        self.refresh_all()

    def _give_up(self, tab: Tab) -> None:
        """Want no longer what the agent was asked to open."""
        calls = tab.agent.state.calls
        asked = [number for number, call in calls.items() if call.method == "session/new"]
        if asked:
            tab.agent.do(commands.CancelRequest(asked[-1]))
        self.tabs.remove(tab)

    def close_agent(self, agent: Agent, why: str = "") -> None:
        """End an agent, and take all that is of it off the screen."""
        if agent not in self.tabs.agents:
            return
        for tab in self.tabs.of(agent):
            self._keep_draft(tab)
        self.forget_agent(agent)
        if self._hosts is not None:
            self._hosts.close(agent)
        self.say(f"{agent.name} is ended{why}")
        self.refresh_all()

    def forget_agent(self, agent: Agent) -> None:
        """Take all that is of an agent off the screen."""
        self.tabs.remove_agent(agent)

    def _keep_draft(self, tab: Tab) -> None:
        """What is written in a tab that is closed is found again among the prompts before."""
        self.save_draft()
        if tab.written:
            self.conversation.prompt.remember(tab.written)

    # The picker of sessions

    def action_sessions(self) -> None:
        """Show the sessions that the agent keeps."""
        peer = self.agent.state.peer
        if peer.phase not in READY:
            self.say(NOT_NOW.get(peer.phase, "the agent is not there yet"))
            return
        if peer.offers("session/list"):
            self.agent.do(commands.ListSessions())
        self._push_picker()

    def _push_picker(self) -> None:
        from acp_tui.ui.dialogs.sessions import SessionPicker

        self.push_screen(SessionPicker(self.tabs, self.agent), self._picked)

    def _picked(self, _: None) -> None:
        if self._nothing_open():
            self.agent.do(commands.NewSession())

    def _show_sessions(self) -> None:
        """Bring the picker up to date; open it if no session is open, and none is asked for."""
        if self._nothing_open() and len(self.screen_stack) == 1:
            self._push_picker()
        elif len(self.screen_stack) > 1:
            from acp_tui.ui.dialogs.picker import Picker

            for picker in self.screen_stack:
                if isinstance(picker, Picker) and picker.is_mounted:
                    picker.show()

    def _nothing_open(self) -> bool:
        state = self.agent.state
        alone = len(self.tabs.of(self.agent)) == 1
        waits = alone and self.tabs.shown.session_id is None
        return waits and state.peer.phase is Phase.CONNECTED and choosing(state)

    def on_session_picker_wanted(self, event: "SessionPicker.Wanted") -> None:
        """Do what was asked for with a session."""
        agent, session_id = self.agent, event.session_id
        tab = self.tabs.find(agent, session_id)
        if event.action in ("open", "resume", "fork"):
            self._leave_picker()
        match event.action:
            case "open" if tab is not None and not (tab.session is None or tab.session.lost):
                self.show_tab(tab)
            case "open" | "resume":
                self._open_kept(
                    agent, commands.OpenSession(session_id, history=event.action == "open")
                )
            case "fork":
                self._open_kept(agent, commands.ForkSession(session_id))
            case "close" if tab is not None:
                self._close_tab(tab)
            case "delete":
                self._delete(agent, session_id)
            case _:
                self.manage(agent, session_id, event.action)

    def _open_kept(self, agent: Agent, command: OpensKept) -> None:
        """Open it; where the agent says that it belongs elsewhere, a person has to agree."""
        listed = agent.state.catalogue.sessions.get(command.session_id)
        folder = listed.cwd if listed is not None else ""
        if folder in ("", agent.state.peer.cwd):
            agent.do(command)
        else:
            self.run_worker(self._open_elsewhere(agent, command, folder))

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
        self.confirm("Work in this folder?", facts, "Open it", lambda: agent.do(agreed))

    def on_session_picker_new(self) -> None:
        """Open a new session."""
        self._leave_picker()
        self._open_session(self.agent)

    def _leave_picker(self) -> None:
        from acp_tui.ui.dialogs.picker import Picker

        picker = self._on_stack(Picker)
        if picker is not None:
            self.call_later(picker.dismiss)

    def _delete(self, agent: Agent, session_id: str) -> None:
        title = clean_line(self.title_of(agent, session_id) or session_id)
        facts = [title, "The agent forgets it for good."]
        command = commands.DeleteSession(session_id)
        self.confirm("Delete this session?", facts, "Delete it", lambda: agent.do(command))


def _lost_by_closing(tab: Tab) -> list[str]:
    """What a person should know before a tab is closed; nothing where nothing was said in it."""
    session, peer = tab.session, tab.agent.state.peer
    if session is None or not (session.turn or session.entries):
        return []
    if session.turn is not None:
        loss = "Its turn is cancelled."
    elif session.subagent is not None:
        return []  # it goes on, and its agent has it
    elif peer.offers("session/list") and opens_again(peer):
        loss = "Ctrl+O opens it again, if the agent keeps it."
    else:
        loss = "The agent offers no way to open it again."
    return [clean_line(session.title or session.session_id), loss]


def _real_folder(folder: str) -> Path:
    """Where a folder is behind links and `..`."""
    try:
        return Path(os.path.realpath(folder))
    except ValueError:  # a NUL
        return Path(folder)


def _closing(tab: Tab) -> bool:
    """Whether the agent was asked to close this session, and has not answered."""
    asked = (
        call.params for call in tab.agent.state.calls.values() if call.method == "session/close"
    )
    return any(getattr(one, "session_id", None) == tab.session_id for one in asked)
