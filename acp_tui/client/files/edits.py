"""Loads `EditWatch` at the first tool call or write, since importing it would slow the start."""

from typing import TYPE_CHECKING

from anyio.abc import TaskGroup

from acp_tui.client.core import Core
from acp_tui.client.files.history import FileHistory
from acp_tui.client.files.resolved_roots import ResolvedRoots
from acp_tui.protocol.events import Event
from acp_tui.protocol.file_events import FileWritten
from acp_tui.protocol.requests import AnyPermissionRequest
from acp_tui.protocol.updates import SessionNotification, ToolCallUpdate
from acp_tui.protocol.wire_events import Notified, Requested
from acp_tui.state.changes import Change

if TYPE_CHECKING:
    from acp_tui.client.files.edit_watch import EditWatch


class Edits:
    """Compares the edits of one agent process, from its first tool call or write onward."""

    def __init__(
        self, core: Core, tasks: TaskGroup, roots: ResolvedRoots, history: FileHistory
    ) -> None:
        self._parts = core, tasks, roots, history
        self._watch: EditWatch | None = None

    def follow(self, event: Event, changes: list[Change]) -> None:
        """Handle a folded event; never waits."""
        if self._watch is None and _may_edit(event):
            from acp_tui.client.files.edit_watch import EditWatch

            self._watch = EditWatch(*self._parts)
        if self._watch is not None:
            self._watch.follow(event, changes)

    async def settled(self) -> None:
        """Wait until all pending comparisons are done."""
        if self._watch is not None:
            await self._watch.settled()


def _may_edit(event: Event) -> bool:
    match event:
        case (
            Notified(params=SessionNotification(update=ToolCallUpdate()))
            | Requested(params=AnyPermissionRequest())
            | FileWritten()
        ):
            return True
    return False
