"""The files and addresses that fit what is typed after an @."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from anyio import Lock, to_thread
from rich.cells import cell_len
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from acp_tui.formatting import counted
from acp_tui.text import clean_line
from acp_tui.ui.prompt.command_list import WIDEST, rows_for
from acp_tui.ui.toolkit.shortened import path_end

if TYPE_CHECKING:
    from acp_tui.ui.prompt.mention_candidates import Mentionable, MentionChoice

NAMES = 44
"""Cells that they take at most, before what they are."""
UNMENTIONABLE = "quotation marks or control characters"
FRESH = 20.0
"""Seconds for which a list of all files is good enough to begin another mention with."""

_TYPED = re.compile(r'(?<![\w@./\\])@(?:"(?P<quoted>[^"]*)|(?P<plain>[^\s"@]*))$')


class FileList(Widget):
    """A list over the prompt; the prompt steers it and keeps the focus."""

    class MentionsChanged(Message):
        """The list has something to show, or no longer."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self._root = ""
        self._sent: Callable[[], Sequence[str]] = list
        self._there: Mentionable | None = None
        self._indexed = ("", float("-inf"))
        self._scanning = Lock()
        self._query: str | None = None
        self._found: list[MentionChoice] = []
        self._count = 0
        self._left_out = 0
        self._cursor = 0
        self._gone = False
        self.display = False

    @property
    def choosing(self) -> bool:
        """Whether there is a file to complete."""
        return self.display and bool(self._found)

    def offer(self, root: str) -> None:
        """Take the folder whose files can be mentioned."""
        self._root = root

    @property
    def offered(self) -> str:
        """What can be mentioned, in a word; empty where the agent's files aren't ours."""
        return "files" if self._root else ""

    def look_at(self, sent: Callable[[], Sequence[str]]) -> None:
        """Take what tells the prompts that were sent, the newest first: they mention files, too."""
        self._sent = sent

    def match(self, before: str) -> None:
        """Show the files that fit what stands before the cursor; hide if nothing is mentioned."""
        typed = _TYPED.search(before)
        if typed is None or not self._root:
            self.close()
            return
        query = typed["plain"] if typed["quoted"] is None else typed["quoted"]
        if query != self._query:
            begins = self._query is None
            self._query = query
            search = self._search(query, begins)
            self.run_worker(search, group="files", exclusive=True)

    async def _search(self, query: str, begins: bool) -> None:
        root, sent, gone = self._root, self._sent(), lambda: self._gone

        def scan() -> None:
            from acp_tui.ui.prompt.mention_candidates import Mentionable

            self._there = Mentionable(root, sent, gone)
            self._indexed = (root, self._clock())

        async with self._scanning:
            stale = begins and self._clock() - self._indexed[1] > FRESH
            if self._there is None or self._indexed[0] != root or stale:
                await to_thread.run_sync(scan)
            there = self._there
            assert there is not None
            matches = await to_thread.run_sync(there.search, query)
        if query == self._query:
            self._found, self._count, self._left_out = matches
            self._cursor = 0
            self.display = bool(self._found or self._left_out)
            self.refresh(layout=True)
            self.post_message(self.MentionsChanged())

    def on_unmount(self) -> None:
        """Scan no further."""
        self._gone = True

    def move(self, step: int) -> None:
        """Mark the file before or after."""
        self._cursor = (self._cursor + step) % len(self._found)
        self.refresh(layout=True)

    def close(self) -> None:
        """Hide until something else is mentioned."""
        self._query = None
        self._found = []
        self.display = False

    def hide(self) -> None:
        """Hide until more is typed."""
        self.display = False

    def completed(self, before: str) -> tuple[int, str] | None:
        """Return where the mention begins, and how it is written; None if it is written out already."""
        typed = _TYPED.search(before)
        if typed is None or not self.choosing:
            return None
        written = self._found[self._cursor].written
        if before[typed.start() :] == written:
            return None
        return typed.start(), written

    def render(self) -> Content:
        most = rows_for(self.screen.size.height)
        top = max(0, min(self._cursor - most // 2, len(self._found) - most))
        shown = self._found[top : top + most]
        width = max(1, min(WIDEST, self.content_size.width))
        widest = min(NAMES, max(1, width * 2 // 3))
        if not any(one.note for one in shown):
            widest = width
        names = min(widest, max((cell_len(clean_line(one.shown)) for one in shown), default=0) + 2)
        rows = [
            self._row(one, names, at == self._cursor).truncate(width, ellipsis=True)
            for at, one in enumerate(shown, top)
        ]
        if rows and (self._count > most or not self._query):
            rows[-1] = self._counted(rows[-1], width)
        if self._left_out:
            words = f"  {counted(self._left_out, 'name')} can't be mentioned: {UNMENTIONABLE}"
            rows.append(Content.styled(words, "$text-muted").truncate(width, ellipsis=True))
        return Content("\n").join(rows)

    def _row(self, choice: "MentionChoice", names: int, marked: bool) -> Content:
        path = path_end(clean_line(choice.shown), max(1, names - 2))
        folder, slash, name = path.rpartition("/")
        return Content.assemble(
            ("▌" if marked else " ", "$primary"),
            (f" {folder}{slash}", "$text-muted"),
            (name, "bold $primary" if marked else "$primary"),
            " " * (names - 1 - cell_len(path)) if choice.note else "",
            (f" {clean_line(choice.note)}", "$foreground" if marked else "$text-muted"),
        )

    def _counted(self, row: Content, width: int) -> Content:
        """Return the last row with how many there are at its end."""
        count = f"  {self._cursor + 1} of {self._count:,} "
        room = max(1, width - len(count))
        return Content.assemble(row.truncate(room, ellipsis=True, pad=True), (count, "$text-muted"))
