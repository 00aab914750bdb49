"""The edits in a tool's input, by its shape: agents name their tools as they like.

An input with a key that is not known here may mean anything; then nothing is said of it.
"""

import posixpath
from collections.abc import Iterator
from typing import Any

from acp_tui.session.edits import Edit, Step
from acp_tui.session.patch_commands import folder_in, patch_in
from acp_tui.session.patches import moved, names, read_patch
from acp_tui.session.tool_input import bodies, plain

_PATHS = {
    *("path", "filepath", "absolutepath", "abspath", "targetfile", "filename", "file"),
    *("relativepath", "relpath"),
}
_OLD = {"oldstring", "oldstr", "oldtext", "search"}
_NEW = {"newstring", "newstr", "newtext", "replace", "replacement"}
_CONTENTS = {"content", "contents", "filetext", "filecontent"}
_PATCHES = {"patch", "patchtext", "diff", "unifieddiff", "input"}
_EVERY = {"replaceall", "allowmultiple", "expectedreplacements"}
_LINE = "insertline"
_INSERTED = {"inserttext"}
_INSERT = "insert"
_ACTIONS = {"create", "write", "edit", "replace", "strreplace", "overwrite", "update", "rewrite"}
_NAMED = {"command", "mode", "type", "kind"}
"""Keys that name what is done; only what is one of the actions is understood."""
_NOTES = {
    *("description", "explanation", "instruction", "instructions", "reason", "title", "tool"),
    *("toolname", "callid", "toolcallid", "encoding", "contentlength", "overwrite"),
}
"""What changes nothing in what is done."""
_EDITS = "edits"
_CHANGES = "changes"


def read_input(raw: Any) -> list[Edit]:
    """Read all edits in an input; relative paths stay as they are."""
    if isinstance(raw, str):
        return read_patch(raw)
    return [edit for body in bodies(raw) for edit in _read_body(body)]


def runs_patch(raw: Any) -> bool:
    """Whether an input's command does nothing but apply a patch."""
    return any(patch_in(body) is not None for body in bodies(raw))


def names_files(raw: Any) -> Iterator[str]:
    """Return the files that an input names for an edit, which may still be arriving."""
    if isinstance(raw, str):
        yield from names(raw)
    for body in bodies(raw):
        for key, value in body.items():
            if plain(key) in _PATCHES and isinstance(value, str):
                yield from names(value)
            elif plain(key) == _CHANGES and isinstance(value, dict):
                yield from value
                yield from filter(None, map(_moved_to, value.values()))
        patch = patch_in(body)
        if patch is not None:
            yield from (posixpath.join(folder_in(body), name) for name in names(patch))
        keys = {plain(key) for key in body}
        if keys & (_OLD | _NEW | _CONTENTS | _PATCHES | _INSERTED) or _EDITS in keys:
            path = _path(body)
            if path:
                yield path


def _read_body(body: dict[str, Any]) -> list[Edit]:
    values = _given(body)
    path = _path(body)
    applied = patch_in(body)
    if applied is not None:
        return [_in_folder(folder_in(body), edit) for edit in read_patch(applied)]
    if isinstance(values.get(_CHANGES), dict):
        return [edit for item in values[_CHANGES].items() for edit in _read_change(*item)]
    patch = _text(values, _PATCHES)
    if patch is not None and (found := read_patch(patch, path)):
        return found
    line = next((value for key, value in body.items() if plain(key) == _LINE), None)
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
    return [Edit(path, (Step(None, content),))]


def _in_folder(folder: str, edit: Edit) -> Edit:
    """An edit whose paths are seen from a folder."""
    source = posixpath.join(folder, edit.source) if edit.source else ""
    return edit._replace(path=posixpath.join(folder, edit.path), source=source)


def _read_insertion(path: str, values: dict[str, Any], line: int) -> list[Edit]:
    """A text that goes after a line, and nothing else."""
    others = {
        key: value
        for key, value in values.items()
        if key != _LINE and not (key in _NAMED and value == _INSERT)
    }
    new = _text(others, _NEW | _INSERTED)
    alone = all(others.get(key) in (None, "") for key in _OLD | _CONTENTS)
    if new is None or not alone or not _is_understood(others, _PATHS | _INSERTED):
        return []
    return [Edit(path, (Step("", new, after=line),))]


def _moved_to(change: Any) -> str:
    """Where one of codex's changes moves its file."""
    if isinstance(change, dict) and len(change) == 1:
        change = next(iter(change.values()))
    to = change.get("move_path") if isinstance(change, dict) else None
    return to if isinstance(to, str) else ""


def _read_change(path: str, change: Any) -> list[Edit]:
    """One of codex's changes, of which there is one for each file."""
    if not isinstance(change, dict):
        return []
    kind = change.get("type")
    if kind is None and len(change) == 1:
        ((kind, change),) = change.items()
        if not isinstance(change, dict):
            return []
    to = _moved_to(change)
    if kind == "delete":
        return [Edit(path, (), deletes=True)]
    content, patch = change.get("content"), change.get("unified_diff")
    if kind == "add" and isinstance(content, str):
        return [Edit(path, (Step(None, content),))]
    found = read_patch(patch, path) if kind == "update" and isinstance(patch, str) else []
    return [one for edit in found for one in (moved(edit, to) if to else [edit])]


def _step(body: Any, around: dict[str, Any]) -> Step | None:
    """One of several edits of a file, which the object `around` it names."""
    if not isinstance(body, dict):
        return None
    values = _given(body)
    return _read_step(values, around) if _is_understood(values, set()) else None


def _read_step(values: dict[str, Any], around: dict[str, Any]) -> Step | None:
    """An old text and a new one; those `around` may say that it stands in every place."""
    old, new = _text(values, _OLD), _text(values, _NEW)
    if old is None or new is None:
        return None
    return Step(old, new, every=_is_every(values) or _is_every(around))


def _given(body: dict[str, Any]) -> dict[str, Any]:
    """What an object says, by the plain names of its keys."""
    return {plain(key): value for key, value in body.items() if value not in (None, False)}


def _is_every(values: dict[str, Any]) -> bool:
    told = [values[key] for key in _EVERY if key in values]
    return any(one is True or (isinstance(one, int) and one > 1) for one in told)


def _is_understood(values: dict[str, Any], paths: set[str]) -> bool:
    """Whether each key is known for what it is."""
    known = paths | _OLD | _NEW | _CONTENTS | _EVERY | _NOTES | {_EDITS}
    return all(
        key in known or value in ("", [], {}) or (key in _NAMED and _is_action(value))
        for key, value in values.items()
    )


def _is_action(value: Any) -> bool:
    return isinstance(value, str) and plain(value) in _ACTIONS


def _path(body: dict[str, Any]) -> str:
    """The file that an object names; "" for none, or for several."""
    values = [value for key, value in body.items() if plain(key) in _PATHS]
    named = {value for value in values if isinstance(value, str) and value}
    return named.pop() if len(named) == 1 else ""


def _text(values: dict[str, Any], keys: set[str]) -> str | None:
    """The one text among some keys."""
    found = [values[key] for key in sorted(keys) if isinstance(values.get(key), str)]
    return found[0] if len(found) == 1 else None
