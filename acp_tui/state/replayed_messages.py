"""Where a message of a replay begins, if the agent gives no message ids.

The protocol leaves it open whether chunks in a row are one message. Agents replay a session in one
of two ways: they send each message whole, two in a row among them (a prompt that was never answered, a
context before the first one), or the pieces that once were streamed.
"""

from acp_tui.protocol.content import TextContent
from acp_tui.state.blocks import Other, TextRun
from acp_tui.state.entries import Entry, MessageEntry, Role

SEARCHED = 100
"""How many entries are searched for an earlier message of the same role."""
_ENDS = frozenset(".!?:;…)]}>\"'`*_|")
_GOES_ON = frozenset(".,:;!?)]}>…")


def begins_message(entries: list[Entry], content: TextContent | Other) -> bool:
    """Return whether content that follows a message of its role, the last entry, begins another one.
    What may be a piece of a word or of a line is appended: text in two parts is worse than two texts in
    one.
    """
    last = entries[-1]
    assert isinstance(last, MessageEntry)
    if not isinstance(content, TextContent) or not isinstance(last.blocks[-1], TextRun):
        return False
    before, text = last.text, content.text
    if last.chunks > 1 or not before or not text or before[-1].isspace() or text[0].isspace():
        return False
    if text[0] in _GOES_ON or not _looks_whole(before):
        return False
    if last.role is Role.USER:
        return True  # no model streams what a person wrote
    ends = before[-1] in _ENDS and not text[0].islower()
    return _looks_whole(text) and (ends or _comes_whole(entries))


def _looks_whole(text: str) -> bool:
    """Whether a text has several words or ends as a sentence does; pieces of a stream mostly don't."""
    return len(text.split(maxsplit=1)) > 1 or text[-1] in _ENDS


def _comes_whole(entries: list[Entry]) -> bool:
    """Whether the message before this one of its role came in one chunk."""
    role = entries[-1].role if isinstance(entries[-1], MessageEntry) else None
    for entry in reversed(entries[-SEARCHED:-1]):
        if isinstance(entry, MessageEntry) and entry.role is role:
            return entry.chunks == 1 and _looks_whole(entry.text)
    return False
