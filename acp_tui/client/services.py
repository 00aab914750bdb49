"""Serves the agent's requests: permissions, elicitations, files and terminals.

Each file or terminal request runs in its own task, so that none blocks another. Every request gets
exactly one response.
"""

from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.connection.request_queue import RequestQueue
from acp_tui.client.core import Core
from acp_tui.client.errors import ServiceError, own_fault
from acp_tui.client.files.history import FileHistory
from acp_tui.client.permissions.policy import Permissions
from acp_tui.client.terminals import Terminals
from acp_tui.protocol.elicitation import ElicitationParams
from acp_tui.protocol.initialization import ElicitationCapabilities
from acp_tui.protocol.jsonrpc import Error, ErrorCode
from acp_tui.protocol.model import Model
from acp_tui.protocol.requests import (
    AnyPermissionRequest,
    CancelRequestParams,
    CreateTerminalParams,
    ReadTextFileParams,
    RequestPermissionResult,
    TerminalParams,
    WriteTextFileParams,
)
from acp_tui.protocol.setup import Empty
from acp_tui.protocol.unstable import ASK_USER, AskUserParams
from acp_tui.protocol.wire_events import Requested
from acp_tui.state import elicitations
from acp_tui.state.session import Session
from acp_tui.state.subagents import is_canceled

if TYPE_CHECKING:
    from acp_tui.client.files.access import FileAccess

Serve = Callable[[Requested, Model], Awaitable[Model]]
_CANCELLED = Error(ErrorCode.REQUEST_CANCELLED, "Request cancelled")


