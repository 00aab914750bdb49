"""What an agent has read and written: others' changes are noticed, writes can be undone."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from acp_tui.client.core import Core
from acp_tui.client.errors import ServiceError
from acp_tui.client.files.backups import Backups
from acp_tui.config.paths import backups_folder
from acp_tui.protocol.events import BackupDropped, FileWritten, UndoRefused, WriteUndone
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.state.commands import TakeBack, UndoWrite
from acp_tui.state.reducers.file_writes import newest

if TYPE_CHECKING:
    from acp_tui.client.files.planned_write import PlannedWrite
    from acp_tui.client.files.text_file import Found
    from acp_tui.client.files.undo import DoneWrite


class FileHistory:
    """Remembers the agent's files as long as the client lives: an agent may be gone when its last write
    is undone.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._backups = Backups(backups_folder(), wanted=core.launch.backups)
        self._known: dict[tuple[str, str], bytes] = {}
        self._shown: dict[tuple[str, str], tuple[int, bytes | None]] = {}
        self._done: dict[int, DoneWrite] = {}
        self._undoing = anyio.Lock()
        self._taken_back = 0
        """How many parts a person took back."""
        core.register(
            {
                UndoWrite: partial(core.spawn, self._undo),
                TakeBack: partial(core.spawn, self._take_back),
            }
        )

    def close(self) -> None:
        """Delete the backups: nothing can be undone anymore."""
        self._backups.close()

    async def read(self, session_id: str, path: str, roots: Sequence[str]) -> str:
        """Read the text of a file, which the agent knows from now on. Raises ServiceError."""
        from acp_tui.client.files import text_file

        found = await text_file.read(path, roots)
        self._known[session_id, found.place] = found.digest
        return found.text

    async def write(
        self, request: int, session_id: str, planned: "PlannedWrite", *, changed: bool
    ) -> bool:
        """Back a file up, write it, and report; return False if it was changed meanwhile.

        Raises ServiceError.
        """
        from acp_tui.client.files.planned_write import carry_out
        from acp_tui.client.files.undo import DoneWrite

        place = str(planned.place)
        if planned.is_same:  # some agents write a file themselves, and then the same through us
            self._known[session_id, place] = planned.digest
            self._shown.pop((session_id, place), None)
            return True
        with anyio.CancelScope(shield=True):  # what is written must be reported, too
            trouble = await self._back_up(request, planned.old)
            try:
                remarks = await to_thread.run_sync(carry_out, planned)
            except ServiceError:
                self._backups.drop(request)
                raise
        if remarks is None:
            self._backups.drop(request)
            return False
        by_person = request < 0
        if not by_person:  # else it is the agent who doesn't know what is there now
            self._known[session_id, place] = planned.digest
        self._shown.pop((session_id, place), None)
        created = planned.old is None
        self._done[request] = DoneWrite(place, planned.digest, created)
        old_text, text = planned.texts()
        self._core.emit(
            FileWritten(
                self._core.clock(),
                request,
                session_id,
                place,
                created,
                old_text,
                text,
                changed,
                not trouble and self._backups.wanted,
                " ".join(filter(None, [*remarks, trouble])) or None,
                by_person,
            )
        )
        return True

    def learn(self, session_id: str, place: str, digest: bytes) -> None:
        """Note that the agent has changed a file by itself, as it said."""
        if (session_id, place) in self._known:
            self._known[session_id, place] = digest
        self._shown.pop((session_id, place), None)

    async def inspect(self, session_id: str, path: str) -> tuple[str | None, bool]:
        """Return the text of a file, if it has one, and whether it has changed since it was known.

        It is what a person is shown before a write in this turn.
        """
        from acp_tui.client.files import text_file

        turn = self._core.state.session(session_id).turns
        try:
            found = await text_file.read(path)
        except ServiceError as error:
            if error.error.code == ErrorCode.RESOURCE_NOT_FOUND:
                self._shown[session_id, str(await text_file.resolve(path))] = (turn, None)
            return None, False
        self._shown[session_id, found.place] = (turn, found.digest)
        return found.text, self._has_changed(session_id, found.place, found)

    def is_unexpected(self, session_id: str, planned: "PlannedWrite") -> bool:
        """Return whether a file is not what the agent knows, or what a person was shown of it."""
        place, old = str(planned.place), planned.old
        has_changed = self._has_changed(session_id, place, old)
        return has_changed or self._is_not_as_shown(session_id, place, old)

    def _has_changed(self, session_id: str, place: str, found: "Found | None") -> bool:
        """Whether a file is not what the agent knows; False where it never asked us for it."""
        known = self._known.get((session_id, place))
        if known is None:
            return False
        return found is None or (found.data is not None and found.digest != known)

    def _is_not_as_shown(self, session_id: str, place: str, found: "Found | None") -> bool:
        """Whether a person who was asked in this turn has seen another file than this."""
        shown = self._shown.get((session_id, place))
        now = found.digest if found is not None else None
        turns = self._core.state.session(session_id).turns
        return shown is not None and shown[0] == turns and shown[1] != now

    async def _back_up(self, request: int, old: "Found | None") -> str:
        """Keep what a file holds. Where that can't be done, returns why: the write goes on."""
        if old is None or not self._backups.wanted:
            return ""
        if old.data is None:
            return "It can't be undone: what it held can't be read."
        try:
            self._report_dropped(await to_thread.run_sync(self._backups.keep, request, old.data))
        except OSError as error:
            return f"It can't be undone: no backup ({error.strerror})."
        return ""

    def _report_dropped(self, numbers: list[int]) -> None:
        """Tell of the backups that made room."""
        for session in self._core.state.sessions.values():
            for write in session.writes:
                if write.number in numbers and write.kept:
                    session_id = session.session_id
                    self._core.emit(BackupDropped(self._core.clock(), write.number, session_id))

    # Undoing

    async def _undo(self, command: UndoWrite) -> None:
        """Undo a write: that of a frame, or the newest one. Report what comes of it."""
        async with self._undoing:
            session = self._core.state.session(command.session_id)
            write = newest(session)
            if command.number is not None:
                write = next((one for one in session.writes if one.number == command.number), None)
            if write is None or not write.kept:
                words = "There is no write that can be undone."
                self._core.notify(command.session_id, "error", "Not undone", words)
                return
            await self._undo_write(session.session_id, write.number, self._done[write.number])

    async def _take_back(self, command: TakeBack) -> None:
        """Write what a person wants, if the file is what they have seen, and where it was then."""
        from acp_tui.client.files.planned_write import plan

        session_id, why = command.session_id, ""
        async with self._undoing:
            try:
                planned = await plan(command.path, command.text)
                if str(planned.place) != command.path:
                    why = "It leads elsewhere by now; nothing was done."
                elif planned.holds(command.seen):
                    self._taken_back += 1
                    done = await self.write(-self._taken_back, session_id, planned, changed=False)
                    why = "" if done else "Something else is there by now."
                else:
                    why = "It isn't what was shown anymore; nothing was done."
            except ServiceError as error:
                why = str(error)
        if why:
            self._core.notify(session_id, "error", f"Not undone: {command.path}", why)

    async def _undo_write(self, session_id: str, number: int, done: "DoneWrite") -> None:
        from acp_tui.client.files.undo import NotUndoneError, undo

        try:
            await to_thread.run_sync(undo, done, partial(self._backups.read, number))
        except (NotUndoneError, ServiceError) as error:
            self._core.emit(UndoRefused(self._core.clock(), number, session_id, str(error)))
        except OSError as error:
            words = error.strerror or str(error)
            self._core.notify(session_id, "error", f"Not undone: {done.place}", words)
        else:
            self._backups.drop(number)
            self._core.emit(WriteUndone(self._core.clock(), number, session_id))
