"""Starts runs that are kept in the background, and shows them."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.output import USAGE, complain
from acp_tui.cli.screen import first_error, has_terminal, prepare_look

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import Recorder
    from acp_tui.config.settings import AgentSettings
    from acp_tui.host.hosts import AgentStart
    from acp_tui.kept.run_places import RunPlace

Ready = Callable[[str], None]
"""Called by the process in the background once it can be found, with its name."""


def run_in_background(work: Callable[[Ready], int]) -> str | int:
    """Run the work in the background. Return the run's name once it is ready, or the exit code if it can't
    start. This process forks: it may have no threads and no event loop yet.
    """
    theirs, ours = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(theirs)
        os.setsid()
        if os.fork() != 0:  # nobody's child anymore: its end is for nobody to wait for
            os._exit(0)
        _work_and_exit(work, ours)
    os.close(ours)
    os.waitpid(child, 0)
    with os.fdopen(theirs, "rb") as told:
        words = told.read().decode()
    kind, _, rest = words.partition(" ")
    if kind == "ready":
        return rest
    return int(rest) if kind == "ended" else 1


def _work_and_exit(work: Callable[[Ready], int], pipe: int) -> None:
    """Run the work and end the process, without cleaning up what belongs to the caller."""
    open_pipe = [pipe]

    def tell(words: str) -> None:
        if open_pipe:
            descriptor = open_pipe.pop()
            os.write(descriptor, words.encode())
            os.close(descriptor)

    code = 1
    try:
        code = work(lambda name: tell(f"ready {name}"))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        tell(f"ended {code}")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def begin_run(options: argparse.Namespace, execute: Callable[[argparse.Namespace], int]) -> int:
    """Start a run by `execute`, in the background if it is to be kept; return the exit code."""
    if options.keep is not None:
        return _begin_in_background(options, execute)
    return execute(options)


def _begin_in_background(
    options: argparse.Namespace, execute: Callable[[argparse.Namespace], int]
) -> int:
    """Start a run in the background, show it here, and return the exit code."""
    from acp_tui.kept.run_places import find_run, is_name

    if not hasattr(os, "fork"):
        options.parser.error("--keep needs a system that has Unix sockets")
    if options.keep and not is_name(options.keep):
        options.parser.error("--keep: a name has up to 40 letters, digits, and any of _ . -")
    if not has_terminal():
        return USAGE
    prepare_look(options)

    def work(ready: "Ready") -> int:
        options.ready = ready
        return execute(options)

    begun = run_in_background(work)
    if isinstance(begun, int):
        return begun
    return attach_run(options, lambda folder: find_run(folder, begun))


def serve_run(
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
    from acp_tui.kept.run_places import KeptRunError, claim_name

    try:
        name = options.keep or None
        with claim_name(kept_folder(), cwd, name, continue_command) as (place, listener):
            with suppress(OSError):
                daemon.leave_terminal(place.log)
            options.ready(place.name)
            return anyio.run(daemon.serve_agents, place, listener, starts, known, record)
    except (KeptRunError, OSError) as error:
        complain(str(error))
        return USAGE


def attach_run(options: argparse.Namespace, find: "Callable[[Path], RunPlace]") -> int:
    """Show a kept run; return the exit code."""
    import anyio

    from acp_tui.cli.options.launch_options import settings_of_person
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
    settings, theme = settings_of_person(), prepare_look(options)
    try:
        return anyio.run(partial(with_attached, place, settings.agents, settings, theme))
    except* KeptRunError as group:
        complain(str(first_error(group)))
    return USAGE
