"""Runs programs of the user's and the agent's on the real terminal."""

import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from acp_tui.client.launch import Launch
from acp_tui.client.places.place import PlaceError
from acp_tui.client.process.foreground import NOT_STARTED, run_program
from acp_tui.config.settings import PlaceSettings
from acp_tui.state.authentication import Program


async def run_for(launch: Launch, program: Program) -> int:
    """Run a program of the user's here, or one of the agent's where the agent runs."""
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
