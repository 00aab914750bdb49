"""The turns before which the files were kept: what each changed, and going back there."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content

from acp_tui.checkpoints.checkpoint import Checkpoint, Kind
from acp_tui.formatting import counted
from acp_tui.session.state import Session
from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.dialogs.file_change_rows import DONE, file_rows, sums
from acp_tui.ui.dialogs.listing import Listing
from acp_tui.ui.frame import Frame
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Part, Stack
from acp_tui.ui.lines.text_lines import TextLines
from acp_tui.ui.sessions.tabs import Tab
from acp_tui.ui.textual_fixes.screens import OverlayScreen
from acp_tui.ui.words import cropped, from_home, path_end

if TYPE_CHECKING:
    from acp_tui.checkpoints.store import Checkpoints
    from acp_tui.checkpoints.turns import KeptTurn
    from acp_tui.ui.controllers.rewind import RewindController


TITLE = "Go back to before a turn"


class TurnsScreen(OverlayScreen[None]):
    """A list above, newest first; what changed after what is marked below."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.TURNS  # type: ignore[assignment]

    def __init__(
        self,
        turns: "list[KeptTurn]",
        store: "Checkpoints",
        tab: Tab,
        session: Session,
        rewind: "RewindController",
    ) -> None:
        super().__init__()
        self.store = store
        self.tab = tab
        self.session = session
        self._turns = turns
        self._controller = rewind
        self._frame = Frame()
        self._listing = Listing()
        self._changes = LinesView()

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._listing
            yield self._changes

    def on_mount(self) -> None:
        self._offer_keys()
        self._list()
        self._show_changes()

    def on_resize(self) -> None:
        """Fit the rows."""
        self._list()

    @property
    def _marked(self) -> "KeptTurn | None":
        at = self._listing.cursor
        return self._turns[at] if at < len(self._turns) else None

    def tell(self, words: str) -> None:
        """Say in place of the keys why nothing was done, until a key is pressed."""
        self._frame.tell(clean_line(words))

    def _offer_keys(self) -> None:
        keys = [("enter", "go back"), ("pagedown", "scroll")] if self._turns else []
        if self._last_return is not None:
            keys.append(("u", "take back the last return"))
        self._frame.offer([*keys, ("escape", "close")], "turns")

    @property
    def _last_return(self) -> Checkpoint | None:
        kept = (one.checkpoint for one in self._turns)
        return next((one for one in kept if one.reason.kind is Kind.RETURN), None)

    def _list(self) -> None:
        if not self._listing.is_mounted:
            return
        width = self._listing.size.width or self.size.width - 4
        where = path_end(clean_line(from_home(self.session.cwd)), max(0, width - len(TITLE) - 2))
        self._frame.entitle(Content.assemble((TITLE, "bold"), (f"  {where}", "$text-muted")))
        rows = [self._row(one, width) for one in self._turns]
        nothing = Content.styled("no turn has begun here since files are kept", "$text-muted")
        headings = frozenset[int]() if rows else frozenset({0})
        self._listing.show(rows or [nothing], self._listing.cursor, headings)

    def _row(self, turn: "KeptTurn", width: int) -> Content:
        checkpoint, (added, removed) = turn.checkpoint, sums(turn.changes)
        when = datetime.fromtimestamp(checkpoint.at).astimezone()
        today = when.date() == datetime.now().astimezone().date()
        files = counted(len(turn.changes), "file") if turn.changes else "no change"
        counts = Content.assemble((f"{files:>10}", "$text-muted"))
        if turn.changes:
            counts += Content.assemble((f" +{added}", "$success"), (f" −{removed}", "$error"))
        time = f"{when:%H:%M}" if today else f"{when:%d %b}"
        room = max(8, width - len(time) - counts.cell_length - 5)
        words = cropped(_words(checkpoint, self.session), room)
        return Content.assemble((f"{time}  ", "$text-muted"), words.ljust(room), "  ", counts)

    def _show_changes(self) -> None:
        marked = self._marked
        if marked is not None and self._changes.is_mounted:
            self._changes.show(Stack(_parts(marked, is_last=marked is self._turns[0])))

    def action_move(self, step: int) -> None:
        """Mark another turn."""
        self._listing.move(step)
        self._offer_keys()
        self._show_changes()

    def on_listing_clicked(self, event: Listing.Clicked) -> None:
        """Show what was clicked on."""
        event.stop()
        self._show_changes()

    def action_scroll(self, pages: int) -> None:
        """Scroll the changes by pages."""
        if pages > 0:
            self._changes.scroll_page_down(animate=False)
        else:
            self._changes.scroll_page_up(animate=False)

    def action_choose(self) -> None:
        """Ask for what to go back to."""
        if self._marked is not None:
            self._controller.choose(self, self._marked.checkpoint)

    def action_undo(self) -> None:
        """Go to what was there before one went back."""
        if self._last_return is not None:
            self._controller.choose(self, self._last_return)
        else:
            self.app.bell()

    def action_close(self) -> None:
        """Close."""
        self.dismiss()


def _words(checkpoint: Checkpoint, session: Session) -> str:
    """What the files were kept before."""
    words = " ".join(clean_line(checkpoint.reason.words).split())
    if checkpoint.reason.kind is Kind.RETURN:
        return f"↩ you went back to before: {words}"
    mine = checkpoint.reason.session_id == session.session_id
    return words if mine else f"(another session) {words}"


def _parts(turn: "KeptTurn", *, is_last: bool) -> list[Part]:
    """What changed, whoever did that, and what one should know."""
    until = "now" if is_last else "the row above"
    notes = [f"Changed between then and {until}, by whomever:"]
    if turn.checkpoint.late:
        notes.insert(
            0, "The files were kept only after the turn had begun: it may have changed some."
        )
    parts = [Part(TextLines(note, "muted")) for note in notes]
    rows = list(file_rows(turn.changes, DONE)) or ["nothing"]
    parts += [Part(TextLines(row), indent=2) for row in rows]
    return parts
