"""The list of files and addresses that match what is typed after an @."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from anyio import Lock, to_thread
from rich.cells import cell_len
from textual.content import Content
from textual.message import Message

from acp_tui.formatting import counted
from acp_tui.text import clean_line
from acp_tui.ui.prompt.completion_list import CompletionList
from acp_tui.ui.toolkit.shortened import path_end

if TYPE_CHECKING:
    from acp_tui.ui.prompt.mention_candidates import Mentionable, MentionChoice

NAMES = 44
"""Most cells for names, before the notes."""
UNMENTIONABLE = "quotation marks or control characters"
FRESH = 20.0
"""Seconds for which a list of all files is reused when another mention is begun."""

_TYPED = re.compile(r'(?<![\w@./\\])@(?:"(?P<quoted>[^"]*)|(?P<plain>[^\s"@]*))$')


class FileList(CompletionList["MentionChoice"]):
    """Lists the files and addresses that can be mentioned, each with a note."""

    class MentionsChanged(Message):
        """The list was filled, or is empty now."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self._root = ""
        self._sent: Callable[[], Sequence[str]] = list
        self._there: Mentionable | None = None
        self._indexed = ("", float("-inf"))
        self._scanning = Lock()
        self._query: str | None = None
        self._count = 0
        """The number of matches; only the best are listed."""
        self._unmentionable = 0
        self._is_stopped = False

    def offer(self, root: str) -> None:
        """Set the folder whose files can be mentioned."""
        self._root = root

    @property
    def offered(self) -> str:
        """What can be mentioned, in a word; "" if the agent's files aren't the client's."""
        return "files" if self._root else ""

    def use_history(self, sent: Callable[[], Sequence[str]]) -> None:
        """Set the function that returns sent prompts, newest first: their files come first."""
        self._sent = sent

    def match(self, before: str) -> None:
        """Show the files that match the text before the cursor; hide the list without a mention."""
        typed = _TYPED.search(before)
        if typed is None or not self._root:
            self.close()
            return
        query = typed["plain"] if typed["quoted"] is None else typed["quoted"]
        if query != self._query:
            begins = self._query is None
            self._query = query
            search = self._search_files(query, begins)
            self.run_worker(search, group="files", exclusive=True)

    async def _search_files(self, query: str, begins: bool) -> None:
        root, sent, is_stopped = self._root, self._sent(), lambda: self._is_stopped

        def scan() -> None:
            from acp_tui.ui.prompt.mention_candidates import Mentionable

            self._there = Mentionable(root, sent, is_stopped)
            self._indexed = (root, self._clock())

        async with self._scanning:
            stale = begins and self._clock() - self._indexed[1] > FRESH
            if self._there is None or self._indexed[0] != root or stale:
                await to_thread.run_sync(scan)
            there = self._there
            assert there is not None
            matches = await to_thread.run_sync(there.search, query)
        if query == self._query:
            found, self._count, self._unmentionable = matches
            self.show(found)
            self.display = bool(found or self._unmentionable)
            self.post_message(self.MentionsChanged())

    def on_unmount(self) -> None:
        """Stop a scan in progress."""
        self._is_stopped = True

    def close(self) -> None:
        """Hide the list until another mention is begun."""
        self._query = None
        self._found = ()
        self.hide()

    def completed(self, before: str) -> tuple[int, str] | None:
        """Return the start of the mention and the text to insert; None if nothing is missing."""
        typed = _TYPED.search(before)
        if typed is None or not self.choosing:
            return None
        written = self._found[self._cursor].written
        if before[typed.start() :] == written:
            return None
        return typed.start(), written

    def render(self) -> Content:
        shown = [(at, self._found[at]) for at in self.in_view]
        width = self.row_width
        widest = min(NAMES, max(1, width * 2 // 3))
        if not any(one.note for _, one in shown):
            widest = width
        longest = max((cell_len(clean_line(one.shown)) for _, one in shown), default=0)
        names = min(widest, longest + 2)
        rows = [
            self._draw_row(one, names, at == self._cursor).truncate(width, ellipsis=True)
            for at, one in shown
        ]
        if rows and (self._count > self.most_rows or not self._query):
            rows[-1] = self.with_count(rows[-1], self._count)
        if self._unmentionable:
            words = f"  {counted(self._unmentionable, 'name')} can't be mentioned: {UNMENTIONABLE}"
            rows.append(Content.styled(words, "$text-muted").truncate(width, ellipsis=True))
        return Content("\n").join(rows)

    def _draw_row(self, choice: "MentionChoice", names: int, marked: bool) -> Content:
        path = path_end(clean_line(choice.shown), max(1, names - 2))
        folder, slash, name = path.rpartition("/")
        return Content.assemble(
            ("▌" if marked else " ", "$primary"),
            (f" {folder}{slash}", "$text-muted"),
            (name, "bold $primary" if marked else "$primary"),
            " " * (names - 1 - cell_len(path)) if choice.note else "",
            (f" {clean_line(choice.note)}", "$foreground" if marked else "$text-muted"),
        )
