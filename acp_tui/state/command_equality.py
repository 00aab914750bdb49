"""Commands that run the same, so that a person reads each of them once."""

import re
import shlex
from collections.abc import Iterable, Sequence

from acp_tui.state.state import Terminal

_SHELLS = ("sh", "bash", "dash", "zsh")
_BIN_FOLDERS = ("", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
"""Folders of the system's own shells: `./bash` may be any program."""
_SCRIPT_FLAGS = (("-c",), ("-lc",), ("-l", "-c"))
_INERT = re.compile(r"(?:-[\w@%+:,./ =-]*|[\w@%+:,./ -]*)")
"""Words that no shell expands, so their quotes don't matter."""


def shell_script(words: Sequence[str]) -> str | None:
    """Return the script that a shell is started for, or None if these words do anything else."""
    shell, *flags, script = words if len(words) > 1 else ("", "")
    is_shell = any(shell == folder + name for folder in _BIN_FOLDERS for name in _SHELLS)
    return script if is_shell and tuple(flags) in _SCRIPT_FLAGS else None


def covers(shown: str, other: str) -> bool:
    """Return whether a person who reads `shown` has also read `other`: equal words, or a shell that
    runs it.

    A shell's start is never covered by its script: which shell it is may matter.
    """
    if _compared(shown) == _compared(other):
        return True
    script = _script(shown)
    return script is not None and _compared(script) == _compared(other)


def merge_commands(sources: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Merge the commands of several fields in order.

    Equal commands of different fields become one; a command that one field repeats stays repeated.
    """
    merged: list[str] = []
    for source in sources:
        unmatched = list(range(len(merged)))
        for command in source:
            for index in unmatched:
                shown = merged[index]
                if covers(shown, command) or covers(command, shown):
                    merged[index] = shown if covers(shown, command) else command
                    unmatched.remove(index)
                    break
            else:
                merged.append(command)
    return tuple(merged)


def _script(command: str) -> str | None:
    """Return a shell's script; None if quotes leave something for an outer shell to expand."""
    words = _words(command)
    is_literal = command == shlex.join(words) or all(map(_INERT.fullmatch, words))
    return shell_script(words) if is_literal else None


def _compared(command: str) -> str | tuple[str, ...]:
    """Return the words of a command if its quotes don't matter, else its text."""
    words = _words(command)
    return tuple(words) if words and all(map(_INERT.fullmatch, words)) else command


def _words(command: str) -> list[str]:
    """Split a one-line command into words; return none if it can't be split."""
    if "\n" in command or "\r" in command:
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return []


def command_line(terminal: Terminal) -> str:
    """Return the command and its arguments; for a shell that runs one script, the script."""
    script = shell_script((terminal.command, *terminal.args))
    if script is not None:
        return script
    return " ".join([terminal.command, *[shlex.quote(arg) for arg in terminal.args]])
