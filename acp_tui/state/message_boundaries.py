"""Finds where messages begin if chunks have no ids: in a replay, and around other entries.

The protocol doesn't say whether consecutive chunks are one message. Agents replay a session in one
of two ways: with whole messages, several of which may have the same role (a prompt that was never
answered, context before the first prompt), or with the chunks as they were once streamed.
"""

import re

from acp_tui.protocol.content import TextContent
from acp_tui.state.blocks import Other, TextRun
from acp_tui.state.entries import Entry, MessageEntry, Role, TurnEndEntry
from acp_tui.state.session import Session

SEARCHED_ENTRIES = 100
"""Most entries that are searched for an earlier message of the same role."""
_WORDS = 3
"""Number of words from which a text looks like a sentence."""
_ENDS = frozenset(".!?:;…)]}>\"'`*_|")
_GOES_ON = frozenset(".,:;!?)]}>…")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)]) ")
_BLOCK = re.compile(r"```|~~~|#{2,6} ")
_CLOSING_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
"""A fence without open code can only be a closing one."""


def begins_message(entries: list[Entry], content: TextContent | Other) -> bool:
    """Return whether content after the last entry, a message of the same role, begins a new one.

    If it may be part of a word or line, it doesn't: splitting one message in two is worse than
    joining two.
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
    if last.role is not Role.USER and ends_in_code(before):
        return False
    if _begins_block(before, text):
        return True
    if last.role is Role.USER:
        return True  # a user's message is never streamed
    ends = before[-1] in _ENDS and not text[0].islower()
    ends = ends or _begins_sentence(before, text)
    return _looks_whole(text) and (ends or _was_sent_whole(entries))


def _begins_sentence(before: str, text: str) -> bool:
    """Return whether a capitalized phrase follows a phrase without punctuation.

    Streamed chunks may be parts of words, but hardly ever begin at the only capital within a word.
    """
    last_word = before.rsplit(maxsplit=1)[-1]
    return (
        text[0].isupper()
        and last_word[-1].isalnum()
        and last_word == last_word.lower()
        and min(len(before.split()), len(text.split())) >= _WORDS
    )


def _begins_block(before: str, text: str) -> bool:
    """Return whether a text begins a Markdown block that can't continue the previous line."""
    line = before[before.rfind("\n") + 1 :]
    if _CLOSING_FENCE.fullmatch(line) or (_ITEM.match(line) and _ITEM.match(text)):
        return True
    return _BLOCK.match(text) is not None and before[-1] != text[0]


def _looks_whole(text: str) -> bool:
    """Return whether a text has several words or ends like a sentence, unlike most streamed chunks."""
    return len(text.split(maxsplit=1)) > 1 or text[-1] in _ENDS


def _was_sent_whole(entries: list[Entry]) -> bool:
    """Return whether the previous message of this role was sent in one chunk."""
    role = entries[-1].role if isinstance(entries[-1], MessageEntry) else None
    for entry in reversed(entries[-SEARCHED_ENTRIES:-1]):
        if isinstance(entry, MessageEntry) and entry.role is role:
            return entry.chunks == 1 and _looks_whole(entry.text)
    return False


_OPEN_LINK = re.compile(r"\[[^\[\]]*$|\]\([^()]*$")
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


def split_message(session: Session, role: Role, text: str) -> int | None:
    """Return the index of an earlier message that a chunk with this text continues, because its
    code block, table or link is still open.

    In a separate message, the rest would be rendered as prose.
    """
    count = len(session.entries)
    known = session.split_message
    if known is None or known[1] != count:  # else each chunk would search the whole text
        index = _interrupted(session, role, text)
        known = session.split_message = None if index is None else (index, count)
    if known is None:
        return None
    entry = session.entries[known[0]]
    return known[0] if isinstance(entry, MessageEntry) and entry.role is role else None


def _interrupted(session: Session, role: Role, text: str) -> int | None:
    last = len(session.entries) - 1
    for index in range(last, max(-1, last - SEARCHED_ENTRIES), -1):
        entry = session.entries[index]
        if isinstance(entry, TurnEndEntry):
            return None
        if isinstance(entry, MessageEntry) and entry.role in (role, Role.USER):
            is_agents = entry.role is not Role.USER and entry.message_id is None
            is_open = is_agents and (ends_in_code(entry.text) or _cuts_line(entry.text, text))
            return index if is_open else None
    return None


def _cuts_line(before: str, text: str) -> bool:
    """Return whether a text continues an open link or table row, or adds a row to the table."""
    above, _, last = before.removesuffix("\n").rpartition("\n")
    is_ended = before.endswith("\n")
    if not last.startswith("|"):
        return not is_ended and _OPEN_LINK.search(last) is not None
    if is_ended or text.startswith("\n"):
        return text.removeprefix("\n").startswith("|")
    row = above[above.rfind("\n") + 1 :].rstrip()
    has_ends = row.endswith("|") or not row.startswith("|")
    return len(last) == 1 or (has_ends and not last.rstrip().endswith("|"))


def ends_in_code(text: str) -> bool:
    """Return whether a Markdown text ends inside a fenced code block."""
    fence = ""
    for mark, rest in _FENCE.findall(text):
        if not fence:
            fence = mark if mark[0] == "~" or "`" not in rest else ""
        elif mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip():
            fence = ""
    return bool(fence)
