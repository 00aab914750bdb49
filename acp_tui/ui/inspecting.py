"""The part of the app that shows the frames: those of the agent whose tab is shown."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acp_tui.session.changes import Change
from acp_tui.ui.agents.agent import Agent, Hosts
from acp_tui.ui.recovering import RecoveringApp

if TYPE_CHECKING:
    from acp_tui.ui.inspector.screen import InspectorScreen


class InspectingApp(RecoveringApp):
    """Each agent has an inspector of its own, which stays as it was left."""

    def __init__(
        self, agents: Sequence[Agent], hosts: Hosts | None, clock: Callable[[], float]
    ) -> None:
        super().__init__(agents, hosts, clock)
        self._inspectors: dict[Agent, InspectorScreen] = {}

    def inspect_changes(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Something moved in the state of an agent; there may be new frames."""
        if agent in self._inspectors:
            self._inspectors[agent].changed(changes)

    def action_inspect(self) -> None:
        """Show the frames, from an entry of the transcript its own; or go back."""
        from acp_tui.ui.inspector.screen import InspectorScreen

        if isinstance(self.screen, InspectorScreen):
            self.screen.dismiss()
        elif any(screen in self._inspectors.values() for screen in self.screen_stack):
            self.bell()  # it lies below a dialog
        else:
            self._inspect(self.agent)

    def _inspect(self, agent: Agent) -> None:
        inspector = self._inspectors.get(agent) or self._new_inspector(agent)
        inspector.whose = agent.name if len(self.desk.agents) > 1 else ""
        self.push_screen(inspector)
        transcript, session = self.conversation.transcript, self.session
        current = transcript.current if transcript is not None and transcript.has_focus else None
        if session is not None and current is not None:
            inspector.show_entry(session.session_id, current)
        elif agent.state.problem_count > agent.problems_seen:
            inspector.show_problem()
        agent.problems_seen = agent.state.problem_count

    def _new_inspector(self, agent: Agent) -> "InspectorScreen":
        from acp_tui.ui.inspector.screen import InspectorScreen

        inspector = InspectorScreen(agent.state, agent.records, self._clock)
        self._inspectors[agent] = inspector
        self.install_screen(inspector, f"inspector-{id(agent)}")
        return inspector

    def forget_agent(self, agent: Agent) -> None:
        """An agent was closed: there is nothing to inspect any more."""
        super().forget_agent(agent)
        inspector = self._inspectors.pop(agent, None)
        if inspector is not None:
            self.uninstall_screen(inspector)
            inspector.remove()

    def on_inspector_screen_show_entry(self, event: "InspectorScreen.ShowEntry") -> None:
        """Go back to the transcript, to the entry of a frame."""
        self.screen.dismiss()
        tab = self.desk.tab_of(self.agent, event.session_id) or self.desk.shown
        self.show_tab(tab)
        transcript = self.conversation.transcript
        if transcript is not None:
            transcript.focus()
            transcript.show_entry(event.session_id, event.index)
