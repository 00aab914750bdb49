"""What a tool call wants, from all that agents send: its input, its places, its title.

Agents differ. Most give the command or the path in `rawInput`, gemini gives no input but
`locations` and diffs, and names a command only in its title.
"""

import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_tui.policy.shell import UNKNOWN, Commands, joined, read_argv, read_line
from acp_tui.protocol.content import Diff
from acp_tui.protocol.events import FileOperation
from acp_tui.protocol.requests import CreateTerminalParams
from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.state import Permission, Session

_COMMAND_KEYS = {"command", "cmd", "argv", "commandline", "shellcommand"}
_PATH_WORDS = ("path", "file", "dir", "cwd", "folder", "uri", "source", "destination", "target")
_NO_PATH_WORDS = ("text", "content", "pattern", "type", "extension", "string", "filter")
_FILE_KINDS = ("read", "edit", "delete", "move", "search")
_DEEPEST = 4
_LONGEST_PATH = 4096


class Asked(NamedTuple):
    """What is asked for, in the agent's words: `paths` may be relative."""

    kind: str
    title: str
    paths: tuple[str, ...]
    commands: Commands | None


KINDS = {
    FileOperation.READ: "read",
    FileOperation.WRITE: "edit",
    FileOperation.RUN: "execute",
}
"""What the client does for an agent, as ACP calls it in tool calls."""


def permission_asked(session: Session, permission: Permission) -> Asked:
    """What a question is about."""
    access = permission.access
    if access is None:
        assert permission.tool_call is not None
        return _tool_call_asked(session, permission.tool_call)
    if access.operation is FileOperation.RUN:
        return Asked("execute", "", (access.folder,), read_line(access.path))
    return file_asked(access.operation, access.path)


def file_asked(operation: FileOperation, *paths: str) -> Asked:
    """What a read or write of a file is about: by all the names that it goes by."""
    return Asked(KINDS[operation], "", paths, None)


def terminal_line(params: CreateTerminalParams) -> str:
    """What a terminal runs, as one would type it; without arguments it may be a line already."""
    values = [f"{one.name}={shlex.quote(one.value)}" for one in params.env]
    command = shlex.join([params.command, *params.args]) if params.args else params.command
    return " ".join([*values, command])


def terminal_asked(params: CreateTerminalParams) -> Asked:
    """What a terminal is about."""
    words = (params.command, *params.args)
    commands = read_argv(words) if params.args else read_line(params.command)
    return Asked("execute", "", (params.cwd,) if params.cwd else (), commands)


def _tool_call_asked(session: Session, update: ToolCallUpdate) -> Asked:
    """What a request itself says, filled up with what was known of the tool call before."""
    known = session.tool_call(update.tool_call_id) or ToolCallEntry(update.tool_call_id, 0)
    kind = update.kind or known.kind
    title = update.title or known.title
    content = known.content if update.content is None else update.content
    locations = known.locations if update.locations is None else update.locations
    raw = known.raw_input if update.raw_input is None else update.raw_input
    paths = [place.path for place in locations]
    paths += [item.path for item in content if isinstance(item, Diff)]
    paths += _paths(raw)
    return Asked(kind, title, tuple(dict.fromkeys(paths)), _commands(kind, title, raw))


def _commands(kind: str, title: str, raw: Any) -> Commands | None:
    """What would be run; a title is a command only where there is no input beside it."""
    if kind == "execute" and isinstance(raw, str | list):
        return _command(raw, None)
    found = [
        command
        for body in _bodies(raw, 0)
        for key, value in body.items()
        if (command := _named_command(kind, key, value, body)) is not None
    ]
    if not found and kind == "execute":
        return joined([read_line(title), UNKNOWN] if raw else [read_line(title)])
    return joined(found) if found else None


def _named_command(kind: str, key: str, value: Any, body: dict[str, Any]) -> Commands | None:
    if _plain(key) not in _COMMAND_KEYS:
        return None
    if kind in _FILE_KINDS and isinstance(value, str) and value.isidentifier():
        return None  # the name of what an editor does, as "view"
    command = _command(value, body.get("args"))
    return command._replace(clear=command.clear and not body.get("env"))


def _command(value: Any, args: Any) -> Commands:
    if isinstance(value, str) and not args:
        return read_line(value)
    words = [value, *args] if isinstance(value, str) and isinstance(args, list) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return UNKNOWN
    command = read_argv(tuple(words))
    return joined([command, UNKNOWN]) if words and " " in words[0] else command


def _paths(raw: Any) -> Iterator[str]:
    for body in _bodies(raw, 0):
        for key, value in body.items():
            name = _plain(key)
            if any(word in name for word in _PATH_WORDS) and not any(
                word in name for word in _NO_PATH_WORDS
            ):
                yield from filter(_may_be_path, value if isinstance(value, list) else [value])


def _may_be_path(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_PATH and "\n" not in value


def _bodies(raw: Any, depth: int) -> Iterator[dict[str, Any]]:
    """The objects in a tool's input: some agents nest it."""
    if depth > _DEEPEST:
        return
    if isinstance(raw, dict):
        yield raw
        for value in raw.values():
            yield from _bodies(value, depth + 1)
    elif isinstance(raw, list):
        for value in raw:
            yield from _bodies(value, depth + 1)


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()
