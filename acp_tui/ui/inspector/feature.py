"""The inspector's features: read an agent's frames, compare two, show the statistics of all
recordings.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from anyio import to_thread
from textual.widget import Widget

from acp_tui.host.agent import Agent
from acp_tui.protocol.frames import Frame
from acp_tui.state.commands import SetBreakpoint
from acp_tui.text import clean_line
from acp_tui.ui.feature import AgentClosed, Feature, LogGrown, ViewRefreshed
from acp_tui.ui.inspector.log_reader import LogReader, StatusWindow
from acp_tui.ui.keys import key_name
from acp_tui.ui.toolkit.clipboard import too_long
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from textual.screen import Screen

    from acp_tui.ui.inspector.all_numbers import ReadAll
    from acp_tui.ui.inspector.frames import Frames
    from acp_tui.ui.inspector.pane import FramesPane
    from acp_tui.ui.inspector.screen import InspectorScreen
    from acp_tui.ui.preferences import PreferencesFeature
    from acp_tui.ui.transcript.ports import Outside


class InspectorWindow(StatusWindow, Protocol):
    """A window that keeps closed inspectors, and can show frames beside the conversation."""

    def install_screen(self, screen: "Screen[Any]", name: str) -> None:
        """Keep a screen's state while it is closed."""

    def uninstall_screen(self, screen: "Screen[Any]") -> object:
        """Discard a screen that was installed."""

    def show_side_pane(self, pane: Widget | None, focusable: Sequence[Widget] = ()) -> None:
        """Mount a pane beside the conversation; None after it was removed."""


