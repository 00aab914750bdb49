"""Parses edits from a tool's input by its shape: agents name their tools as they like.

An input with an unknown key may mean anything; then it has no edits.
"""

from collections.abc import Iterator
from typing import Any

from acp_tui.edits.edits import Edit, EditStep
from acp_tui.edits.tool_input import bodies, plain_key

_PATHS = {
    *("path", "filepath", "absolutepath", "abspath", "targetfile", "filename", "file"),
    *("relativepath", "relpath"),
}
_OLD = {"oldstring", "oldstr", "oldtext", "search"}
_NEW = {"newstring", "newstr", "newtext", "replace", "replacement"}
_CONTENTS = {"content", "contents", "filetext", "filecontent"}
_EVERY = {"replaceall", "allowmultiple", "expectedreplacements"}
_LINE = "insertline"
_INSERTED = {"inserttext"}
_INSERT = "insert"
_ACTIONS = {"create", "write", "edit", "replace", "strreplace", "overwrite", "update", "rewrite"}
_NAMED = {"command", "mode", "type", "kind"}
"""Keys that name the action; only a value among `_ACTIONS` is understood."""
_NOTES = {
    *("description", "explanation", "instruction", "instructions", "reason", "title", "tool"),
    *("toolname", "callid", "toolcallid", "encoding", "contentlength", "overwrite"),
}
"""Keys that don't change the edit."""
_EDITS = "edits"


def read_input(raw: Any) -> list[Edit]:
    """Return all edits in an input; relative paths are unchanged."""
    return [edit for body in bodies(raw) for edit in _read_body(body)]


def names_files(raw: Any) -> Iterator[str]:
    """Yield the files that an input names for an edit, which may still be incomplete."""
    for body in bodies(raw):
        keys = {plain_key(key) for key in body}
        if keys & (_OLD | _NEW | _CONTENTS | _INSERTED) or _EDITS in keys:
            path = _path(body)
            if path:
                yield path


def _read_body(body: dict[str, Any]) -> list[Edit]:
    values = _given(body)
    path = _path(body)
    line = next((value for key, value in body.items() if plain_key(key) == _LINE), None)
    if path and isinstance(line, int) and not isinstance(line, bool) and line >= 0:
        return _read_insertion(path, values, line)
    if not path or not _is_understood(values, _PATHS):
        return []
    if isinstance(values.get(_EDITS), list):
        steps = [_step(one, values) for one in values[_EDITS]]
        return [Edit(path, tuple(step for step in steps if step))] if all(steps) and steps else []
    step = _read_step(values, values)
    content = _text(values, _CONTENTS)
    if step is not None:
        return [Edit(path, (step,))] if content in (None, "") else []
    if content is None or _text(values, _OLD | _NEW) is not None:
        return []
    return [Edit(path, (EditStep(None, content),))]


def _read_insertion(path: str, values: dict[str, Any], line: int) -> list[Edit]:
    """Return an insertion after a line, if the input is nothing else."""
    others = {
        key: value
        for key, value in values.items()
        if key != _LINE and not (key in _NAMED and value == _INSERT)
    }
    new = _text(others, _NEW | _INSERTED)
    alone = all(others.get(key) in (None, "") for key in _OLD | _CONTENTS)
    if new is None or not alone or not _is_understood(others, _PATHS | _INSERTED):
        return []
    return [Edit(path, (EditStep("", new, after=line),))]


def _step(body: Any, around: dict[str, Any]) -> EditStep | None:
    """Return one of several edits of a file, which the object `around` it names."""
    if not isinstance(body, dict):
        return None
    values = _given(body)
    return _read_step(values, around) if _is_understood(values, set()) else None


def _read_step(values: dict[str, Any], around: dict[str, Any]) -> EditStep | None:
    """Return a replacement; `around` may say that it applies to every occurrence."""
    old, new = _text(values, _OLD), _text(values, _NEW)
    if old is None or new is None:
        return None
    return EditStep(old, new, every=_is_every(values) or _is_every(around))


def _given(body: dict[str, Any]) -> dict[str, Any]:
    """Return an object's values that are set, by normalized key."""
    return {plain_key(key): value for key, value in body.items() if value not in (None, False)}


def _is_every(values: dict[str, Any]) -> bool:
    told = [values[key] for key in _EVERY if key in values]
    return any(one is True or (isinstance(one, int) and one > 1) for one in told)


def _is_understood(values: dict[str, Any], paths: set[str]) -> bool:
    """Return whether each key is known."""
    known = paths | _OLD | _NEW | _CONTENTS | _EVERY | _NOTES | {_EDITS}
    return all(
        key in known or value in ("", [], {}) or (key in _NAMED and _is_action(value))
        for key, value in values.items()
    )


def _is_action(value: Any) -> bool:
    return isinstance(value, str) and plain_key(value) in _ACTIONS


def _path(body: dict[str, Any]) -> str:
    """Return the file that an object names; "" for none, or for several."""
    values = [value for key, value in body.items() if plain_key(key) in _PATHS]
    named = {value for value in values if isinstance(value, str) and value}
    return named.pop() if len(named) == 1 else ""


def _text(values: dict[str, Any], keys: set[str]) -> str | None:
    """Return the only text among some keys, or None."""
    found = [values[key] for key in sorted(keys) if isinstance(values.get(key), str)]
    return found[0] if len(found) == 1 else None
