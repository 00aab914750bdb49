"""The session that a transcript shows: its document, and what moves in it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_tui.protocol.events import Record
from acp_tui.state.changes import Change, EntryAdded, EntryChanged, TerminalChanged, TurnChanged
from acp_tui.state.state import Session, State
from acp_tui.ui.transcript.document import Document
from acp_tui.ui.transcript.entries.context import Context, ViewOf
from acp_tui.ui.transcript.ports import Outside

if TYPE_CHECKING:
    from acp_tui.ui.transcript.transcript import Transcript


@dataclass
class ShownSession:
    """Makes the document of a session, and has a transcript draw what changes in it."""

    state: State
    session_id: str | None
    outside: Outside
    view_of: ViewOf
    clock: Callable[[], float]
    records: Sequence[Record] = ()

    def document(self) -> Document:
        """Return the entries of the session, as the reader wants them drawn; none, if it isn't known."""
        session = self.state.sessions.get(self.session_id or "", Session(""))
        context = Context(self.state, session, self.clock, self.records, tells_end=True)
        context.split = self.outside.split_diffs
        context.folds = dict(self.outside.folds)
        return Document(context, self.view_of)

    def forget(self) -> None:
        """Let go of the session."""
        self.state, self.session_id = State(), None

    def take(self, changes: Iterable[Change], transcript: "Transcript") -> None:
        """Note what moved; it is drawn with the next frame."""
        for change in changes:
            match change:
                case EntryAdded() | EntryChanged() if change.session_id == self.session_id:
                    self._take_entry(change, transcript)
                case TurnChanged(session_id=self.session_id):
                    transcript.mark_dirty(transcript.document.unsettled)
                case TerminalChanged(terminal_id=terminal_id):
                    transcript.mark_dirty(transcript.document.showing(terminal_id))

    def _take_entry(self, change: EntryAdded | EntryChanged, transcript: "Transcript") -> None:
        if self.state.sessions.get(change.session_id) is not transcript.document.context.session:
            transcript.show(change.session_id)
        if not transcript.following and change.index >= transcript.last_on_screen:
            transcript.tell_new_below()
        transcript.mark_dirty((change.index,))
