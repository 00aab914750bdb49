"""Quotes an earlier session up to a turn, for the prompt of a new one, so that nothing in the quote
counts as a mention.
"""

from collections.abc import Collection, Iterable

from acp_tui.formatting import counted
from acp_tui.index.passages import BEGIN, END, SAID, PassageKind
from acp_tui.state.entries import Entry, MessageEntry, Role, ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.text import clean_line, clean_text
from acp_tui.ui.toolkit.shortened import crop_text

MOST = 20_000
"""Most characters that are quoted; the beginning of a longer conversation is left out."""


def quote_conversation(session: Session, at: int, sent: Collection[str]) -> str:
    """Return the quoted conversation before the prompt at index `at`, then that prompt itself.

    Mentions in the prompt stay mentions only if the user `sent` it.
    """
    from acp_tui.workspace.mentions import escape_mentions  # lazy import: not needed at startup

    prompt = session.entries[at]
    assert isinstance(prompt, MessageEntry)
    words = clean_text(prompt.own_text)
    conversation = _quote_lines(map(_quote_entry, session.entries[:at]))
    return f"{conversation}{words if words in sent else escape_mentions(words)}"


def quote_recorded(passages: Iterable[tuple[PassageKind, str]]) -> str | None:
    """Return the quoted messages and tool calls of a recorded session; None if there are none."""
    return _quote_lines(_LINES[kind](text) for kind, text in passages) or None


def _quote_lines(lines: Iterable[str]) -> str:
    text = "\n\n".join(filter(None, lines))
    if len(text) > MOST:
        omitted = counted(len(text) - MOST, "character")
        text = f"[The first {omitted} of it are left out here.]\n\n…{text[-MOST:]}"
    quoted = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    return f"{BEGIN}\n\n{quoted}\n\n{END}\n\n" if text else ""


def _quote_entry(entry: Entry) -> str:
    match entry:
        case MessageEntry(role=Role.USER, ours=True):
            return _quote_prompt(entry.own_text)
        case MessageEntry(role=Role.USER):
            return f"You say that I said: {clean_text(entry.text)}"
        case MessageEntry(role=Role.AGENT):
            return _quote_answer(entry.text)
        case ToolCallEntry():
            return _quote_tool_call(entry.title)
    return ""


def _quote_prompt(text: str) -> str:
    return f"{SAID}{clean_text(text)}"


def _quote_answer(text: str) -> str:
    return f"You said: {clean_text(text)}"


def _quote_tool_call(title: str) -> str:
    return f"You used a tool: {crop_text(clean_line(title), 200)}"


_LINES = {
    PassageKind.PROMPT: _quote_prompt,
    PassageKind.MESSAGE: _quote_answer,
    PassageKind.TOOL: _quote_tool_call,
}
