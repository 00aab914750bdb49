"""Which files git would ignore, by the rules of its `.gitignore` files."""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a `.gitignore`; the last one that matches decides."""

    matches: re.Pattern[str]
    ignores: bool
    only_folders: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """One `.gitignore`; paths are relative to its folder."""

    rules: tuple[Rule, ...]
    any: re.Pattern[str]

    def decide(self, path: str, *, folder: bool) -> bool | None:
        """Whether the path is ignored; None if no rule speaks of it."""
        if not self.any.match(path):
            return None
        for rule in self.rules:
            if (folder or not rule.only_folders) and rule.matches.match(path):
                return rule.ignores
        return None


def parse(text: str) -> Rules | None:
    """The rules of a file; None if it holds none. A line that makes no sense is left out."""
    rules = [rule for line in text.split("\n") if (rule := _rule(line)) is not None]
    if not rules:
        return None
    patterns = "|".join(f"(?:{rule.matches.pattern})" for rule in rules)
    return Rules(tuple(reversed(rules)), re.compile(patterns, re.DOTALL))


def read(file: Path) -> Rules | None:
    """The rules of a file; None if there are none, or no file."""
    try:
        return parse(file.read_text("utf-8", "replace"))
    except OSError:
        return None


def _rule(line: str) -> Rule | None:
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
    return Rule(regex, ignores, only_folders)


_TOKEN = re.compile(
    r"(?P<inner>/\*\*(?=/))|(?P<head>^\*\*/)|(?P<tail>/\*\*$)|(?P<stars>\*+)|(?P<one>\?)"
    r"|(?P<class>\[!?\]?[^\]]*\])|\\(?P<escaped>.)|(?P<other>.)",
    re.DOTALL,
)


def _regex(pattern: str, *, anchored: bool) -> str:
    anywhere = "" if anchored else "(?:.*/)?"
    return anywhere + "".join(map(_piece, _TOKEN.finditer(pattern))) + r"\Z"


def _piece(token: re.Match[str]) -> str:
    match token.lastgroup:
        case "inner":
            return "(?:/.*)?"
        case "head":
            return "(?:.*/)?"
        case "tail":
            return "/.*"
        case "stars":
            return "[^/]*"
        case "one":
            return "[^/]"
        case "class":
            inside = token["class"][1:-1].replace("\\", "\\\\")
            return f"[^{inside[1:]}]" if inside.startswith("!") else f"[{inside}]"
    return re.escape(token["escaped"] or token["other"])
