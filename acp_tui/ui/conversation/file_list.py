"""The files that fit what is typed after an @."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from anyio import Lock, to_thread
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from acp_tui.lazy_pattern import LazyPattern
from acp_tui.text import clean_line
from acp_tui.ui.words import path_end

if TYPE_CHECKING:
    from acp_tui.workspace.files import FileIndex

ROWS = 6
"""How many files are shown at a time."""
FRESH = 20.0
"""Seconds for which a list of all files is good enough to begin another mention with."""

_TYPED = LazyPattern(r'(?<![\w@./\\])@(?:"(?P<quoted>[^"]*)|(?P<plain>[^\s"@]*))$')


class FileList(Widget):
    """A list over the prompt; the prompt steers it and keeps the focus."""

    class Found(Message):
        """The list has something to show, or no longer."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self._root = ""
        self._index: FileIndex | None = None
        self._indexed = ("", float("-inf"))
        self._scanning = Lock()
        self._query: str | None = None
        self._found: list[str] = []
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

    def match(self, before: str) -> None:
        """Show the files that fit what stands before the cursor; hide if nothing is mentioned."""
        typed = _TYPED.compiled.search(before)
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
        root, gone = self._root, lambda: self._gone

        def scan() -> None:
            from acp_tui.workspace.files import FileIndex, scan

            self._index = FileIndex(scan(root, gone))
            self._indexed = (root, self._clock())

        async with self._scanning:
            stale = begins and self._clock() - self._indexed[1] > FRESH
            if self._index is None or self._indexed[0] != root or stale:
                await to_thread.run_sync(scan)
            index = self._index
            assert index is not None
            found = await to_thread.run_sync(index.search, query)
        if query == self._query:
            self._found, self._cursor = found, 0
            self.display = bool(found)
            self.refresh(layout=True)

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
        """Where the mention begins, and how it is written; None if it is written out already."""
        typed = _TYPED.compiled.search(before)
        if typed is None or not self.choosing:
            return None
        path = self._found[self._cursor]
        if self._query == path:
            return None
        plain = re.fullmatch(r"[^\s\"@]+", path)
        return typed.start(), f"@{path}" if plain else f'@"{path}"'

    def render(self) -> Content:
        top = max(0, min(self._cursor - ROWS // 2, len(self._found) - ROWS))
        width = max(1, self.content_size.width)
        return Content("\n").join(
            self._row(at).truncate(width, ellipsis=True)
            for at in range(top, min(top + ROWS, len(self._found)))
        )

    def _row(self, at: int) -> Content:
        path = path_end(clean_line(self._found[at]), max(1, self.content_size.width - 2))
        folder, slash, name = path.rpartition("/")
        marked = at == self._cursor
        return Content.assemble(
            ("▌" if marked else " ", "$primary"),
            (f" {folder}{slash}", "$text-muted"),
            (name, "bold $primary" if marked else "$primary"),
        )
