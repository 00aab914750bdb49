"""Serves the agent's file reads and writes, in the session's folders or where the user allows."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import to_thread

from acp_tui.client.connection.request_queue import RequestQueue
from acp_tui.client.core import Core, remedies_for
from acp_tui.client.errors import ServiceError
from acp_tui.client.files import text_file
from acp_tui.client.files.history import FileHistory
from acp_tui.client.files.planned_write import PlannedWrite, plan_write
from acp_tui.client.files.safe_paths import TRIES
from acp_tui.client.files.text_file import unavailable_error
from acp_tui.client.permissions.policy import Permissions, not_allowed
from acp_tui.config.known_agents import Remedy
from acp_tui.policy.rules import RuleAnswer
from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import AccessAsked, FileOperation, FilesChanged
from acp_tui.protocol.jsonrpc import Error, ErrorCode
from acp_tui.protocol.requests import (
    AnyPermissionRequest,
    ReadTextFileParams,
    ReadTextFileResult,
    WriteTextFileParams,
)
from acp_tui.protocol.setup import Empty
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.session import Session

T = TypeVar("T")
FileParams = ReadTextFileParams | WriteTextFileParams

MOST_CHECKED = 100
"""Most files of a permission request that are checked for changes."""


class FileLocks:
    """One lock for each file in use, by its real path (`place`)."""

    def __init__(self) -> None:
        self._locks: dict[str, anyio.Lock] = {}
        self._users = Counter[str]()

    def __len__(self) -> int:
        """Return the number of locked files."""
        return len(self._locks)

    @asynccontextmanager
    async def locked(self, place: str) -> AsyncIterator[None]:
        """Wait for earlier requests, then hold the file's lock. Its last user removes the lock."""
        lock = self._locks.setdefault(place, anyio.Lock())
        self._users[place] += 1
        try:
            async with lock:
                yield
        finally:
            self._users[place] -= 1
            if not self._users[place]:
                del self._users[place], self._locks[place]


