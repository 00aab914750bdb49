"""A screen of a kept run or a tap: the usual app, with agents that are hosted by another process."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import anyio

from acp_tui.client.errors import reporting_faults
from acp_tui.client.process.watchdog import watchdog
from acp_tui.config.settings import AgentSettings, Settings
from acp_tui.host.agent import Agent
from acp_tui.host.leave import QuitSignal, quit_signals
from acp_tui.kept.messages import MessageError, SocketConnection
from acp_tui.kept.remote import RemoteHosts
from acp_tui.kept.run_places import RUN_TIMEOUT, KeptRunError, RunPlace, screen_name
from acp_tui.kept.summary import how_to_attach, how_to_continue, is_over
from acp_tui.state.changes import Change
from acp_tui.state.commands import HOLDING, Command
from acp_tui.text import clean_line
from acp_tui.ui.terminal_app import make_app, run_until_exit

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpApp

NOTICE_DELAY = 1.0
"""Seconds of reading the records after which the user is told to wait."""
NOTICE_SECONDS = 5.0
"""Seconds for which a message about other screens is shown."""
_TAP_KEYS = [("tab", "read")]
_TAP_WELCOME = ["What the editor and its agent say comes here."]


class _AppView:
    """Passes news of the run to the app; agents and messages only once the app is ready."""

    def __init__(self, app: "AcpApp") -> None:
        self._app = app

    def changed(self, agent: Agent, changes: list[Change]) -> None:
        self._app.changed(agent, changes)

    def appeared(self, agent: Agent) -> None:
        self._app.call_later(self._app.feature.agents.appeared, agent)

    def vanished(self, agent: Agent) -> None:
        self._app.call_later(self._app.feature.agents.vanished, agent)

    def show_message(self, words: str) -> None:
        notify = partial(self._app.notify, timeout=NOTICE_SECONDS, markup=False)
        self._app.call_later(notify, clean_line(words))


async def show_kept_run(
    place: RunPlace, known: Mapping[str, AgentSettings], settings: Settings, theme: str | None
) -> int:
    """Show a kept run until the user leaves, or the run ends; return the exit code.

    Raises KeptRunError.
    """

    def build_app(hosts: RemoteHosts) -> tuple["AcpApp", _AppView]:
        if not hosts.agents:
            raise KeptRunError(f"{place.name} has no agents left: acp-tui stop {place.name}")
        app = make_app(list(hosts.agents), hosts, settings, theme, None)
        app.feature.leaving.run = hosts
        app.feature.notices.shown_elsewhere = not hosts.is_first
        return app, _AppView(app)

    command = place.continue_command  # read it now: its file is deleted with the run
    hosts, code, ended = await _show_app(place, known, build_app)
    return _print_farewell(place, hosts, code, command) if ended else code


async def show_tap(place: RunPlace, settings: Settings, theme: str | None) -> int:
    """Show a tap until the user leaves, or the tap ends; return the exit code.

    Frames can be held here; everything else is up to the editor. Raises KeptRunError.
    """

    def build_app(hosts: RemoteHosts) -> tuple["AcpApp", _AppView]:
        app = make_app(list(hosts.agents), hosts, settings, theme, None)
        view = _AppView(app)
        for agent in hosts.agents:
            agent.do = partial(_hold_only, agent.do, view)
        show = partial(app.conversation.only_show, _TAP_KEYS, "A tap: only its editor sends")
        app.call_later(partial(show, _TAP_WELCOME))
        app.call_later(app.feature.inspector.toggle)
        return app, view

    hosts, code, ended = await _show_app(place, {}, build_app)
    if ended:
        words = "has ended" if hosts.is_disconnected else "goes on; nothing is held there anymore"
        sys.stdout.write(f"the tap {place.name} {words}\n")
    return code


async def _show_app(
    place: RunPlace,
    known: Mapping[str, AgentSettings],
    build_app: "Callable[[RemoteHosts], tuple[AcpApp, _AppView]]",
) -> tuple[RemoteHosts, int, bool]:
    """Show the app that `build_app` returns for a run, until the user leaves or the run ends.

    Return the run, the exit code, and whether the app was shown: a signal may have prevented it.
    """
    watchdog.start()  # restores the terminal if this process is killed
    connection = SocketConnection(place.connect(RUN_TIMEOUT))
    hosts = RemoteHosts(connection, known)
    leave = QuitSignal()
    async with anyio.create_task_group() as tasks:
        with anyio.open_signal_receiver(*quit_signals()) as signals:
            tasks.start_soon(leave.handle, signals, lambda: None)
            if not await _read_existing(place, hosts, leave):
                tasks.cancel_scope.cancel()
                return hosts, 128 + leave.number, False
            app, hosts.view = build_app(hosts)
            view = hosts.view
            tasks.start_soon(_write_commands, hosts)
            tasks.start_soon(_follow_run, hosts, app)
            with reporting_faults(
                lambda doing, error: view.show_message(f"a fault in {doing}: {error}")
            ):
                await run_until_exit(app, leave)
            await hosts.wait_until_sent()
            tasks.cancel_scope.cancel()
    connection.close()
    return hosts, app.return_code or 0, True


def _hold_only(do: Callable[[Command], None], view: _AppView, command: Command) -> None:
    if isinstance(command, HOLDING):
        do(command)
    else:
        view.show_message(
            "This conversation is the editor's: here you can look, and hold frames (F12)."
        )


async def _read_existing(place: RunPlace, hosts: RemoteHosts, leave: QuitSignal) -> bool:
    """Read all existing records; return False if a signal interrupted that."""

    async def explain_delay() -> None:
        await anyio.sleep(NOTICE_DELAY)
        sys.stderr.write(f"acp-tui: reading all that was said in {place.name} ...\n")

    async with anyio.create_task_group() as tasks, leave.calling(tasks.cancel_scope.cancel):
        tasks.start_soon(explain_delay)
        await _read_all(place, hosts)
        tasks.cancel_scope.cancel()
    return not leave.requested.is_set()


async def _read_all(place: RunPlace, hosts: RemoteHosts) -> None:
    try:
        await hosts.begin(screen_name())
    except MessageError as error:
        raise KeptRunError(str(error)) from error
    except (OSError, EOFError) as error:
        words = f"{place.name} has ended; what it wrote: {place.log}"
        raise KeptRunError(words) from error


async def _follow_run(hosts: RemoteHosts, app: "AcpApp") -> None:
    """Follow the run; exit the app once the run has ended."""
    try:
        await hosts.follow()
    except (OSError, MessageError):
        pass  # the run is gone, or its messages are invalid
    hosts.is_disconnected = True
    app.exit()


async def _write_commands(hosts: RemoteHosts) -> None:
    try:
        await hosts.write()
    except OSError:
        pass  # reading fails, too, and its error is reported


def _print_farewell(place: RunPlace, hosts: RemoteHosts, code: int, command: str) -> int:
    """Print how the run ended, and the command that continues it; return the exit code."""
    name = place.name
    if hosts.end_reason:
        sys.stdout.write(f"{name} has ended: {clean_line(hosts.end_reason)}\n")
        sys.stdout.write(how_to_continue(hosts.agents, command))
    elif hosts.is_disconnected:
        words = f"the connection to {name} was lost; if it is still running: acp-tui attach {name}"
        sys.stderr.write(f"acp-tui: {words}\nwhat it wrote: {place.log}\n")
        return code or 1
    elif all(is_over(agent.state) for agent in hosts.agents):
        sys.stdout.write(f"{name} ends with its last screen: its agents have ended\n")
        sys.stdout.write(how_to_continue(hosts.agents, command))
    elif code != 129:  # after SIGHUP there is no terminal to print to
        sys.stdout.write(how_to_attach(name, hosts.agents, command))
    return code
