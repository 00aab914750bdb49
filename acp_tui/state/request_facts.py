"""Derives what rules judge, such as paths and commands, from a tool call's input and title.

Agents differ: most put the command or the path into `rawInput`; gemini sends no input, but
`locations` and diffs, and names a command only in the title.
"""

import posixpath
import shlex
from collections.abc import Iterable
from pathlib import PurePath, PureWindowsPath
from typing import Any, NamedTuple

from acp_tui.edits.tool_input import (
    find_objects,
    find_paths,
    has_text_to_write,
    is_command,
    is_edit,
    is_lines,
    is_script,
    is_understood,
    names_command,
    names_content,
)
from acp_tui.policy.rules import CHANGING, READING
from acp_tui.policy.shell import read_argv, read_shell_line
from acp_tui.policy.shell_words import UNKNOWN, Commands, join_commands
from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.file_events import FileOperation
from acp_tui.protocol.requests import CreateTerminalParams
from acp_tui.state.open_questions import Permission
from acp_tui.state.session import Session
from acp_tui.state.subject import asked_about, files_of, left_out_of
from acp_tui.text import path_of_url

_OF_OBJECTS = ("read", "edit", "delete", "move", "search", "fetch")
"""Kinds of tool calls whose input should be an object; if it is bare text, that may be a command."""
_Command = tuple[str, Commands]
"""A command as received, and the parsed commands that it would run."""


class RequestFacts(NamedTuple):
    """What a request would do, in the agent's words.

    `paths` may be relative. `clear` if the whole request is understood; `lines` are the commands of
    its input as received. `writes` if it has content to write.
    """

    kind: str
    title: str
    paths: tuple[str, ...]
    commands: Commands | None
    clear: bool = True
    lines: tuple[str, ...] = ()
    writes: bool = False

    @property
    def is_of_kind(self) -> bool:
        """Return whether the content fits the kind."""
        return not self.writes or (self.commands is None and self.kind in CHANGING)


KINDS = {
    FileOperation.READ: "read",
    FileOperation.WRITE: "edit",
    FileOperation.RUN: "execute",
}
"""The client's file and terminal operations, as ACP's tool kinds."""


def permission_facts(session: Session, permission: Permission) -> RequestFacts:
    """Return the facts of a permission request that rules judge."""
    access = permission.access
    if access is None:
        return _tool_call_asked(session, permission)
    if access.operation is FileOperation.RUN:
        return RequestFacts("execute", "", (access.folder,), read_shell_line(access.path))
    return file_facts(access.operation, access.path)


def paths_outside(session: Session, paths: Iterable[str]) -> list[str]:
    """Return the paths that, by their names, are outside all of the session's folders."""
    if not session.cwd:
        return []
    folders = [PurePath(one) for one in (session.cwd, *session.additional_directories)]
    return [path for path in paths if not _is_inside(session.cwd, path, folders)]


def _is_inside(cwd: str, path: str, folders: list[PurePath]) -> bool:
    path = path_of_url(path)
    whole = PurePath(posixpath.normpath(posixpath.join(cwd, path)))
    return not path.startswith("~") and any(map(whole.is_relative_to, folders))


def file_facts(operation: FileOperation, *names: str) -> RequestFacts:
    """Return the facts of a read or write; `names` are all names of the file."""
    return RequestFacts(KINDS[operation], "", names, None)


def terminal_line(params: CreateTerminalParams) -> str:
    """Return a terminal's command as typed in a shell; without `args` it may already be a line."""
    values = [f"{one.name}={shlex.quote(one.value)}" for one in params.env]
    command = shlex.join([params.command, *params.args]) if params.args else params.command
    return " ".join([*values, command])


def terminal_facts(params: CreateTerminalParams) -> RequestFacts:
    """Return the facts of a terminal."""
    words = (params.command, *params.args)
    commands = read_argv(words) if params.args else read_shell_line(params.command)
    return RequestFacts("execute", "", (params.cwd,) if params.cwd else (), commands)


