"""Which files git would ignore, by the rules of its `.gitignore` files."""

import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LARGEST = 256 * 1024
"""Bytes of a file of rules that is read."""


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line of a `.gitignore`; the last one that matches decides."""

    matches: re.Pattern[str]
    ignores: bool
    only_folders: bool


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """One `.gitignore`; paths are relative to its folder."""

    rules: tuple[IgnorePattern, ...]
    any: re.Pattern[str]

    def decide(self, path: str, *, folder: bool) -> bool | None:
        """Whether a path is ignored; None if no pattern matches it."""
        if not self.any.match(path):
            return None
        for rule in self.rules:
            if (folder or not rule.only_folders) and rule.matches.match(path):
                return rule.ignores
        return None


def parse(text: str) -> IgnoreFile | None:
    """Parse the patterns of a file; None if it has none. A meaningless line is left out."""
    rules = [rule for line in text.split("\n") if (rule := _rule(line)) is not None]
    if not rules:
        return None
    patterns = "|".join(f"(?:{rule.matches.pattern})" for rule in rules)
    return IgnoreFile(tuple(reversed(rules)), re.compile(patterns, re.DOTALL))


def read(file: Path) -> IgnoreFile | None:
    """Read the patterns of a file; None if there are none, or no file of a sensible size."""
    try:
        facts = file.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > LARGEST:
            return None
        return parse(file.read_text("utf-8", "replace"))
    except OSError:
        return None


def _rule(line: str) -> IgnorePattern | None:
    line = re.sub(r"(?<!\\) +$", "", line.rstrip("\r"))
    if not line or line.startswith("#"):
        return None
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    only_folders = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if not pattern:
        return None
    anchored = "/" in pattern
    try:
        regex = re.compile(_regex(pattern.lstrip("/"), anchored=anchored), re.DOTALL)
    except re.error:
        return None
    return IgnorePattern(regex, ignores, only_folders)


_TOKEN = re.compile(
    r"(?P<inner>/\*\*(?=/))|(?P<head>^\*\*/)|(?P<tail>/\*\*$)|(?P<stars>\*+)|(?P<one>\?)"
    r"|(?P<class>\[!?\]?[^\]]*\])|\\(?P<escaped>.)|(?P<other>.)",
    re.DOTALL,
)

_FOLDERS = "(?:.*?/)??"
"""Any number of them, as few as possible."""


def _regex(pattern: str, *, anchored: bool) -> str:
    """A regular expression that takes no longer for many wildcards than for one.

    What stands between two of them need only be looked for where it can be first: `(?>...)`.
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
    """What stands between two `**`; `after` is what follows a star in the same name."""
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
            inside = token["class"][1:-1].replace("\\", "\\\\")
            return f"(?!/)[^{inside[1:]}]" if inside.startswith("!") else f"(?!/)[{inside}]"
    return re.escape(token["escaped"] or token["other"] or "")