class InspectorFeature(Feature):
    """Shows an agent's frames on their own screen, or beside the conversation.

    Each agent has an inspector, which keeps its state while closed. Screen and pane share the
    agent's log source, and so its rows and filter.
    """

    name = "inspector"
    handlers: ClassVar = {
        LogGrown: "follow_log",
        AgentClosed: "forget",
        ViewRefreshed: "follow_view",
    }

    def __init__(
        self,
        window: InspectorWindow,
        folder_for: Callable[[str | None], Path],
        outside: "Outside",
        choices: "PreferencesFeature",
    ) -> None:
        self._window = window
        self._tabs = window.tabs
        self.folder_for = folder_for
        self.outside = outside
        self.choices = choices
        self.logs = LogReader(window, _screen_class)
        self.played: Callable[[], int] | None = None
        """Returns the number of records played so far; None if this isn't a replay."""
        self._screens: dict[Agent, InspectorScreen] = {}
        self._over_dialog: InspectorScreen | None = None
        self._pane: FramesPane | None = None

    @property
    def front(self) -> "InspectorScreen | None":
        """The inspector, if it is in front."""
        front = self._window.screens[-1]
        return next((one for one in self._all if one is front), None)

    @property
    def frame(self) -> Frame | None:
        """The frame under the cursor, if the inspector is in front."""
        group = self.front.table.group if self.front is not None else None
        record = group.first.whole if group is not None else None
        return record if isinstance(record, Frame) else None

    def name_of(self, index: int) -> str:
        """Return a frame's number and summary, as in the table."""
        from acp_tui.debug.columns import ARROWS, summarize_group
        from acp_tui.debug.view import Group

        row = self.logs.source(self._tabs.agent).log[index]
        return clean_line(
            f"#{row.number} {ARROWS[row.direction]} {summarize_group(Group(row.log, [index]))}"
        )

    @property
    def marked(self) -> list[int]:
        """The indexes of bookmarked records; none unless the inspector is in front."""
        return self.front.table.bookmarks if self.front is not None else []

    @property
    def _all(self) -> "list[InspectorScreen]":
        over = [self._over_dialog] if self._over_dialog is not None else []
        return [*self._screens.values(), *over]

    @property
    def topic(self) -> str:
        """The inspector's section of the help, if the inspector is in front."""
        return "Inspector" if self.front is not None else ""

    def hold(self, text: str) -> None:
        """Set a breakpoint on frames that match a filter, and confirm it."""
        self._tabs.agent.do(SetBreakpoint(text))
        self.show_note("messages that match are held from now on: H lists them")

    # Live findings

    def follow_log(self, event: LogGrown) -> None:
        """Show new frames, and check them for findings."""
        agent, changes = event.agent, event.changes
        if agent in self._screens:
            self._screens[agent].changed(changes)
        if self._over_dialog is not None:
            self._over_dialog.changed(changes)
        if self._pane is not None:
            self._pane.frames.wake()
        if agent is self._tabs.agent:
            self.logs.read_soon()

    # The screen

    def toggle(self) -> None:
        """Open or close the inspector.

        It opens at the frames of the entry under the cursor, or at the frame that asked the
        question on screen.
        """
        if self.front is not None:
            self.front.dismiss()
            return
        agent, question_frame = self._tabs.agent, self._question_frame()
        inspector = self._open_screen(agent)
        inspector.agent_label = self._agent_label(agent)
        if question_frame is None:
            self._go_to_first_frame(agent, inspector.frames)
        else:
            inspector.frames.show_frame(question_frame)
            inspector.status.show_note(
                f"the frame that asked this; {key_name('f12')} goes back to it"
            )

    def _question_frame(self) -> int | None:
        """Return the number of the frame that asked the question on screen; None if the transcript
        has the focus.
        """
        question, transcript = self._window.question, self._window.transcript
        reads = transcript is not None and transcript.has_focus
        if question is None or reads or not self._window.is_conversation_in_front:
            return None
        return question.asked.number

    def _open_screen(self, agent: Agent) -> "InspectorScreen":
        def closed(_: None) -> None:
            self._over_dialog = None

        inspector = self._screens.get(agent)
        is_below = any(one in self._screens.values() for one in self._window.screens)
        if is_below or inspector is None:
            inspector = _screen_class()(
                agent.state, self._window.clock, self.logs.source(agent), self
            )
        if is_below:
            self._over_dialog = inspector
            self._window.push(inspector, closed)
            return inspector
        if agent not in self._screens:
            self._screens[agent] = inspector
            self._window.install_screen(inspector, f"inspector-{id(agent)}")
        self._window.push(inspector)
        return inspector

    def _go_to_first_frame(self, agent: Agent, frames: "Frames") -> None:
        """Go to the frames of the entry under the cursor, to the position of a replay, or to a new
        finding.
        """
        self.logs.read_slice()  # the newest findings may not be counted yet
        transcript, session = self._window.transcript, self._tabs.shown.session
        current = transcript.current if transcript is not None and transcript.has_focus else None
        if session is not None and current is not None:
            frames.show_entry(session.session_id, current)
        elif self.played is not None:
            frames.table.go_to_record(max(0, self.played() - 1))
        elif agent.found != agent.found_seen:
            frames.show_newest_finding()
            words = "the newest finding; N the one before"
            self.show_note(words, is_valid=lambda: frames.at_finding)
        agent.found_seen = agent.found
        self._window.refresh_status()

    def stays_open(self) -> bool:
        """Return whether an inspector is open; if so, show which keys close it, as Ctrl+C doesn't."""
        is_open = any(one in self._window.screens for one in self._all)
        if is_open and self.front is not None:
            keys = f"Esc or {key_name('f12')} goes back, {key_name('ctrl+q')} quits acp-tui"
            self.show_note(f"{keys}; y copies the frame")
        elif is_open:
            self.show_note(f"Esc goes back, {key_name('ctrl+q')} quits acp-tui")
        return is_open

    def forget(self, event: AgentClosed) -> None:
        """Remove the inspector of a closed agent."""
        agent = event.agent
        self.logs.forget(agent)
        inspector = self._screens.pop(agent, None)
        if inspector is not None:
            self._window.uninstall_screen(inspector)
            inspector.remove()

    # Beside the conversation

    def toggle_pane(self) -> None:
        """Show or hide the frames beside the conversation."""
        if self.front is not None:
            self.front.dismiss()
        if self._pane is None:
            self._show_pane()
        else:
            self._remove_pane(self._pane)

    def follow_view(self, _: ViewRefreshed) -> None:
        """Show the frames of the current tab's agent in the pane."""
        self.logs.read_soon()
        if self._pane is not None and self._pane.source is not self.logs.source(self._tabs.agent):
            self._remove_pane(self._pane)
            self._show_pane()

    def _show_pane(self) -> None:
        from acp_tui.ui.inspector.pane import FramesPane

        agent = self._tabs.agent
        self._pane = FramesPane(agent.state, self.logs.source(agent), self)
        self._pane.agent_label = self._agent_label(agent)
        self._window.show_side_pane(self._pane, (self._pane.frames.table, self._pane.frames.detail))

    def _remove_pane(self, pane: "FramesPane") -> None:
        pane.remove()
        self._window.show_side_pane(None)
        self._pane = None

    def _agent_label(self, agent: Agent) -> str:
        """Return the agent's name if there are several agents, else ""."""
        return agent.name if len(self._tabs.agents) > 1 else ""

    # FramesPort

    def show_note(self, words: str, is_valid: Callable[[], bool] | None = None) -> None:
        """Show a note below the screen in front, for some seconds, as long as `is_valid` returns
        true.
        """
        if self.front is not None:
            self.front.status.show_note(words, is_valid=is_valid)
        else:
            self._window.show_note(words, is_valid=is_valid)

    def follow_newest(self) -> None:
        """Go to the newest frame, and follow new ones."""
        if self.front is not None:
            self.front.table.action_last()

    def copy(self, text: str, confirmation: str) -> None:
        """Copy a text and confirm it with `confirmation`, or explain why it is too long."""
        self._window.copy_to_clipboard(text)
        self.show_note(too_long(len(text)) or confirmation)

    def show_entry(self, session_id: str, index: int) -> None:
        """Go to an entry of the transcript."""
        if self.front is not None:
            self.front.dismiss()
        tab = self._tabs.find(self._tabs.agent, session_id) or self._tabs.shown
        self._tabs.show(tab)
        self._window.refresh_view()
        transcript = self._window.transcript
        if transcript is not None:
            transcript.focus()
            transcript.show_entry(session_id, index)


