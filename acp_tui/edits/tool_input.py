"""What the parts of a tool call's raw input are, by their keys: agents name them as they like.

What no key here names may do anything, so that no rule for commands or paths allows it.
"""

from collections.abc import Iterator
from typing import Any

_COMMANDS = {"command", "cmd", "argv", "commandline", "shellcommand"}
_SCRIPTS = {"script", "shellscript", "bash", "code"}
_EDITS = {
    *("view", "create", "str_replace", "insert", "undo_edit", "read", "write", "edit", "append"),
    *("replace", "delete", "rename", "move", "copy", "list", "search"),
}
"""What editors do, by the words of their tools; any other word may be a program."""
_FILE_KINDS = ("read", "edit", "delete", "move", "search")
_LINES = "commands"
"""Commands beside each other: each a line or a list of words."""
_PATH_WORDS = ("path", "file", "dir", "cwd", "folder", "uri", "source", "destination", "target")
_NO_PATH_WORDS = ("text", "content", "pattern", "type", "extension", "string", "filter")
_FOLDERS = {
    *("cwd", "dir", "dirpath", "directory", "directorypath", "folder", "workdir", "workingdir"),
    *("workingdirectory", "workingfolder"),
}
"""Where a command works; any other file beside one may be its script."""
_CHANGES = "changes"
"""Codex's edits, by the file that each is for."""
_NOTES = {
    *("description", "explanation", "reason", "justification", "title", "kind", "type"),
    *("tool", "toolname", "callid", "toolcallid", "approvalid", "turnid", "timeout", "timeoutms"),
    *("runinbackground", "background", "isbackground"),
}
"""Texts that change nothing in what is done."""
_SCALARS = {
    *("offset", "limit", "headlimit", "line", "lines", "startline", "endline", "viewrange"),
    *("insertline", "depth", "maxresults", "maxmatches", "maxoutputtokens", "outputbytelimit"),
    *("contentlength", "startedatms", "yieldtimems", "delayms", "pages", "page", "count"),
    *("replaceall", "allowmultiple", "expectedreplacements", "expectedoccurrences"),
    *("multiline", "casesensitive", "ignorecase", "caseinsensitive", "fixedstrings", "wholeword"),
    *("context", "before", "after", "i", "n", "a", "b", "c", "respectgitignore", "tty", "login"),
}
"""Numbers, and yes or no, that change nothing but how much, where and when. Any other may lift what
holds the agent back, such as a sandbox.
"""
_OFF = {"dangerouslydisablesandbox", "withescalatedpermissions", "escalated", "elevated"}
"""What harms only where it is on."""
_WRITES = {
    *("content", "contents", "filetext", "newsource", "newstring", "newstr", "newtext"),
    *("inserttext", "oldstring", "oldstr", "oldtext", "patch", "diff", "unifieddiff", _CHANGES),
}
"""What is to be written, or a change; nobody reads or searches with it."""
_ASIDES = {"parsedcmd", "proposedexecpolicyamendment", "availabledecisions"}
"""What codex tells beside a command: how it reads it, and what may be answered."""
_BESIDE_COMMANDS = {"args", "arguments", "env", "environment", "stdin", "input"}
_CONTENTS = {
    *("content", "contents", "filetext", "text", "newsource"),
    *("oldstring", "newstring", "oldstr", "newstr", "oldtext", "newtext", "inserttext"),
    *("instruction", "editmode", "cellid", "celltype", "encoding", "mode", "outputmode"),
}
"""What is put into a file or looked for in it, and how."""
_NOT_WRITTEN = {"editmode", "cellid", "celltype", "encoding", "mode", "outputmode"}
"""Of these, what only says how or where: the rest is written."""
_PATTERNS = {
    *("pattern", "filepattern", "filepatterns", "query", "glob", "include", "exclude", "filter"),
}
"""What is looked for; as a glob one may lead elsewhere."""
_DEEPEST = 4
_LONGEST_PATH = 4096


def is_command(key: str) -> bool:
    """Whether a key names what is to be run."""
    return plain(key) in _COMMANDS


def is_script(key: str) -> bool:
    """Whether a key names code that is to be run: no line, so that no rule knows what it does."""
    return plain(key) in _SCRIPTS


def is_edit(kind: str, command: Any) -> bool:
    """Whether a command is the name of what an editor does, as "view": nothing is run."""
    return kind in _FILE_KINDS and isinstance(command, str) and command in _EDITS


def is_lines(key: str) -> bool:
    """Whether a key holds several commands."""
    return plain(key) == _LINES


def writes(raw: Any) -> bool:
    """Whether an input contains something to write."""
    return any(
        value not in (None, "") and plain(key) in _WRITES
        for body in bodies(raw)
        for key, value in body.items()
    )


def names_content(raw: Any) -> bool:
    """Return whether an input names what is to be written, if only that it is nothing."""
    return _names(raw, (_WRITES | _CONTENTS) - _NOT_WRITTEN)


def names_command(raw: Any) -> bool:
    """Return whether an input names what is to be run, or what an editor is to do."""
    return _names(raw, _COMMANDS)


def _names(raw: Any, keys: set[str]) -> bool:
    return any(
        value is not None and plain(key) in keys
        for body in bodies(raw)
        for key, value in body.items()
    )


def bodies(raw: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Return the objects in a tool's input: some agents nest it."""
    if depth > _DEEPEST:
        return
    if isinstance(raw, dict):
        yield raw
        for value in raw.values():
            yield from bodies(value, depth + 1)
    elif isinstance(raw, list):
        for value in raw:
            yield from bodies(value, depth + 1)


def paths(raw: Any) -> Iterator[str]:
    """Return the files and folders that are named."""
    for body in bodies(raw):
        for key, value in body.items():
            name = plain(key)
            if name == _CHANGES and isinstance(value, dict):
                yield from filter(_may_be_path, value)
            elif _names_path(name):
                yield from filter(_may_be_path, value if isinstance(value, list) else [value])


def understood(raw: Any, *, runs: bool) -> bool:
    """Whether each text of an input is known for what it is; `runs` if there is a command in it."""
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
    if depth > _DEEPEST:
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
        or (_is_name(key) and _understood(plain(key), one, runs, depth + 1))
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
    """What is done to a file: its diff is for that file alone."""
    return isinstance(change, dict) and all(
        key == "unified_diff" or _understood(plain(key), value, False, _DEEPEST)
        for key, value in change.items()
    )


def _is_name(key: str) -> bool:
    """Whether a key is not itself a path or a text."""
    return key.replace("-", "_").isidentifier()


def _names_path(name: str) -> bool:
    return (
        name not in _CONTENTS
        and any(word in name for word in _PATH_WORDS)
        and not any(word in name for word in _NO_PATH_WORDS)
    )


def _may_be_path(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_PATH and "\n" not in value


def plain(key: str) -> str:
    """Normalize a key: agents write `filePath`, `file_path` and `file-path`."""
    return key.replace("_", "").replace("-", "").lower()


MATTERS = (0, 3)
"""The ranks of what is run, and of what is neither a place nor a note."""


def rank(key: str) -> int:
    """Rank how much a key's value matters to a person who judges it: what is run before where, before
    files, before whatever else there is; then notes, and what is told beside it.
    """
    name = plain(key)
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
    """Whether a key names where a command works."""
    return plain(key) in _FOLDERS


def is_aside(key: str) -> bool:
    """Whether a key holds a note beside a command."""
    return plain(key) in _ASIDES
