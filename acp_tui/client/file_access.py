"""The agent's reads and writes of files: inside the session's folder, elsewhere with a person's leave."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import anyio

from acp_tui.client import files
from acp_tui.client.errors import RequestError
from acp_tui.config.quirks import Remedy
from acp_tui.protocol.events import (
    AccessAnswered,
    AccessAsked,
    FileOperation,
    LocalEvent,
    Requested,
)
from acp_tui.protocol.jsonrpc import Error, ErrorCode
from acp_tui.protocol.requests import (
    ReadTextFileParams,
    ReadTextFileResult,
    WriteTextFileParams,
)
from acp_tui.protocol.setup import Empty
from acp_tui.session.permissions import ALLOW_FOLDER, ALLOW_ONCE, CANCELLED
from acp_tui.session.state import Permission, Session, State


class FileAccess:
    """Serves `fs/*` for one agent process. `happened` folds a fact."""

    def __init__(
        self,
        state: State,
        *,
        clock: Callable[[], float],
        happened: Callable[[LocalEvent], None],
        remedies: Callable[[], frozenset[Remedy]],
    ) -> None:
        self._state = state
        self._clock = clock
        self._happened = happened
        self._remedies = remedies
        self._asking: dict[int, anyio.Event] = {}
        self._answers: dict[int, str] = {}
        self._locks: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)

    async def read(
        self, request: Requested, session: Session, params: ReadTextFileParams
    ) -> ReadTextFileResult:
        """Serve `fs/read_text_file`. Raises RequestError."""
        roots = await self._allow(request, session, FileOperation.READ, params.path, None)
        async with self._locks[params.path]:
            try:
                found = await files.read(params.path, roots)
                content = files.cut(found.text, params.line, params.limit)
            except RequestError as error:
                missing = error.error.code == ErrorCode.RESOURCE_NOT_FOUND
                if not missing or Remedy.MISSING_FILE_IS_EMPTY not in self._remedies():
                    raise
                content = ""
        return ReadTextFileResult(content=content)

    async def write(
        self, request: Requested, session: Session, params: WriteTextFileParams
    ) -> Empty:
        """Serve `fs/write_text_file`. Raises RequestError."""
        roots = await self._allow(
            request, session, FileOperation.WRITE, params.path, params.content
        )
        async with self._locks[params.path]:
            await files.write(params.path, params.content, roots)
        return Empty()

    def settle(self, permission: Permission, option_id: str | None) -> None:
        """A person (or a cancelled turn) decided about a file outside the session's folder."""
        words = option_id or CANCELLED
        self._answers[permission.number] = words
        self._happened(AccessAnswered(self._clock(), permission.number, words))
        self._asking[permission.number].set()
        if words == ALLOW_FOLDER:
            self._settle_granted(self._state.session(permission.session_id))

    def _settle_granted(self, session: Session) -> None:
        """What is allowed for the session answers the questions that wait already."""
        for waiting in list(session.permissions):
            access = waiting.access
            if access is not None and any(
                operation is access.operation and Path(access.path).is_relative_to(folder)
                for operation, folder in session.granted
            ):
                self.settle(waiting, ALLOW_ONCE)

    async def _allow(
        self,
        request: Requested,
        session: Session,
        operation: FileOperation,
        path: str,
        content: str | None,
    ) -> list[str]:
        """Let a path inside the session's folder pass; ask a person about any other.

        Links and `..` are resolved first. Gives the folders (or the one file) that the operation
        must stay in; raises RequestError when it is not allowed.
        """
        roots = [
            session.cwd,
            *session.additional_directories,
            *(folder for kind, folder in session.granted if kind is operation),
        ]
        if not Path(path).is_absolute() or await files.inside(path, roots):
            return roots
        real = await files.resolve(path)
        old = await self._old_content(path) if operation is FileOperation.WRITE else None
        self._asking[request.number] = anyio.Event()
        self._happened(
            AccessAsked(
                self._clock(),
                request.number,
                session.session_id,
                operation,
                str(real),
                str(real.parent),
                content,
                old,
            )
        )
        if session.turn is not None and session.turn.cancelled is not None:
            permission = self._state.permission(request.number)
            assert permission is not None
            self.settle(permission, None)
        await self._person(request, path)
        return [str(real)]

    async def _person(self, request: Requested, path: str) -> None:
        number = request.number
        try:
            await self._asking[number].wait()
        finally:
            waits = self._state.permission(number)
            if waits is not None:
                self.settle(waits, None)
            del self._asking[number]
            answer = self._answers.pop(number, CANCELLED)
        if answer not in (ALLOW_ONCE, ALLOW_FOLDER):
            message = f"Not allowed: {path} is outside the session's working directory"
            raise RequestError(Error(ErrorCode.INTERNAL_ERROR, message, {"path": path}))

    async def _old_content(self, path: str) -> str | None:
        try:
            return (await files.read(path)).text
        except RequestError:
            return None
