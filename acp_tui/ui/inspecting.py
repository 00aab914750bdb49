"""The part of the app that shows the frames: those of the agent whose tab is shown, on a screen of
their own, or beside the conversation.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from anyio import to_thread
from textual.screen import ModalScreen
from textual.timer import Timer

from acp_tui.protocol.findings import Severity
from acp_tui.session.changes import Change
from acp_tui.ui.keeping import KeepingApp
from acp_tui.ui.sessions.agent import Agent, Hosts

READER = "looks for findings"
SOON = 0.1
"""Seconds after which is looked at what an agent says."""
BUDGET = 0.004
PAUSE = 0.02
"""Seconds of looking at one go, and for others between two goes."""

if TYPE_CHECKING:
    from acp_tui.ui.inspector.feed import Feed
    from acp_tui.ui.inspector.frames import Frames
    from acp_tui.ui.inspector.pane import FramesPane
    from acp_tui.ui.inspector.screen import InspectorScreen


class InspectingApp(KeepingApp):
    """Each agent has an inspector of its own, which stays as it was left. What was read and filtered
    in one place is so in the other, too: an agent has one feed.
    """

    def __init__(
        self, agents: Sequence[Agent], hosts: Hosts | None, clock: Callable[[], float]
    ) -> None:
        super().__init__(agents, hosts, clock)
        self._feeds: dict[Agent, Feed] = {}
        self._inspectors: dict[Agent, InspectorScreen] = {}
        self._over_dialog: InspectorScreen | None = None
        self._pane: FramesPane | None = None
        self._reading: Timer | None = None

    def inspect_changes(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Something moved in the state of an agent; there may be new frames."""
        if agent in self._inspectors:
            self._inspectors[agent].changed(changes)
        if self._over_dialog is not None:
            self._over_dialog.changed(changes)
        if self._pane is not None:
            self._pane.frames.wake()
        if agent is self.agent:
            self._read_soon(SOON)

    # What is found, live

    @property
    def happened(self) -> int:
        """How many records of the agent that is shown there are by now."""
        return len(self.agent.records)

    def _read_soon(self, seconds: float) -> None:
        """Look for what breaks the protocol in what is new, a little at a time."""
        feed = self._feeds.get(self.agent)
        if self._reading is None and self.happened > (0 if feed is None else len(feed.log)):
            self._reading = self.set_timer(seconds, self._read_on)

    def _read_on(self) -> None:
        agent, feed = self.agent, self._feeds.get(self.agent)
        if feed is None:
            self.run_worker(self._begin_to_read(agent), name=READER)
            return
        self._reading = None
        feed.read_to(self.happened, perf_counter() + BUDGET)
        found = feed.log.findings.severities
        if agent.found != (counts := (found[Severity.ERROR], found[Severity.WARNING])):
            agent.found = counts
            self.conversation.show_status()
        self._read_soon(PAUSE)

    async def _begin_to_read(self, agent: Agent) -> None:
        """Load what reads frames, which takes some time, apart from the loop."""
        await to_thread.run_sync(_load, abandon_on_cancel=True)
        if agent in self.tabs.agents:
            self._feed(agent)
        self._reading = None
        self._read_soon(PAUSE)

    @property
    def topic(self) -> str:
        """What the keys are for that are wanted first; nothing where one talks with an agent."""
        from acp_tui.ui.inspector.screen import InspectorScreen

        return "Inspector" if isinstance(self.screen, InspectorScreen) else ""

    # The screen

    def action_inspect(self) -> None:
        """Show the frames, from an entry of the transcript its own, from a question the one that
        asked it; or go back.
        """
        from acp_tui.ui.inspector.screen import InspectorScreen

        if isinstance(self.screen, InspectorScreen):
            self.screen.dismiss()
            return
        agent, asked = self.agent, self._asked_here()
        if any(screen in self._inspectors.values() for screen in self.screen_stack):
            self._over_dialog = inspector = self._new_inspector(agent)
            self.push_screen(inspector, self._inspected)
        else:
            inspector = self._inspectors.get(agent) or self._keep(agent, self._new_inspector(agent))
            self.push_screen(inspector)
        inspector.whose = self._whose(agent)
        if asked is None:
            self._lead(agent, inspector.frames)
        else:
            inspector.frames.show_frame(asked)
            inspector.hints.say("the frame that asked this; F12 goes back to it")

    def _asked_here(self) -> int | None:
        """The frame that asked what stands on the screen; none from within the transcript."""
        question, transcript = self.conversation.question, self.conversation.transcript
        reads = transcript is not None and transcript.has_focus
        if question is None or reads or self.screen is not self.conversation:
            return None
        return question.asked.number

    def _new_inspector(self, agent: Agent) -> "InspectorScreen":
        from acp_tui.ui.inspector.screen import InspectorScreen

        return InspectorScreen(agent.state, self._clock, self._feed(agent))

    def _keep(self, agent: Agent, inspector: "InspectorScreen") -> "InspectorScreen":
        self._inspectors[agent] = inspector
        self.install_screen(inspector, f"inspector-{id(agent)}")
        return inspector

    def _inspected(self, _: None) -> None:
        self._over_dialog = None

    def _feed(self, agent: Agent) -> "Feed":
        from acp_tui.ui.inspector.feed import Feed

        if agent not in self._feeds:
            self._feeds[agent] = Feed(agent.records)
        return self._feeds[agent]

    def _lead(self, agent: Agent, frames: "Frames") -> None:
        """Go to the frames that one has in mind."""
        transcript, session = self.conversation.transcript, self.session
        current = transcript.current if transcript is not None and transcript.has_focus else None
        if session is not None and current is not None:
            frames.show_entry(session.session_id, current)
        elif agent.found != agent.found_seen:
            frames.show_newest_finding()
            words = "the newest finding; N goes to the one before"
            frames.post_message(frames.Said(words))
        agent.found_seen = agent.found

    def forget_agent(self, agent: Agent) -> None:
        """An agent was closed: there is nothing to inspect any more."""
        super().forget_agent(agent)
        self._feeds.pop(agent, None)
        inspector = self._inspectors.pop(agent, None)
        if inspector is not None:
            self.uninstall_screen(inspector)
            inspector.remove()

    # Beside the conversation

    def action_split(self) -> None:
        """Show the frames beside the conversation, or no longer."""
        from acp_tui.ui.inspector.screen import InspectorScreen

        if isinstance(self.screen, InspectorScreen):
            self.screen.dismiss()
        if self._pane is None:
            self._show_pane()
        else:
            self._pane.remove()
            self._pane = None

    def _show_pane(self) -> None:
        from acp_tui.ui.inspector.pane import FramesPane

        self._pane = FramesPane(self.agent.state, self._feed(self.agent))
        self._pane.whose = self._whose(self.agent)
        self.conversation.mount(self._pane, before=0)

    def converse(self) -> None:
        """Follow the state; the frames beside the conversation are those of its agent."""
        super().converse()
        self._read_soon(SOON)
        if self._pane is not None and self._pane.feed is not self._feed(self.agent):
            self._pane.remove()
            self._show_pane()

    def action_focus_next(self) -> None:
        """Go from the prompt to the frames beside it, on to the frame in full, to the transcript."""
        if self._pane is None or isinstance(self.screen, ModalScreen):
            super().action_focus_next()
            return
        frames, conversation = self._pane.frames, self.conversation
        places = [conversation.prompt, frames.table, frames.detail, conversation.transcript]
        ways = [place for place in places if place is not None and place.focusable]
        at = ways.index(self.focused) if self.focused in ways else -1
        if ways:
            ways[(at + 1) % len(ways)].focus()

    def _whose(self, agent: Agent) -> str:
        """Whose frames these are, where that is not plain."""
        return agent.name if len(self.tabs.agents) > 1 else ""

    def stays_in_inspector(self) -> bool:
        """Whether one is at the frames, which Ctrl+C doesn't leave; then say what does."""
        from acp_tui.ui.inspector.screen import InspectorScreen

        inspector = next(
            (one for one in self.screen_stack if isinstance(one, InspectorScreen)), None
        )
        if inspector is None:
            return False
        inspector.hints.say("Esc or F12 goes back, Ctrl+Q leaves acp-tui; y copies the frame")
        return True

    def on_frames_said(self, event: "Frames.Said") -> None:
        """Say it for a moment."""
        self.conversation.hints.say(event.words)

    def on_frames_copied(self, event: "Frames.Copied") -> None:
        """Put it on the clipboard."""
        from acp_tui.ui.inspector.screen import InspectorScreen

        self.copy_to_clipboard(event.text)
        screen = self.screen
        hints = screen.hints if isinstance(screen, InspectorScreen) else self.conversation.hints
        hints.say(event.said)

    def on_frames_show_entry(self, event: "Frames.ShowEntry") -> None:
        """Go to the entry of a frame, in the transcript."""
        from acp_tui.ui.inspector.screen import InspectorScreen

        if isinstance(self.screen, InspectorScreen):
            self.screen.dismiss()
        self.show_tab(self.tabs.find(self.agent, event.session_id) or self.tabs.shown)
        transcript = self.conversation.transcript
        if transcript is not None:
            transcript.focus()
            transcript.show_entry(event.session_id, event.index)


def _load() -> None:
    """Load what reads frames, and compile the schema of what comes most."""
    from acp_tui.protocol import validation
    from acp_tui.protocol.frames import Direction
    from acp_tui.ui.inspector import feed

    assert feed
    validation.check(Direction.IN, {"method": "session/update", "params": {}})
