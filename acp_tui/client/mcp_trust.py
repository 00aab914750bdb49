"""Asks the user to trust the project's MCP servers; no session is opened before the answer."""

from collections.abc import Callable

import anyio
from anyio import to_thread

from acp_tui.client.core import Core
from acp_tui.client.sessions import Sessions
from acp_tui.protocol.events import TrustAnswered, TrustAsked
from acp_tui.state.commands import AnswerTrust


class McpTrust:
    """Asks the user once, and delays the first session until the answer."""

    def __init__(self, core: Core, sessions: Sessions) -> None:
        self._core = core
        self._sessions = sessions
        self._project = core.launch.mcp.project
        self._store = core.launch.mcp.trust_store
        self._asked = False
        self._trusted = anyio.Event()
        self._deferred: Callable[[], None] | None = None
        core.register({AnswerTrust: self._apply_answer})

    def ask(self) -> None:
        """Ask, unless the user was asked before; called at every start of the agent."""
        self._deferred = None
        if self._project is not None and not self._asked:
            self._asked = True
            asked = TrustAsked(self._core.clock(), str(self._project.file), self._project.text)
            self._core.emit(asked)

    def when_decided(self, go_on: Callable[[], None]) -> None:
        """Call `go_on` once no answer is pending."""
        if self._core.state.trust is None:
            go_on()
        else:
            self._deferred = go_on

    def _apply_answer(self, command: AnswerTrust) -> None:
        if self._core.state.trust is None or self._project is None:
            return
        self._core.emit(TrustAnswered(self._core.clock(), command.trusted))
        if command.trusted:
            self._sessions.add_servers(self._project.servers)
            self._trusted.set()
        else:
            self._core.notify(None, "warning", self._project.left_out)
        held, self._deferred = self._deferred, None
        if held is not None:
            held()

    async def remember(self) -> None:
        """Save that the user trusts this content of the file, to avoid asking about it again."""
        project, store = self._project, self._store
        if project is None or store is None:
            return
        await self._trusted.wait()
        self._store = None
        try:
            await to_thread.run_sync(store.trust, project.content, project.file)
        except OSError as error:
            words = f"{error.filename}: {error.strerror}"
            self._core.notify(None, "warning", "The trust can't be remembered", words)
