"""Interprets the raw input of tool calls by keys and shape, since agents name their tools freely."""

import re
from collections.abc import Iterator
from typing import Any

from acp_tui.edits.edits import Edit, EditStep

_COMMANDS = {"command", "cmd", "argv", "commandline", "shellcommand"}
_SCRIPTS = {"script", "shellscript", "bash", "code"}
_EDITS = {
    *("view", "create", "str_replace", "insert", "undo_edit", "read", "write", "edit", "append"),
    *("replace", "delete", "rename", "move", "copy", "list", "search"),
}
"""Actions of editor tools; any other word may be a program to run."""
_FILE_KINDS = ("read", "edit", "delete", "move", "search")
_LINES = "commands"
"""The key of a list of commands: each is a line, or a list of words."""
_PATH_WORDS = ("path", "file", "dir", "cwd", "folder", "uri", "source", "destination", "target")
_URL_WORDS = ("url", "uri", "href")
_NO_PATH_WORDS = ("text", "content", "pattern", "type", "extension", "string", "filter")
_FOLDERS = {
    *("cwd", "dir", "dirpath", "directory", "directorypath", "folder", "workdir", "workingdir"),
    *("workingdirectory", "workingfolder"),
}
"""Keys of a command's working directory. A file under any other key may be the command's script."""
_FILE_NAME = re.compile(r"[\w@~./\\-]*\w\.\w+")
_LONGEST_TITLE = 1000
"""Most characters of a title that are searched for file names."""
_CHANGES = "changes"
"""Codex's edits, an object with file paths as keys."""
_NOTES = {
    *("description", "explanation", "reason", "justification", "title", "kind", "type"),
    *("tool", "toolname", "callid", "toolcallid", "approvalid", "turnid", "timeout", "timeoutms"),
    *("runinbackground", "background", "isbackground"),
}
"""Keys whose texts don't affect what is done."""
_SCALARS = {
    *("offset", "limit", "headlimit", "line", "lines", "startline", "endline", "viewrange"),
    *("insertline", "depth", "maxresults", "maxmatches", "maxoutputtokens", "outputbytelimit"),
    *("contentlength", "startedatms", "yieldtimems", "delayms", "pages", "page", "count"),
    *("replaceall", "allowmultiple", "expectedreplacements", "expectedoccurrences"),
    *("multiline", "casesensitive", "ignorecase", "caseinsensitive", "fixedstrings", "wholeword"),
    *("context", "before", "after", "i", "n", "a", "b", "c", "respectgitignore", "tty", "login"),
}
"""Keys of numbers and booleans that only affect how much, where and when.

Those of any other key may lift a restriction of the agent, such as a sandbox.
"""
_OFF = {"dangerouslydisablesandbox", "withescalatedpermissions", "escalated", "elevated"}
"""Keys of booleans that are only harmless if false."""
_WRITES = {
    *("content", "contents", "filetext", "newsource", "newstring", "newstr", "newtext"),
    *("inserttext", "oldstring", "oldstr", "oldtext", "patch", "diff", "unifieddiff", _CHANGES),
}
"""Keys of content to write, or of a change; reads and searches don't have them."""
_PARSED = "parsedcmd"
_ASIDES = {_PARSED, "proposedexecpolicyamendment", "availabledecisions"}
"""Keys that codex adds to a command: the parsed command, and the possible answers."""
_BESIDE_COMMANDS = {"args", "arguments", "env", "environment", "stdin", "input"}
_CONTENTS = {
    *("content", "contents", "filetext", "text", "newsource"),
    *("oldstring", "newstring", "oldstr", "newstr", "oldtext", "newtext", "inserttext"),
    *("instruction", "editmode", "cellid", "celltype", "encoding", "mode", "outputmode"),
}
"""Keys of content that is written or searched for, and of the way to do that."""
_NOT_WRITTEN = {"editmode", "cellid", "celltype", "encoding", "mode", "outputmode"}
"""Keys in `_CONTENTS` that only describe how or where; the others have content to write."""
_PATTERNS = {
    *("pattern", "filepattern", "filepatterns", "query", "glob", "include", "exclude", "filter"),
}
"""Keys of search patterns; used as a glob, a pattern may match files elsewhere."""
_DEEPEST_INPUT = 4
_LONGEST_PATH = 4096
_URL = re.compile(r"[A-Za-z][\w+.-]*://\S+")
MATTERS = (0, 3)
"""The ranks of commands, and of keys that are neither a place nor a note."""
_PATHS = {
    *("path", "filepath", "absolutepath", "abspath", "targetfile", "filename", "file"),
    *("relativepath", "relpath"),
}
_OLD = {"oldstring", "oldstr", "oldtext", "search"}
_NEW = {"newstring", "newstr", "newtext", "replace", "replacement"}
_FILE_TEXTS = {"content", "contents", "filetext", "filecontent"}
_EVERY = {"replaceall", "allowmultiple", "expectedreplacements"}
_LINE = "insertline"
_INSERTED = {"inserttext"}
_INSERT = "insert"
_ACTIONS = {"create", "write", "edit", "replace", "strreplace", "overwrite", "update", "rewrite"}
_NAMED = {"command", "mode", "type", "kind"}
"""Keys that name the action; only values in `_ACTIONS` are understood."""
_EDIT_NOTES = {
    *("description", "explanation", "instruction", "instructions", "reason", "title", "tool"),
    *("toolname", "callid", "toolcallid", "encoding", "contentlength", "overwrite"),
}
"""Keys that don't affect the edit."""
_EDIT_LIST = "edits"


