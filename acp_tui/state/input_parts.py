"""Splits a tool call's input into the parts that a user judges: commands, folder, and the rest."""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from acp_tui.edits.shown_changes import envelope_matches, find_repeated_keys
from acp_tui.edits.tool_input import (
    find_objects,
    is_aside,
    is_command,
    is_edit,
    is_folder,
    is_lines,
    is_parsed_command,
    rank_key,
)
from acp_tui.protocol.content import Diff
from acp_tui.state.state import Terminal
from acp_tui.text import count_blanks

_SHELLS = ("sh", "bash", "dash", "zsh")
_BIN_FOLDERS = ("", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
"""Folders of the system's own shells: a shell elsewhere, such as `./bash`, may be any program."""
_SCRIPT_FLAGS = (("-c",), ("-lc",), ("-l", "-c"))
_INERT = re.compile(r"(?:-[\w@%+:,./ =-]*|[\w@%+:,./ -]*)")
"""Words without characters that a shell would expand, so their quotes don't matter."""
_LONGEST_SPLIT = 20_000
"""Most characters of a command that is split; a longer one is compared as text."""


def shell_script(words: Sequence[str]) -> str | None:
    """Return the script of an argv like `sh -c SCRIPT`, or None for any other command."""
    shell, *flags, script = words if len(words) > 1 else ("", "")
    is_shell = any(shell == folder + name for folder in _BIN_FOLDERS for name in _SHELLS)
    return script if is_shell and tuple(flags) in _SCRIPT_FLAGS else None


def covers_words(shown: str, other: str) -> bool:
    """Return whether a user who has read the command `shown` has also read `other`: the words are
    the same, or `shown` is a shell that runs `other`.

    A script doesn't cover the shell that runs it: which shell that is may matter.
    """
    if _compared(shown) == _compared(other):
        return True
    script = _script(shown)
    return script is not None and _compared(script) == _compared(other)


def merge_commands(sources: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Merge the commands of several fields, in order.

    Equal commands in different fields become one; a command that a single field repeats stays
    repeated.
    """
    merged: list[str] = []
    for source in sources:
        unmatched = list(range(len(merged)))
        for command in source:
            for index in unmatched:
                shown = merged[index]
                if covers_words(shown, command) or covers_words(command, shown):
                    merged[index] = shown if covers_words(shown, command) else command
                    unmatched.remove(index)
                    break
            else:
                merged.append(command)
    return tuple(merged)


def _script(command: str) -> str | None:
    """Return a shell's script; None if an outer shell would expand a part of it."""
    words = _split_words(command)
    is_literal = command == shlex.join(words) or all(map(_INERT.fullmatch, words))
    return shell_script(words) if is_literal else None


def _compared(command: str) -> str | tuple[str, ...]:
    """Return a command's words if its quotes don't matter, else its text."""
    words = _split_words(command)
    return tuple(words) if words and all(map(_INERT.fullmatch, words)) else command


@lru_cache(maxsize=32)
def _split_words(command: str) -> list[str]:
    """Split a one-line command into words; return [] if it can't be split, or is too long.

    The fields of an open question are compared at each look at it, and `shlex` reads a megabyte per
    second: without the cache and the limit, a long command would freeze the screen.
    """
    if len(command) > _LONGEST_SPLIT or "\n" in command or "\r" in command:
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return []


def command_line(terminal: Terminal) -> str:
    """Return the command with its arguments; for a shell that runs a script, the script."""
    script = shell_script((terminal.command, *terminal.args))
    if script is not None:
        return script
    return " ".join([terminal.command, *[shlex.quote(arg) for arg in terminal.args]])


_DEEPEST_INPUT = 4


class InputParts(NamedTuple):
    """The parts of an input.

    `commands` are as typed in a shell. `rest` is everything but what they, `folder` and the diffs
    show completely, and `asides`, which don't affect what is done. Either is None if empty.
    """

    commands: tuple[str, ...] = ()
    folder: str | None = None
    rest: Any = None
    asides: Any = None


def input_parts(kind: str, raw: Any, diffs: Iterable[Diff] = ()) -> InputParts:
    """Split the input of a tool call of this kind and with these diffs into parts."""
    if raw is None:
        return InputParts()
    if kind == "execute" and (line := _words(raw)) is not None:
        return InputParts((line,))
    if not isinstance(raw, dict):
        is_shown = isinstance(raw, str) and envelope_matches(raw, list(diffs))
        return InputParts() if is_shown else InputParts(rest=_sorted(raw))
    commands, repeated = _all_commands(kind, raw)
    shown = {key for _, keys in _commands(kind, raw) for key in keys}
    folders = [key for key, value in raw.items() if is_folder(key) and isinstance(value, str)]
    folder = folders[0] if commands and len(folders) == 1 else None
    if folder is not None:
        shown.add(folder)
    shown |= repeated | find_repeated_keys(raw, list(diffs))
    asides = {key: raw[key] for key in raw if commands and is_aside(key) and key not in shown}
    rest = {key: value for key, value in raw.items() if key not in shown and key not in asides}
    where = raw[folder] if folder is not None else None
    return InputParts(commands, where, _sorted(rest) or None, asides or None)


def repeats_input(kind: str, raw: Any, diffs: Iterable[Diff]) -> bool:
    """Return whether a tool call's diffs show its whole input."""
    return input_parts(kind, raw, diffs) == InputParts()


def show_blanks(value: Any, depth: int = 0) -> Any:
    """Make runs of blanks visible in a value's keys and strings, down to the depth that is shown."""
    if isinstance(value, str):
        return count_blanks(value)
    if depth > _DEEPEST_INPUT or not isinstance(value, list | dict):
        return value
    if isinstance(value, list):
        return [show_blanks(one, depth + 1) for one in value]
    members: dict[str, Any] = {}
    for key, one in value.items():
        name = count_blanks(key)
        while name in members:
            name += "'"  # two keys that look the same now must not hide each other
        members[name] = show_blanks(one, depth + 1)
    return members


def _commands(kind: str, body: dict[str, Any]) -> Iterator[tuple[list[str], set[str]]]:
    """Yield the commands of each field in an object, with the keys that they show completely."""
    for key, value in body.items():
        if is_lines(key):
            lines = list(map(_words, value if isinstance(value, list) else [value]))
            whole = {key} if None not in lines else set()
            yield [line for line in lines if line is not None], whole
        if not is_command(key):
            continue
        if is_edit(kind, value):
            continue
        args = body.get("args")
        if args and _is_whole_line(key, body):
            args = None
        if (line := _words(value, args)) is not None:
            yield [line], {key, "args"} if args else {key}


def _all_commands(kind: str, raw: dict[str, Any]) -> tuple[tuple[str, ...], set[str]]:
    """Return the commands anywhere in an input, and the keys that only have parts of them."""
    pieces = {key: value for key, value in raw.items() if is_parsed_command(key)}
    others = {key: value for key, value in raw.items() if key not in pieces}
    commands = merge_commands(
        lines for body in find_objects(others) for lines, _ in _commands(kind, body)
    )
    if all(_repeats(value, commands) for value in pieces.values()):
        return commands, set(pieces)
    return merge_commands(
        lines for body in find_objects(raw) for lines, _ in _commands(kind, body)
    ), set()


def _repeats(parsed: Any, commands: tuple[str, ...]) -> bool:
    """Return whether the commands show everything in a parsed command, which codex adds."""
    return isinstance(parsed, list) and all(
        isinstance(piece, dict)
        and isinstance(line := piece.get("cmd"), str)
        and any(line in shown or covers_words(shown, line) for shown in commands)
        for piece in parsed
    )


def _is_whole_line(key: str, body: dict[str, Any]) -> bool:
    """Return whether a command already includes its arguments, as another field shows.

    The agent won't run it with the arguments twice, so it must not be shown like that.
    """
    whole = _words(body[key])
    others = (
        _words(value, body["args"])
        for name, value in body.items()
        if name != key and is_command(name)
    )
    return whole is not None and any(
        line is not None and covers_words(line, whole) for line in others
    )


def _words(value: Any, args: Any = None) -> str | None:
    """Return a command as typed in a shell, or None if it isn't a string or a list of strings."""
    if isinstance(value, str) and not args:
        return value
    words = value if isinstance(value, list) else [value]
    more = args if isinstance(args, list) else [args] if args else []
    if not words or not all(isinstance(word, str) for word in [*words, *more]):
        return None
    return shlex.join([*words, *more])


def _sorted(value: Any, depth: int = 0) -> Any:
    """Return a value with the most important keys first in each object."""
    if depth > _DEEPEST_INPUT:
        return value
    if isinstance(value, list):
        return [_sorted(one, depth + 1) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: _sorted(value[key], depth + 1) for key in sorted(value, key=rank_key)}
