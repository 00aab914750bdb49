"""What a new session is told of an earlier one, up to a turn: quoted, so that it mentions no file."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from acp_tui.archive.passages import Kind
from acp_tui.session.entries import Entry, MessageEntry, Role, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.text import clean, clean_line
from acp_tui.ui.words import cropped

if TYPE_CHECKING:
    from acp_tui.checkpoints.checkpoint import Reason

MOST = 20_000
"""Characters that are retold; of what is longer the end."""
COMPARED = 40
"""How many characters of a prompt tell that it is the one that was meant."""
_BEGIN = "This is what was said in an earlier session, which you don't remember:"
_END = "That was the earlier session. Now:"


def retell(session: Session, reason: "Reason", sent: Collection[str]) -> str | None:
    """Return what was said before a turn, and its prompt again; None if it isn't found. The prompt
    mentions files only if it is one of those that a person has `sent`.
    """
    from acp_tui.workspace.mentions import as_words  # a start doesn't need it

    at = _find(session, reason)
    if at is None:
        return None
    prompt = session.entries[at]
    assert isinstance(prompt, MessageEntry)
    words = clean(prompt.sent or prompt.text)
    said = _told(map(_line, session.entries[:at]))
    return f"{said}{words if words in sent else as_words(words)}"


def retell_recorded(said: Iterable[tuple[Kind, str]]) -> str | None:
    """Return what was said and done in a recorded session; None if nothing was."""
    return _told(_LINES[kind](text) for kind, text in said) or None


def _told(lines: Iterable[str]) -> str:
    said = "\n\n".join(filter(None, lines))
    if len(said) > MOST:
        said = f"[…]{said[-MOST:]}"
    quoted = "\n".join(f"> {line}".rstrip() for line in said.split("\n"))
    return f"{_BEGIN}\n\n{quoted}\n\n{_END}\n\n" if said else ""


def _find(session: Session, reason: "Reason") -> int | None:
    """Return the entry that a turn begins with: where it was, else the last one that reads so."""
    words = reason.words.strip()[:COMPARED]
    found = [at for at, entry in enumerate(session.entries) if _is_prompt(entry, words)]
    return reason.entries if reason.entries in found else found[-1] if found else None


def _is_prompt(entry: Entry, words: str) -> bool:
    if not isinstance(entry, MessageEntry) or entry.role is not Role.USER:
        return False
    return (entry.sent or entry.text).strip()[:COMPARED] == words


def _line(entry: Entry) -> str:
    match entry:
        case MessageEntry(role=Role.USER):
            return _prompted(entry.text)
        case MessageEntry(role=Role.AGENT):
            return _answered(entry.text)
        case ToolCallEntry():
            return _used(entry.title)
    return ""


def _prompted(text: str) -> str:
    return f"I said: {clean(text)}"


def _answered(text: str) -> str:
    return f"You said: {clean(text)}"


def _used(title: str) -> str:
    return f"You used a tool: {cropped(clean_line(title), 200)}"


_LINES = {Kind.PROMPT: _prompted, Kind.MESSAGE: _answered, Kind.TOOL: _used}