def is_command(key: str) -> bool:
    """Return whether a key is for a command."""
    return normalize_key(key) in _COMMANDS


def is_script(key: str) -> bool:
    """Return whether a key is for code to run, which isn't a command line, so rules can't judge it."""
    return normalize_key(key) in _SCRIPTS


def is_edit(kind: str, command: Any) -> bool:
    """Return whether a command is an editor tool's action, such as "view", so that nothing is run."""
    return kind in _FILE_KINDS and isinstance(command, str) and command in _EDITS


def is_lines(key: str) -> bool:
    """Return whether a key is for several commands."""
    return normalize_key(key) == _LINES


def has_text_to_write(raw: Any) -> bool:
    """Return whether an input has content to write that isn't empty."""
    return any(
        value not in (None, "") and normalize_key(key) in _WRITES
        for body in find_objects(raw)
        for key, value in body.items()
    )


def names_content(raw: Any) -> bool:
    """Return whether an input has content to write, even empty content."""
    return _names(raw, (_WRITES | _CONTENTS) - _NOT_WRITTEN)


def names_command(raw: Any) -> bool:
    """Return whether an input has a command, or an editor's action."""
    return _names(raw, _COMMANDS)


def _names(raw: Any, keys: set[str]) -> bool:
    return any(
        value is not None and normalize_key(key) in keys
        for body in find_objects(raw)
        for key, value in body.items()
    )


