"""Keeps what an agent tells of itself, for the lists of agents of later runs."""

from functools import partial
from pathlib import Path

from anyio import move_on_after, to_thread

from acp_tui.client.core import Core
from acp_tui.config.seen_agents import keep_seen, seen_key
from acp_tui.protocol.events import Responded

PATIENCE = 1.0
"""Seconds that a slow disk may take when the agent is about to end."""


class LastSeen:
    """Notes the version when an agent begins, and that it works whenever a turn ends."""

    def __init__(self, core: Core, file: Path) -> None:
        self._core = core
        self._file = file
        core.register(
            responses={"initialize": self._initialized, "session/prompt": self._worked},
        )

    def _initialized(self, event: Responded) -> None:
        initialized = self._core.state.peer.initialized
        if initialized is not None and event.by is None:
            info = initialized.agent_info
            self._core.spawn(self._keep, "" if info is None else info.version, False)

    def _worked(self, event: Responded) -> None:
        if event.result is not None and event.by is None:
            self._core.spawn(self._keep, None, True)

    async def _keep(self, version: str | None, worked: bool) -> None:
        launch = self._core.launch
        command = launch.argv if launch.remote is None else (launch.remote.url,)
        keep = partial(
            keep_seen,
            self._file,
            seen_key(command, launch.place),
            version=version,
            worked=worked,
        )
        try:
            with move_on_after(PATIENCE, shield=True):
                await to_thread.run_sync(keep, abandon_on_cancel=True)
        except OSError:
            pass  # the list says less
