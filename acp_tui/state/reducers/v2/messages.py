"""Messages of version 2, which have ids: whole messages, new versions of them, and chunks."""

from typing import Any

from acp_tui.protocol.setup import PromptParams
from acp_tui.protocol.v2.setup import PromptAccepted
from acp_tui.protocol.v2.updates import (
    AgentMessage,
    AgentMessageChunkV2,
    AgentThought,
    AgentThoughtChunkV2,
    Chunk,
    Message,
    UserMessage,
    UserMessageChunkV2,
)
from acp_tui.protocol.wire_events import Responded
from acp_tui.state.blocks import Block, TextRun, append_block
from acp_tui.state.changes import Change, EntryChanged
from acp_tui.state.entries import MessageEntry, Role
from acp_tui.state.reducers.transcript import add_entry
from acp_tui.state.reducers.turns import end_turn
from acp_tui.state.session import Session

_ROLES: dict[type[Any], Role] = {
    UserMessage: Role.USER,
    UserMessageChunkV2: Role.USER,
    AgentMessage: Role.AGENT,
    AgentMessageChunkV2: Role.AGENT,
    AgentThought: Role.THOUGHT,
    AgentThoughtChunkV2: Role.THOUGHT,
}


def update_message(session: Session, at: float, update: Message | Chunk) -> list[Change]:
    """Append to a message, or replace its content; an unknown id begins a new message."""
    role, message_id = _ROLES[type(update)], update.message_id
    changes: list[Change] = []
    index = session.indexes.message_ids.get((role, message_id))
    if index is None and role is Role.USER:
        index = _claim_prompt(session, message_id)
    if index is None:
        index = session.indexes.message_ids[role, message_id] = len(session.entries)
        changes = add_entry(session, MessageEntry(role, at, message_id))
    entry = session.entries[index]
    assert isinstance(entry, MessageEntry)
    if entry.ours and entry.sent is None:  # even after its turn: never lose the prompt as sent
        entry.sent = _copies(entry.blocks)
        if isinstance(update, Chunk):
            entry.blocks = []
    if isinstance(update, Chunk):
        append_block(entry.blocks, update.content)
    elif "content" in update.model_fields_set:
        entry.blocks = _blocks(update)
    return changes or [EntryChanged(session.session_id, index)]


def apply_acceptance(session: Session, event: Responded) -> list[Change]:
    """Record which message is the prompt; one wrongly assigned to it gets its own entry."""
    turn = session.turn
    assert turn is not None
    assert isinstance(event.result, PromptAccepted)
    message_id = event.result.message_id
    turn.accepted = True
    turn.seen_running = turn.seen_running or session.reported.is_at_work
    taken, turn.provisional = turn.provisional, None
    if turn.is_retry and session.reported.activity == "idle":
        # The agent had accepted the prompt before, and ended its turn before the session was
        # resumed.
        return end_turn(session, event.at, stop_reason=session.reported.stop_reason or "end_turn")
    if taken == message_id:
        return []
    changes = [] if taken is None else _unclaim_prompt(session, event, taken)
    index = _index(session, turn.prompt)
    known = session.indexes.message_ids.get((Role.USER, message_id))
    session.indexes.message_ids[Role.USER, message_id] = index
    turn.prompt.message_id = message_id
    if known is not None and known != index:
        told = session.entries[known]
        assert isinstance(told, MessageEntry)
        turn.prompt.sent = turn.prompt.blocks
        turn.prompt.blocks, told.blocks = told.blocks, []
        changes.append(EntryChanged(session.session_id, known))
    return [*changes, EntryChanged(session.session_id, index)]


def _claim_prompt(session: Session, message_id: str) -> int | None:
    """Assign a user message to the prompt that isn't accepted yet; return its index."""
    turn = session.turn
    if turn is None or turn.accepted or turn.provisional is not None:
        return None
    turn.provisional = turn.prompt.message_id = message_id
    index = session.indexes.message_ids[Role.USER, message_id] = _index(session, turn.prompt)
    return index


def _unclaim_prompt(session: Session, event: Responded, message_id: str) -> list[Change]:
    """Move a message wrongly assigned to the prompt to its own entry; restore the prompt's text."""
    turn, params = session.turn, event.request.params
    assert turn is not None
    assert isinstance(params, PromptParams)
    blocks, turn.prompt.blocks = turn.prompt.blocks, []
    turn.prompt.sent = None
    for block in params.prompt:
        append_block(turn.prompt.blocks, block)
    session.indexes.message_ids[Role.USER, message_id] = len(session.entries)
    other = MessageEntry(Role.USER, event.at, message_id, blocks, ended=event.at)
    return add_entry(session, other)


def _copies(blocks: list[Block]) -> list[Block]:
    """Return copies of the blocks that don't grow with the originals."""
    return [TextRun([one.text]) if isinstance(one, TextRun) else one for one in blocks]


def _index(session: Session, entry: MessageEntry) -> int:
    """Return the index of an entry, searching from the end."""
    last = len(session.entries) - 1
    return next(at for at in range(last, -1, -1) if session.entries[at] is entry)


def _blocks(update: Message) -> list[Block]:
    blocks: list[Block] = []
    for block in update.content or []:
        append_block(blocks, block)
    return blocks
