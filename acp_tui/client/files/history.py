"""Backs up and undoes the agent's writes, and detects others' changes to files that it knows."""

import errno
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from acp_tui.client.core import Core
from acp_tui.client.errors import ServiceError
from acp_tui.client.process.watchdog import watchdog
from acp_tui.config.paths import backups_folder
from acp_tui.config.private_files import make_folder
from acp_tui.protocol.file_events import BackupDropped, FileWritten, UndoRefused, WriteUndone
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.state.commands import TakeBack, UndoWrite
from acp_tui.state.reducers.file_writes import newest_write

if TYPE_CHECKING:
    from acp_tui.client.files.planned_write import DoneWrite, PlannedWrite
    from acp_tui.client.files.text_file import FileContent

BACKUP_BYTES = 256 * 1024 * 1024
"""Most bytes of a client's backups in total; the oldest are dropped."""


class Backups:
    """Stores one backup file for each write, named by the frame number of the request.

    The folder is created when needed. Nothing is stored unless `enabled`.
    """

    def __init__(self, parent: Path, *, enabled: bool = True) -> None:
        self.enabled = enabled
        self._folder = parent / f"{os.getpid()}-{os.urandom(4).hex()}"
        self._sizes: dict[int, int] = {}
        self._digests: dict[int, bytes] = {}
        self._folder_created = False

    def store(self, number: int, data: bytes) -> list[int]:
        """Store a file's content; return the numbers of the backups that were dropped for it.
        Raises OSError.
        """
        dropped = []
        while self._sizes and sum(self._sizes.values()) + len(data) > BACKUP_BYTES:
            dropped.append(next(iter(self._sizes)))
            self.drop(dropped[-1])
        if not self._folder.exists():  # also if someone removed it
            make_folder(self._folder.parent)
            self._folder.mkdir(mode=0o700)
            if not self._folder_created:
                watchdog.add_path(self._folder)
            self._folder_created = True
        self._sizes[number] = len(data)
        self._digests[number] = _digest(data)
        try:
            descriptor = os.open(self._path(number), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
        except OSError:
            self.drop(number)
            raise
        return dropped

    def read_backup(self, number: int) -> bytes:
        """Return a file's content from before this write. Raises OSError, also if the backup was
        modified.
        """
        data = self._path(number).read_bytes()
        if _digest(data) != self._digests[number]:
            raise OSError(errno.EIO, "its backup isn't what was kept: somebody has changed it")
        return data

    def drop(self, number: int) -> None:
        """Delete the backup of a write."""
        self._sizes.pop(number, None)
        self._digests.pop(number, None)
        with suppress(OSError):
            self._path(number).unlink()

    def close(self) -> None:
        """Delete all backups."""
        if self._folder_created:
            shutil.rmtree(self._folder, ignore_errors=True)
            watchdog.remove_path(self._folder)

    def _path(self, number: int) -> Path:
        return self._folder / str(number)


def _digest(data: bytes) -> bytes:
    from hashlib import sha256  # not loaded before the first write

    return sha256(data).digest()


class FileHistory:
    """Remembers, until the client ends, what the agent read and wrote, so that a write can be
    undone even after the agent is gone.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._backups = Backups(backups_folder(), enabled=core.launch.backups)
        self._known: dict[tuple[str, str], bytes] = {}
        self._shown: dict[tuple[str, str], tuple[int, bytes | None]] = {}
        self._done_writes: dict[int, DoneWrite] = {}
        self._undoing = anyio.Lock()
        self._revert_count = 0
        """Number of the user's own writes, which have negative numbers instead of frames."""
        core.register(
            {
                UndoWrite: partial(core.spawn, self._undo),
                TakeBack: partial(core.spawn, self._take_back),
            }
        )

    def close(self) -> None:
        """Delete the backups; nothing can be undone afterward."""
        self._backups.close()

    async def read_file(self, session_id: str, path: str, roots: Sequence[str]) -> str:
        """Return a file's text, and record that the agent knows it. Raises ServiceError."""
        from acp_tui.client.files import text_file

        found = await text_file.read_text_file(path, roots)
        self._known[session_id, found.place] = found.digest
        return found.text

    async def write_file(
        self, request: int, session_id: str, planned: "PlannedWrite", *, changed: bool
    ) -> bool:
        """Back up a file, write it, and report the write; return False if someone else changed it
        meanwhile.

        Raises ServiceError.
        """
        from acp_tui.client.files.planned_write import DoneWrite, carry_out_write

        place = str(planned.place)
        if planned.is_same:  # some agents wrote the same content to disk themselves
            self._known[session_id, place] = planned.digest
            self._shown.pop((session_id, place), None)
            return True
        with anyio.CancelScope(shield=True):  # a cancellation must not lose the report of a write
            trouble = await self._back_up(request, planned.old)
            try:
                remarks = await to_thread.run_sync(carry_out_write, planned)
            except ServiceError:
                self._backups.drop(request)
                raise
        if remarks is None:
            self._backups.drop(request)
            return False
        by_person = request < 0
        if not by_person:  # the agent doesn't know what the user wrote
            self._known[session_id, place] = planned.digest
        self._shown.pop((session_id, place), None)
        created = planned.old is None
        self._done_writes[request] = DoneWrite(place, planned.digest, created)
        old_text, text = planned.texts()
        self._core.emit(
            FileWritten(
                at=self._core.clock(),
                request=request,
                session_id=session_id,
                path=place,
                created=created,
                old_text=old_text,
                text=text,
                changed=changed,
                kept=not trouble and self._backups.enabled,
                remark=" ".join(filter(None, [*remarks, trouble])) or None,
                by_person=by_person,
            )
        )
        return True

    def record_reported_change(self, session_id: str, place: str, digest: bytes) -> None:
        """Record that the agent itself changed a file as it reported."""
        if (session_id, place) in self._known:
            self._known[session_id, place] = digest
        self._shown.pop((session_id, place), None)

    async def inspect(self, session_id: str, path: str) -> tuple[str | None, bool]:
        """Return a file's text, if any, and whether the file changed since the agent last read or
        wrote it.

        Also records that the user was shown this content in this turn.
        """
        from acp_tui.client.files import text_file

        turn = self._core.state.session(session_id).turns
        try:
            found = await text_file.read_text_file(path)
        except ServiceError as error:
            if error.error.code == ErrorCode.RESOURCE_NOT_FOUND:
                self._shown[session_id, str(await text_file.resolve_file(path))] = (turn, None)
            return None, False
        self._shown[session_id, found.place] = (turn, found.digest)
        return found.text, self._has_changed(session_id, found.place, found)

    def is_unexpected(self, session_id: str, planned: "PlannedWrite") -> bool:
        """Return whether a file differs from what the agent last knew, or from what the user was
        shown.
        """
        place, old = str(planned.place), planned.old
        has_changed = self._has_changed(session_id, place, old)
        return has_changed or self._is_not_as_shown(session_id, place, old)

    def _has_changed(self, session_id: str, place: str, found: "FileContent | None") -> bool:
        """Return whether a file differs from what the agent last knew; False if it never read or
        wrote it.
        """
        known = self._known.get((session_id, place))
        if known is None:
            return False
        return found is None or (found.data is not None and found.digest != known)

    def _is_not_as_shown(self, session_id: str, place: str, found: "FileContent | None") -> bool:
        """Return whether the user was shown other content in this turn."""
        shown = self._shown.get((session_id, place))
        now = found.digest if found is not None else None
        turns = self._core.state.session(session_id).turns
        return shown is not None and shown[0] == turns and shown[1] != now

    async def _back_up(self, request: int, old: "FileContent | None") -> str:
        """Back up a file. If that fails, return the reason: the write continues."""
        if old is None or not self._backups.enabled:
            return ""
        if old.data is None:
            return "It can't be undone: what it held can't be read."
        try:
            self._report_dropped(await to_thread.run_sync(self._backups.store, request, old.data))
        except OSError as error:
            return f"It can't be undone: no backup ({error.strerror})."
        return ""

    def _report_dropped(self, numbers: list[int]) -> None:
        """Report the writes that can't be undone anymore."""
        for session in self._core.state.sessions.values():
            for write in session.writes:
                if write.number in numbers and write.has_backup:
                    session_id = session.session_id
                    self._core.emit(BackupDropped(self._core.clock(), write.number, session_id))

    # Undoing

    async def _undo(self, command: UndoWrite) -> None:
        """Undo the write of a frame, or the newest write, and report the result."""
        async with self._undoing:
            session = self._core.state.session(command.session_id)
            write = newest_write(session)
            if command.number is not None:
                write = next((one for one in session.writes if one.number == command.number), None)
            if write is None or not write.has_backup:
                words = "There is no write that can be undone."
                self._core.notify(command.session_id, "error", "Not undone", words)
                return
            await self._undo_write(
                session.session_id, write.number, self._done_writes[write.number]
            )

    async def _take_back(self, command: TakeBack) -> None:
        """Write the user's text, if the file is still where and as the user saw it."""
        from acp_tui.client.files.planned_write import plan_write

        session_id, why = command.session_id, ""
        async with self._undoing:
            try:
                planned = await plan_write(command.path, command.text)
                if str(planned.place) != command.path:
                    why = "It leads elsewhere by now; nothing was done."
                elif planned.contains(command.seen):
                    self._revert_count += 1
                    done = await self.write_file(
                        -self._revert_count, session_id, planned, changed=False
                    )
                    why = "" if done else "Something else is there by now."
                else:
                    why = "It isn't what was shown anymore; nothing was done."
            except ServiceError as error:
                why = str(error)
        if why:
            self._core.notify(session_id, "error", f"Not undone: {command.path}", why)

    async def _undo_write(self, session_id: str, number: int, done: "DoneWrite") -> None:
        from acp_tui.client.files.planned_write import NotUndoneError, undo_write

        try:
            await to_thread.run_sync(undo_write, done, partial(self._backups.read_backup, number))
        except (NotUndoneError, ServiceError) as error:
            self._core.emit(UndoRefused(self._core.clock(), number, session_id, str(error)))
        except OSError as error:
            words = error.strerror or str(error)
            self._core.notify(session_id, "error", f"Not undone: {done.place}", words)
        else:
            self._backups.drop(number)
            self._core.emit(WriteUndone(self._core.clock(), number, session_id))
