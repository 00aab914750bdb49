"""The row that names the other tabs that wait for the person."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs import marks
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import Tabs

if TYPE_CHECKING:
    from acp_tui.ui.sessions.feature import SessionsFeature

KEY = "ctrl+s"
"""The key that goes to the tab that waits longest."""


class WaitingElsewhere(Widget):
    """Names the tab that waits longest, and the key that goes there: a question is answered in its own tab only."""

    def __init__(self, tabs: Tabs, sessions: "SessionsFeature") -> None:
        super().__init__()
        self._sessions = sessions
        self._tabs = tabs
        self._waiting: list[Tab] = []
        self.display = False

    def show(self) -> None:
        """Show the waiting tabs; hide if there are none."""
        self._waiting = self._tabs.waiting_elsewhere()
        self.display = bool(self._waiting)
        self.refresh()

    def on_click(self) -> None:
        """Go to the tab that has waited longest."""
        self._sessions.go_to_question()

    def render(self) -> Content:
        return waiting_words(self._tabs, self._waiting).truncate(
            max(1, self.content_size.width), ellipsis=True
        )


def waiting_words(tabs: Tabs, waiting: Sequence[Tab], *, shows_key: bool = True) -> Content:
    """Name the tab that has waited longest, and count the others. `shows_key` adds the key that goes there."""
    if not waiting:
        return Content()
    first = waiting[0]
    more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
    number = f"{tabs.visible.index(first) + 1} " if first in tabs.visible else ""
    return Content.assemble(
        (f"◆ {number}{marks.tab_name(tabs, first)}", "bold $warning"),
        (f"{more} waiting for you", "$warning"),
        (f"  {key_name(KEY)}", "bold $primary") if shows_key else "",
        (" goes there", "$text-muted") if shows_key else "",
    )
