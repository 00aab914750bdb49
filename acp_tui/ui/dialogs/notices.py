"""All notices, for those who were away when they passed."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from acp_tui.formatting import running_duration
from acp_tui.text import clean, clean_line
from acp_tui.ui import bindings
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.textual_fixes.screens import OverlayScreen
from acp_tui.ui.toasts import everything

MOST = 200
"""How many of the newest are shown."""
_STYLES = {"error": ("✗", "$error"), "warning": ("⚠", "$warning")}


class NoticesScreen(OverlayScreen[None]):
    """The newest first."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.NOTICES  # type: ignore[assignment]

    def __init__(self, agents: Sequence[Agent], clock: Callable[[], float]) -> None:
        super().__init__()
        self._agents = agents
        self._clock = clock

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = "Notices"
            page.border_subtitle = bindings.hints([("escape", "close")])
            yield Static(Content("\n").join(self._rows()), markup=False)

    def action_close(self) -> None:
        """Close."""
        self.dismiss()

    def _rows(self) -> Iterator[Content]:
        told = everything(self._agents)[:MOST]
        if not told:
            yield Content.styled("no notices so far", "$text-muted")
        for name, notice in told:
            sign, style = _STYLES.get(notice.severity, ("ℹ", "$accent"))
            where = f"  {clean_line(name)}" if name else ""
            age = running_duration(max(0.0, self._clock() - notice.at))
            yield Content.assemble(
                (f"{sign} {clean(notice.title)}", style), (f"{where}  {age} ago", "$text-muted")
            )
            if notice.description:
                yield Content.styled(clean(notice.description), "$foreground")
