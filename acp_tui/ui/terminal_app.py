"""The app on this terminal: made as the settings want it, and run until it is left."""

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
from acp_tui.host.leave import LeaveSignal

if TYPE_CHECKING:
    from acp_tui.host.agent import Agent, Hosts
    from acp_tui.ui.app import AcpApp
    from acp_tui.ui.controllers.numbers import AllNumbers

_STARTED = 10.0
"""Seconds after which the start is over."""


def make_app(
    agents: Sequence["Agent"],
    hosts: "Hosts",
    settings: Settings,
    theme: str | None,
    exports_into: Path | None,
) -> "AcpApp":
    """Make the app as the settings want it. The process is its own from now on."""
    from acp_tui.ui.app import AcpApp
    from acp_tui.ui.controllers.controllers import Controllers

    app = AcpApp(agents, partial(Controllers, hosts=hosts), theme_name=theme)
    app.controllers.numbers.read_all = numbers_of_all
    app.controllers.drafts.folder = drafts_folder()
    app.controllers.drafts.use(wanted=settings.drafts)
    app.controllers.recall.path = prompts_file()
    app.controllers.recall.wanted = settings.history
    app.controllers.choices.path = choices_file()
    app.controllers.tips.path = used_keys_file()
    app.controllers.tips.wanted = settings.hints
    app.controllers.checkpoints.place = checkpoints_folder()
    app.controllers.checkpoints.where = settings.checkpoints.where
    app.controllers.questions.bell_enabled = settings.bell
    app.controllers.settings.followed.indexing_enabled = settings.index
    app.controllers.settings.file = settings_file()
    app.controllers.settings.followed.known = settings
    app.controllers.notifications.settings = settings.notify
    app.controllers.exports.folder = exports_into
    app.takes_terminal = watchdog.take_terminal
    app.controllers.external.holds_path = watchdog.add_path
    app.gc_control.enabled = True
    app.survives_faults = True
    return app


def numbers_of_all() -> "AbstractAsyncContextManager[AllNumbers]":
    """Ask the index of recordings for their numbers."""
    from acp_tui.index.overview import overview

    return overview()


async def show(app: "AcpApp", leave: LeaveSignal) -> None:
    """Run the app until it is left, a signal asks for that, or the terminal is gone. While nobody types,
    the index of recordings is kept up to date, if that is wanted.
    """
    from acp_tui.ui.textual_fixes.lifeline import terminal_gone

    async def leave_on_signal() -> None:
        await leave.asked.wait()
        app.exit(return_code=128 + leave.number)

    async def leave_without_terminal() -> None:
        await terminal_gone()
        app.exit(return_code=129)

    async def keep_index() -> None:
        await anyio.sleep(_STARTED)
        from acp_tui.index import background_update

        followed = app.controllers.settings.followed
        await background_update.keep_index(
            lambda: app.last_typed, lambda: followed.indexing_enabled
        )

    leave.is_lent = lambda: app.is_away
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(leave_on_signal)
        tasks.start_soon(leave_without_terminal)
        tasks.start_soon(keep_index)
        await app.run_async()
        tasks.cancel_scope.cancel()