class Services:
    """Serves the requests of one agent connection."""

    def __init__(
        self, core: Core, tasks: TaskGroup, permissions: Permissions, history: FileHistory
    ) -> None:
        self._core = core
        self._tasks = tasks
        self._capabilities = core.capabilities
        self._scopes: dict[int, anyio.CancelScope] = {}
        self._queue = RequestQueue(
            tasks, core.requests.numbered, self._run_request, core.requests.has_room
        )
        self._permissions = permissions
        self._history = history
        self.terminals = Terminals(tasks, core.clock, core.emit, core.place)
        self._serve: dict[str, Serve] = {
            "fs/read_text_file": self._read_text_file,
            "fs/write_text_file": self._write_text_file,
            "terminal/create": self._create_terminal,
            "terminal/output": self._terminal_output,
            "terminal/wait_for_exit": self._wait_for_terminal_exit,
            "terminal/kill": self._kill_terminal,
            "terminal/release": self._release_terminal,
        }

    @cached_property
    def _files(self) -> "FileAccess":
        from acp_tui.client.files.access import FileAccess  # not before a request needs it

        return FileAccess(self._core, self._queue, self._permissions, self._history)

    def serve(self, request: Requested) -> None:
        """Serve a request from the agent; never waits."""
        if self._core.requests.refuse_flood(request):
            return
        if not self._offered(request.method):
            message = f"Method not found: {request.method}"
            self._core.requests.answer(request, Error(ErrorCode.METHOD_NOT_FOUND, message))
        elif request.params is None:
            message = f"Invalid params: {request.problem}"
            self._core.requests.answer(request, Error(ErrorCode.INVALID_PARAMS, message))
        elif isinstance(request.params, AnyPermissionRequest):
            self._ask_permission(request, request.params)
        elif isinstance(request.params, ElicitationParams | AskUserParams):
            self._elicit(request, request.params)
        elif request.method.startswith("fs/"):
            self._queue.put(request)
        else:
            # Created here, not in the task: a cancellation may arrive before the task runs.
            self._scopes[request.number] = anyio.CancelScope()
            self._tasks.start_soon(self._run_request, request, name=request.method)

    def on_agent_cancelled(self, params: CancelRequestParams) -> None:
        """Cancel the requests that the agent canceled (`$/cancel_request`)."""
        for number in self._core.requests.with_id(params.request_id):
            request = self._core.requests.numbered(number)
            if request is not None:
                self._cancel_request(request)

    def _cancel_request(self, request: Requested) -> None:
        if isinstance(request.params, AnyPermissionRequest):
            self._core.requests.answer(request, RequestPermissionResult.cancelled())
        elif isinstance(request.params, ElicitationParams | AskUserParams):
            self._core.requests.answer(
                request, elicitations.answer_elicitation(request, "cancel", None)
            )
        elif self.stop(request):
            self._core.requests.answer(request, _CANCELLED)

    def stop(self, request: Requested) -> bool:
        """Stop serving a request; return whether it was still queued."""
        if request.number not in self._scopes:
            return self._queue.remove(request)
        self._scopes[request.number].cancel()
        return False

    def _offered(self, method: str) -> bool:
        """Return whether `initialize` advertised this method."""
        if method == "fs/read_text_file":
            return self._capabilities.fs.read_text_file
        if method == "fs/write_text_file":
            return self._capabilities.fs.write_text_file
        if method in self._serve:
            return self._capabilities.terminal
        if method != "session/request_permission" and self._core.initialize_params is not None:
            # Another client has no elicitations but those that it advertises.
            return method == "elicitation/create" and self._capabilities.elicitation is not None
        return method in ("session/request_permission", "elicitation/create", ASK_USER)

    def _ask_permission(self, request: Requested, params: AnyPermissionRequest) -> None:
        """Let the rules and the user answer a permission request, unless its turn is canceled
        already.

        Meanwhile, the files that it names are checked for changes.
        """
        canceled = is_canceled(self._core.state, params.session_id)
        if canceled or not params.options:
            self._core.requests.answer(request, RequestPermissionResult.cancelled())
            if not canceled:
                words = "The agent asked for permission without an option to choose."
                self._core.notify(params.session_id, "error", "Answered as canceled", words)
            return
        if self._core.state.rules:
            evaluate = self._permissions.policy.evaluate
            self._tasks.start_soon(evaluate, request.number, name="evaluate")
        if not self._core.place.elsewhere:
            self._tasks.start_soon(self._files.report_changed, request, params)

    def _elicit(self, request: Requested, params: ElicitationParams | AskUserParams) -> None:
        """Let the user answer an elicitation, unless its mode was never advertised or its turn is
        canceled.
        """
        if isinstance(params, ElicitationParams):
            offered = self._capabilities.elicitation or ElicitationCapabilities()
            if params.mode not in ("form", "url") or getattr(offered, params.mode) is None:
                message = f"Elicitation mode {params.mode} is not supported"
                self._core.requests.answer(request, Error(ErrorCode.INVALID_PARAMS, message))
                return
        if is_canceled(self._core.state, params.session_id or ""):
            self._core.requests.answer(
                request, elicitations.answer_elicitation(request, "cancel", None)
            )

    async def _run_request(self, request: Requested) -> None:
        answer: Model | Error = _CANCELLED
        params = request.params
        assert params is not None
        with self._scopes.setdefault(request.number, anyio.CancelScope()):
            try:
                answer = await self._serve[request.method](request, params)
            except ServiceError as error:
                answer = error.error
            except Exception as error:
                session_id = getattr(params, "session_id", None)
                self._core.emit(own_fault(self._core.clock(), request.method, error, session_id))
                answer = Error(ErrorCode.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        del self._scopes[request.number]
        self._core.requests.answer(request, answer)

    def _session(self, session_id: str) -> Session:
        session = self._core.state.sessions.get(session_id)
        if session is None or not session.opened or session.lost:
            raise ServiceError(Error(ErrorCode.INVALID_PARAMS, f"Unknown session: {session_id}"))
        return session

    async def _read_text_file(self, request: Requested, params: Model) -> Model:
        assert isinstance(params, ReadTextFileParams)
        return await self._files.serve_read(request, self._session(params.session_id), params)

    async def _write_text_file(self, request: Requested, params: Model) -> Model:
        assert isinstance(params, WriteTextFileParams)
        return await self._files.serve_write(request, self._session(params.session_id), params)

    async def _create_terminal(self, request: Requested, params: Model) -> Model:
        assert isinstance(params, CreateTerminalParams)
        session = self._session(params.session_id)
        await self._permissions.policy.check_command(request, session, params)
        return await self.terminals.create(params, session.cwd)

    async def _terminal_output(self, _: Requested, params: Model) -> Model:
        return self.terminals.output(self._terminal(params))

    async def _wait_for_terminal_exit(self, _: Requested, params: Model) -> Model:
        return await self.terminals.wait_for_exit(self._terminal(params))

    async def _kill_terminal(self, _: Requested, params: Model) -> Model:
        await self.terminals.kill(self._terminal(params))
        return Empty()

    async def _release_terminal(self, _: Requested, params: Model) -> Model:
        await self.terminals.release(self._terminal(params))
        return Empty()

    def _terminal(self, params: Model) -> str:
        assert isinstance(params, TerminalParams)
        self._session(params.session_id)
        return params.terminal_id
