"""Ends containers that outlive the program that started them: docker's belong to its server."""

import subprocess

import anyio

from acp_tui.client.places.place import ContainerPlace

PATIENCE = 5.0
"""Seconds that each command to the server may take."""


async def kill(container: ContainerPlace) -> None:
    """Kill and remove what is left of a container; ignore a missing container or server."""
    which = ("--filter", f"label={container.label}")
    ids = await _ask(container.program, "ps", "--all", "--quiet", *which)
    if ids:
        await _ask(container.program, "kill", *ids)
        await _ask(container.program, "rm", "--force", *ids)


async def _ask(*argv: str) -> list[str]:
    """Run a command; return the words of its output."""
    try:
        with anyio.fail_after(PATIENCE):
            done = await anyio.run_process(
                argv, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
    except (OSError, TimeoutError):
        return []
    return done.stdout.decode("ascii", "replace").split()
