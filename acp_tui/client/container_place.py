"""Containers in which agents run (docker, podman)."""

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from secrets import token_hex

from acp_tui.client.place import ContainerPlace, Place, PlaceError
from acp_tui.config.settings import PlaceSettings

LABEL = "acp-tui"
"""The label of the containers that we start: its value identifies one agent."""


def container_place(
    program: str, where: str, settings: PlaceSettings, cwd: str, others: Sequence[str]
) -> Place:
    """Return the place for `docker:[OPTIONS] IMAGE`. Raises PlaceError."""
    try:
        *options, image = shlex.split(where) or [""]
    except ValueError as error:
        raise PlaceError(f"{program}:{where}: {error}") from None
    if not image or image.startswith("-"):
        raise PlaceError(f"{program}: name the image last, as in {program}:IMAGE, not {image!r}")
    there = (settings.folder or cwd).rstrip("/")
    if not there.startswith("/"):
        raise PlaceError(
            f"{program}: the folder in the container must begin with a slash and a name"
        )
    mounts = [(cwd, there), *((other, other) for other in others)]
    for path in (path for mount in mounts for path in mount):
        if set(path) & set(',"\n'):
            raise PlaceError(f"{program} can't mount a folder with a comma or a quote: {path!r}")
    container = ContainerPlace(program, f"{LABEL}={token_hex(8)}")
    start = partial(_wrap_for_container, container, (image, *options), mounts)
    files = f"here (there {there})" if cwd != there else "here"
    return Place(
        name=f"{program} {image}",
        served=f"Files: {files}. Commands: there.",
        wrap=partial(start, "--interactive"),
        folders=((cwd, there),) if cwd != there else (),
        shared=(cwd, *others),
        serves_terminals=False,
        sign_in=partial(start, "-it"),
        container=container,
    )


def _wrap_for_container(
    container: ContainerPlace,
    how: Sequence[str],
    mounts: Sequence[tuple[str, str]],
    kind: str,
    argv: Sequence[str],
    _cwd: str,
    env: Mapping[str, str],
) -> list[str]:
    """Wrap a command.

    Variables get their values from our environment, so that no list of processes shows them to
    other users.
    """
    image, *options = how
    bound = [f"--mount=type=bind,source={here},target={there}" for here, there in mounts]
    variables = [word for name in env for word in ("--env", name)]
    command = [container.program, "run", "--rm", kind, "--init", "--label", container.label, *bound]
    return [*command, "--workdir", mounts[0][1], *variables, *options, image, *argv]
