"""Builds the app from the settings, and runs it on this terminal until the user quits."""

import select
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from acp_tui.client.process.watchdog import watchdog
from acp_tui.config.paths import (
    checkpoints_folder,
    choices_file,
    drafts_folder,
    prompts_file,
    settings_file,
    used_keys_file,
)
from acp_tui.config.settings import Settings
from acp_tui.host.leave import QuitSignal

if TYPE_CHECKING:
    from acp_tui.host.agent import Agent, Hosts
    from acp_tui.ui.app import AcpApp
    from acp_tui.ui.inspector.all_numbers import AllNumbers

_STARTED = 10.0
"""Seconds before the index of recordings is updated, so that startup is not slowed down."""
_PERIOD = 1.0
"""Seconds between checks that the terminal is still there."""


def make_app(
    agents: Sequence["Agent"],
    hosts: "Hosts",
    settings: Settings,
    theme: str | None,
    exports_into: Path | None,
) -> "AcpApp":
    """Build the app from the settings. Assumes that the process runs nothing else."""
    from acp_tui.ui.app import AcpApp
    from acp_tui.ui.features import Features

    app = AcpApp(agents, partial(Features, hosts=hosts), theme_name=theme)
    app.feature.numbers.read_all = numbers_of_all
    app.feature.drafts.folder = drafts_folder()
    app.feature.recall.path = prompts_file()
    app.feature.choices.path = choices_file()
    app.feature.tips.path = used_keys_file()
    app.feature.checkpoints.place = checkpoints_folder()
    app.feature.settings.start(settings, settings_file())
    app.feature.exports.folder = exports_into
    app.on_terminal_taken = watchdog.guard_terminal
    app.feature.external.on_temporary_folder = watchdog.add_path
    app.gc_control.enabled = True
    app.survives_faults = True
    return app


def numbers_of_all() -> "AbstractAsyncContextManager[AllNumbers]":
    """Open the index of recordings, for the statistics of all of them."""
    from acp_tui.index.background import open_overview

    return open_overview()


async def run_until_exit(app: "AcpApp", leave: QuitSignal) -> None:
    """Run the app until the user quits, a signal ends it, or the terminal is gone.

    While nobody types, the index of recordings is updated, if the settings allow it.
    """

    async def exit_on_signal() -> None:
        await leave.requested.wait()
        app.exit(return_code=128 + leave.number)

    async def exit_without_terminal() -> None:
        await _wait_for_hangup()
        app.exit(return_code=129)

    async def keep_index() -> None:
        await anyio.sleep(_STARTED)
        from acp_tui.index import background

        followed = app.feature.settings.followed
        await background.update_when_idle(lambda: app.last_typed, lambda: followed.indexing_enabled)

    leave.is_lent = lambda: app.is_suspended
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(exit_on_signal)
        tasks.start_soon(exit_without_terminal)
        tasks.start_soon(keep_index)
        await app.run_async()
        tasks.cancel_scope.cancel()


async def _wait_for_hangup() -> None:
    """Wait until the terminal on stdin has hung up; forever, if that can't be detected.

    Closing a terminal's window may send no signal. Reading stdin would show it, too, but the app
    itself does the reading.
    """
    if not hasattr(select, "poll"):
        await anyio.sleep_forever()
    poll = select.poll()
    poll.register(sys.stdin.fileno(), 0)
    hangup = select.POLLHUP | select.POLLERR
    while not any(seen & hangup for _, seen in poll.poll(0)):  # noqa: ASYNC110 - nothing sets an event
        await anyio.sleep(_PERIOD)
