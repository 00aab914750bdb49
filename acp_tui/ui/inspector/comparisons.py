"""Compares what is marked in the inspector."""

from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.host.agent import Agent
from acp_tui.protocol.frames import Frame
from acp_tui.ui.feature import Feature
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.inspector.feature import InspectorFeature

_HOW = "= needs two bookmarks: m at each of two messages, or prompts, then ="


class ComparisonsFeature(Feature):
    """Two frames, or the turns that two prompts began."""

    name = "comparisons"

    def __init__(self, window: Window, inspector: "InspectorFeature") -> None:
        self._window = window
        self._inspector = inspector

    def compare_marked(self) -> None:
        """Show what differs between the two frames that have bookmarks."""
        agent, marked = self._window.tabs.agent, self._inspector.marked
        records = [agent.records[index] for index in marked]
        frames = [one for one in records if isinstance(one, Frame)]
        if len(records) != 2 or len(frames) != 2:
            self._inspector.say(_HOW)
            return
        self._window.spawn(self._compare(agent, marked, frames))

    async def _compare(self, agent: Agent, marked: list[int], frames: list[Frame]) -> None:
        from acp_tui.debug.compare.comparison import (
            LARGEST_COMPARED_FRAME,
            compare,
            compare_frames,
            prompt_at,
            turn_at,
        )
        from acp_tui.debug.drafts import editable
        from acp_tui.ui.differences import DifferencesScreen, pausing
        from acp_tui.ui.inspector.comparison import ComparisonScreen

        prompts = [prompt_at(*one) for one in zip(marked, frames, strict=True)]
        before, after = prompts
        title = " and ".join(f"#{one.number}" for one in frames)
        if before is not None and after is not None:
            turns = [await pausing(turn_at(agent.records, one)) for one in (before, after)]
            found = await to_thread.run_sync(compare, turns[:1], turns[1:], abandon_on_cancel=True)
            self._window.push(DifferencesScreen(found, f"The turns of {title}"))
        elif max(len(one.raw) for one in frames) > LARGEST_COMPARED_FRAME:
            self._inspector.say("these messages are too long to compare here; see acp-tui diff")
        else:
            found = await to_thread.run_sync(
                compare_frames, frames[0], frames[1], abandon_on_cancel=True
            )
            names = "   ↔   ".join(map(self._inspector.name_of, marked))
            texts = [editable(one.raw) for one in frames]
            self._window.push(ComparisonScreen(names, *texts, only_ids=not found.differs))
