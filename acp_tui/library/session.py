"""A session of a hosted agent."""

from collections.abc import Sequence

import anyio

from acp_tui.library.changes import Changes
from acp_tui.library.connection import ClientConnection
from acp_tui.library.turn import Turn
from acp_tui.protocol.content import ContentBlock, TextContent
from acp_tui.state import state
from acp_tui.state.commands import Cancel, CloseSession, SendPrompt, SetConfigOption, SetMode

CANCEL_GRACE = 5.0
"""Seconds that the agent gets to end a canceled turn."""


class Session:
    """One conversation with an agent. `Agent.new_session` opens one."""

    session_id: str
    turns: list[Turn]
    """The turns that have ended, including failed ones, oldest first."""

    def __init__(self, connection: ClientConnection, session_id: str) -> None:
        self.session_id = session_id
        self.turns = []
        self._connection = connection

    @property
    def cwd(self) -> str:
        """The folder in which the session works."""
        return self._session.cwd

    @property
    def title(self) -> str | None:
        """The title that the agent gave it."""
        return self._session.title

    @property
    def mode(self) -> str | None:
        """The name of the current mode."""
        return self._session.mode

    @property
    def model(self) -> str | None:
        """The name of the current model."""
        return self._session.model

    @property
    def commands(self) -> tuple[str, ...]:
        """The names of the agent's slash commands."""
        return tuple(one.name for one in self._session.commands)

    @property
    def _session(self) -> state.Session:
        return self._connection.state.session(self.session_id)

    async def prompt(self, prompt: str | Sequence[ContentBlock]) -> Turn:
        """Send a prompt and wait for the end of its turn.

        If the wait is canceled, so is the turn (`session/cancel`). What a permission or elicitation
        callback raises is raised here.

        Raises:
            AgentExitedError: the agent is gone, or goes before the turn ends.
            NotPossibleError: a turn is under way, or the session is closed.
            RequestError: the agent answers with an error.
        """
        if not prompt:
            raise ValueError("the prompt is empty")
        blocks = (TextContent(text=prompt),) if isinstance(prompt, str) else tuple(prompt)
        request = self._connection.send(SendPrompt(self.session_id, blocks))
        try:
            await self._connection.answer(request)
            await self._connection.ended(self.session_id)
            await self._connection.settle(request.number)
        except BaseException:
            with anyio.move_on_after(CANCEL_GRACE, shield=True):
                await self.cancel()
            raise
        finally:
            self._keep(request.number)
        return self.turns[-1]

    def _keep(self, number: int) -> None:
        """Take the turn that this frame started, if it has ended."""
        turn = self._connection.turns.pop(number, None)
        if turn is not None:
            self.turns.append(turn)

    async def cancel(self) -> None:
        """Cancel the turn that is under way, and wait for its end."""
        self._connection.do(Cancel(self.session_id))
        await self._connection.until(lambda: self._session.turn is None)

    def changes(self) -> Changes:
        """Return the changes in this session from now on, for `async for`."""
        return self._connection.subscribe(self.session_id)

    async def set_mode(self, mode_id: str) -> None:
        """Switch to another mode. Raises as `prompt` does."""
        await self._connection.call(SetMode(self.session_id, mode_id))

    async def set_config_option(self, config_id: str, value: bool | str) -> None:
        """Set a config option. Raises as `prompt` does."""
        await self._connection.call(SetConfigOption(self.session_id, config_id, value))

    async def close(self) -> None:
        """End the session (`session/close`), if the agent offers that. Raises as `prompt` does."""
        await self._connection.call(CloseSession(self.session_id))
