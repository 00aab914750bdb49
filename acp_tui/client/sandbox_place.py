"""Sandboxes around a project's folder, in which agents run (bubblewrap)."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from acp_tui.client.place import Place, PlaceError
from acp_tui.config.settings import PlaceSettings

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/etc", "/opt", "/nix", "/gnu", "/snap", "/run/current-system"),
)
"""System folders that programs need, mounted read-only."""
_SANDBOX_TIMEOUT = 10.0
"""Seconds that the kernel gets to make an empty sandbox."""
_APART = (
    *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--new-session", "--die-with-parent", "--cap-drop", "ALL"),
    # root could set the kernel's settings even there, such as what is run when a program crashes
    *("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"),
    *("--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108 - it is the sandbox's own
)


def sandbox_place(settings: PlaceSettings, cwd: str, others: Sequence[str]) -> Place:
    """Return the place of a sandbox around the project's folder. Raises PlaceError."""
    home = os.path.realpath(Path("~").expanduser())
    readable = [_existing(path) for path in settings.read]
    writable = [cwd, *others, *(_existing(path) for path in settings.write)]
    for path in (*writable, *readable):
        if Path(home).is_relative_to(path):
            raise PlaceError(
                f"a sandbox that shows {path} would show all of your home folder: "
                "work in a folder inside it (--cwd DIR)"
            )
    mounts = ["--tmpfs", home]
    for how, paths in (("--ro-bind", readable), ("--bind", _outermost(writable))):
        mounts += [word for path in paths for word in (how, path, path)]
    net = "on" if settings.network else "off"
    more = "".join(f", {path}" for path in writable[1:])
    reads = f"; to read: {', '.join(readable)}" if readable else ""
    return Place(
        name="sandbox" if settings.network else "sandbox without network",
        served=f"Files and commands: only the project{more}{reads}. Network: {net}.",
        wrap=partial(_wrap_for_sandbox, settings.network, mounts, readable, writable),
        shared=(*readable, *writable),
        written=tuple(writable),
        is_sandbox=True,
    )


def _existing(name: str) -> str:
    path = os.path.realpath(Path(name).expanduser())
    if not Path(path).exists():
        raise PlaceError(f"the sandbox can't show {name!r}: there is no such file or folder")
    return path


def _outermost(paths: Sequence[str]) -> list[str]:
    """Return the paths that are in no other one: whoever can write there could replace an inner one
    by a link.
    """
    return [
        path
        for path in paths
        if not any(Path(path).is_relative_to(one) for one in paths if one != path)
    ]


def _wrap_for_sandbox(
    network: bool,
    mounts: Sequence[str],
    readable: Sequence[str],
    writable: Sequence[str],
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
) -> list[str]:
    bwrap = _bwrap(writable)
    if sys.platform != "linux" or bwrap is None:
        raise PlaceError(
            "no sandbox: it needs bubblewrap (bwrap), which is not installed; "
            "on Debian and Ubuntu: apt install bubblewrap. It only runs on Linux"
        )
    _check_program(argv[0], (*readable, *writable), env.get("PATH"))
    apart = [*_APART, *(() if network else ("--unshare-net",))]
    system = [word for path in _system() for word in ("--ro-bind-try", path, path)]
    return [bwrap, *apart, *system, *mounts, "--remount-ro", "/", "--chdir", cwd, "--", *argv]


def _bwrap(writable: Sequence[str]) -> str | None:
    """Find bubblewrap, but none in the project, where the agent may have put it."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        real = Path(os.path.realpath(folder))
        if Path(folder).is_absolute() and not any(map(real.is_relative_to, writable)):
            found = shutil.which("bwrap", path=folder)
            if found is not None:
                return found
    return None


def _system() -> list[str]:
    """Return the system's folders, and that of resolv.conf if it is a link."""
    resolver = os.path.realpath("/etc/resolv.conf")
    return [*_SYSTEM, *([resolver] if resolver.startswith("/run/") else [])]


def _check_program(name: str, shown: Sequence[str], path: str | None) -> None:
    """Raise PlaceError if the sandbox doesn't show the program."""
    found = shutil.which(name, path=path)
    if found is None:
        return
    for one in (Path(found).absolute(), Path(os.path.realpath(found))):
        if not any(one.is_relative_to(folder) for folder in (*_SYSTEM, *shown)):
            which = "" if str(one) == name else f", which is {str(one)!r}"
            raise PlaceError(
                f"the sandbox doesn't show {name!r}{which}: "
                f"let the agent read it, with all that it needs (--sandbox-read {one.parent})"
            )


def explain_no_sandbox(place: Place, cwd: str) -> str | None:
    """Return why this machine can't make the sandbox, or None; tries it without the agent."""
    try:
        command = place.wrap(["true"], cwd, {})
        made = subprocess.run(
            command, capture_output=True, text=True, timeout=_SANDBOX_TIMEOUT, check=False
        )
    except PlaceError as error:
        return str(error)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no sandbox: {error}"
    if made.returncode == 0:
        return None
    return (
        f"no sandbox: this machine doesn't let bubblewrap make one ({made.stderr.strip()}); "
        "it needs user namespaces (see docs/places.md), which containers and some systems forbid"
    )
