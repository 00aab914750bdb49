"""Ends the process groups that we leave behind when we are killed and can't do it ourselves.

A shell of its own reads which groups are ours. When we are gone, however that came, its input
ends: it gives the groups a moment, and then ends those that are left. Our temporary files and
folders go, too, and before all else the terminal is given back, if it is still in our hands.
"""

import os
from contextlib import suppress
from pathlib import Path

_SCRIPT = r"""
trap '' HUP INT TTOU
groups= terminal=
set --
while IFS= read -r line; do
  what=${line#* }
  case $line in
    hold\ *) groups="$groups $what" ;;
    drop\ *) left=
          for one in $groups; do [ "$one" = "$what" ] || left="$left $one"; done
          groups=$left ;;
    keep\ *) set -- "$@" "$what" ;;
    lose\ *) for one in "$@"; do shift; [ "$one" = "$what" ] || set -- "$@" "$one"; done ;;
    take\ *) terminal=$what ;;
    give\ *) terminal= ;;
  esac
done
if [ -n "$terminal" ]; then (
  printf '\030\033[0m\033[?2026;1000;1003;1015;1006;1004;2004;2048l\033[?7h\033[<u' > "$terminal"
  printf '\033[?1049l\033[?25h' > "$terminal"
  sleep 0.2
  case $(stty -a < "$terminal") in
    *-isig*) stty isig icanon iexten echo icrnl ixon < "$terminal" ;;
  esac
) & fi
if [ -n "$groups" ]; then
  sleep 1
  for one in $groups; do kill -s TERM -- "-$one"; done
  sleep 1
  for one in $groups; do kill -s KILL -- "-$one"; done
fi
for one in "$@"; do rm -rf -- "$one"; done
"""
_SHELL = "/bin/sh"


class Keeper:
    """Knows our groups. Where it can't be started, or has gone, nothing is kept: no error."""

    def __init__(self) -> None:
        self.pid: int | None = None
        self._input: int | None = None

    def hold(self, group: int) -> None:
        """End this group if we are killed."""
        self._start()
        self._tell("hold", str(group))

    def drop(self, group: int) -> None:
        """This group is empty, and its id may soon be a stranger's."""
        self._tell("drop", str(group))

    def hold_path(self, path: Path) -> None:
        """Remove this file or folder, a temporary one of ours, if we are killed."""
        self._start()
        self._tell("keep", str(path))

    def drop_path(self, path: Path) -> None:
        """This path is gone, or somebody else's from now on."""
        self._tell("lose", str(path))

    def take_terminal(self, taken: bool) -> None:
        """Give the terminal on stderr back if we are killed, as long as we have taken it.

        How it treats keys is left alone where the shell has seen to it a moment later.
        """
        self._start()
        with suppress(OSError):
            self._tell("take" if taken else "give", os.ttyname(2))

    def _start(self) -> None:
        if self.pid is not None or not hasattr(os, "posix_spawn"):
            return
        with suppress(OSError):
            theirs, ours = os.pipe()
            null = os.open(os.devnull, os.O_RDWR)
            actions = [(os.POSIX_SPAWN_DUP2, theirs, 0)]
            actions += [(os.POSIX_SPAWN_DUP2, null, number) for number in (1, 2)]
            try:
                environment = {"PATH": os.environ.get("PATH", os.defpath)}
                self.pid = os.posix_spawn(
                    _SHELL,
                    [_SHELL, "-c", _SCRIPT],
                    environment,
                    file_actions=actions,
                    setpgroup=0,  # a Ctrl+C at our terminal is not for it
                )
                os.set_blocking(ours, False)
                self._input = ours
            finally:
                os.close(theirs)
                os.close(null)

    def _tell(self, verb: str, what: str) -> None:
        if self._input is not None and "\n" not in what:
            with suppress(OSError):
                os.write(self._input, os.fsencode(f"{verb} {what}\n"))


keeper = Keeper()
"""The one of this process, for all that it starts."""