class FileAccess:
    """Serves `fs/*` for one agent connection. A request that waits for the user frees its queue
    slot.
    """

    def __init__(
        self, core: Core, queue: RequestQueue, permissions: Permissions, history: FileHistory
    ) -> None:
        self._core = core
        self._queue = queue
        self._policy = permissions.policy
        self._consent = permissions.consent
        self._roots = permissions.roots
        self._history = history
        self._locks = FileLocks()

    @property
    def _limit(self) -> float:
        """Seconds to wait for a disk."""
        return self._core.launch.limits.disk

    async def serve_read(
        self, request: Requested, session: Session, params: ReadTextFileParams
    ) -> ReadTextFileResult:
        """Serve `fs/read_text_file`. Raises ServiceError."""
        path = params.path
        roots = await self._decide_access(request, session, params)
        async with self._locks.locked(await self._real_name(path)):
            try:
                read = self._history.read_file(session.session_id, path, roots)
                text = await self._in_time(path, read)
                content = text_file.cut_lines(text, params.line, params.limit)
            except ServiceError as error:
                missing = error.error.code == ErrorCode.RESOURCE_NOT_FOUND
                if not missing or Remedy.MISSING_FILE_IS_EMPTY not in remedies_for(self._core):
                    raise
                content = ""
        return ReadTextFileResult(content=content)

    async def serve_write(
        self, request: Requested, session: Session, params: WriteTextFileParams
    ) -> Empty:
        """Serve `fs/write_text_file`. Raises ServiceError."""
        roots = await self._decide_access(request, session, params)
        async with self._locks.locked(await self._real_name(params.path)):
            await self._write_file(request, session, params, roots)
        return Empty()

    async def _write_file(
        self, request: Requested, session: Session, params: WriteTextFileParams, roots: list[str]
    ) -> None:
        """Plan the write and carry it out; plan it again if the file changes in between."""
        ask, shown = self._core.launch.ask_if_changed, None
        for _ in range(TRIES):
            planned = await plan_write(params.path, params.content, roots)
            if shown not in (None, planned.place):
                raise unavailable_error(
                    params.path, "it leads elsewhere than when the user was asked"
                )
            changed = self._history.is_unexpected(session.session_id, planned)
            if changed and ask and not planned.is_same:
                await self._ask_about_change(request, session, params, planned)
                ask, shown = False, planned.place  # the user may have taken long, so plan again
            elif await self._history.write_file(
                request.number, session.session_id, planned, changed=changed
            ):
                return
        raise unavailable_error(params.path, "can't write it: it is being changed at the same time")

    async def _ask_about_change(
        self,
        request: Requested,
        session: Session,
        params: WriteTextFileParams,
        planned: PlannedWrite,
    ) -> None:
        """Ask the user whether to overwrite a file that changed on disk. Raises ServiceError."""
        question = AccessAsked(
            at=self._core.clock(),
            request=request.number,
            session_id=session.session_id,
            operation=FileOperation.WRITE,
            path=str(planned.place),
            folder=str(planned.place.parent),
            content=params.content,
            old_content=planned.old.text if planned.old is not None else None,
            outside=False,
            changed=True,
        )
        with self._queue.slot_freed():
            allowed = await self._consent.ask(question)
        if not allowed:
            raise not_allowed(params.path, "it has changed on disk since you read it")

    async def report_changed(self, request: Requested, params: AnyPermissionRequest) -> None:
        """Report the files of a permission request that changed since the agent last read or wrote
        them.
        """
        paths = dict.fromkeys(
            item.path for item in params.asked.shown or [] if isinstance(item, Diff)
        )
        paths |= dict.fromkeys(place.path for place in params.asked.locations or [])
        changed = []
        for path in islice(paths, MOST_CHECKED):
            inspection = self._history.inspect(params.session_id, path)
            try:
                _, has_changed = await self._in_time(path, inspection)
            except ServiceError:  # other files may be on the same slow disk
                break
            if has_changed:
                changed.append(path)
        if changed:
            self._core.emit(FilesChanged(self._core.clock(), request.number, changed))

    async def _decide_access(
        self, request: Requested, session: Session, params: FileParams
    ) -> list[str]:
        """Apply the rules to an operation, and ask the user if needed.

        Returns the folders (or the one file) in which the operation must stay. Raises ServiceError
        if it isn't allowed.
        """
        found = await self._in_time(params.path, self._evaluate_rules(request, session, params))
        if isinstance(found, list):
            return found
        with self._queue.slot_freed():
            allowed = await self._consent.ask(found)
        if not allowed:
            outside = "it is outside the session's working directory"
            raise not_allowed(params.path, outside if found.outside else "the user rejects it")
        return [found.path]

    async def _evaluate_rules(
        self, request: Requested, session: Session, params: FileParams
    ) -> list[str] | AccessAsked:
        """Return the roots that allow the operation, or the question to ask the user.

        A path inside the session's folders is allowed unless a rule decides otherwise; any other
        path needs a rule that allows it, or the user. Links and `..` are resolved first. Raises
        ServiceError if a rule or the place forbids it.
        """
        path = params.path
        content = params.content if isinstance(params, WriteTextFileParams) else None
        operation = FileOperation.READ if content is None else FileOperation.WRITE
        folders = [session.cwd, *session.additional_directories]
        roots = await to_thread.run_sync(self._roots.allowed, folders, abandon_on_cancel=True)
        if not Path(path).is_absolute():
            return roots
        place = self._core.place
        shared = place.shared if content is None else place.written or place.shared
        if shared is not None and not await text_file.is_within(path, shared):
            raise not_allowed(path, f"only {', '.join(shared)} is shared with you")
        inside = await text_file.is_within(path, roots)
        if inside and not self._core.state.rules:
            return roots
        from acp_tui.state.request_facts import file_facts

        real = await text_file.resolve_file(path)
        verdict = await self._policy.decide(session, file_facts(operation, path, str(real)))
        answer = verdict.answer if verdict is not None else None
        if answer is RuleAnswer.REJECT or (answer is RuleAnswer.ALLOW and not inside):
            self._policy.report(request.number, session, verdict, f"{operation} {real}")
        if answer is RuleAnswer.REJECT:
            raise not_allowed(path, "a rule of the user's rejects it")
        if answer is RuleAnswer.ALLOW or (inside and answer is None):
            return [str(real)]
        old, changed = None, False
        if operation is FileOperation.WRITE:
            old, changed = await self._history.inspect(session.session_id, path)
        return AccessAsked(
            at=self._core.clock(),
            request=request.number,
            session_id=session.session_id,
            operation=operation,
            path=str(real),
            folder=str(real.parent),
            content=content,
            old_content=old,
            outside=not inside,
            changed=changed,
            rule=verdict.words if verdict is not None else "",
        )

    async def _real_name(self, path: str) -> str:
        """Return a file's real path. Raises ServiceError."""
        return str(await self._in_time(path, text_file.resolve_file(path)))

    async def _in_time(self, path: str, work: Awaitable[T]) -> T:
        """Wait for disk access, up to the limit, since a disk may hang. Raises ServiceError."""
        try:
            with anyio.fail_after(self._limit):
                return await work
        except TimeoutError:
            words = f"{path}: the disk doesn't answer within {self._limit:g} s"
            raise ServiceError(Error(ErrorCode.INTERNAL_ERROR, words, {"path": path})) from None
