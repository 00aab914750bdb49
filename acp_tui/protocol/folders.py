"""Maps the paths of folders that have another name at the agent's side, in both directions.

Frames on the wire have the agent's names; events have ours.
"""

from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from acp_tui.protocol.model import Model

T = TypeVar("T")
Pair = tuple[str, str]

_PATHS = {"cwd", "path", "old_path", "uri", "additional_directories"}
_INPUTS = {"raw_input", "raw_output"}
_PATH_WORDS = ("path", "file", "dir", "cwd", "folder", "uri")
"""Words in the keys of tool inputs whose values are paths."""
_CHANGES = "changes"
"""Codex's edits: an object with file paths as keys."""
_DEEPEST = 4


class Folders:
    """Pairs of a folder's name here and its name at the agent's side."""

    def __init__(self, pairs: Sequence[Pair] = ()) -> None:
        longest_here = sorted(pairs, key=lambda pair: -len(pair[0]))
        longest_there = sorted(pairs, key=lambda pair: -len(pair[1]))
        self._out = [(here, there) for here, there in longest_here if here != there]
        self._in = [(there, here) for here, there in longest_there if here != there]

    def here(self, model: T) -> T:
        """Return a message's content with our paths."""
        return _moved(model, self._in) if self._in else model

    def there(self, model: T) -> T:
        """Return a message's content with the agent's paths."""
        return _moved(model, self._out) if self._out else model


def _moved(value: Any, pairs: list[Pair]) -> Any:
    if isinstance(value, list):
        return [_moved(one, pairs) for one in value]
    if not isinstance(value, Model):
        return value
    changed = {
        name: new
        for name, old in value.__dict__.items()
        if (new := _field(name, old, pairs)) is not old
    }
    return value.model_copy(update=changed) if changed else value


def _field(name: str, value: Any, pairs: list[Pair]) -> Any:
    if name in _PATHS:
        return _map_path(value, pairs)
    if name in _INPUTS:
        return _input(name, value, pairs)
    return _moved(value, pairs) if isinstance(value, Model | list) else value


def _input(key: str, value: Any, pairs: list[Pair], depth: int = 0) -> Any:
    """Return a tool's input with its paths mapped; keys tell which values are paths."""
    if depth > _DEEPEST:
        return value
    if isinstance(value, list):
        return [_input(key, one, pairs, depth + 1) for one in value]
    if isinstance(value, dict):
        names = {name: _map_path(name, pairs) if key == _CHANGES else name for name in value}
        return {names[name]: _input(name, one, pairs, depth + 1) for name, one in value.items()}
    is_path = any(word in key.lower() for word in _PATH_WORDS)
    return _map_path(value, pairs) if is_path else value


def _map_path(value: Any, pairs: list[Pair]) -> Any:
    """Map a path, a `file:` URI, or a list of them."""
    if isinstance(value, list):
        return [_map_path(one, pairs) for one in value]
    if not isinstance(value, str):
        return value
    if value[:7].lower() != "file://":
        return _path(value, pairs)
    try:
        parts = urlsplit(value)
    except ValueError:
        return value
    old = unquote(parts.path)
    new = _path(old, pairs)
    return value if new == old else urlunsplit(parts._replace(path=quote(new)))


def _path(path: str, pairs: list[Pair]) -> str:
    for source, target in pairs:
        if path == source:
            return target
        above = f"{source.rstrip('/')}/"
        if path.startswith(above):
            return f"{target.rstrip('/')}/{path.removeprefix(above)}"
    return path
