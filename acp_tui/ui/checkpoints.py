"""Keeps the files before each turn: the prompt waits for that, but not for long."""

import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import anyio
from anyio import to_thread

from acp_tui.state.commands import CompareFolder
from acp_tui.state.entries import is_prompt
from acp_tui.state.session import Session
from acp_tui.text import clean_line, clean_text
from acp_tui.ui.feature import Feature, SettingsChanged, ViewRefreshed
from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.rewind.checkpoint import CheckpointOwner, Reason
    from acp_tui.rewind.store import Checkpoints, KeptTurn

SOON = 1.0
"""Seconds after a session was opened: then its folder is looked at for the first time."""
NOTICED = 0.4
BOUND = 2.0
"""Seconds that a prompt waits: without a word, and at all."""
LONGEST_PROMPT = 200
"""How many characters of a prompt are kept with the files."""


class TurnCheckpoints(NamedTuple):
    """The turns of a folder before which its files were kept, and where; or `why` that isn't done."""

    store: "Checkpoints | None" = None
    turns: "Sequence[KeptTurn]" = ()
    why: str = ""


class _Keeping:
    """One look at the files: `late` once the turn has begun without it."""

    def __init__(self) -> None:
        self.done = anyio.Event()
        self.late = False


class CheckpointsFeature(Feature):
    """What can't be kept is told once, and holds up nothing."""

    name = "checkpoints"
    hears: ClassVar = {ViewRefreshed: "prepare", SettingsChanged: "use_settings"}
    place: Path | None = None
    """Where what is needed for it lies; None in a replay, where nothing is kept."""
    where: Literal["everywhere", "repositories", "nowhere"] = "everywhere"

    def __init__(self, window: Window) -> None:
        self._window = window
        self._tabs = window.tabs
        self._warm: set[str] = set()
        self._told: set[tuple[str, str]] = set()
        self._given_up: set[str] = set()
        """Folders with more than is kept: no prompt waits again for a look at one."""
        self.going_back = anyio.Lock()
        """Held while files are brought back: no turn begins meanwhile."""
        self.kept = 0
        """How many turns there are to go back to, of this run."""

    def use_settings(self, event: SettingsChanged) -> None:
        """Keep files where the settings want it."""
        self.where = event.settings.checkpoints.where

    def prepare(self, _: ViewRefreshed) -> None:
        """Look at the folders of new sessions soon: the first look at a large one takes seconds."""
        for tab in self._tabs.visible:
            folder = self.folder_of(tab, tab.session)
            if folder is not None and folder not in self._warm:
                self._warm.add(folder)
                self._window.set_timer(SOON, partial(self._begin, folder))

    def folder_of(self, tab: Tab, session: Session | None) -> str | None:
        """Return the folder whose files may be kept for a session; None where they never are."""
        if self.place is None or self.where == "nowhere" or session is None:
            return None
        return tab.agent.state.folder_here(session)

    def owner_of(self, tab: Tab, session: Session) -> "CheckpointOwner":
        """Return who owns the checkpoints of a session."""
        from acp_tui.rewind.checkpoint import CheckpointOwner

        began, reopened = tab.agent.state.began, session.opening.reopened
        return CheckpointOwner(
            session.session_id,
            "" if began is None else repr(began),
            None if reopened is None else self.since_1970(reopened),
        )

    def since_1970(self, at: float) -> float:
        """Return a time of the transcript, in seconds since 1970."""
        return time.time() - (self._window.clock() - at)

    async def find(self, folder: str) -> "Checkpoints | None":
        """Find where the files of a folder are kept; None for nowhere. Raises CheckpointError."""
        if self.place is None or self.where == "nowhere":
            return None
        find = partial(_open_store, folder, self.place, anywhere=self.where == "everywhere")
        return await to_thread.run_sync(find, abandon_on_cancel=True)

    async def read(self, tab: Tab, session: Session) -> TurnCheckpoints:
        """Read what is kept of a session's folder, and what has changed since."""
        from acp_tui.git.objects import CheckpointError
        from acp_tui.rewind.store import read_turns

        kept = await self.find_kept(tab, session)
        folder = self.folder_of(tab, session)
        if kept.store is None or folder is None:
            return kept
        try:
            turns = await to_thread.run_sync(read_turns, kept.store, abandon_on_cancel=True)
        except CheckpointError as error:
            return TurnCheckpoints(why=clean_line(str(error)))
        self._report_remarks(folder, kept.store)
        return TurnCheckpoints(kept.store, turns)

    async def find_kept(self, tab: Tab, session: Session) -> TurnCheckpoints:
        """Find where the files of a session's folder are kept, or why they aren't; read no turns."""
        from acp_tui.git.objects import CheckpointError

        folder, change = self.folder_of(tab, session), f"{key_name('f10')}, checkpoints.where"
        if folder is None:
            elsewhere = tab.agent.state.folder_here(session) is None
            none_kept = f'none are saved ({change} = "everywhere" saves them)'
            return TurnCheckpoints(why="they aren't on this machine" if elsewhere else none_kept)
        try:
            store = await self.find(folder)
            if store is None:
                why = f'they are saved in git repositories only ({change} = "everywhere" saves all)'
                return TurnCheckpoints(why=why)
            return TurnCheckpoints(store)
        except CheckpointError as error:
            return TurnCheckpoints(why=clean_line(str(error)))

    async def keep(self, tab: Tab, folder: str, session: Session, text: str) -> None:
        """Keep the files before a prompt is sent; come back when that is done, or takes too long."""
        async with self.going_back:
            keeping = _Keeping()
        if folder in self._given_up:
            return
        self._window.spawn(self._keep_files(tab, folder, session, text, keeping))
        with anyio.move_on_after(NOTICED):
            await keeping.done.wait()
        if not keeping.done.is_set():
            words = "saving the files first; then it is sent"
            self._window.say(words, BOUND, holds=lambda: not keeping.done.is_set())
            with anyio.move_on_after(BOUND - NOTICED):
                await keeping.done.wait()
        if not keeping.done.is_set():
            keeping.late = True
            self._window.say("sent while the files are still being saved: a rewind may miss some")

    def keep_late(self, tab: Tab, folder: str, session: Session, text: str) -> None:
        """Keep the files while the turn runs that another one takes the place of."""
        keeping = _Keeping()
        keeping.late = True
        self._window.spawn(self._keep_files(tab, folder, session, text, keeping))

    async def _keep_files(
        self, tab: Tab, folder: str, session: Session, text: str, keeping: _Keeping
    ) -> None:
        from acp_tui.git.objects import CheckpointError, NotKeptError, TooMuchError
        from acp_tui.rewind.checkpoint import CheckpointKind, Reason
        from acp_tui.rewind.unkept_files import find_usual

        owner, words = self.owner_of(tab, session), text[:LONGEST_PROMPT]
        entries = len(session.entries)
        reason = Reason(CheckpointKind.TURN, words, owner.session_id, entries, owner.run)
        try:
            store = await self.find(folder)
            if store is not None:
                take = partial(store.make_checkpoint, reason, is_late=lambda: keeping.late)
                kept = await to_thread.run_sync(take, abandon_on_cancel=True)
                self.kept += 1
                if not keeping.late:
                    usual = await to_thread.run_sync(find_usual, store, abandon_on_cancel=True)
                    place = str(self.place)
                    tab.agent.do(CompareFolder(session.session_id, folder, place, kept.tree, usual))
                self._report_remarks(folder, store)
        except NotKeptError:
            pass  # the list of turns says it to who wants to go back
        except TooMuchError as error:
            self._given_up.add(folder)
            self.tell(folder, error)
        except CheckpointError as error:
            self.tell(folder, error)
        finally:
            keeping.done.set()

    def tell(self, folder: str, error: Exception) -> None:
        """Report once why the files of a folder aren't kept."""
        self._report_trouble(folder, "The files before this turn can't be restored", str(error))

    def _report_remarks(self, folder: str, store: "Checkpoints") -> None:
        for remark in store.remarks():
            self._report_trouble(folder, "Files are saved, but", remark)

    def _report_trouble(self, folder: str, title: str, words: str) -> None:
        words = clean_text(words)
        if (folder, words) not in self._told:
            self._told.add((folder, words))
            self._window.notify(words, title=title, severity="warning")

    def _begin(self, folder: str) -> None:
        self._window.spawn(self._warm_up(folder))

    async def _warm_up(self, folder: str) -> None:
        """Make the first look at a large folder early; an error is reported when a turn begins."""
        from acp_tui.git.objects import CheckpointError

        with suppress(CheckpointError):
            store = await self.find(folder)
            if store is not None:
                await to_thread.run_sync(store.warm_up, abandon_on_cancel=True)


def _open_store(folder: str, place: Path, *, anywhere: bool) -> "Checkpoints | None":
    """Open the store of a folder; runs in a thread, as this loads git's modules. Raises CheckpointError."""
    if not anywhere and not _is_in_repository(folder):
        return None
    from acp_tui.rewind.store import Checkpoints

    return Checkpoints.of(Path(folder), place, anywhere=anywhere)


def _is_in_repository(folder: str) -> bool:
    """Return whether a folder seems to be in a repository, without asking git."""
    path = Path(folder)
    try:
        return any((one / ".git").exists() for one in (path, *path.parents))
    except OSError:
        return False


COMPARED = 40
"""How many characters of a prompt tell that it is the one that was meant."""


def find_prompt(session: Session, reason: "Reason", end: int | None = None) -> int | None:
    """Return the index of the prompt that a turn begins with, before `end`: where it was, else the last
    one that reads the same.
    """
    words = reason.words.strip()[:COMPARED]
    found = [
        at
        for at, entry in enumerate(session.entries[:end])
        if is_prompt(entry) and entry.own_text.strip()[:COMPARED] == words
    ]
    return reason.entries if reason.entries in found else found[-1] if found else None