def _tool_call_asked(session: Session, permission: Permission) -> RequestFacts:
    """Return the facts of a request, completed with what was known of the tool call before.

    What was announced but is missing in the request counts as part of it.
    """
    call = asked_about(session, permission)
    kind, title, content, locations, raw = (
        call.kind,
        call.title,
        call.content,
        call.locations,
        call.raw_input,
    )
    places = [place.path for place in locations]
    diffs = [path for item in content for path in files_of(item)]
    places += [*diffs, *find_paths(raw)]
    found = _found(kind, raw)
    commands = _commands(kind, title, raw, found)
    left_out = left_out_of(session, permission)
    announced = [(line, read_shell_line(line)) for line in left_out.commands]
    if announced:
        parsed = [one for _, one in announced]
        commands = join_commands(parsed if commands is None else [commands, *parsed])
    every_input = [raw] if permission.announced is None else [raw, permission.announced.raw_input]
    clear = all(
        _is_command(kind, one) or is_understood(one, runs=commands is not None)
        for one in every_input
    )
    if commands is not None and PureWindowsPath(session.cwd).drive:
        # A Windows shell interprets quotes and backslashes differently.
        commands = commands._replace(clear=False, hides=True)
        clear = False
    lines = tuple(line for line, _ in [*found, *announced])
    brings = any(isinstance(item, Diff | FileChange) for item in content)
    clear = clear and permission.kind_known and _content_fits(kind, raw, brings=brings)
    if commands is not None and any(set("$`").intersection(place) for place in find_paths(raw)):
        clear = False  # a shell may expand the command's folder
    if kind in READING and left_out.kind:
        clear = left_out.kind in READING and clear
    every = tuple(dict.fromkeys([*places, *left_out.places]))
    return RequestFacts(
        kind, title, every, commands, clear, lines, brings or has_text_to_write(raw)
    )


def _content_fits(kind: str, raw: Any, *, brings: bool) -> bool:
    """Return whether a tool call has the content that its kind needs.

    A read needs none; an edit that only names a path doesn't show what is written.
    """
    if kind == "edit":
        return brings or names_content(raw) or names_command(raw)
    return kind not in READING or not names_content(raw)


def _commands(kind: str, title: str, raw: Any, found: list[_Command]) -> Commands | None:
    """Return the commands that would run; the title counts as one only if there is no input."""
    if not found and kind == "execute":
        return join_commands([read_shell_line(title), UNKNOWN] if raw else [read_shell_line(title)])
    return join_commands(commands for _, commands in found) if found else None


def _found(kind: str, raw: Any) -> list[_Command]:
    """Return the commands in an input."""
    if _is_command(kind, raw):
        return [(_line(raw, None), _command(raw, None))]
    if kind in _OF_OBJECTS and _is_words(raw):
        return [(_line(raw, None), UNKNOWN)]
    return [
        command
        for body in find_objects(raw)
        for key, value in body.items()
        if (command := _named_command(kind, key, value, body)) is not None
    ]


def _is_command(kind: str, raw: Any) -> bool:
    """Return whether an input is itself the command."""
    return kind == "execute" and isinstance(raw, str | list)


def _is_words(raw: Any) -> bool:
    """Return whether an input is bare text, without a key that says what it is."""
    words = raw if isinstance(raw, list) else [raw]
    return bool(raw) and all(isinstance(one, str) for one in words)


def _named_command(kind: str, key: str, value: Any, body: dict[str, Any]) -> _Command | None:
    if is_lines(key):
        return _lines(value) if value else None
    if is_script(key) and value and kind != "execute":
        return str(value), UNKNOWN
    if not is_command(key):
        return None
    if is_edit(kind, value):
        return None
    args = body.get("args")
    command = _command(value, args)
    return _line(value, args), command._replace(clear=command.clear and not body.get("env"))


def _line(value: Any, args: Any) -> str:
    """Return a command as typed in a shell."""
    if isinstance(value, str) and not args:
        return value
    words = [*(value if isinstance(value, list) else [value])]
    words += args if isinstance(args, list) else [args] if args else []
    return shlex.join(map(str, words))


def _lines(value: Any) -> _Command:
    """Return several commands; each is a line, or a list of words."""
    every = value if isinstance(value, list) else [value]
    return "\n".join(_line(one, None) for one in every), join_commands(
        _command(one, None) for one in every
    )


def _command(value: Any, args: Any) -> Commands:
    if isinstance(value, str) and not args:
        return read_shell_line(value)
    words = [value, *args] if isinstance(value, str) and isinstance(args, list) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return UNKNOWN
    command = read_argv(tuple(words))
    return join_commands([command, UNKNOWN]) if words and " " in words[0] else command
