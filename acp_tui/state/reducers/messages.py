"""Appends message chunks to the transcript's messages (ACP: Prompt Turn)."""

from unicodedata import normalize

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.updates import Chunk
from acp_tui.state.blocks import append_block
from acp_tui.state.changes import Change, EntryChanged
from acp_tui.state.entries import MessageEntry, Role
from acp_tui.state.message_boundaries import begins_message, split_message
from acp_tui.state.reducers.transcript import add_entry
from acp_tui.state.session import Session


def add_chunk(session: Session, at: float, role: Role, chunk: Chunk) -> list[Change]:
    """Append a chunk to its message, or begin a new message.

    Within a turn, chunks with the same `message_id` are one message. Without ids, consecutive chunks of the
    same kind are, unless each is a whole message of a replay.
    """
    if role is Role.USER and _echoes_prompt(session, chunk):
        return []
    index = _message_index(session, role, chunk)
    if index is not None:
        message = session.entries[index]
        assert isinstance(message, MessageEntry)
        _extend(message, chunk)
        return [EntryChanged(session.session_id, index)]
    message = MessageEntry(role, at, chunk.message_id)
    _extend(message, chunk)
    if role is Role.USER:
        session.indexes.messages.clear()  # a replayed turn begins as if with a prompt
        if session.turn is None:
            session.turn_index = len(session.entries)
    if chunk.message_id is not None:
        session.indexes.messages[role, chunk.message_id] = len(session.entries)
    return add_entry(session, message)


_GROWN = 4
"""Length of a user message from which a chunk that begins with it replaces it, as cumulative chunks
do; a shorter one may just be repeated words.
"""


def _extend(message: MessageEntry, chunk: Chunk) -> None:
    """Append a chunk to its message; a cumulative chunk replaces the user message so far."""
    text = chunk.content.text if isinstance(chunk.content, TextContent) else None
    message.chunks += text != ""
    so_far = message.text if message.role is Role.USER and len(message.blocks) == 1 else ""
    if len(so_far) >= _GROWN and text is not None and text.startswith(so_far):
        message.blocks.clear()
    append_block(message.blocks, chunk.content)


def _message_index(session: Session, role: Role, chunk: Chunk) -> int | None:
    message_id = chunk.message_id
    if message_id is not None:
        index = session.indexes.messages.get((role, message_id))
        answered = role is Role.USER and index is not None and index < len(session.entries) - 1
        return None if answered else index
    last = session.entries[-1] if session.entries else None
    if isinstance(last, MessageEntry) and last.role is role and last.message_id is None:
        if session.turn is None and begins_message(session.entries, chunk.content):
            return None
        own_prompt = session.turn is not None and last is session.turn.prompt
        return None if own_prompt else len(session.entries) - 1
    text = chunk.content.text if isinstance(chunk.content, TextContent) else ""
    return split_message(session, role, text)


_LONGEST_DECOMPOSED = 100_000
"""Most characters of a prompt that is compared in decomposed form; the echo of a longer one must
have identical line endings and accents.
"""


def _echoes_prompt(session: Session, chunk: Chunk) -> bool:
    """Return whether the agent echoes the prompt that is on screen, in chunks or cumulatively.

    Leading and trailing whitespace, the kind of line endings, and character composition are
    ignored.
    """
    if session.turn is None or not isinstance(chunk.content, TextContent):
        return False
    echo, text, prompt = session.turn.echo, chunk.content.text, session.turn.prompt.text
    # Decomposing is slow, so only do it if the texts differ, and never for a huge prompt.
    for read in (str, _decomposed) if len(prompt) <= _LONGEST_DECOMPOSED else (str,):
        wanted = read(prompt)
        for grown in (echo + text, text):
            found = read(grown)
            if found.strip() == wanted.strip():
                session.turn.echo = prompt
                return True
            if grown.startswith(echo) and wanted.startswith(found):
                session.turn.echo = grown
                return True
    return False


def _decomposed(text: str) -> str:
    """Normalize line endings and decompose characters, so that a prefix of a text stays a prefix."""
    return normalize("NFD", text.replace("\r\n", "\n").removesuffix("\r"))
