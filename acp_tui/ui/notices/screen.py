"""All notices, for those who were away when they passed."""

from collections.abc import Callable, Iterator, Sequence

from textual.content import Content

from acp_tui.formatting import running_duration
from acp_tui.host.agent import Agent
from acp_tui.state.entries import NoticeEntry
from acp_tui.text import clean, clean_line
from acp_tui.ui.notices import bindings
from acp_tui.ui.notices.toasts import everything
from acp_tui.ui.toolkit.page import Page

MOST_NOTICES = 200
"""How many of the newest are shown."""
_STYLES = {"error": ("✗", "$error"), "warning": ("⚠", "$warning")}


class NoticesScreen(Page):
    """The newest first."""

    BINDINGS = bindings.NOTICES
    PLACE = "notices"

    def __init__(self, agents: Sequence[Agent], clock: Callable[[], float]) -> None:
        told = everything(agents)
        super().__init__("Notices", _rows(told[:MOST_NOTICES], clock()), f"{len(told)}")


def _rows(told: Sequence[tuple[str, NoticeEntry]], now: float) -> Iterator[Content]:
    if not told:
        yield Content.styled("no notices so far", "$text-muted")
    for name, notice in told:
        sign, style = _STYLES.get(notice.severity, ("ℹ", "$accent"))
        where = f"  {clean_line(name)}" if name else ""
        age = running_duration(max(0.0, now - notice.at))
        yield Content.assemble(
            (f"{sign} {clean(notice.attributed_title)}", style),
            (f"{where}  {age} ago", "$text-muted"),
        )
        if notice.description:
            yield Content.styled(clean(notice.description), "$foreground")
