"""Runs the user's and the agent's programs, such as a sign-in, on the real terminal."""

import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import anyio

from acp_tui.client.launch import Launch
from acp_tui.client.place import PlaceError
from acp_tui.client.process.orphans import orphans
from acp_tui.config.settings import PlaceSettings
from acp_tui.state.authentication import Program

NOT_STARTED = 127
"""Exit code of a program that can't be started, as in a shell."""
_PERIOD = 0.05


async def run_program(program: Program, env: Mapping[str, str]) -> int:
    """Run a program to its end and return its exit code as a shell would; `env` is the agent's.

    The program has the terminal until then: the caller must not draw on it.
    """
    orphans.expect_foreign()  # the program may leave a browser running
    try:
        process = subprocess.Popen(  # noqa: ASYNC220 - starting is quick
            program.argv,
            cwd=program.cwd,
            env={**os.environ, **env, **program.env},
            process_group=0,
        )
    except OSError:
        return NOT_STARTED
    with _in_front(process):
        while process.poll() is None:  # noqa: ASYNC110 - no event for its end
            await anyio.sleep(_PERIOD)
    code = process.returncode
    return code if code >= 0 else 128 - code


@contextmanager
def _in_front(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Put the process in the terminal's foreground; afterward kill it if it still runs, and take
    the terminal back.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        terminal = None
    try:
        _set_foreground(terminal, process.pid)
        _signal_process(process, signal.SIGCONT)  # it may have used the terminal too early
        yield
    finally:
        if process.poll() is None:
            _signal_process(process, signal.SIGKILL)
            process.wait()
        _set_foreground(terminal, os.getpgrp())
        if terminal is not None:
            os.close(terminal)


def _set_foreground(terminal: int | None, group: int) -> None:
    """Make a process group the foreground group of the terminal."""
    if terminal is None:
        return
    # From the background, this would stop us with SIGTTOU, so block that signal.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
    try:
        os.tcsetpgrp(terminal, group)
    except OSError:
        pass  # the program has ended already
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _signal_process(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(process.pid, number)
    except OSError:
        pass


async def run_for(launch: Launch, program: Program) -> int:
    """Run a user's program on this machine, or an agent's program where the agent runs."""
    if not program.of_agent:
        return await run_program(program, launch.env)
    place = launch.find_place()
    env: Mapping[str, str] = {**launch.env, **program.env}
    try:
        if place.sign_in is not None:
            argv = place.sign_in(program.argv, launch.cwd, env)
            program = program._replace(cwd=launch.cwd)
        else:
            argv, env = place.wrap_for_agent(program.argv, program.cwd, program.env)
    except PlaceError as error:
        sys.stderr.write(f"acp-tui: {error}\n")
        return NOT_STARTED
    return await run_program(program._replace(argv=tuple(argv), env=env), launch.env)


def program_facts(launch: Launch) -> dict[str, Any]:
    """Return the environment of an agent's programs as JSON, for `program_runner`."""
    return {
        "cwd": launch.cwd,
        "env": dict(launch.env),
        "place": launch.place,
        "places": {name: dict(vars(one)) for name, one in launch.places.items()},
        "folders": list(launch.additional_directories),
    }


def program_runner(facts: Mapping[str, Any]) -> Callable[[Program], Awaitable[int]]:
    """Return a function that runs the programs of an agent started by another process."""
    launch = Launch(
        (),
        facts["cwd"],
        facts["env"],
        place=facts["place"],
        places={name: PlaceSettings.model_validate(one) for name, one in facts["places"].items()},
        additional_directories=tuple(facts["folders"]),
    )
    return partial(run_for, launch)
