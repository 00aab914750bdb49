"""The agent's reads and writes of files: inside the session's folder, elsewhere with a person's leave."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio

from acp_tui.client import files
from acp_tui.client.errors import RequestError
from acp_tui.client.written import ChangedError, WrittenFiles
from acp_tui.config.quirks import Remedy
from acp_tui.protocol.content import Diff
from acp_tui.protocol.events import (
    AccessAnswered,
    AccessAsked,
    FileOperation,
    FilesChanged,
    LocalEvent,
    Requested,
)
from acp_tui.protocol.jsonrpc import Error, ErrorCode
from acp_tui.protocol.requests import (
    ReadTextFileParams,
    ReadTextFileResult,
    RequestPermissionParams,
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
        written: WrittenFiles,
        ask_if_changed: bool,
    ) -> None:
        self._state = state
        self._clock = clock
        self._happened = happened
        self._remedies = remedies
        self._written = written
        self._ask_if_changed = ask_if_changed
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
                text = await self._written.read(session.session_id, params.path, roots)
                content = files.cut(text, params.line, params.limit)
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
        path, content, operation = params.path, params.content, FileOperation.WRITE
        roots = await self._allow(request, session, operation, path, content)
        write = partial(
            self._written.write, request.number, session.session_id, path, content, roots
        )
        async with self._locks[path]:
            try:
                await write(ask_if_changed=self._ask_if_changed)
                return Empty()
            except ChangedError as changed:
                ask = AccessAsked(
                    self._clock(),
                    request.number,
                    session.session_id,
                    operation,
                    changed.place,
                    str(Path(changed.place).parent),
                    content,
                    changed.old_text,
                    outside=False,
                    changed=True,
                )
            refusal = f"Not allowed: {path} has changed on disk since you read it"
            await self._ask(session, ask, refusal)
            await write(ask_if_changed=False)
        return Empty()

    async def look(self, request: Requested, params: RequestPermissionParams) -> None:
        """Tell of files that the agent asks about and knows otherwise than they are."""
        paths = dict.fromkeys(
            item.path for item in params.tool_call.content or [] if isinstance(item, Diff)
        )
        paths |= dict.fromkeys(place.path for place in params.tool_call.locations or [])
        changed = []
        for path in paths:
            _, has_changed = await self._written.look(params.session_id, path)
            if has_changed:
                changed.append(path)
        if changed:
            self._happened(FilesChanged(self._clock(), request.number, changed))

    def settle(self, permission: Permission, option_id: str | None) -> None:
        """A person (or a cancelled turn) decided about the access to a file."""
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
        old, changed = None, False
        if operation is FileOperation.WRITE:
            old, changed = await self._written.look(session.session_id, path)
        ask = AccessAsked(
            self._clock(),
            request.number,
            session.session_id,
            operation,
            str(real),
            str(real.parent),
            content,
            old,
            changed=changed,
        )
        refusal = f"Not allowed: {path} is outside the session's working directory"
        await self._ask(session, ask, refusal)
        return [str(real)]

    async def _ask(self, session: Session, ask: AccessAsked, refusal: str) -> None:
        """Ask a person; raises RequestError with these words when it is not allowed."""
        number = ask.request
        self._asking[number] = anyio.Event()
        self._happened(ask)
        if session.turn is not None and session.turn.cancelled is not None:
            permission = self._state.permission(number)
            assert permission is not None
            self.settle(permission, None)
        try:
            await self._asking[number].wait()
        finally:
            waits = self._state.permission(number)
            if waits is not None:
                self.settle(waits, None)
            del self._asking[number]
            answer = self._answers.pop(number, CANCELLED)
        if answer not in (ALLOW_ONCE, ALLOW_FOLDER):
            raise RequestError(Error(ErrorCode.INTERNAL_ERROR, refusal, {"path": ask.path}))
