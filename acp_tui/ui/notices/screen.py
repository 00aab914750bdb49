"""The page of all notifications, for a person who missed some."""

from collections.abc import Callable, Iterator, Sequence

from textual.content import Content

from acp_tui.formatting import running_duration
from acp_tui.host.agent import Agent
from acp_tui.host.session_names import session_name
from acp_tui.protocol.events import QuirkHelped
from acp_tui.state.entries import NoticeEntry
from acp_tui.text import clean_line, clean_text
from acp_tui.ui.keys import NOTICES
from acp_tui.ui.toolkit.screens import Page

MOST_NOTICES = 200
"""The newest notices that are listed; older ones are only counted."""
_STYLES = {"error": ("✗", "$error"), "warning": ("⚠", "$warning")}


class NoticesScreen(Page):
    """Lists the notices, the newest first."""

    BINDINGS = NOTICES
    PLACE = "notices"

    def __init__(self, agents: Sequence[Agent], clock: Callable[[], float]) -> None:
        notices = all_notices(agents)
        super().__init__(
            "Notifications", _notice_rows(notices[:MOST_NOTICES], clock()), f"{len(notices)}"
        )


def _notice_rows(notices: Sequence[tuple[str, NoticeEntry]], now: float) -> Iterator[Content]:
    if not notices:
        yield Content.styled("no notices so far", "$text-muted")
    for name, notice in notices:
        sign, style = _STYLES.get(notice.severity, ("ℹ", "$accent"))
        where = f"  {clean_line(name)}" if name else ""
        age = running_duration(max(0.0, now - notice.at))
        yield Content.assemble(
            (f"{sign} {clean_text(notice.attributed_title)}", style),
            (f"{where}  {age} ago", "$text-muted"),
        )
        if notice.description:
            yield Content.styled(clean_text(notice.description), "$foreground")


def all_notices(agents: Sequence[Agent]) -> list[tuple[str, NoticeEntry]]:
    """Return all notices and workarounds, the newest first, each with the name of its session, and of
    its agent if there are several.
    """
    found = []
    for agent in agents:
        whose = agent.name if len(agents) > 1 else ""
        found += [(whose, notice) for notice in agent.state.notices]
        found += [(whose, _workaround(quirk)) for quirk in agent.state.peer.quirks]
        for session in agent.state.sessions.values():
            names = dict.fromkeys([whose, session_name(agent.state, session)])
            name = ": ".join(filter(None, names))
            found += [(name, one) for one in session.entries if isinstance(one, NoticeEntry)]
    return sorted(found, key=lambda one: one[1].at, reverse=True)


def _workaround(quirk: QuirkHelped) -> NoticeEntry:
    title = f"Workaround: {quirk.remedy.replace('-', ' ')}"
    why = f"{quirk.why} (--no-quirks switches this off)"
    return NoticeEntry(quirk.at, "info", title, why, ours=True)
