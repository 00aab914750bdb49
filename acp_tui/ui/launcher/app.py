"""The launcher: what can be started or resumed, and what is running. The caller starts what the
user chooses.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import ClassVar, NamedTuple

from anyio import sleep, to_thread
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.index.index import Index
from acp_tui.index.search import RecentSession, recent_sessions
from acp_tui.index.sessions import OpenElsewhere, open_elsewhere
from acp_tui.store.accepted_commands import AcceptedCommands
from acp_tui.store.named_agents import NamedAgent
from acp_tui.store.recordings import recordings_in
from acp_tui.text import clean_line
from acp_tui.ui.keys import LAUNCHER
from acp_tui.ui.launcher.actions import (
    Entrants,
    act_of,
    ask_for_race,
    ask_to_resume,
    why_not_started,
)
from acp_tui.ui.launcher.rows import (
    SESSIONS,
    AttachRun,
    BackgroundSession,
    Choice,
    LauncherRow,
    ResumeSession,
    StartAgent,
    StartCommand,
    StartRace,
    UseFolder,
    first_choice,
    is_own,
    launcher_rows,
)
from acp_tui.ui.list_app import ListApp
from acp_tui.ui.stylesheets import STYLESHEETS
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.hints import Hint
from acp_tui.ui.toolkit.line_input import LineInput
from acp_tui.ui.toolkit.shortened import from_home, path_end

EXAMPLE = "gemini --experimental-acp"
GUARD = 1.0
"""Seconds in which Enter is ignored after the mark has moved without a key."""
ROUND = 20
"""Rows of a tall screen that are reserved for everything but sessions."""
PURPOSE = "a terminal client and debugger for agents"
"""The description of the program, shown before its first use."""


class LauncherChoice(NamedTuple):
    """What to start, and in which folder."""

    choice: Choice
    folder: str


MOST_SESSIONS = 500
"""Most sessions that are read from the index."""
BACKGROUND_PERIOD = 2.0
"""Seconds between readings of the kept runs."""


class LauncherReader:
    """Reads sessions and kept runs in threads; reports each change to a callback."""

    def __init__(
        self, index: Path, folder: Path, read_background: Callable[[], Sequence[BackgroundSession]]
    ) -> None:
        """`index` is the index file of the recordings in `folder`; `read_background` asks the kept
        runs for their sessions.
        """
        self._index = index
        self._folder = folder
        self._read_background = read_background
        self.sessions: Sequence[RecentSession] = ()
        self.near: Sequence[RecentSession] = ()
        """The sessions whose folders still exist. The others are found only by a search."""
        self.elsewhere: Sequence[OpenElsewhere] = ()
        """The sessions that are open in another acp-tui."""
        self.kept: Sequence[BackgroundSession] | None = None
        """The sessions of kept runs; None until they are read."""

    async def read_sessions(self, changed: Callable[[], None]) -> None:
        """Read the sessions from the index, then update it and read again. Raises OSError or
        sqlite3.Error.
        """
        for update in (False, True):
            read = await to_thread.run_sync(self._read, update, abandon_on_cancel=True)
            self.sessions, self.near = read
            changed()
        self.elsewhere = await to_thread.run_sync(
            open_elsewhere, self._folder, abandon_on_cancel=True
        )
        changed()

    def _read(self, update: bool) -> tuple[Sequence[RecentSession], Sequence[RecentSession]]:
        with Index.open(self._index) as index:
            if update:
                index.update(recordings_in(self._folder))
            found = recent_sessions(index, MOST_SESSIONS)
        folders = {one.cwd for one in found if not one.place}
        missing = {folder for folder in folders if not Path(folder).is_dir()}
        return found, [one for one in found if one.place or one.cwd not in missing]

    async def follow_background(self, changed: Callable[[], None]) -> None:
        """Read the kept runs every few seconds, until canceled."""
        while True:
            kept = await to_thread.run_sync(self._read_background, abandon_on_cancel=True)
            if kept != self.kept:
                self.kept = kept
                changed()
            await sleep(BACKGROUND_PERIOD)


class LauncherApp(ListApp[LauncherChoice]):
    """An input line above the list of what can be started."""

    CSS_PATH: ClassVar = [*STYLESHEETS, Path(__file__).with_suffix(".tcss")]
    BINDINGS: ClassVar[list[BindingType]] = [*LAUNCHER]
    TITLE = "acp-tui"
    TOPIC = "Launcher"

    def __init__(
        self,
        agents: Sequence[NamedAgent],
        index: Path,
        folder: Path,
        accepted: AcceptedCommands,
        *,
        has_registry: bool,
        read_background: Callable[[], Sequence[BackgroundSession]] = tuple,
        theme_name: str = "",
        note: str = "",
    ) -> None:
        """`index` is the index file of the recordings in `folder`; sessions of `accepted` commands
        are resumed without a question; `read_background` asks the kept runs for their sessions;
        `note` is why the previous choice wasn't started.
        """
        super().__init__("launcher", theme_name)
        self._agents = agents
        self._known = LauncherReader(index, folder, read_background)
        self._accepted = accepted
        self._has_registry = has_registry
        self._cwd = str(Path.cwd())
        self._rows: list[LauncherRow] = []
        self._warned: Choice | None = None
        """The command that a second Enter starts."""
        self._searched = ""
        """The text for which the rows were built: keys may arrive faster than the input's messages.
        """
        self._guarded = 0.0
        """The time until which Enter is ignored, as the mark has moved without a key."""
        self._moved_to: Choice | None = None
        """The choice to which the mark has moved without a key."""
        self._was_moved = False
        self._first_note = note
        self._entrants = Entrants()
        self._head = Static(id="head", markup=False)
        self._input = LineInput(placeholder=f"Search, or type an agent command: {EXAMPLE}")
        self._note = Static(id="said", markup=False)

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._input
        yield self._listing
        yield self._note
        yield self._keys

    def on_mount(self) -> None:
        """Show what is known so far, and read the sessions in the background."""
        self._input.focus()
        self._show()
        self._show_note(self._first_note)
        self.run_worker(self._read_sessions())
        self.run_worker(self._known.follow_background(self._show_background))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for the text."""
        event.stop()
        self._search()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Choose the marked row."""
        event.stop()
        self._search()
        self._choose_marked()

    def on_resize(self) -> None:
        """Show as many sessions as fit."""
        self.call_after_refresh(self._show_arrived)

    def on_listing_row_clicked(self, event: Listing.RowClicked) -> None:
        """Choose the clicked row."""
        event.stop()
        self._choose_marked()

    def action_move(self, step: int) -> None:
        self._prepare_move()
        super().action_move(step)

    def action_page(self, pages: int) -> None:
        self._prepare_move()
        super().action_page(pages)

    def _prepare_move(self) -> None:
        """Finish a pending search first, so that the mark moves on from the row that it finds."""
        self._search()
        self._was_moved = True

    def show_marked(self) -> None:
        self._show_note("")
        self._show_keys()

    def action_race(self) -> None:
        """Add the marked agent to the race, or remove it."""
        note = self._entrants.toggle(self._marked)
        if note:
            self._show_note(note)
        self._show()

    def action_start_with_options(self) -> None:
        """Start the marked agent, and let the user choose its options before the session, if the
        agent lists them.
        """
        self._search()
        marked = self._marked
        if isinstance(marked, StartAgent) and monotonic() >= self._guarded:
            start = StartAgent(marked.name, options_first=True)
            self.exit(LauncherChoice(start, self._cwd))

    def action_clear(self) -> None:
        """Clear the text; if there is none, quit."""
        if self._input.value:
            self._input.value = ""
        else:
            self.exit()

    # Reading

    async def _read_sessions(self) -> None:
        try:
            await self._known.read_sessions(self._show_sessions)
        except (OSError, sqlite3.Error) as error:
            self._show_note(f"the sessions can't be read: {error}")

    def _show_background(self) -> None:
        """Show the kept runs. The mark moves to them unless the user has moved it, or typed."""
        self._show_arrived(is_reset=self._is_untouched and bool(self._known.kept))

    def _show_sessions(self) -> None:
        """Show the sessions. The mark moves to the newest of this folder unless the user has moved
        it, or typed.
        """
        self._show_arrived(is_reset=self._is_untouched)

    @property
    def _is_untouched(self) -> bool:
        return not (self._input.value or self._was_moved)

    def _search(self) -> None:
        """Mark the first row that matches the text, unless the rows match it already."""
        if self._input.value == self._searched:
            return
        self._show_note("")
        self._show(is_reset=True)
        if self._marked != self._moved_to:
            self._guarded = 0.0  # typing has moved the mark, so Enter is meant for its row

    def _show_arrived(self, *, is_reset: bool = False) -> None:
        """Show what was read in the background. If that moves the mark to another row, Enter is
        ignored for a moment, as it was meant for the row before.

        A pending search is finished first: otherwise its move of the mark would count as one
        without a key, and the Enter typed after the text would be ignored.
        """
        self._search()
        before = self._marked
        self._show(is_reset=is_reset)
        if before not in (None, self._marked) and not isinstance(self._marked, AttachRun):
            self._guarded, self._moved_to = monotonic() + GUARD, self._marked

    @property
    def _marked(self) -> Choice | None:
        at = self._listing.cursor
        return self._rows[at].choice if at < len(self._rows) else None

    def _show(self, *, is_reset: bool = False) -> None:
        """Update the rows; the mark stays on its choice, unless `is_reset`."""
        marked = None if is_reset else self._marked
        self._searched = written = self._input.value
        now = datetime.now(UTC)
        self._rows = launcher_rows(
            self._agents,
            self._known.sessions if written.strip() else self._known.near,
            written,
            now,
            folder=self._cwd,
            width=self.size.width - 1,
            has_registry=self._has_registry,
            raced=self._entrants.names,
            most_sessions=max(SESSIONS, self.size.height - ROUND),
            kept=self._known.kept or (),
            elsewhere=self._known.elsewhere,
        )
        choices = [one.choice for one in self._rows]
        headings = frozenset(at for at, one in enumerate(choices) if one is None)
        first = 0 if written.strip() else first_choice(self._rows, self._cwd)
        at = choices.index(marked) if marked is not None and marked in choices else first
        listing = self._listing
        listing.show([one.content for one in self._rows] or [Content("")], at, headings)
        was_used = self._known.kept or any(map(is_own, self._known.sessions))
        about = "" if was_used else f": {PURPOSE}"
        head = Content.assemble(("acp-tui", "bold $primary"), about, ("  in ", "$text-muted"))
        room = max(1, self.size.width - 2 - head.cell_length)
        self._head.update(head + path_end(clean_line(from_home(self._cwd)), room))
        self._show_keys()

    def _show_keys(self) -> None:
        """Update the hints: what Enter does with the marked row."""
        marked = self._marked
        if marked != self._warned:
            self._warned = None
        act = act_of(marked, self._accepted, self._cwd, is_warned=self._warned is not None)
        if self._entrants.can_race:
            act = f"race these {len(self._entrants.names)}"
        race = "remove from race" if self._entrants.has(marked) else "add to race"
        is_agent = isinstance(marked, StartAgent)
        keys: list[Hint] = [
            *([("enter", act)] if act else []),
            *([("alt+t", "options first"), ("alt+r", race)] if is_agent else []),
            ("f1", "keys"),
            ("escape", "clear" if self._input.value else "quit"),
        ]
        self._keys.show(keys)

    def show_fault(self, words: str) -> None:
        """Show a fault above the hints."""
        self._show_note(words)

    def _show_note(self, words: str) -> None:
        shown = "\n".join(map(clean_line, words.splitlines()))
        self._note.update(Content.styled(shown, "$warning"))

    # Choosing

    def _choose_marked(self) -> None:
        if monotonic() < self._guarded:
            self._show_note("the marked row is gone: check the new one")
            return
        if self._entrants.can_race:
            ask_for_race(self, self._entrants.names, self._race, self._show_note)
            return
        match self._marked:
            case None:
                return
            case UseFolder(folder):
                self._cwd = folder
                self._input.value = ""
                self._show(is_reset=True)
            case StartCommand(argv) if why := why_not_started(
                argv[0], self._cwd, [one.name for one in self._agents]
            ):
                self._show_note(why)
            case StartCommand() as command if (
                self._warned != command and not self._accepted.accepts(self._cwd, command.argv)
            ):
                self._warned = command
                self._show_keys()
            case StartCommand() as command:
                with suppress(OSError):  # if so, its sessions ask before they are resumed
                    self._accepted.accept(self._cwd, command.argv)
                self.exit(LauncherChoice(command, self._cwd))
            case ResumeSession(session) as resume:
                chosen = LauncherChoice(resume, session.cwd)
                ask_to_resume(
                    self, session, self._accepted, lambda: self.exit(chosen), self._show_note
                )
            case choice:
                self.exit(LauncherChoice(choice, self._cwd))

    def _race(self, arguments: Sequence[str]) -> None:
        self.exit(LauncherChoice(StartRace(tuple(arguments)), self._cwd))
