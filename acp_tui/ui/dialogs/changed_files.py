"""The files that the agent changed in a session: their diffs, and how to take changes back."""

from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.protocol.content import Diff
from acp_tui.session.changed_files import ChangedFile, changed_files
from acp_tui.session.entries import key_of
from acp_tui.session.state import Session
from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.dialogs.file_rows import row
from acp_tui.ui.dialogs.listing import Listing
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.edit_facts import start_at
from acp_tui.ui.diff.rows import WHOLE, DiffStart
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Part, Stack
from acp_tui.ui.lines.text_lines import TextLines
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.textual_fixes.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.controllers.changed_files import ChangedFileController

MOST = 500
"""How many files are listed, those changed last."""


class FilesScreen(OverlayScreen[None]):
    """A list above, the diff of what is marked below."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.FILES  # type: ignore[assignment]

    def __init__(
        self, agent: Agent, session_id: str, changed_files: "ChangedFileController"
    ) -> None:
        super().__init__()
        self._agent = agent
        self._controller = changed_files
        self._session_id = session_id
        self._files: list[ChangedFile] = []
        self._more = 0
        self._shown: ChangedFile | None = None
        self._head = Static(markup=False, id="head")
        self._listing = Listing()
        self._diff = LinesView()
        self._foot = Static(markup=False, id="foot")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._head
            yield self._listing
            yield self._diff
            yield self._foot

    @property
    def _session(self) -> Session:
        """The session as it is now: a load puts another in its place."""
        return self._agent.state.session(self._session_id)

    def on_mount(self) -> None:
        self.show()

    def on_resize(self) -> None:
        """Fit the rows."""
        self._list()

    def show(self) -> None:
        """Show the files as they are now; the mark stays on its file."""
        marked = self._marked
        found = changed_files(self._session)
        self._files, self._more = found[:MOST], max(0, len(found) - MOST)
        at = next((at for at, one in enumerate(self._files) if _same(one, marked)), 0)
        self._listing.cursor = at
        self._list()
        self._show_diff()

    @property
    def _marked(self) -> ChangedFile | None:
        at = self._listing.cursor
        return self._files[at] if at < len(self._files) else None

    def _list(self) -> None:
        if not self._listing.is_mounted:
            return
        width = self._listing.size.width or self.size.width - 4
        rows = [row(one, self._session.cwd, width) for one in self._files]
        nothing = Content.styled("the agent has changed no file so far", "$text-muted")
        headings = frozenset[int]() if rows else frozenset({0})
        self._listing.show(rows or [nothing], self._listing.cursor, headings)
        count = sum(not one.undone for one in self._files)
        more = f", and {self._more} more" if self._more else ""
        where = f"  {count} in {clean_line(self._session.cwd)}{more}"
        self._head.update(Content.assemble(("Changed files", "bold"), (where, "$text-muted")))
        self._offer_keys()

    def _offer_keys(self) -> None:
        """Offer what can be done with the marked file."""
        marked = self._marked
        keys = [("enter", "editor"), ("pagedown", "scroll")] if marked is not None else []
        if marked is not None and marked.kept is not None:
            keys.insert(0, ("u", "undo"))
        self._foot.update(bindings.hints([*keys, ("escape", "back")], "changed-files"))

    def _show_diff(self) -> None:
        """Show the marked file's changes, unless they stand there already."""
        marked = self._marked
        if marked == self._shown or not self._listing.is_mounted:
            return
        self._shown = marked
        self._offer_keys()
        self._diff.show(Stack(_parts(marked, self._session.cwd)))

    def action_move(self, step: int) -> None:
        """Mark another file."""
        self._listing.move(step)
        self._show_diff()

    def on_listing_clicked(self, event: Listing.Clicked) -> None:
        """Show what was clicked on."""
        event.stop()
        self._show_diff()

    def action_scroll(self, pages: int) -> None:
        """Scroll the diff by pages."""
        if pages > 0:
            self._diff.scroll_page_down(animate=False)
        else:
            self._diff.scroll_page_up(animate=False)

    def action_undo(self) -> None:
        """Ask for the last write of the marked file to be undone."""
        kept = self._marked.kept if self._marked is not None else None
        if kept is None:
            self.app.bell()
        else:
            self._controller.undo(self._agent, self._session_id, kept)

    def action_open(self) -> None:
        """Ask for the marked file to be opened."""
        if self._marked is not None:
            self._controller.external.edit(self._marked.path)

    def action_close(self) -> None:
        """Close."""
        self.dismiss()


def _same(file: ChangedFile, other: ChangedFile | None) -> bool:
    return other is not None and file.path == other.path


def _parts(file: ChangedFile | None, cwd: str) -> list[Part]:
    if file is None:
        return []
    parts = [Part(TextLines(words, "strong")) for words in file.words]
    parts += [
        Part(DiffLines(one, cwd=cwd, start=_start(file, one)), gap=1 if at else 0)
        for at, one in enumerate(file.diffs)
    ]
    if file.untold:
        words = f"{file.untold} changes too long to be shown here" if file.untold > 1 else ""
        parts.append(Part(TextLines(words or "a change too long to be shown here", "muted"), gap=1))
    if file.undone:
        parts.append(Part(TextLines("What the agent did was undone.", "muted")))
    elif not parts:
        parts.append(Part(TextLines("It is again what it was before.", "muted")))
    return parts


def _start(file: ChangedFile, diff: Diff) -> DiffStart | None:
    """Where a diff starts; those of writes are of the whole file."""
    key = key_of(diff)
    return start_at(file.places[key], diff) if key in file.places else WHOLE
