"""Notices: which of them a toast shows, and all of them for the page."""

from collections.abc import Iterable, Sequence
from typing import Literal

from acp_tui.host.agent import Agent
from acp_tui.host.session_names import session_name
from acp_tui.protocol.events import QuirkHelped
from acp_tui.state.changes import Change, EntryAdded, NoticeAdded
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.state import State


def new(state: State, changes: Iterable[Change], shown_id: str | None) -> list[NoticeEntry]:
    """Return the notices to show as toasts now: what stands in the transcript on screen is not
    repeated.
    """
    found = []
    for change in changes:
        match change:
            case NoticeAdded(index=index) if index < len(state.notices):
                notice = state.notices[index]
                if notice.severity != "error" or state.open_sessions():
                    found.append(notice)
            case EntryAdded(session_id=session_id, index=index):
                session = state.sessions.get(session_id)
                if session is None or session.loading is not None or index >= len(session.entries):
                    continue
                entry = session.entries[index]
                if isinstance(entry, NoticeEntry) and session_id != shown_id:
                    found.append(entry)
    return found


def severity(notice: NoticeEntry) -> Literal["information", "warning", "error"]:
    """Return the nearest severity that toasts have."""
    match notice.severity:
        case "error":
            return "error"
        case "warning":
            return "warning"
    return "information"


def everything(agents: Sequence[Agent]) -> list[tuple[str, NoticeEntry]]:
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
