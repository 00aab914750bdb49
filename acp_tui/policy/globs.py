"""Globs: `*` matches any characters, `?` any single one, `[ab]` one of these.

In paths, none of them matches a `/`; `**` matches any number of folders.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

_MAGIC = re.compile(r"[*?\[]")


@lru_cache(1000)
def _compiled(pattern: str, *, slashes: bool) -> re.Pattern[str]:
    one, many = ("(?s:.)", "(?s:.*)") if slashes else ("[^/]", "[^/]*")
    parts = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        end = pattern.find("]", at + 2) if char == "[" else -1
        if end != -1:
            negated = pattern[at + 1] in "!^"
            inside = re.sub(r"([\\\[\]&~|^])", r"\\\1", pattern[at + 1 + negated : end])
            parts.append(f"{'' if slashes else '(?!/)'}[{'^' if negated else ''}{inside}]")
            at = end
        else:
            parts.append({"*": many, "?": one}.get(char, re.escape(char)))
        at += 1
    return re.compile("".join(parts))


def matches_glob(pattern: str, text: str) -> bool:
    """Return whether a glob matches the whole text, in which `/` is an ordinary character."""
    return _compiled(pattern, slashes=True).fullmatch(text) is not None


def word_matches(pattern: str, word: str) -> bool:
    """Return whether a pattern matches a whole word; `*` and `?` don't match a `/`.

    No wildcard matches `..`, `.`, an empty name between slashes, or an option such as -f or +f.
    """
    names = word.split("/")
    if ".." in names or (word[:1] in ("-", "+") and pattern[:1] != word[:1]):
        return False
    if not set(names).isdisjoint(("", ".")) and not _begins_alike(pattern, word):
        return False
    return _compiled(pattern, slashes=False).fullmatch(word) is not None


def _begins_alike(pattern: str, word: str) -> bool:
    """Return whether the word and the pattern have the same leading `/` or `./`.

    False if the word has another empty name or `.`.
    """
    for start in ("./", "/"):
        if word.startswith(start) and pattern.startswith(start):
            return set(word.removeprefix(start).split("/")).isdisjoint(("", "."))
    return False


def path_matches(pattern: str, path: str) -> bool:
    """Return whether an absolute pattern matches an absolute path; `a/**` includes `a` itself."""
    return match_with_gaps(_parts(pattern), _parts(path), _part_matches)


@lru_cache(1000)
def _parts(path: str) -> tuple[str, ...]:
    return PurePosixPath(path.replace("\\", "/") if path[1:3] == ":\\" else path).parts


def match_with_gaps(
    patterns: Sequence[str],
    words: Sequence[str],
    matches: Callable[[str, str], bool],
    fills: Callable[[str], bool] = lambda _: True,
) -> bool:
    """Return whether patterns match words; a `**` matches any number of words that `fills` accepts.

    Only the last `**` needs backtracking.
    """
    at = place = 0
    again: tuple[int, int] | None = None
    while place < len(words):
        if at < len(patterns) and patterns[at] == "**":
            again = (at, place)
            at += 1
        elif at < len(patterns) and matches(patterns[at], words[place]):
            at += 1
            place += 1
        elif again is not None and fills(words[again[1]]):
            at, place = again[0] + 1, again[1] + 1
            again = (again[0], place)
        else:
            return False
    return all(pattern == "**" for pattern in patterns[at:])


def _part_matches(pattern: str, part: str) -> bool:
    if _MAGIC.search(pattern) is None:
        return pattern == part
    return _compiled(pattern, slashes=False).fullmatch(part) is not None


def literal_start(pattern: str) -> tuple[str, str]:
    """Split a path pattern into its leading folders without wildcards, and the rest."""
    parts = _parts(pattern)
    plain = next((at for at, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
    return str(PurePosixPath(*parts[:plain])), "/".join(parts[plain:])


def anchor_pattern(pattern: str, folder: str, home: str) -> str:
    """Make a path pattern absolute: `src/**` is in the folder, `~/` in the home folder.

    A pattern that ends with a `/` matches the folder and everything below it.
    """
    whole = f"{pattern}**" if pattern.endswith("/") else pattern
    if whole == "~" or whole.startswith("~/"):
        return f"{escape_glob(home)}{whole[1:]}"
    if whole.startswith("/") or whole[1:2] == ":":
        return whole
    return f"{escape_glob(folder.rstrip('/'))}/{whole}"


def escape_glob(text: str) -> str:
    """Convert a text to a glob that matches only this text."""
    return _MAGIC.sub(lambda found: f"[{found.group()}]", text)


def glob_problem(pattern: str) -> str | None:
    """Return why a path pattern is invalid, or None."""
    for part in _parts(pattern):
        if "**" in part and part != "**":
            return f"{pattern!r}: ** must stand alone between slashes"
        if part == "..":
            return f"{pattern!r}: .. is not allowed in a pattern"
    return compile_problem(pattern)


def compile_problem(pattern: str) -> str | None:
    """Return why a glob is invalid, or None."""
    try:
        _compiled(pattern, slashes=False)
    except re.error as error:
        return f"{pattern!r}: {error.msg}"
    return None
