"""The status line: what the agent is doing, which agent it is, and facts about the session."""

import time
from collections.abc import Callable

from textual import events
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from acp_tui.formatting import SPINS
from acp_tui.host.session_names import agent_name
from acp_tui.ui.keys import feature_action
from acp_tui.ui.tabs import activity, status
from acp_tui.ui.tabs.tabs import Tabs
from acp_tui.ui.toolkit.timers import Ticker

OPENS = "opens"
"""The key in a style's metadata with the name of the list that a click opens."""


class StatusLine(Widget):
    """One row of status. Its clock ticks only while something runs."""

    def __init__(self, tabs: Tabs, clock: Callable[[], float]) -> None:
        super().__init__()
        self._tabs = tabs
        self._clock = clock
        self._ticker = Ticker(self, 1 / SPINS, self.refresh)

    def show(self) -> None:
        """Update the line for the tab that is shown."""
        self._ticker.run_while(
            activity.shows_clock(self._tabs.agent.state, self._tabs.shown.session)
        )
        self.refresh()

    async def on_click(self, event: events.Click) -> None:
        """Open the list that belongs to the clicked part."""
        opened = event.style.meta.get(OPENS)
        if opened:
            event.stop()
            await self.run_action(feature_action("options.open_list", opened))

    def render(self) -> Content:
        now, agent, tab = self._clock(), self._tabs.agent, self._tabs.shown
        session, is_recorded = tab.session, bool(self._tabs.refusal)
        cancels = not (is_recorded or tab.queue.waiting)
        parts = [
            *status.status_banner(agent.state),
            activity.describe_activity(
                agent.state, session, agent.limits, now, agent.since, is_recorded=is_recorded
            ),
            *status.status_facts(
                agent.state,
                session,
                agent.limits,
                now,
                agent.found,
                name=agent_name(agent),
                seen_errors=agent.found_seen[0],
                cancels=cancels,
                date=None if is_recorded else time.time(),
            ),
        ]
        texts = status.fit_parts(parts, self.size.width)
        left, right = [
            Content(" " * status.GAP).join(
                Content.styled(text, part.style).stylize(Style.from_meta({OPENS: part.opens}))
                for part, text in zip(parts, texts, strict=True)
                if text and part.right is side
            )
            for side in (False, True)
        ]
        space = max(status.GAP, self.size.width - left.cell_length - right.cell_length)
        return Content.assemble(left, " " * space, right)
