"""A run that starts with a window: it ends with the window, unless the user keeps it in the
background.
"""

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import anyio
import anyio.lowlevel

from acp_tui.client.launch import Launch
from acp_tui.client.process.orphans import orphans
from acp_tui.client.recorder import Recorder
from acp_tui.config.paths import kept_folder
from acp_tui.config.settings import AgentSettings, Settings
from acp_tui.host.hosts import AgentStart, AppHosts, host_agents
from acp_tui.host.leave import QuitSignal
from acp_tui.kept.summary import how_to_continue
from acp_tui.ui.terminal_app import make_app, run_until_exit

if TYPE_CHECKING:
    from socket import socket

    from acp_tui.kept.foreground import Foreground
    from acp_tui.kept.run_places import RunPlace


class WindowLook(NamedTuple):
    """The app's settings and theme, the command that continues the session later, and where exports
    are written.
    """

    settings: Settings
    theme: str | None
    continue_command: Callable[[], str]
    exports_into: Path | None = None


class KeepableRun:
    """A run that still has its window, and ends with it unless the user keeps it."""

    kept_by_default = False

    def __init__(self, cwd: str, claims: ExitStack, continue_command: Callable[[], str]) -> None:
        self.claimed: tuple[RunPlace, socket] | None = None
        """The place and socket of the run, once it is to be kept."""
        self._cwd = cwd
        self._claims = claims
        self._continue_command = continue_command

    @property
    def name(self) -> str:
        """The name that the run would be kept under."""
        from acp_tui.kept.run_places import free_name

        return free_name(kept_folder(), self._cwd)

    def stop(self) -> None:
        """Do nothing: the run ends with its window anyway."""

    def keep(self) -> None:
        """Keep the run in the background. Raises KeptRunError."""
        from acp_tui.kept.run_places import KeptRunError, claim_name

        folder = kept_folder()
        try:
            self.claimed = self._claims.enter_context(
                claim_name(folder, self._cwd, None, self._continue_command())
            )
        except OSError as error:
            raise KeptRunError(f"nothing can be kept in {folder}: {error.strerror}") from error


async def show_ui(
    starts: Sequence[AgentStart],
    known: Mapping[str, AgentSettings],
    record: Callable[[Launch], Recorder] | None,
    look: WindowLook,
    foreground: "Foreground | None" = None,
) -> int:
    """Run the UI and, if the user keeps it, the run in the background; return the exit code."""
    with ExitStack() as claims:
        run = KeepableRun(starts[0].launch.cwd, claims, look.continue_command)
        async with anyio.create_task_group() as connections:
            async with host_agents() as (hosts, leave):
                app_hosts = AppHosts(hosts, starts[0].launch, known, record)
                code = await _with_window(starts, app_hosts, look, leave, run, foreground)
                if foreground is None or run.claimed is None:
                    return code
                from acp_tui.kept.serve import Service

                service = Service(*run.claimed, connections)
                service.leave_window(foreground, app_hosts.agents)
                await service.host(hosts, app_hosts, leave, was_seen=True)
            await service.say_goodbye()
    return 0


async def _with_window(
    starts: Sequence[AgentStart],
    hosts: AppHosts,
    look: WindowLook,
    leave: QuitSignal,
    run: KeepableRun,
    foreground: "Foreground | None",
) -> int:
    """Show the agents until the user leaves; return the exit code."""
    async with anyio.create_task_group() as tasks:
        agents = [hosts.start(start) for start in starts]
        await anyio.lowlevel.checkpoint()  # let the agents start while the UI is loading
        app = hosts.app = make_app(agents, hosts, look.settings, look.theme, look.exports_into)
        del agents  # the app drops each agent when it is closed
        app.feature.external.before_program = orphans.expect_foreign
        if foreground is not None:
            app.feature.leaving.run = run
            tasks.start_soon(foreground.watch)
        await run_until_exit(app, leave)
        tasks.cancel_scope.cancel()
    hosts.app = None
    if not app.return_code and run.claimed is None:
        sys.stdout.write(how_to_continue(hosts.agents, look.continue_command()))
        sys.stdout.flush()  # the agents may take a while to exit
    if app.return_code == 1:
        sys.stderr.write(_describe_fault(hosts))
    return app.return_code or 0


def _describe_fault(hosts: AppHosts) -> str:
    """Return what to print below the traceback of a bug of ours."""
    from acp_tui.ui.textual_fixes.faults import BROKE

    words = BROKE
    for path in hosts.recordings:
        words += f"What was said until then: acp-tui replay {shlex.quote(str(path))}\n"
    return words
