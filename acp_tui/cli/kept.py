"""Runs that are kept in the background: how they begin, and how they are shown."""

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.output import USAGE, complain
from acp_tui.cli.screen import has_terminal, look_of

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import Recorder
    from acp_tui.config.settings import AgentSettings
    from acp_tui.host.hosts import AgentStart
    from acp_tui.kept.background import Ready
    from acp_tui.kept.run_places import RunPlace


def begin_run(options: argparse.Namespace, execute: Callable[[argparse.Namespace], int]) -> int:
    """Begin a run by `execute`, in the background if it is to be kept; return the exit code."""
    if options.keep is not None:
        return _begin_in_background(options, execute)
    return execute(options)


def _begin_in_background(
    options: argparse.Namespace, execute: Callable[[argparse.Namespace], int]
) -> int:
    """Begin a run in the background, show it here, and return the exit code."""
    from acp_tui.kept.background import in_background
    from acp_tui.kept.run_places import find_run, is_name

    if not hasattr(os, "fork"):
        options.parser.error("--keep needs a system that has Unix sockets")
    if options.keep and not is_name(options.keep):
        options.parser.error("--keep: a name has up to 40 letters, digits, and any of _ . -")
    if not has_terminal():
        return USAGE
    look_of(options)

    def work(ready: "Ready") -> int:
        options.ready = ready
        return execute(options)

    begun = in_background(work)
    if isinstance(begun, int):
        return begun
    return attach(options, lambda folder: find_run(folder, begun))


def serve(
    options: argparse.Namespace,
    cwd: str,
    starts: "Sequence[AgentStart]",
    known: "Mapping[str, AgentSettings]",
    record: "Callable[[Launch], Recorder] | None",
    continue_command: str,
) -> int:
    """Host the agents of a kept run, in the background process; return the exit code."""
    import anyio

    from acp_tui.config.paths import kept_folder
    from acp_tui.kept import serve as daemon
    from acp_tui.kept.run_places import KeptRunError, claimed

    try:
        name = options.keep or None
        with claimed(kept_folder(), cwd, name, continue_command) as (place, listener):
            with suppress(OSError):
                daemon.leave_terminal(place.log)
            options.ready(place.name)
            return anyio.run(daemon.serve, place, listener, starts, known, record)
    except (KeptRunError, OSError) as error:
        complain(str(error))
        return USAGE


def attach(options: argparse.Namespace, find: "Callable[[Path], RunPlace]") -> int:
    """Show a kept run; return the exit code."""
    import anyio

    from acp_tui.cli.launch import settings_of_person
    from acp_tui.config.paths import kept_folder
    from acp_tui.kept.attach import with_attached
    from acp_tui.kept.run_places import KeptRunError

    try:
        place = find(kept_folder())
    except KeptRunError as error:
        complain(str(error))
        return USAGE
    if not has_terminal():
        return USAGE
    settings, theme = settings_of_person(), look_of(options)
    try:
        return anyio.run(partial(with_attached, place, settings.agents, settings, theme))
    except* KeptRunError as group:
        complain(str(_first(group)))
    return USAGE


def _first(error: BaseException) -> BaseException:
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
