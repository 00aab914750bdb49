"""The notices feature: each notice is shown at once as a toast, and all are listed on a page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Literal

from textual.content import Content

from acp_tui.extensions import extensions, write_to_stderr
from acp_tui.formatting import running_duration
from acp_tui.host.agent import Agent
from acp_tui.host.session_names import session_name
from acp_tui.protocol.events import QuirkHelped
from acp_tui.state.changes import Change, EntryAdded, NoticeAdded
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.state import State
from acp_tui.text import clean_line, clean_text
from acp_tui.ui.feature import AgentChanged, AppClosed, AppReady, Feature
from acp_tui.ui.keys import NOTICES
from acp_tui.ui.toolkit.screens import Page
from acp_tui.ui.toolkit.shortened import crop_text
from acp_tui.ui.window import Window

LONG = 10.0
"""Seconds that a toast stays if its text is shown nowhere else."""
LONGEST_TOAST = 100
"""Most characters of a notice in its toast: three lines on a narrow screen."""


class NoticesFeature(Feature):
    """Shows each notice once as a toast, and lists all of them."""

    name = "notices"
    handlers: ClassVar = {
        AppReady: "show_earlier",
        AgentChanged: "show_new",
        AppClosed: "write_to_stderr",
    }
    shown_elsewhere = False
    """Whether another screen has already shown the notices that came before this one was opened."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._tabs = window.tabs

    def show_earlier(self, _: AppReady) -> None:
        """Show the notices that came before the screen was opened."""
        extensions.report = lambda words: self._window.notify(
            clean_line(words), severity="warning", timeout=LONG
        )
        for agent in self._tabs.agents if not self.shown_elsewhere else ():
            self._show_toasts(agent, [NoticeAdded(at) for at in range(len(agent.state.notices))])

    def show_new(self, event: AgentChanged) -> None:
        """Show a toast for each new notice."""
        self._show_toasts(event.agent, event.changes)

    def _show_toasts(self, agent: Agent, changes: Sequence[Change]) -> None:
        if not any(isinstance(change, NoticeAdded | EntryAdded) for change in changes):
            return
        front = self._window.screens[-1]
        reads = agent is self._tabs.agent and self._window.is_conversation_in_front
        shown_id = self._tabs.shown.session_id if reads else None
        source = f"{agent.name}: " if len(self._tabs.agents) > 1 else ""
        for notice in new_notices(agent.state, changes, shown_id):
            words = crop_text(clean_line(notice.description or ""), LONGEST_TOAST)
            title = crop_text(f"{source}{clean_line(notice.attributed_title)}", LONGEST_TOAST)
            kind = toast_severity(notice)
            if words and (front.is_modal or self._window.question is not None):
                title, words = "", f"{title}: {words}"  # one row: the box leaves room for no more
            self._window.notify(words or title, title=title if words else "", severity=kind)

    def write_to_stderr(self, _: AppClosed) -> None:
        """Let extensions' messages go to stderr again."""
        extensions.report = write_to_stderr

    def open(self) -> None:
        """List all notices."""
        self._window.push(NoticesScreen(self._tabs.agents, self._window.clock))


def new_notices(state: State, changes: Iterable[Change], shown_id: str | None) -> list[NoticeEntry]:
    """Return the notices to show as toasts now, without those in the transcript on screen."""
    found = []
    for change in changes:
        match change:
            case NoticeAdded(index=index) if index < len(state.notices):
                notice = state.notices[index]
                if notice.severity != "error" or state.open_sessions():
                    found.append(notice)
            case EntryAdded(session_id=session_id, index=index):
                session = state.sessions.get(session_id)
                if (
                    session is None
                    or session.opening.loading is not None
                    or index >= len(session.entries)
                ):
                    continue
                entry = session.entries[index]
                if isinstance(entry, NoticeEntry) and session_id != shown_id:
                    found.append(entry)
    return found


def toast_severity(notice: NoticeEntry) -> Literal["information", "warning", "error"]:
    """Return the nearest severity that toasts have."""
    match notice.severity:
        case "error":
            return "error"
        case "warning":
            return "warning"
    return "information"


MOST_NOTICES = 200
"""Most notices that are listed, newest first; older ones are only counted."""
_STYLES = {"error": ("✗", "$error"), "warning": ("⚠", "$warning")}


class NoticesScreen(Page):
    """Lists the notices, newest first."""

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
    """Return all notices and workarounds, newest first, each with the name of its session, and of
    its agent if there are several.
    """
    found = []
    for agent in agents:
        source = agent.name if len(agents) > 1 else ""
        found += [(source, notice) for notice in agent.state.notices]
        found += [(source, _workaround(quirk)) for quirk in agent.state.peer.quirks]
        for session in agent.state.sessions.values():
            names = dict.fromkeys([source, session_name(agent.state, session)])
            name = ": ".join(filter(None, names))
            found += [(name, one) for one in session.entries if isinstance(one, NoticeEntry)]
    return sorted(found, key=lambda one: one[1].at, reverse=True)


def _workaround(quirk: QuirkHelped) -> NoticeEntry:
    title = f"Workaround: {quirk.remedy.replace('-', ' ')}"
    why = f"{quirk.why} (--no-quirks switches this off)"
    return NoticeEntry(quirk.at, "info", title, why, ours=True)
