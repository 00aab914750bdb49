"""The project's MCP servers: a person decides on them before the first session is opened."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anyio
from anyio import to_thread

from acp_tui.client.launch import Launch, Notify
from acp_tui.protocol.events import TrustAnswered, TrustAsked
from acp_tui.session.state import State


class McpTrust:
    """Asks once, and holds back meanwhile what opens sessions. `use` takes trusted servers."""

    def __init__(
        self,
        state: State,
        launch: Launch,
        notify: Notify,
        *,
        emit: Callable[[TrustAsked | TrustAnswered], None],
        use: Callable[[Sequence[Mapping[str, Any]]], None],
        clock: Callable[[], float],
    ) -> None:
        self._state = state
        self._project = launch.project_servers
        self._store = launch.trust_store
        self._notify = notify
        self._emit = emit
        self._use = use
        self._clock = clock
        self._asked = False
        self._agreed = anyio.Event()
        self._held: Callable[[], None] | None = None

    def ask(self) -> None:
        """Ask what was not asked before; called at every start of the agent."""
        self._held = None
        if self._project is not None and not self._asked:
            self._asked = True
            asked = TrustAsked(self._clock(), str(self._project.file), self._project.text)
            self._emit(asked)

    def when_decided(self, go_on: Callable[[], None]) -> None:
        """Go on as soon as nothing waits for the person."""
        if self._state.trust is None:
            go_on()
        else:
            self._held = go_on

    def answer(self, *, trusted: bool) -> None:
        """Take the person's answer, and go on."""
        if self._state.trust is None or self._project is None:
            return
        self._emit(TrustAnswered(self._clock(), trusted))
        if trusted:
            self._use(self._project.servers)
            self._agreed.set()
        else:
            self._notify(None, "warning", self._project.left_out, None)
        held, self._held = self._held, None
        if held is not None:
            held()

    async def remember(self) -> None:
        """Keep a yes for this very content, so that nobody is asked again."""
        project, store = self._project, self._store
        if project is None or store is None:
            return
        await self._agreed.wait()
        self._store = None
        try:
            await to_thread.run_sync(store.trust, project.content, project.file)
        except OSError as error:
            words = f"{error.filename}: {error.strerror}"
            self._notify(None, "warning", "The trust can't be remembered", words)
