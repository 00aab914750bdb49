"""Other machines on which agents run, by ssh."""

import shlex
from collections.abc import Mapping, Sequence
from functools import partial

from acp_tui.client.place import Place, PlaceError
from acp_tui.config.settings import PlaceSettings

_ALIVE = ("-o", "ServerAliveInterval=30")
"""Detects a dead connection after a minute and a half."""

# The login shell is replaced by sh at once. Our messages reach the agent through cat, which sees
# EOF: then the agent's input ends, and two seconds later the agent is killed with all that it has
# started. One line without backslashes: not every login shell quotes them the same way.
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
