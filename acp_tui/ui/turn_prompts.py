"""The prompts in a transcript, and the one that a kept turn begins with."""

from typing import TYPE_CHECKING, TypeGuard

from acp_tui.state.entries import Entry, MessageEntry, Role
from acp_tui.state.state import Session

if TYPE_CHECKING:
    from acp_tui.rewind.checkpoint import Reason

COMPARED = 40
"""How many characters of a prompt tell that it is the one that was meant."""


def is_prompt(entry: Entry) -> TypeGuard[MessageEntry]:
    """Return whether an entry is a prompt of the person's."""
    return isinstance(entry, MessageEntry) and entry.role is Role.USER


def find_prompt(session: Session, reason: "Reason", end: int | None = None) -> int | None:
    """Return the index of the prompt that a turn begins with, before `end`: where it was, else the last
    one that reads the same.
    """
    words = reason.words.strip()[:COMPARED]
    found = [
        at
        for at, entry in enumerate(session.entries[:end])
        if is_prompt(entry) and entry.own_text.strip()[:COMPARED] == words
    ]
    return reason.entries if reason.entries in found else found[-1] if found else None