def _screen_class() -> "type[InspectorScreen]":
    from acp_tui.ui.inspector.screen import InspectorScreen

    return InspectorScreen


_NEEDS_BOOKMARKS = "= needs two bookmarks: m at each of two messages, or prompts, then ="


class ComparisonsFeature(Feature):
    """Compares two bookmarked frames or, if both are prompts, their turns."""

    name = "comparisons"

    def __init__(self, window: Window, inspector: "InspectorFeature") -> None:
        self._window = window
        self._inspector = inspector

    def compare_marked(self) -> None:
        """Show the differences between the two bookmarked frames."""
        agent, marked = self._window.tabs.agent, self._inspector.marked
        records = [agent.records[index] for index in marked]
        frames = [one for one in records if isinstance(one, Frame)]
        if len(records) != 2 or len(frames) != 2:
            self._inspector.show_note(_NEEDS_BOOKMARKS)
            return
        self._window.spawn(self._compare_frames(agent, marked, frames))

    async def _compare_frames(self, agent: Agent, marked: list[int], frames: list[Frame]) -> None:
        from acp_tui.debug.compare.comparison import (
            LARGEST_COMPARED_FRAME,
            compare_frames,
            compare_recordings,
            prompt_at,
            read_turn,
        )
        from acp_tui.debug.drafts import format_for_editing
        from acp_tui.ui.differences import DifferencesScreen, take_steps
        from acp_tui.ui.inspector.comparison import ComparisonScreen

        front = self._window.screens[-1]
        prompts = [prompt_at(*one) for one in zip(marked, frames, strict=True)]
        before, after = prompts
        title = " and ".join(f"#{one.number}" for one in frames)
        if before is not None and after is not None:
            turns = [await take_steps(read_turn(agent.records, one)) for one in (before, after)]
            found = await to_thread.run_sync(
                compare_recordings, turns[:1], turns[1:], abandon_on_cancel=True
            )
            self._window.push(DifferencesScreen(found, f"The turns of {title}"), over=front)
        elif max(len(one.raw) for one in frames) > LARGEST_COMPARED_FRAME:
            self._inspector.show_note(
                "these messages are too long to compare here; see acp-tui diff"
            )
        else:
            found = await to_thread.run_sync(
                compare_frames, frames[0], frames[1], abandon_on_cancel=True
            )
            names = "   ↔   ".join(map(self._inspector.name_of, marked))
            texts = [format_for_editing(one.raw) for one in frames]
            comparison = ComparisonScreen(names, *texts, only_ids=not found.differs)
            self._window.push(comparison, over=front)


class NumbersFeature(Feature):
    """Opens the page with the statistics of all recordings, if there is a `read_all`."""

    name = "numbers"
    read_all: "ReadAll | None" = None

    def __init__(self, window: Window, inspector: "InspectorFeature") -> None:
        self._window = window
        self._inspector = inspector

    def open(self) -> None:
        """Open the page over the screen in front."""
        if self.read_all is None:
            self._inspector.show_note("recordings can't be read from here")
            return
        from acp_tui.ui.inspector.all_numbers import AllNumbersPage

        self._window.push(AllNumbersPage(self.read_all))
