"""Finds where an agent runs, by a name in the settings or by what `--in` describes: a container, another
machine, a sandbox, or behind any prefix.
"""

import shlex
from collections.abc import Mapping, Sequence
from functools import partial

from acp_tui.client.container_place import container_place
from acp_tui.client.place import THIS_MACHINE, Place, PlaceError
from acp_tui.client.sandbox_place import explain_no_sandbox, sandbox_place
from acp_tui.client.ssh_place import ssh_place
from acp_tui.config.settings import PlaceSettings

_CONTAINERS = ("docker", "podman")


def find_place(
    name: str, known: Mapping[str, PlaceSettings], cwd: str, others: Sequence[str] = ()
) -> Place:
    """Return the place for an agent whose project is in `cwd`, and in `others`.

    An impossible place is returned as well: its `wrap` raises the reason.
    """
    if not name:
        return THIS_MACHINE
    settings = known.get(name) or PlaceSettings(where=name)
    try:
        return _make_place(settings, cwd, others)
    except PlaceError as error:
        return Place(name=name, wrap=partial(_refuse_start, str(error)))


def explain_trouble(place: Place, argv: Sequence[str], cwd: str) -> str | None:
    """Return why an agent can't be started at a place, if that can be known beforehand."""
    try:
        place.wrap(argv, cwd, {})
    except PlaceError as error:
        return str(error)
    return explain_no_sandbox(place, cwd) if place.is_sandbox else None


def _refuse_start(why: str, _argv: Sequence[str], _cwd: str, _env: Mapping[str, str]) -> list[str]:
    raise PlaceError(why)


def _make_place(settings: PlaceSettings, cwd: str, others: Sequence[str]) -> Place:
    where = settings.where
    kind, colon, rest = where.partition(":")
    _check_settings(settings, kind if colon else "")
    if colon and kind == "ssh":
        return ssh_place(rest, settings, cwd)
    if colon and kind in _CONTAINERS:
        return container_place(kind, rest, settings, cwd, others)
    if where == "bwrap":
        return sandbox_place(settings, cwd, others)
    try:
        prefix = shlex.split(where)
    except ValueError as error:
        raise PlaceError(f"{where}: {error}") from None
    if not prefix:
        raise PlaceError("an empty place: name a command, ssh:HOST, docker:IMAGE or bwrap")
    served = "Files and commands: here."
    return Place(name=where, served=served, wrap=partial(_prefixed, prefix))


def _check_settings(settings: PlaceSettings, kind: str) -> None:
    """Refuse settings that this kind of place doesn't support. Raises PlaceError."""
    is_sandbox = settings.where == "bwrap"
    if not is_sandbox and (not settings.network or settings.read or settings.write):
        raise PlaceError(f"{settings.where}: network, read and write can only be set for bwrap")
    if settings.folder is not None and kind not in ("ssh", *_CONTAINERS):
        raise PlaceError(f"{settings.where}: a folder of another name is for ssh and containers")
    if settings.files is not None and kind != "ssh":
        raise PlaceError(f"{settings.where}: files can only be set for ssh")


def _prefixed(
    prefix: Sequence[str], argv: Sequence[str], _cwd: str, _env: Mapping[str, str]
) -> list[str]:
    return [*prefix, *argv]
