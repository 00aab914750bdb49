"""Streams the changes of a session, one after the other."""

from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio

from acp_tui.library.turn import ToolCall, Turn
from acp_tui.library.turns import tool_call
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.updates import Chunk, ToolCallUpdate, Update
from acp_tui.state.state import State

TURN_ENDED = "turn_ended"


@dataclass(frozen=True)
class Change:
    """One update of a session. `kind` is ACP's own name for it (`agent_message_chunk`, `tool_call`,
    `plan`, ...), or `turn_ended`.

    A chunk has a `text`, `tool_call` and `tool_call_update` the whole `tool_call` as it stands, and
    `turn_ended` the `turn`. `update` is the update as it came.
    """

    kind: str
    session_id: str
    text: str = ""
    tool_call: ToolCall | None = None
    turn: Turn | None = None
    update: Mapping[str, Any] = field(default_factory=dict, repr=False)


class Changes(AsyncIterator[Change]):
    """The changes of a session from now on, until the agent is closed."""

    def __init__(self) -> None:
        self._waiting: deque[Change] = deque()
        self._news = anyio.Event()
        self._closed = False

    def put(self, change: Change) -> None:
        """Add the next change."""
        self._waiting.append(change)
        self._news.set()

    def close(self) -> None:
        """End the iteration once everything has been read."""
        self._closed = True
        self._news.set()

    async def __anext__(self) -> Change:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            await self._news.wait()
            self._news = anyio.Event()
        return self._waiting.popleft()


def change_of(state: State, session_id: str, update: Update, at: float) -> Change:
    """Return the change for an update that is already folded."""
    text, call = "", None
    if isinstance(update, Chunk) and isinstance(update.content, TextContent):
        text = update.content.text
    elif isinstance(update, ToolCallUpdate):
        entry = state.session(session_id).tool_call(update.tool_call_id)
        call = tool_call(state, entry, at) if entry is not None else None
    return Change(update.session_update, session_id, text, call, update=update.wire())
