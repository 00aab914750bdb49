"""Saves the files before each turn; the prompt waits for that, up to a limit."""

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
    from acp_tui.rewind.store import CheckpointedTurn, Checkpoints

SOON = 1.0
"""Seconds between opening a session and warming up its folder's store."""
NOTE_DELAY = 0.4
BOUND = 2.0
"""Seconds that a prompt waits for the files to be saved: silently (NOTICED), and at most (BOUND).
"""
LONGEST_PROMPT = 200
"""Characters of a prompt that are stored with its checkpoint."""


class TurnCheckpoints(NamedTuple):
    """The checkpoints of a folder and their store, or `why` there are none."""

    store: "Checkpoints | None" = None
    turns: "Sequence[CheckpointedTurn]" = ()
    why: str = ""


class _Saving:
    """One save of the files: `late` once the turn has begun before it was done."""

    def __init__(self) -> None:
        self.done = anyio.Event()
        self.late = False


class CheckpointsFeature(Feature):
    """Saves a checkpoint before each prompt. Failures are reported once, and never hold up the
    prompt.
    """

    name = "checkpoints"
    handlers: ClassVar = {ViewRefreshed: "prepare", SettingsChanged: "use_settings"}
    place: Path | None = None
    """The folder of the checkpoints; None in a replay, where none are saved."""
    where: Literal["everywhere", "repositories", "nowhere"] = "everywhere"

    def __init__(self, window: Window) -> None:
        self._window = window
        self._tabs = window.tabs
        self._warm: set[str] = set()
        self._reported: set[tuple[str, str]] = set()
        self._too_large: set[str] = set()
        """Folders with too many or too large files: no prompt waits for one again."""
        self.restoring = anyio.Lock()
        """Held while files are restored, so that no turn begins."""
        self.saved_count = 0
        """The number of checkpoints saved in this run."""

    def use_settings(self, event: SettingsChanged) -> None:
        """Apply the `checkpoints.where` setting."""
        self.where = event.settings.checkpoints.where

    def prepare(self, _: ViewRefreshed) -> None:
        """Warm up the stores of new sessions' folders soon: the first scan of a large folder takes
        seconds.
        """
        for tab in self._tabs.visible:
            folder = self.folder_of(tab, tab.session)
            if folder is not None and folder not in self._warm:
                self._warm.add(folder)
                self._window.set_timer(SOON, partial(self._start_warm_up, folder))

    def folder_of(self, tab: Tab, session: Session | None) -> str | None:
        """Return the folder whose files may be saved for a session; None if they never are."""
        if self.place is None or self.where == "nowhere" or session is None:
            return None
        return tab.agent.state.folder_here(session)

    def owner_of(self, tab: Tab, session: Session) -> "CheckpointOwner":
        """Return the owner of a session's checkpoints."""
        from acp_tui.rewind.checkpoint import CheckpointOwner

        began, reopened = tab.agent.state.began, session.opening.reopened
        return CheckpointOwner(
            session.session_id,
            "" if began is None else repr(began),
            None if reopened is None else self.since_1970(reopened),
        )

    def since_1970(self, at: float) -> float:
        """Convert a time of the transcript into seconds since 1970."""
        return time.time() - (self._window.clock() - at)

    async def find(self, folder: str) -> "Checkpoints | None":
        """Open the checkpoint store of a folder; None if its files aren't saved. Raises
        CheckpointError.
        """
        if self.place is None or self.where == "nowhere":
            return None
        find = partial(_open_store, folder, self.place, anywhere=self.where == "everywhere")
        return await to_thread.run_sync(find, abandon_on_cancel=True)

    async def read(self, tab: Tab, session: Session) -> TurnCheckpoints:
        """Read the checkpoints of a session's folder, and the files changed since."""
        from acp_tui.git.objects import CheckpointError
        from acp_tui.rewind.store import read_turns

        found = await self.find_store(tab, session)
        folder = self.folder_of(tab, session)
        if found.store is None or folder is None:
            return found
        try:
            turns = await to_thread.run_sync(read_turns, found.store, abandon_on_cancel=True)
        except CheckpointError as error:
            return TurnCheckpoints(why=clean_line(str(error)))
        self._report_remarks(folder, found.store)
        return TurnCheckpoints(found.store, turns)

    async def find_store(self, tab: Tab, session: Session) -> TurnCheckpoints:
        """Find the checkpoint store of a session's folder, or why there is none; read no
        checkpoints.
        """
        from acp_tui.git.objects import CheckpointError

        folder, change = self.folder_of(tab, session), f"{key_name('f10')}, checkpoints.where"
        if folder is None:
            elsewhere = tab.agent.state.folder_here(session) is None
            none_saved = f'none are saved ({change} = "everywhere" saves them)'
            return TurnCheckpoints(why="they aren't on this machine" if elsewhere else none_saved)
        try:
            store = await self.find(folder)
            if store is None:
                why = f'they are saved in git repositories only ({change} = "everywhere" saves all)'
                return TurnCheckpoints(why=why)
            return TurnCheckpoints(store)
        except CheckpointError as error:
            return TurnCheckpoints(why=clean_line(str(error)))

    async def save(self, tab: Tab, folder: str, session: Session, text: str) -> None:
        """Save the files before a prompt is sent. Returns once that is done, or takes too long."""
        async with self.restoring:
            saving = _Saving()
        if folder in self._too_large:
            return
        self._window.spawn(self._save_files(tab, folder, session, text, saving))
        with anyio.move_on_after(NOTE_DELAY):
            await saving.done.wait()
        if not saving.done.is_set():
            words = "saving the files first; then it is sent"
            self._window.show_note(words, BOUND, is_valid=lambda: not saving.done.is_set())
            with anyio.move_on_after(BOUND - NOTE_DELAY):
                await saving.done.wait()
        if not saving.done.is_set():
            saving.late = True
            self._window.show_note(
                "sent while the files are still being saved: a rewind may miss some"
            )

    def save_late(self, tab: Tab, folder: str, session: Session, text: str) -> None:
        """Save the files during a turn, for a prompt whose turn replaces it."""
        saving = _Saving()
        saving.late = True
        self._window.spawn(self._save_files(tab, folder, session, text, saving))

    async def _save_files(
        self, tab: Tab, folder: str, session: Session, text: str, saving: _Saving
    ) -> None:
        from acp_tui.git.objects import CheckpointError, NotStorableError, TooMuchError
        from acp_tui.rewind.checkpoint import CheckpointKind, Reason
        from acp_tui.rewind.unkept_files import find_usual

        owner, words = self.owner_of(tab, session), text[:LONGEST_PROMPT]
        entries = len(session.entries)
        reason = Reason(CheckpointKind.TURN, words, owner.session_id, entries, owner.run)
        try:
            store = await self.find(folder)
            if store is not None:
                make = partial(store.make_checkpoint, reason, is_late=lambda: saving.late)
                checkpoint = await to_thread.run_sync(make, abandon_on_cancel=True)
                self.saved_count += 1
                if not saving.late:
                    usual = await to_thread.run_sync(find_usual, store, abandon_on_cancel=True)
                    place = str(self.place)
                    tab.agent.do(
                        CompareFolder(session.session_id, folder, place, checkpoint.tree, usual)
                    )
                self._report_remarks(folder, store)
        except NotStorableError:
            pass  # the list of turns explains it to a user who wants to rewind
        except TooMuchError as error:
            self._too_large.add(folder)
            self.report(folder, error)
        except CheckpointError as error:
            self.report(folder, error)
        finally:
            saving.done.set()

    def report(self, folder: str, error: Exception) -> None:
        """Report once why a folder's files can't be saved."""
        self._report_trouble(folder, "The files before this turn can't be restored", str(error))

    def _report_remarks(self, folder: str, store: "Checkpoints") -> None:
        for remark in store.remarks():
            self._report_trouble(folder, "Files are saved, but", remark)

    def _report_trouble(self, folder: str, title: str, words: str) -> None:
        words = clean_text(words)
        if (folder, words) not in self._reported:
            self._reported.add((folder, words))
            self._window.notify(words, title=title, severity="warning")

    def _start_warm_up(self, folder: str) -> None:
        self._window.spawn(self._warm_up(folder))

    async def _warm_up(self, folder: str) -> None:
        """Scan a large folder early; an error is reported once a turn begins."""
        from acp_tui.git.objects import CheckpointError

        with suppress(CheckpointError):
            store = await self.find(folder)
            if store is not None:
                await to_thread.run_sync(store.warm_up, abandon_on_cancel=True)


def _open_store(folder: str, place: Path, *, anywhere: bool) -> "Checkpoints | None":
    """Open the store of a folder. Runs in a thread, as it imports the git modules. Raises
    CheckpointError.
    """
    if not anywhere and not _is_in_repository(folder):
        return None
    from acp_tui.rewind.store import Checkpoints

    return Checkpoints.of(Path(folder), place, anywhere=anywhere)


def _is_in_repository(folder: str) -> bool:
    """Return whether a folder is in a git repository, without running git."""
    path = Path(folder)
    try:
        return any((one / ".git").exists() for one in (path, *path.parents))
    except OSError:
        return False


COMPARED = 40
"""Characters by which a checkpoint's prompt is found again in the session."""


def find_prompt(session: Session, reason: "Reason", end: int | None = None) -> int | None:
    """Return the index of a checkpoint's prompt before `end`: the recorded index if the prompt is
    still there, otherwise the last prompt with the same text.
    """
    words = reason.words.strip()[:COMPARED]
    found = [
        at
        for at, entry in enumerate(session.entries[:end])
        if is_prompt(entry) and entry.own_text.strip()[:COMPARED] == words
    ]
    return reason.entries if reason.entries in found else found[-1] if found else None
