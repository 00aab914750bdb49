"""Ends our process groups if we are killed before we can end them.

A separate shell reads which groups are ours. When we are gone, for whatever reason, it reads EOF.
It gives the groups a moment, then ends those that are left, and the processes that left them but
are still recognizable by session, environment or parents. It also removes our temporary files and
folders. Before all else it restores the terminal, if we had taken it; it opens the terminal when we
take it, since another window may have its name once ours is closed.
"""

import os
from contextlib import suppress
from pathlib import Path

from acp_tui.client.process.table import PS_ENVIRONMENTS, Process

SCRIPT = r"""
trap '' HUP INT TTOU
environments=$1
processes() {  # one a line: id, parent, group, session
  if [ -r /proc/self/stat ]; then
    for stat in /proc/[0-9]*/stat; do
      IFS= read -r line < "$stat" || continue
      id=${stat#/proc/}
      set -- ${line##*) }
      [ "$1" = Z ] || echo "${id%/stat} $2 $3 $4 ${20}"
    done
  else
    ps -A -o pid=,ppid=,pgid=,stat= | while read -r id parent group stat; do
      case $stat in Z*) ;; *) echo "$id $parent $group 0 0" ;; esac
    done
  fi
}
strays() {  # ids of processes that were reported, or seen, to come from the groups
  for one in $strays; do
    IFS= read -r line < "/proc/${one%:*}/stat" || continue
    set -- ${line##*) }
    case "$1 ${20}" in Z*) ;; *" ${one#*:}") echo "${one%:*}" ;; esac
  done
}
marked() {  # ids of processes whose environment has the mark of a group
  [ -n "$groups" ] || return
  if [ -r /proc/self/stat ]; then
    set --
    for one in $groups; do set -- "$@" -e "${one#*:}"; done
    grep -lF "$@" /proc/[0-9]*/environ | tr -dc '0-9\n'
  else
    ps $environments -o pid=,command= | while read -r id words; do
      for one in $groups; do case $words in *"${one#*:}"*) echo "$id" ;; esac; done
    done
  fi
}
find_all() {  # what came from the groups, wherever it went
  all=$(processes) found=" $(echo $(marked) $(strays)) " old=
  while [ "$found" != "$old" ]; do
    old=$found
    while read -r id parent group session started; do
      case $found in *" $id "*) continue ;; *" $parent "*) found="$found$id "; continue ;; esac
      for one in $groups; do
        case " $group $session " in *" ${one%:*} "*) found="$found$id "; break ;; esac
      done
    done <<END
$all
END
  done
}
remember_all() {  # a process whose parent exits first can't be recognized later
  [ -r /proc/self/stat ] || return
  find_all
  while read -r id parent group session started; do
    case $found in *" $id "*) strays="$strays $id:$started" ;; esac
  done <<END
$all
END
}
signal_all() {  # signal all of that; false if there is none
  find_all
  [ "$found" != "  " ] || return 1
  kill -s "$1" -- $found
  return 0
}
signal_groups() {
  for one in $groups; do kill -s "$1" -- "-${one%:*}"; done
}
groups= strays= terminal= containers=
set --
while IFS= read -r line; do
  what=${line#* }
  case $line in
    add-group\ *) groups="$groups $what" ;;
    remove-group\ *) left=
          for one in $groups; do [ "${one%:*}" = "$what" ] || left="$left $one"; done
          groups=$left ;;
    add-container\ *) containers="$containers $what" ;;
    remove-container\ *) left=
          for one in $containers; do [ "$one" = "$what" ] || left="$left $one"; done
          containers=$left ;;
    add-stray\ *) strays="$strays $what" ;;
    add-path\ *) set -- "$@" "$what" ;;
    remove-path\ *) for one in "$@"; do shift; [ "$one" = "$what" ] || set -- "$@" "$one"; done ;;
    take-terminal\ *) command exec 3<> "$what" && terminal=taken ;;
    give-terminal\ *) exec 3>&-; terminal= ;;
  esac
done
if [ -n "$terminal" ]; then (
  printf '\030\033]8;;\033\\\033[r\033[0m\033[?2026;1000;1003;1015;1006;1004;2004;2048l\033[?7h\033[<u' >&3
  printf '\033[?1049l\033[?25h' >&3
  sleep 0.2
  case $(stty -a <&3) in *-isig*) stty isig icanon iexten echo icrnl ixon <&3 ;; esac
) & fi
exec 3>&-
if [ -n "$groups$strays" ]; then
  remember_all
  sleep 1
  signal_all TERM || signal_groups TERM
  sleep 1
  signal_groups KILL
  for round in 1 2 3 4 5; do signal_all KILL && sleep 0.1 || break; done
fi
for one in $containers; do  # docker's are its server's: of no group, and not below us
  program=${one%%:*}
  ids=$($program ps --all --quiet --filter "label=${one#*:}")
  if [ -n "$ids" ]; then $program kill $ids; $program rm --force $ids; fi
done
for one in "$@"; do rm -rf -- "$one"; done
"""
_SHELL = "/bin/sh"
_NEEDED = (
    *("PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
    *("CONTAINER_HOST", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"),
    *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"),
)
"""Environment variables by which docker and podman find their containers."""


class Watchdog:
    """Starts and instructs the watchdog's shell. If it isn't running, all methods do nothing."""

    def __init__(self) -> None:
        self.pid: int | None = None
        self._input: int | None = None

    def start(self) -> None:
        """Start the shell, unless it is already running."""
        if self.pid is not None or not hasattr(os, "posix_spawn"):
            return
        with suppress(OSError):
            theirs, ours = os.pipe()
            null = os.open(os.devnull, os.O_RDWR)
            actions = [(os.POSIX_SPAWN_DUP2, theirs, 0)]
            actions += [(os.POSIX_SPAWN_DUP2, null, number) for number in (1, 2)]
            try:
                environment = {name: os.environ[name] for name in _NEEDED if name in os.environ}
                environment.setdefault("PATH", os.defpath)
                self.pid = os.posix_spawn(
                    _SHELL,
                    [_SHELL, "-c", SCRIPT, _SHELL, PS_ENVIRONMENTS],
                    environment,
                    file_actions=actions,
                    setpgroup=0,  # Ctrl+C at our terminal must not end it
                )
                os.set_blocking(ours, False)
                self._input = ours
            finally:
                os.close(theirs)
                os.close(null)

    def add_group(self, group: int, mark: str) -> None:
        """End this group, and all processes with this mark in their environment, when we are
        killed.
        """
        self._send_order("add-group", f"{group}:{mark}")

    def remove_group(self, group: int) -> None:
        """Forget a group: it is empty, and its id may soon be another process's."""
        self._send_order("remove-group", str(group))

    def add_stray(self, process: Process) -> None:
        """End this process if we are killed, unless its id belongs to another one by then."""
        self._send_order("add-stray", f"{process.pid}:{process.started}")

    def add_container(self, program: str, label: str) -> None:
        """Kill the containers with this label, using `program`, if we are killed."""
        self._send_order("add-container", f"{program}:{label}")

    def remove_container(self, program: str, label: str) -> None:
        """Forget a container that is gone."""
        self._send_order("remove-container", f"{program}:{label}")

    def add_path(self, path: Path) -> None:
        """Delete this temporary file or folder if we are killed."""
        self._send_order("add-path", str(path))

    def remove_path(self, path: Path) -> None:
        """Forget a path that is gone, or isn't ours anymore."""
        self._send_order("remove-path", str(path))

    def guard_terminal(self, in_use: bool) -> None:
        """Restore the terminal on stdout if we are killed while it is `in_use`.

        Its line settings are left alone if the user's shell has restored them a moment later.
        """
        with suppress(OSError):
            self._send_order("take-terminal" if in_use else "give-terminal", os.ttyname(1))

    def _send_order(self, verb: str, what: str) -> None:
        if self._input is not None and "\n" not in what:
            with suppress(OSError):
                os.write(self._input, os.fsencode(f"{verb} {what}\n"))


watchdog = Watchdog()
"""The watchdog of this process."""
