"""The search in all recordings, with results while typing. The caller opens the chosen result."""

import shlex
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from time import monotonic
from typing import ClassVar, NamedTuple, TypeVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from acp_tui.formatting import counted
from acp_tui.index.index import Index
from acp_tui.index.search import MARKS, Hit, QueryError, find_passages, parse_query
from acp_tui.store.recordings import recordings_in
from acp_tui.text import clean_line
from acp_tui.ui.keys import FIND
from acp_tui.ui.list_app import ListApp
from acp_tui.ui.stylesheets import STYLESHEETS
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.dialogs.question_dialogs import ConfirmDialog
from acp_tui.ui.toolkit.hints import Hint
from acp_tui.ui.toolkit.line_input import LineInput
from acp_tui.ui.toolkit.shortened import crop_text

T = TypeVar("T")
MOST_PASSAGES = 200
"""Most passages that are listed."""
KEYS: list[Hint] = [
    ("enter", "open the moment"),
    ("alt+r", "resume the session"),
    ("f1", "keys"),
    ("escape", "quit"),
]
WITHOUT = ("f1", "escape")
"""Keys that work even if nothing was found."""
TEXT = 600
WIDE_TEXT = 6000
"""Most characters of the marked passage beside the list; `TEXT` is for below the list."""
WIDE = 140
"""Width in columns from which the marked passage is shown beside the list."""

NOTHING = Content.styled("nothing found", "$text-muted")
_STYLES = {"error": "$error", "finding": "$warning", "prompt": "$primary", "command": "$accent"}
LONGEST_PASSAGE = 400
"""Characters of a passage in its row."""


class FoundRow(NamedTuple):
    """A row, and its passage; None for the heading of a recording."""

    content: Content
    hit: Hit | None


def group_hits(hits: Sequence[Hit]) -> Iterator[FoundRow]:
    """Group consecutive passages of a recording under a heading."""
    for _, group in groupby(hits, key=lambda one: one.recording):
        passages = list(group)
        yield FoundRow(_draw_head(passages[0]), None)
        for one in passages:
            yield FoundRow(_draw_passage(one), one)


def found_words(hits: Sequence[Hit], most: int) -> str:
    """Return how many passages were found, and in how many recordings; "" if there are none."""
    if not hits:
        return ""
    many = f"the first {most:,}" if len(hits) >= most else f"{len(hits):,} found"
    recordings = counted(len({one.recording for one in hits}), "recording")
    return f"{many} in {recordings}"


def _draw_head(hit: Hit) -> Content:
    folder = clean_line(hit.cwd).rstrip("/").rpartition("/")[2]
    agent = clean_line(f"{hit.agent_name} {hit.version}".strip())
    begun = datetime.fromtimestamp(hit.at - hit.since).astimezone()
    words = " · ".join(one for one in (folder, agent, f"{begun:%Y-%m-%d %H:%M}") if one)
    return Content.styled(f"── {words} ──", "bold $accent")


def _draw_passage(hit: Hit) -> Content:
    when = f"{datetime.fromtimestamp(hit.at).astimezone():%H:%M}"
    excerpt = crop_text(" ".join(hit.excerpt.split()), LONGEST_PASSAGE)
    parts: list[Content | tuple[str, str]] = [(f"{when} ", "$text-muted")]
    parts += [(f"{hit.kind:<9}", _STYLES.get(hit.kind, "$foreground"))]
    for at, piece in enumerate(excerpt.replace(MARKS[1], MARKS[0]).split(MARKS[0])):
        parts.append((clean_line(piece), "bold $accent" if at % 2 else "$foreground"))
    return Content.assemble(*parts)


class FoundChoice(NamedTuple):
    """The choice to open a passage or resume its session, and the query, for coming back to it."""

    hit: Hit
    resume: bool
    written: str


