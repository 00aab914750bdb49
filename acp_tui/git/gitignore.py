"""Evaluates the rules of `.gitignore` files as git does."""

import codecs
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LARGEST_RULES, MOST_RULES = 64 * 1024, 3000
"""Most bytes and lines of a rules file that is read: each name is matched against all rules."""


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line of a `.gitignore`; the last matching one decides."""

    matches: re.Pattern[str]
    ignores: bool
    only_folders: bool


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one `.gitignore`; paths are relative to its folder."""

    rules: tuple[IgnorePattern, ...]
    any: re.Pattern[str]

    def decide(self, path: str, *, folder: bool) -> bool | None:
        """Return whether a path is ignored; None if no pattern matches it."""
        path = _bytewise(path)
        if not self.any.match(path):
            return None
        for rule in self.rules:
            if (folder or not rule.only_folders) and rule.matches.match(path):
                return rule.ignores
        return None


def parse_gitignore(text: str) -> IgnoreFile | None:
    """Parse a file's patterns; return None if it has none. Skips invalid lines."""
    lines = _bytewise(text).split("\n")
    rules = [rule for line in lines if (rule := _rule(line)) is not None]
    if not rules:
        return None
    patterns = "|".join(f"(?:{rule.matches.pattern})" for rule in rules)
    return IgnoreFile(tuple(reversed(rules)), re.compile(patterns, re.DOTALL))


def read_gitignore(file: Path) -> IgnoreFile | None:
    """Read a file's patterns; return None if it has none, is missing or is too large."""
    try:
        facts = file.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > LARGEST_RULES:
            return None
        content = file.read_bytes()
    except OSError:
        return None
    return parse_gitignore(decode_rules(content)) if is_read(content) else None


def is_read(content: bytes) -> bool:
    """Return whether a rules file is small enough to be read."""
    return len(content) <= LARGEST_RULES and content.count(b"\n") <= MOST_RULES


def _bytewise(text: str) -> str:
    """Return a text with one character for each byte, since git compares bytes."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def decode_rules(content: bytes) -> str:
    """Return a rules file's text, with surrogates for invalid UTF-8 as in file names."""
    return content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")


def _rule(line: str) -> IgnorePattern | None:
    line = re.sub(r"(?<!\\) +$", "", line.removesuffix("\r"))
    if not line or line.startswith("#") or _ENDS_OPEN.search(line):
        return None
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    only_folders = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    if not pattern or "//" in f"/{pattern}/":
        return None
    try:
        regex = re.compile(_regex(pattern, anchored=anchored), re.DOTALL)
    except re.error:
        return None
    return IgnorePattern(regex, ignores, only_folders)


_ENDS_OPEN = re.compile(r"(?<!\\)(?:\\\\)*\\$")
"""A backslash at the end that escapes nothing: to git, such a line matches nothing."""

_TOKEN = re.compile(
    r"(?P<inner>/\*\*(?=/))|(?P<head>^\*\*/)|(?P<tail>/\*\*$)|(?P<stars>\*+)|(?P<one>\?)"
    r"|(?P<class>\[[!^]?+\]?+(?:\[:[a-z]*:\]|\\.|[^\]\\])*\])|\\(?P<escaped>.)|(?P<other>.)",
    re.DOTALL,
)

_IN_CLASS = re.compile(r"\[:(?P<named>[a-z]+):\]|\\(?P<escaped>.)|(?P<other>.)", re.DOTALL)

_NAMED = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r"\ \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\ \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}

_FOLDERS = "(?:.*?/)??"
"""Any number of folders, as few as possible."""


def _regex(pattern: str, *, anchored: bool) -> str:
    """Return a regular expression that takes linear time even with many wildcards.

    The text between two wildcards is only matched at its first possible place: `(?>...)`.
    """
    gaps, parts = ["" if anchored else _FOLDERS], [list[tuple[str | None, str]]()]
    for token in _TOKEN.finditer(pattern):
        if token.lastgroup == "head":
            gaps[0] = _FOLDERS
        elif token.lastgroup == "inner":
            gaps.append(r"(?:/.*?)??")
            parts.append([])
        else:
            parts[-1].append((token.lastgroup, _piece(token)))
    *others, last = (gap + _part(part) for gap, part in zip(gaps, parts, strict=True))
    return "".join(f"(?>{one}(?=/))" for one in others) + last + r"\Z"


def _part(pieces: Sequence[tuple[str | None, str]]) -> str:
    """Return the regex for the pattern between two `**`; `after` is what follows a star in the same
    name.
    """
    regex, after = "", None
    for kind, piece in pieces:
        if kind == "stars":
            regex += f"(?>[^/]*?{after})" if after is not None else ""
            after = ""
        elif after is not None and piece[0] != "/":
            after += piece
        else:
            regex += piece if after is None else f"[^/]*{after}{piece}"
            after = None
    return regex if after is None else f"{regex}[^/]*{after}"


def _piece(token: re.Match[str]) -> str:
    match token.lastgroup:
        case "tail":
            return "/.*"
        case "one":
            return "[^/]"
        case "class":
            return f"(?!/){_class(token['class'][1:-1])}"
    return re.escape(token["escaped"] or token["other"] or "")


def _class(inside: str) -> str:
    """Return the regex for a bracket expression. Raises re.error for an unknown class name."""
    negated = inside[0] in "!^"
    items = list(_IN_CLASS.finditer(inside[negated:]))
    parts = list[str]()
    for at, item in enumerate(items):
        if item["named"]:
            parts.append(_named(item["named"]))
        elif item["other"] == "-" and parts and parts[-1] != "-" and at < len(items) - 1:
            parts.append("-")
        else:
            parts.append(re.escape(item["escaped"] or item["other"]))
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _named(name: str) -> str:
    if name not in _NAMED:
        raise re.error(f"no class of characters: {name}")
    return _NAMED[name]
