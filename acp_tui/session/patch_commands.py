"""Patches that a command applies: `apply_patch` with a patch as its word, or as a here-document."""

import re
from typing import Any

from acp_tui.policy.shell import read_argv, read_line
from acp_tui.session.tool_input import is_command, is_folder

_PROGRAMS = ("apply_patch", "applypatch")
_SHELL = re.compile(r"(?:/usr)?(?:/bin/)?(?:ba|da|z|k)?sh")
_LINE_FOLLOWS = re.compile(r"-[a-z]*c")
_HERE = re.compile(
    rf"\s*(?:{'|'.join(_PROGRAMS)})[ \t]*<<[ \t]*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)[ \t]*\n"
    r"(?P<text>.*)\n(?P=end)\s*",
    re.DOTALL,
)
_EXPANDED = re.compile(r"[$`\\]")


def patch_in(body: dict[str, Any]) -> str | None:
    """Return the patch that the command in an object applies, if it does nothing else."""
    found = [value for key, value in body.items() if is_command(key)]
    if len(found) != 1:
        return None
    args = body.get("args") or []
    if isinstance(found[0], str) and not args:
        return _of_line(found[0])
    words = found[0] if isinstance(found[0], list) else found
    words = [*words, *(args if isinstance(args, list) else [None])]
    return _of_words(words) if all(isinstance(word, str) for word in words) else None


def folder_in(body: dict[str, Any]) -> str:
    """Return the folder in which the command works; "" for the session's folder."""
    found = [value for key, value in body.items() if is_folder(key) and isinstance(value, str)]
    return found[0] if len(found) == 1 else ""


def _of_words(words: list[str]) -> str | None:
    shell = len(words) == 3 and _SHELL.fullmatch(words[0]) and _LINE_FOLLOWS.fullmatch(words[1])
    if shell:
        return _of_line(words[2])
    return _applied(read_argv(tuple(words)).parts)


def _of_line(line: str) -> str | None:
    here = _HERE.fullmatch(line)
    if here is None:
        read = read_line(line)
        return _applied(read.parts) if read.clear else None
    text = here["text"]
    whole = here["end"] not in text.split("\n")
    return text if whole and (here["quote"] or not _EXPANDED.search(text)) else None


def _applied(parts: tuple[tuple[str, ...], ...]) -> str | None:
    if len(parts) != 1 or len(parts[0]) != 2 or parts[0][0] not in _PROGRAMS:
        return None
    return parts[0][1]