class FindApp(ListApp[FoundChoice]):
    """A search field, the passages found, and the whole text of the marked one."""

    CSS_PATH: ClassVar = [*STYLESHEETS, Path(__file__).with_suffix(".tcss")]
    BINDINGS: ClassVar[list[BindingType]] = [*FIND]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012
    TITLE = "acp-tui find"
    TOPIC = "Search in all recordings"

    def __init__(
        self, file: Path, folder: Path, written: str = "", since: float = 0.0, theme_name: str = ""
    ) -> None:
        super().__init__("find", theme_name)
        self._file = file
        self._folder = folder
        self._since = since
        self._written = written
        self._fault = ""
        """The latest fault, until the query changes: search results must not hide it."""
        self._rows: Sequence[FoundRow] = ()
        self._detail = Static(id="detail", markup=False)
        self._message = Static(id="said", markup=False)
        self._count = Static(id="count", markup=False)

    def compose(self) -> ComposeResult:
        with Horizontal(id="field"):
            yield LineInput(
                self._written, placeholder="words   kind:command   agent:gemini   in:~/project"
            )
            yield self._count
        with Container(id="panes"):
            yield self._listing
            yield self._detail
        yield self._message
        yield self._keys

    def on_mount(self) -> None:
        """Search the index, and update it in the background."""
        self.query_one(Input).focus()
        self._search()
        self.run_worker(self._update, thread=True, group="update")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search again."""
        event.stop()
        if event.value != self._written:
            self._fault = ""
        self._written = event.value
        self._search()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open the marked passage in its recording."""
        event.stop()
        if self._marked is not None:
            self._leave_with(self._marked, resume=False)

    def on_listing_row_clicked(self, event: Listing.RowClicked) -> None:
        """Show the clicked passage."""
        event.stop()
        self.show_marked()

    def show_fault(self, words: str) -> None:
        """Show a message about a fault above the keys."""
        self._fault = clean_line(words)
        self._show_message("")

    def action_resume(self) -> None:
        """Resume the marked passage's session, after a question."""
        hit = self._marked
        if hit is None or not hit.session_id:
            self._show_message("this passage belongs to no session")
        elif hit.place:
            self._show_message(
                f"it ran in another place ({clean_line(hit.place)}): resume it from there"
            )
        else:
            self._ask_to_resume(hit)

    def _ask_to_resume(self, hit: Hit) -> None:
        """Ask before starting the session's agent: the command comes from the recording."""
        facts = [
            shlex.join(hit.command),
            f"in {hit.cwd}",
            f"session {hit.session_id}",
            "Other options that it was started with, as rules or variables, are not in the recording.",
        ]
        dialog = ConfirmDialog(
            "Start this agent, and resume its session?", facts, "Start it", monotonic
        )
        self.push_screen(dialog, lambda yes: self._leave_with(hit, resume=True) if yes else None)

    def on_resize(self) -> None:
        """Show as much of the marked passage as fits."""
        self.show_marked()

    # The results

    @property
    def _marked(self) -> Hit | None:
        at = self._listing.cursor
        return self._rows[at].hit if at < len(self._rows) else None

    def _search(self) -> None:
        try:
            query = parse_query(self._written, since=self._since, unfinished=True)
        except QueryError as error:
            self._show_message(str(error))
            return

        def look() -> None:
            worker = get_current_worker()
            found = self._with_index(lambda index: find_passages(index, query, MOST_PASSAGES))
            if found is not None and not worker.is_cancelled:
                self.call_from_thread(self._show, found)

        self.run_worker(look, thread=True, exclusive=True, group="search")

    def _update(self) -> None:
        def update(index: Index) -> bool:
            index.update(recordings_in(self._folder), self._show_progress)
            return True

        if self._with_index(update):
            self.call_from_thread(self._search)

    def _with_index(self, work: Callable[[Index], T]) -> T | None:
        try:
            with Index.open(self._file) as index:
                return work(index)
        except (OSError, sqlite3.Error) as error:
            self.call_from_thread(self._show_message, f"the index can't be used: {error}")
            return None

    def _show_progress(self, done: int, total: int) -> None:
        words = f"reading recordings: {done} of {total}" if done < total else ""
        self.call_from_thread(self._show_message, words)

    def _show(self, found: Sequence[Hit]) -> None:
        """Show search results; the mark stays on its passage."""
        marked = self._marked
        self._rows = [*group_hits(found)]
        drawn = [row.content for row in self._rows] or [NOTHING]
        hits = [row.hit for row in self._rows]
        heads = frozenset(at for at, _ in enumerate(drawn) if not hits or hits[at] is None)
        self._listing.show(drawn, hits.index(marked) if marked in hits else 0, heads)
        self._count.update(found_words(found, MOST_PASSAGES))
        if marked is None or self._marked != marked:
            self.show_marked()

    def show_marked(self) -> None:
        hit, detail = self._marked, self._detail
        self._show_message("")
        keys = [one for one in KEYS if hit is not None or one[0] in WITHOUT]
        self._keys.show(keys)
        if hit is None:
            detail.update("")
            return
        agent = clean_line(f"{hit.agent_name} {hit.version}".strip())
        place = f"turn {hit.turn}, {hit.moment if hit.frame else f'{hit.moment} s'}"
        cost = f", {clean_line(hit.cost)}" if hit.cost else ""
        most = WIDE_TEXT if self.size.width >= WIDE else TEXT
        lines = (clean_line(line) for line in hit.text[:most].splitlines())
        head = Content.styled(f"{agent} in {clean_line(hit.cwd)}, {place}{cost}", "$text-muted")
        detail.update(Content("\n").join([head, *map(Content, lines)]))

    def _show_message(self, words: str) -> None:
        self._message.update(Content.styled(words or self._fault, "$warning"))

    def _leave_with(self, hit: Hit, *, resume: bool) -> None:
        self.exit(FoundChoice(hit, resume, self._written))
