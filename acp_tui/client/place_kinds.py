"""The kinds of places where agents can run: containers, ssh hosts, sandboxes, and any command
prefix.

`find_place` finds a place by its name in the settings, or by the value of `--in`.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from secrets import token_hex

from acp_tui.client.place import THIS_MACHINE, ContainerPlace, Place, PlaceError
from acp_tui.config.settings import PlaceSettings

LABEL = "acp-tui"
"""Label of the containers that acp-tui starts; its value identifies one agent."""


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
    """Wrap a command for a container.

    Variables are passed by name and get their values from our environment, so that other users
    can't read them in a list of processes.
    """
    image, *options = how
    bound = [f"--mount=type=bind,source={here},target={there}" for here, there in mounts]
    variables = [word for name in env for word in ("--env", name)]
    command = [container.program, "run", "--rm", kind, "--init", "--label", container.label, *bound]
    return [*command, "--workdir", mounts[0][1], *variables, *options, image, *argv]


_ALIVE = ("-o", "ServerAliveInterval=30")
"""ssh options that detect a dead connection after a minute and a half."""

# sh replaces the login shell at once. Our messages reach the agent through cat, so that EOF is
# noticed: it ends the agent's input, and two seconds later the agent and all its children are
# terminated, after two more killed. It is one line without backslashes, since not every login shell
# quotes them the same way.
_SCRIPT = (
    'cd -- "$1" || { echo "acp-tui: there is no folder $1 on this machine: '
    'name it, as in ssh:HOST:/folder" >&2; exit 72; }; '
    'shift; pipe=$(mktemp -d) && mkfifo "$pipe/in" || exit 73; '
    "alone=$(command -v setsid); exec 3<&0; "
    '{ cat <&3 >"$pipe/in"; sleep 2; kill -s TERM $$; sleep 2; kill -s USR1 $$; } >/dev/null 2>&1 & '
    "feeder=$!; "
    '{ exec <"$pipe/in" 3<&-; rm -rf "$pipe"; exec $alone "$@"; } & '
    "agent=$!; exec </dev/null 3<&-; "
    'end() { kill -s "$1" -- -$agent || kill -s "$1" $agent; } 2>/dev/null; '
    "trap 'end TERM' TERM HUP INT; trap 'end KILL' USR1; "
    "while :; do wait $agent; code=$?; kill -s 0 $agent 2>/dev/null || break; done; "
    "kill $feeder 2>/dev/null; exit $code"
)


def ssh_place(where: str, settings: PlaceSettings, cwd: str) -> Place:
    """Return the place for `ssh:[OPTIONS] HOST[:/FOLDER]`. Raises PlaceError."""
    *options, target = _words(where)
    host, colon, folder = target.partition(":/")
    there = settings.folder or (f"/{folder}" if colon else cwd)
    if not host or host.startswith("-"):
        raise PlaceError(
            f"ssh: name the machine last, as in ssh:-p 2222 HOST:/folder, not {target!r}"
        )
    if not there.startswith("/"):
        raise PlaceError(f"ssh: the folder on {host} must begin with a slash, not {there!r}")
    wrap = partial(_wrap_for_ssh, (*options, *_ALIVE), host, there)
    sign_in = partial(_sign_in, options, host, there)
    name = f"ssh {host}"
    if settings.files == "here":
        return Place(
            name=name,
            served=f"Files: here (there {there}). Commands: there.",
            wrap=wrap,
            folders=((cwd, there),),
            shared=(cwd,),
            serves_terminals=False,
            sign_in=sign_in,
        )
    return Place(
        name=name,
        served="Files and commands: there. It gets none of this machine's.",
        wrap=wrap,
        folder=there,
        serves_files=False,
        serves_terminals=False,
        sign_in=sign_in,
    )


def _words(where: str) -> list[str]:
    try:
        words = shlex.split(where)
    except ValueError as error:
        raise PlaceError(f"ssh:{where}: {error}") from None
    if not words:
        raise PlaceError("ssh: name the machine, as in ssh:HOST or ssh:HOST:/folder")
    return words


def _sign_in(
    options: Sequence[str],
    host: str,
    there: str,
    argv: Sequence[str],
    _cwd: str,
    env: Mapping[str, str],
) -> list[str]:
    program = [*_variables(env), *argv]
    remote = ["exec", "sh", "-c", 'cd -- "$1" && shift && exec "$@"', "sh", there, *program]
    return ["ssh", *options, "-t", "--", host, shlex.join(remote)]


def _wrap_for_ssh(
    options: Sequence[str],
    host: str,
    there: str,
    argv: Sequence[str],
    _cwd: str,
    env: Mapping[str, str],
) -> list[str]:
    remote = ["exec", "sh", "-c", _SCRIPT, "sh", there, *_variables(env), *argv]
    return ["ssh", *options, "-T", "--", host, shlex.join(remote)]


def _variables(env: Mapping[str, str]) -> list[str]:
    return ["env", *(f"{name}={value}" for name, value in env.items())] if env else []


_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/etc", "/opt", "/nix", "/gnu", "/snap", "/run/current-system"),
)
"""System folders that programs need, mounted read-only."""
_SANDBOX_TIMEOUT = 10.0
"""Seconds to wait for the test run of an empty sandbox."""
_ISOLATION = (
    *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--new-session", "--die-with-parent", "--cap-drop", "ALL"),
    # root could change kernel settings even there, such as the program run when another one crashes
    *("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"),
    *("--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108 - it is the sandbox's own
)


def sandbox_place(settings: PlaceSettings, cwd: str, others: Sequence[str]) -> Place:
    """Return the place for a sandbox around the project's folder. Raises PlaceError."""
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
    """Return the paths that aren't inside another one: the agent, which can write to the outer
    folder, could replace the inner one by a link.
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
    apart = [*_ISOLATION, *(() if network else ("--unshare-net",))]
    system = [word for path in _system() for word in ("--ro-bind-try", path, path)]
    return [bwrap, *apart, *system, *mounts, "--remount-ro", "/", "--chdir", cwd, "--", *argv]


def _bwrap(writable: Sequence[str]) -> str | None:
    """Return the path of bubblewrap outside the project, where the agent may have planted another
    one.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        real = Path(os.path.realpath(folder))
        if Path(folder).is_absolute() and not any(map(real.is_relative_to, writable)):
            found = shutil.which("bwrap", path=folder)
            if found is not None:
                return found
    return None


def _system() -> list[str]:
    """Return the system's folders, and resolv.conf's target if it is a link into /run."""
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
    """Return the reason why this machine can't create the sandbox, or None; tries it without the
    agent.
    """
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


_CONTAINERS = ("docker", "podman")


def find_place(
    name: str, known: Mapping[str, PlaceSettings], cwd: str, others: Sequence[str] = ()
) -> Place:
    """Return the place for an agent whose project is in `cwd` and the `others`.

    An impossible place is returned, too; its `wrap` raises the reason.
    """
    if not name:
        return THIS_MACHINE
    settings = known.get(name) or PlaceSettings(where=name)
    try:
        return _make_place(settings, cwd, others)
    except PlaceError as error:
        return Place(name=name, wrap=partial(_refuse_start, str(error)))


def explain_trouble(place: Place, argv: Sequence[str], cwd: str) -> str | None:
    """Return the reason why an agent can't be started at a place, or None if none is known in
    advance.
    """
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
    """Check that this kind of place supports the settings. Raises PlaceError."""
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
