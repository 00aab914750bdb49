"""Remarks in the transcript that change with what they are about."""

from acp_tui.session.changes import Change, EntryChanged
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.reducers.turns import add
from acp_tui.session.state import Session


def write(
    session: Session, at: float, key: str, title: str, description: str | None
) -> list[Change]:
    """Write the remark of this key into the transcript, or over what it said before."""
    if key not in session.remarks:
        session.remarks[key] = len(session.entries)
        return add(session, NoticeEntry(at, "info", title, description, ours=True, ended=at))
    remark = written(session, key)
    remark.title, remark.description = title, description
    return [EntryChanged(session.session_id, session.remarks[key])]


def written(session: Session, key: str) -> NoticeEntry:
    """The remark of a key that there is one for."""
    remark = session.entries[session.remarks[key]]
    assert isinstance(remark, NoticeEntry)
    return remark
