"""Messages without ids that other entries interrupt inside a code block."""

import re

from acp_tui.state.entries import MessageEntry, Role, TurnEndEntry
from acp_tui.state.state import Session

SEARCHED = 100
"""Entries that are searched for an interrupted message."""
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


def split_message(session: Session, role: Role) -> int | None:
    """Return the index of the message that a chunk continues though other entries followed: its
    code block is open.

    As a message of its own, the rest of the code would be rendered as prose.
    """
    count = len(session.entries)
    known = session.split_message
    if known is None or known[1] != count:  # without this, each chunk would search all of the text
        index = _interrupted(session, role)
        known = session.split_message = None if index is None else (index, count)
    if known is None:
        return None
    entry = session.entries[known[0]]
    return known[0] if isinstance(entry, MessageEntry) and entry.role is role else None


def _interrupted(session: Session, role: Role) -> int | None:
    last = len(session.entries) - 1
    for index in range(last, max(-1, last - SEARCHED), -1):
        entry = session.entries[index]
        if isinstance(entry, TurnEndEntry):
            return None
        if isinstance(entry, MessageEntry) and entry.role in (role, Role.USER):
            is_agents = entry.role is not Role.USER and entry.message_id is None
            return index if is_agents and ends_in_code(entry.text) else None
    return None


def ends_in_code(text: str) -> bool:
    """Return whether a Markdown text ends inside a fenced code block."""
    fence = ""
    for mark, rest in _FENCE.findall(text):
        if not fence:
            fence = mark if mark[0] == "~" or "`" not in rest else ""
        elif mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip():
            fence = ""
    return bool(fence)
