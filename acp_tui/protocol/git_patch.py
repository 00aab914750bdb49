"""Parses unified diffs: version 2's git patches (absolute paths without prefix), and bare hunks."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_START = "diff --git "
_NOWHERE = "/dev/null"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NO_NEWLINE = "\\"
_ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|(.))")
_MODE = re.compile(r"(old|new|new file|deleted file) mode (\d+)")
_NAMES = {
    **dict.fromkeys(("--- ", "rename from ", "copy from "), "old"),
    **dict.fromkeys(("+++ ", "rename to ", "copy to "), "new"),
}
_ASIDES = ("index ", "similarity index ", "dissimilarity index ")
_PLAIN_MODE = "100644"
_BINARY = ("Binary files ", "GIT binary patch")


class PatchHunk(NamedTuple):
    """A hunk: some consecutive lines of a file, before and after."""

    old: str
    new: str
    old_start: int
    """The number of the first old line, from 1."""


class FilePatch(NamedTuple):
    """The patch of one file; `old` is None for a new file, `new` for a deleted one."""

    old: str | None
    new: str | None
    hunks: tuple[PatchHunk, ...]
    details: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The file's old and new name."""
        return tuple(path for path in (self.old, self.new) if path is not None)


class _UnreadableError(Exception):
    """The patch isn't one that git would write."""


def read_patch(text: str) -> list[FilePatch] | None:
    """Parse a patch; return None if any part of it isn't understood."""
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith(_START)]
    if not starts or starts[0] != 0:
        return None
    try:
        return list(_files(lines))
    except _UnreadableError:
        return None


def read_hunks(text: str) -> list[PatchHunk] | None:
    """Parse the hunks of one file, without its header; return None if any part isn't understood."""
    lines = text.lstrip().rstrip("\n").split("\n")
    hunks: list[PatchHunk] = []
    at = 0
    try:
        while at < len(lines):
            at, hunk = _hunk(lines, at)
            hunks.append(hunk)
    except _UnreadableError:
        return None
    return hunks


def _files(lines: list[str]) -> Iterator[FilePatch]:
    at = 0
    while at < len(lines):
        at, file = _file(lines, at)
        yield file


def _file(lines: list[str], at: int) -> tuple[int, FilePatch]:
    """Parse the section of one file; return the index of the next section, too."""
    head = dict(zip(("old", "new"), _both(lines[at].removeprefix(_START)), strict=True))
    modes: dict[str, str] = {}
    hunks: list[PatchHunk] = []
    details: tuple[str, ...] = ()
    at += 1
    while at < len(lines) and not lines[at].startswith(_START):
        if lines[at].startswith("@@"):
            at, hunk = _hunk(lines, at)
            hunks.append(hunk)
        elif lines[at].startswith(_BINARY):
            at, details = _after_bytes(lines, at), ("binary",)
        else:
            _read_head(lines[at], head, modes)
            at += 1
    if "new file" in modes:
        head["old"] = None
    if "deleted file" in modes:
        head["new"] = None
    file = FilePatch(head["old"], head["new"], tuple(hunks), (*_mode_words(modes), *details))
    if not file.paths:
        raise _UnreadableError
    return at, file


def _read_head(line: str, head: dict[str, str | None], modes: dict[str, str]) -> None:
    """Parse a header line: a name, a mode, or one without information."""
    mode = _MODE.fullmatch(line)
    if mode is not None:
        modes[mode[1]] = mode[2]
    elif side := next((one for one in _NAMES if line.startswith(one)), None):
        head[_NAMES[side]] = _path(line.removeprefix(side))
    elif line and not line.startswith(_ASIDES):
        raise _UnreadableError


def _mode_words(modes: dict[str, str]) -> Iterator[str]:
    """Describe a changed file mode, or the unusual mode of a new or deleted file."""
    if "new" in modes:
        yield f"mode {modes.get('old', '?')} to {modes['new']}"
    for kind in ("new file", "deleted file"):
        if modes.get(kind, _PLAIN_MODE) != _PLAIN_MODE:
            yield f"mode {modes[kind]}"


def _after_bytes(lines: list[str], at: int) -> int:
    """Skip binary data; return the index at which the next file begins."""
    while at < len(lines) and not lines[at].startswith(_START):
        at += 1
    return at


def _hunk(lines: list[str], at: int) -> tuple[int, PatchHunk]:
    """Parse a hunk with as many lines as its header counts; return the index after it, too."""
    head = _HUNK.match(lines[at])
    if head is None:
        raise _UnreadableError
    old_start, old_left, new_left = (int(count) for count in head.groups("1"))
    sides: dict[str, list[str]] = {"-": [], "+": []}
    last = ""
    at += 1
    while at < len(lines):
        sign, line = lines[at][:1], lines[at][1:]
        if sign == _NO_NEWLINE and last:
            for side in _sides(last):
                sides[side][-1] = sides[side][-1].removesuffix("\n")
        elif old_left == new_left == 0:
            break
        elif sign in ("", " ", "-", "+"):
            last = sign or " "
            for side in _sides(last):
                sides[side].append(f"{line}\n")
            old_left -= last != "+"
            new_left -= last != "-"
            if min(old_left, new_left) < 0:
                raise _UnreadableError
        else:
            raise _UnreadableError
        at += 1
    if old_left or new_left:
        raise _UnreadableError
    return at, PatchHunk("".join(sides["-"]), "".join(sides["+"]), old_start)


def _sides(sign: str) -> str:
    """Return the sides of a diff that a line with this sign belongs to."""
    return "-+" if sign == " " else sign


def _path(text: str) -> str | None:
    """Parse a path, which git may have quoted; return None for `/dev/null`."""
    text = text.partition("\t")[0]
    if text == _NOWHERE:
        return None
    if not text.startswith('"'):
        return text
    if len(text) == 1 or not text.endswith('"'):
        raise _UnreadableError
    return _unquoted(text[1:-1])


def _unquoted(text: str) -> str:
    """Decode the escapes in a path, each of which is a byte."""
    return _ESCAPE.sub(_byte, text.encode("utf-8", "replace")).decode("utf-8", "replace")


def _byte(escape: re.Match[bytes]) -> bytes:
    octal, letter = escape.groups()
    value = int(octal, 8) if octal else _ESCAPES.get(letter, -1)
    if not 0 <= value <= 255:
        raise _UnreadableError
    return bytes([value])


def _both(names: str) -> tuple[str | None, str | None]:
    """Return the old and the new name from a section's first line; None unless they are the same:
    only then the line is unambiguous.
    """
    half = len(names) // 2
    if names[:half] == names[half + 1 :] and names[half : half + 1] == " ":
        path = _path(names[:half])
        return path, path
    return None, None