def find_objects(raw: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects in a tool's input, which some agents nest."""
    if depth > _DEEPEST_INPUT:
        return
    if isinstance(raw, dict):
        yield raw
        for value in raw.values():
            yield from find_objects(value, depth + 1)
    elif isinstance(raw, list):
        for value in raw:
            yield from find_objects(value, depth + 1)


def find_paths(raw: Any) -> Iterator[str]:
    """Yield the files and folders that an input names."""
    for body in find_objects(raw):
        for key, value in body.items():
            name = normalize_key(key)
            if name == _CHANGES and isinstance(value, dict):
                yield from filter(_may_be_path, value)
            elif _names_path(name):
                yield from filter(_may_be_path, value if isinstance(value, list) else [value])


def files_in_title(title: str) -> Iterator[str]:
    """Yield the words of a title that look like file names: `b.txt` in `Approve edit: b.txt`."""
    yield from _FILE_NAME.findall(title[:_LONGEST_TITLE])


def find_urls(raw: Any) -> Iterator[str]:
    """Yield the URLs in an input: texts that are nothing else, or whose key says so."""
    for body in find_objects({"": raw}):
        for key, value in body.items():
            named = any(word in normalize_key(key) for word in _URL_WORDS)
            for one in value if isinstance(value, list) else [value]:
                if _may_be_path(one) and (named or _URL.fullmatch(one)):
                    yield one


def is_understood(raw: Any, *, runs: bool) -> bool:
    """Return whether each text in an input is understood; `runs` if it has a command."""
    return _understood("", raw, runs, 0)


def _understood(name: str, value: Any, runs: bool, depth: int) -> bool:
    if isinstance(value, str):
        return not value or _text_understood(name, value, runs)
    if value is None:
        return True
    if not isinstance(value, dict | list):
        harmless = name in _SCALARS or name in _NOTES or name in _CONTENTS
        return harmless or (name in _OFF and value is False)
    if runs and name in _ASIDES:
        return True
    if depth > _DEEPEST_INPUT:
        return False
    if isinstance(value, list):
        return all(_understood(name, one, runs, depth + 1) for one in value)
    if name == _CHANGES and not runs:
        return all(
            _may_be_path(path) and _change_understood(change) for path, change in value.items()
        )
    has_command = runs and any(map(is_command, value))
    return all(
        (has_command and key == "args")
        or (_is_name(key) and _understood(normalize_key(key), one, runs, depth + 1))
        for key, one in value.items()
    )


def _text_understood(name: str, text: str, runs: bool) -> bool:
    if name in _NOTES:
        return True
    if runs:
        return name in _COMMANDS or name == _LINES or (name in _FOLDERS and _may_be_path(text))
    if name in _PATTERNS:
        return not text.startswith(("/", "~")) and "../" not in text
    if name in _COMMANDS:
        return text in _EDITS
    return name in _CONTENTS or (_names_path(name) and _may_be_path(text))


def _change_understood(change: Any) -> bool:
    """Return whether a file's change is understood: its diff must be for that file alone."""
    return isinstance(change, dict) and all(
        key == "unified_diff" or _understood(normalize_key(key), value, False, _DEEPEST_INPUT)
        for key, value in change.items()
    )


def _is_name(key: str) -> bool:
    """Return whether a key is an identifier, as opposed to a path or other text."""
    return key.replace("-", "_").isidentifier()


def _names_path(name: str) -> bool:
    return (
        name not in _CONTENTS
        and any(word in name for word in _PATH_WORDS)
        and not any(word in name for word in _NO_PATH_WORDS)
    )


def _may_be_path(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_PATH and "\n" not in value


def normalize_key(key: str) -> str:
    """Normalize a key, since agents write `filePath`, `file_path` and `file-path`."""
    return key.replace("_", "").replace("-", "").lower()


def rank_key(key: str) -> int:
    """Rank how much a key's value matters to a user who judges it.

    Commands are first, then folders, files, anything else, and last notes and asides.
    """
    name = normalize_key(key)
    if name in _COMMANDS or name == _LINES or name in _BESIDE_COMMANDS:
        return 0
    if name in _FOLDERS:
        return 1
    if name in _NOTES:
        return 4
    if name in _ASIDES:
        return 5
    return 2 if _names_path(name) else 3


def is_folder(key: str) -> bool:
    """Return whether a key is for a command's working directory."""
    return normalize_key(key) in _FOLDERS


def is_aside(key: str) -> bool:
    """Return whether a key is for what codex adds to a command."""
    return normalize_key(key) in _ASIDES


def is_parsed_command(key: str) -> bool:
    """Return whether a key is for the parsed form of a command."""
    return normalize_key(key) == _PARSED


def read_input(raw: Any) -> list[Edit]:
    """Return all edits in an input; relative paths are kept."""
    return [edit for body in find_objects(raw) for edit in _read_body(body)]


def find_edited_files(raw: Any) -> Iterator[str]:
    """Yield the files that an input names for edits, even if the edits are incomplete."""
    for body in find_objects(raw):
        keys = {normalize_key(key) for key in body}
        if keys & (_OLD | _NEW | _FILE_TEXTS | _INSERTED) or _EDIT_LIST in keys:
            path = _path(body)
            if path:
                yield path


def _read_body(body: dict[str, Any]) -> list[Edit]:
    values = _normalized_values(body)
    path = _path(body)
    line = next((value for key, value in body.items() if normalize_key(key) == _LINE), None)
    if path and isinstance(line, int) and not isinstance(line, bool) and line >= 0:
        return _read_insertion(path, values, line)
    if not path or not _is_understood(values, _PATHS):
        return []
    if isinstance(values.get(_EDIT_LIST), list):
        steps = [_read_list_step(one, values) for one in values[_EDIT_LIST]]
        return [Edit(path, tuple(step for step in steps if step))] if all(steps) and steps else []
    step = _read_step(values, values)
    content = _text(values, _FILE_TEXTS)
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
    alone = all(others.get(key) in (None, "") for key in _OLD | _FILE_TEXTS)
    if new is None or not alone or not _is_understood(others, _PATHS | _INSERTED):
        return []
    return [Edit(path, (EditStep("", new, after=line),))]


def _read_list_step(body: Any, around: dict[str, Any]) -> EditStep | None:
    """Parse one of several edits of a file; `around` is the object that names the file."""
    if not isinstance(body, dict):
        return None
    values = _normalized_values(body)
    return _read_step(values, around) if _is_understood(values, set()) else None


def _read_step(values: dict[str, Any], around: dict[str, Any]) -> EditStep | None:
    """Parse a replacement; `around` may say that it applies to every occurrence."""
    old, new = _text(values, _OLD), _text(values, _NEW)
    if old is None or new is None:
        return None
    return EditStep(old, new, every=_is_every(values) or _is_every(around))


def _normalized_values(body: dict[str, Any]) -> dict[str, Any]:
    """Return an object's values by normalized key, without null and false."""
    return {normalize_key(key): value for key, value in body.items() if value not in (None, False)}


def _is_every(values: dict[str, Any]) -> bool:
    told = [values[key] for key in _EVERY if key in values]
    return any(one is True or (isinstance(one, int) and one > 1) for one in told)


def _is_understood(values: dict[str, Any], paths: set[str]) -> bool:
    """Return whether each key is known."""
    known = paths | _OLD | _NEW | _FILE_TEXTS | _EVERY | _EDIT_NOTES | {_EDIT_LIST}
    return all(
        key in known or value in ("", [], {}) or (key in _NAMED and _is_action(value))
        for key, value in values.items()
    )


def _is_action(value: Any) -> bool:
    return isinstance(value, str) and normalize_key(value) in _ACTIONS


def _path(body: dict[str, Any]) -> str:
    """Return the file that an object names; "" if it names none or several."""
    values = [value for key, value in body.items() if normalize_key(key) in _PATHS]
    named = {value for value in values if isinstance(value, str) and value}
    return named.pop() if len(named) == 1 else ""


def _text(values: dict[str, Any], keys: set[str]) -> str | None:
    """Return the only text under these keys, or None if there isn't exactly one."""
    found = [values[key] for key in sorted(keys) if isinstance(values.get(key), str)]
    return found[0] if len(found) == 1 else None
