"""What a tool call names: its files, commands and terminals, and whether it says that it did nothing."""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any

from acp_tui.protocol.json_parts import object_at, objects_at, text_at
from acp_tui.text import path_of_url

_REFUSAL = re.compile(
    r"reject|den(y|ied|ial)|declin|refus|cancel|abort|interrupt|disallow|skipp|blocked"
    r"|not? (allow|approv|permi|execut|run\b|perform|applied|want|proceed|grant)"
    r"|n['’]t (allow|approv|want|execut|run\b|perform|proceed|grant)|permission"
    r"|no (change|edit)s? (was|were|made)|nothing (was|has been)|(said|answered|chose) no|stopped by"
    r'|"(approved|allowed|accepted|confirmed|granted|success)": false',
    re.IGNORECASE,
)
"""Words with which an agent says that a completed call did nothing."""
_PATH_NAME = re.compile(r"path|file", re.IGNORECASE)
_SHELL = re.compile(r"^(\S*/)?(ba|da|z|k|fi)?sh( -\w+)+ ")
_COMMANDS = ("command", "cmd", "commands", "script")


_SHORT = 3
"""Letters up to which an option's ASCII name says nothing in a longer text: `No` is in `Notes`."""


def says_no(update: dict[str, Any], option: str, names: Iterable[str] = ()) -> bool:
    """Return whether an update's text says that nothing was done.

    Words in the `names` that the call had before don't count: a file may be called `cancel.py`.
    """
    said = {name: update.get(name) for name in ("title", "rawOutput", "_meta")}
    said["content"] = [one for one in objects_at(update, "content") if one.get("type") != "diff"]
    words = json.dumps(said, ensure_ascii=False, default=str)
    for name in sorted(filter(None, names), key=len, reverse=True):
        written = re.escape(json.dumps(name, ensure_ascii=False)[1:-1])
        words = re.sub(rf"(?<!\w){written}(?!\w)", "", words)
    return bool(_REFUSAL.search(words)) or _quotes_option(words, option)


def _quotes_option(words: str, option: str) -> bool:
    """Return whether a text contains the name of an option; a script without blanks has no words."""
    if not option.isascii():
        return option in words
    return len(option) > _SHORT and re.search(rf"\b{re.escape(option)}\b", words) is not None


def paths_in(update: dict[str, Any]) -> Iterator[str]:
    """Yield the paths that a tool call names: in diffs, locations and its input."""
    for one in (*objects_at(update, "content"), *objects_at(update, "locations")):
        yield text_at(one, "path")
        for change in objects_at(one, "changes"):
            yield text_at(change, "path")
            yield text_at(change, "oldPath")
    for name, value in object_at(update, "rawInput").items():
        if isinstance(name, str) and _PATH_NAME.search(name):
            yield from texts_in(value)


def edits_in(update: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the path and the new text of each diff."""
    for one in objects_at(update, "content"):
        path, text = text_at(one, "path"), text_at(one, "newText")
        if path and text:
            yield plain_path(path), text


def commands_in(update: dict[str, Any]) -> Iterator[str]:
    """Yield the commands that a tool call names in its input."""
    raw = object_at(update, "rawInput")
    for name in _COMMANDS:
        words = list(texts_in(raw.get(name)))
        if words:
            yield " ".join([*words, *texts_in(raw.get("args"))])


def terminals_in(update: dict[str, Any]) -> Iterator[str]:
    """Yield the ids of the terminals that a tool call shows."""
    for one in objects_at(update, "content"):
        if terminal := text_at(one, "terminalId"):
            yield terminal


def texts_in(value: Any) -> Iterator[str]:
    """Yield a string, or the strings in a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))


def plain_command(command: str) -> str:
    """Return a command without quotes, extra blanks, and the shell that runs it."""
    words = " ".join(re.sub("[\"']", " ", command).split())
    return _SHELL.sub("", words)


def plain_path(path: str) -> str:
    return posixpath.normpath(path_of_url(path).replace("\\", "/")) if path else ""


def is_same_path(path: str, other: str) -> bool:
    """Return whether two paths, one of which may be relative, name the same file."""
    return bool(other) and (
        path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}")
    )
