"""Starting and closing agents."""

from typing import TYPE_CHECKING

from acp_tui.config.settings import AgentSettings
from acp_tui.host.agent import Agent, Hosts
from acp_tui.state import commands
from acp_tui.state.peer import Phase
from acp_tui.ui.feature import AgentClosed, Feature
from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs.conditions import is_stuck
from acp_tui.ui.tabs.tabs import is_gone
from acp_tui.ui.textual_fixes.gc_control import include_old_objects
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.sessions.agent_picker import Choice

LAST = ": that was its last session"
UP = "; Up in the prompt brings what you wrote there"
RUNNING = "the agent is running"
NOT_NOW = {
    Phase.FAILED: "the agent isn't running",
    Phase.EXITED: "the agent isn't running",
}
"""The reason why no session can be opened in a phase."""
READY = (Phase.CONNECTED, Phase.NO_SESSION)
"""The phases in which a session can be opened."""


class AgentsFeature(Feature):
    """Starts and ends agents, if there are `hosts` to do so."""

    name = "agents"

    def __init__(self, window: Window, hosts: Hosts | None) -> None:
        self._window = window
        self._tabs = window.tabs
        self._hosts = hosts

    @property
    def is_choice(self) -> bool:
        """Whether there is more than one agent to open a session with."""
        known = self._hosts.known if self._hosts is not None else {}
        return bool(known) or len(self._tabs.agents) > 1

    def choose(self) -> None:
        """Choose a running agent, or one to start, for a new tab."""
        from acp_tui.ui.sessions.agent_picker import AgentPicker

        if self._hosts is None:
            self._window.refuse("no agent can be started here")
        else:
            self._window.push(AgentPicker(self._tabs, self._hosts.known, self.open))

    def open(self, choice: "Choice") -> None:
        """Open a session with the chosen agent; start it if it isn't running."""
        hosts = self._hosts
        if isinstance(choice, Agent):
            self.open_session(choice)
        elif hosts is not None:
            settings = choice if isinstance(choice, AgentSettings) else hosts.known[choice]
            self._tabs.add(hosts.open(settings, choice if isinstance(choice, str) else ""))
            self._window.refresh_view()

    def is_ready(self, agent: Agent) -> bool:
        """Return whether a session can be opened; if not, show why."""
        phase = agent.state.peer.phase
        if phase not in READY:
            sign_in = f"the agent wants a sign-in first: {key_name('f4')}"
            why = sign_in if phase is Phase.SIGN_IN else NOT_NOW.get(phase)
            self._window.refuse(why or "the agent isn't ready yet")
        return phase in READY

    def open_session(self, agent: Agent) -> None:
        """Open a tab with a new session of a running agent."""
        if self.is_ready(agent):
            self._tabs.open(agent)
            agent.do(commands.NewSession())
            self._window.refresh_view()

    def close_shown(self) -> None:
        """End the agent that is shown, and show another one."""
        self.close_agent(self._tabs.agent)

    def appeared(self, agent: Agent) -> None:
        """Add a tab for an agent that another screen has started."""
        self._tabs.add_in_background(agent)
        self._window.refresh_view()

    def vanished(self, agent: Agent) -> None:
        """Remove an agent that another screen has ended; quit with the last one."""
        if self._tabs.agents == [agent]:
            self._window.exit()
        else:
            self._remove(agent, "")

    def close_agent(self, agent: Agent, why: str = "") -> None:
        """End an agent, and remove its tabs."""
        if agent not in self._tabs.agents:
            return
        self._remove(agent, why)
        if self._hosts is not None:
            include_old_objects()
            self._hosts.close(agent)

    def _remove(self, agent: Agent, why: str) -> None:
        drafts = [
            self._window.prompt.save_closed_draft(tab).written for tab in self._tabs.of(agent)
        ]
        self._tabs.remove_agent(agent)
        self._window.emit(AgentClosed(agent))
        words = UP if any(drafts) else ""
        self._window.show_note(f"{agent.name} is ended{why}{words}")
        self._window.refresh_view()

    # Restarting

    def restart(self) -> None:
        """Restart an agent that failed, exited, opened no session, is stuck, or whose source has
        changed.
        """
        if self._can_restart:
            self._tabs.agent.do(commands.Restart())
        else:
            self._window.refuse(RUNNING)

    @property
    def _can_restart(self) -> bool:
        peer, session = self._tabs.agent.state.peer, self._tabs.shown.session
        without = peer.phase is Phase.NO_SESSION
        stuck = is_stuck(peer, session, self._window.clock())
        return is_gone(peer) or without or stuck or peer.restart.source is not None

    def refusal(self, action: str) -> str:
        return RUNNING if action == "restart" and not self._can_restart else ""

    def stop_restarting(self) -> None:
        """Cancel the agent's planned restart."""
        self._tabs.agent.do(commands.StopRestarting())
