"""`acp-tui attach`, `--attach-tap` and `--keep`: start runs in the background, and show a kept run
or a tap.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.options import launch_options
from acp_tui.cli.options.launch_options import user_settings
from acp_tui.cli.output import USAGE, print_error
from acp_tui.cli.screen import first_error, has_terminal, prepare_look
from acp_tui.config.paths import kept_folder, taps_folder
from acp_tui.config.settings import AgentSettings

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import Recorder
    from acp_tui.host.hosts import AgentStart
    from acp_tui.kept.run_places import RunPlace


_EPILOG = """\
acp-tui attach                 the only run there is
acp-tui attach tea             the one of that name

exit codes: 0 left, or the run has ended; 1 the connection to it was lost; 2 usage, or there is no such run;
129, 130, 143 as with acp-tui"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "Show a run that is kept in the background (acp-tui --keep). Several terminals can show it at once."
    parser.epilog = _EPILOG
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="as acp-tui ps lists it (default: the only one)"
    )
    parser.add_argument("--theme", metavar="NAME", help="a theme of themes/*.toml")
    launch_options.add_setting_option(parser)


def execute(options: argparse.Namespace) -> int:
    """Show a kept run."""
    from acp_tui.kept.run_places import find_run

    return attach_run(options, lambda folder: find_run(folder, options.name))


def add_tap_option(parser: argparse.ArgumentParser) -> None:
    """Add the option `--attach-tap`."""
    parser.add_argument_group("tap").add_argument(
        "--attach-tap",
        metavar="NAME",
        nargs="?",
        const="",
        help="show what a running acp-tui tap passes on, and hold frames there (default: the only one)",
    )


def attach_tap(options: argparse.Namespace) -> int:
    """Show a running tap."""
    import anyio

    from acp_tui.kept.attach import show_tap
    from acp_tui.kept.run_places import KeptRunError
    from acp_tui.kept.tap_server import find_tap

    if options.agent_command:
        options.parser.error(
            "--attach-tap shows an agent that is already running: leave out -- and what follows"
        )
    if not has_terminal():
        return USAGE
    settings, theme = user_settings(), prepare_look(options)
    try:
        place = find_tap(taps_folder(), options.attach_tap)
        return anyio.run(partial(show_tap, place, settings, theme))
    except* KeptRunError as group:
        print_error(str(first_error(group)))
    return USAGE


Ready = Callable[[str], None]
"""Called in the background process, with the run's name, once a screen can attach to it."""


def run_in_background(work: Callable[[Ready], int]) -> str | int:
    """Run `work` in a background process. Return the run's name once it is ready, or the exit code
    if it can't start.

    This process forks: it must have no threads and no event loop yet.
    """
    theirs, ours = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(theirs)
        os.setsid()
        if os.fork() != 0:  # orphan the second child, so that nobody has to wait for it
            os._exit(0)
        _work_and_exit(work, ours)
    os.close(ours)
    os.waitpid(child, 0)
    with os.fdopen(theirs, "rb") as output:
        words = output.read().decode()
    kind, _, rest = words.partition(" ")
    if kind == "ready":
        return rest
    return int(rest) if kind == "ended" else 1


def _work_and_exit(work: Callable[[Ready], int], pipe: int) -> None:
    """Run `work` and exit, without the cleanup that the parent process is responsible for."""
    open_pipe = [pipe]

    def send(words: str) -> None:
        if open_pipe:
            descriptor = open_pipe.pop()
            os.write(descriptor, words.encode())
            os.close(descriptor)

    code = 1
    try:
        code = work(lambda name: send(f"ready {name}"))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        send(f"ended {code}")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def begin_run(options: argparse.Namespace, execute: Callable[[argparse.Namespace], int]) -> int:
    """Start a run with `execute`, in the background if `--keep` is set; return the exit code."""
    if options.keep is not None:
        return _begin_in_background(options, execute)
    return execute(options)


def _begin_in_background(
    options: argparse.Namespace, execute: Callable[[argparse.Namespace], int]
) -> int:
    """Start a run in the background, show it here, and return the exit code."""
    from acp_tui.kept.run_places import find_run, is_valid_name

    if not hasattr(os, "fork"):
        options.parser.error("--keep needs a system that has Unix sockets")
    if options.keep and not is_valid_name(options.keep):
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
    known: Mapping[str, AgentSettings],
    record: "Callable[[Launch], Recorder] | None",
    continue_command: str,
) -> int:
    """Host the agents of a kept run, in the background process; return the exit code."""
    import anyio

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
        print_error(str(error))
        return USAGE


def attach_run(options: argparse.Namespace, find: "Callable[[Path], RunPlace]") -> int:
    """Show a kept run; return the exit code."""
    import anyio

    from acp_tui.kept.attach import show_kept_run
    from acp_tui.kept.run_places import KeptRunError

    try:
        place = find(kept_folder())
    except KeptRunError as error:
        print_error(str(error))
        return USAGE
    if not has_terminal():
        return USAGE
    settings, theme = user_settings(), prepare_look(options)
    try:
        return anyio.run(partial(show_kept_run, place, settings.agents, settings, theme))
    except* KeptRunError as group:
        print_error(str(first_error(group)))
    return USAGE
