"""The functions, classes and headings in the files of a folder, found by their lines alone.

Both `read_symbols` and `search_symbols` are to be called off the event loop.
"""

import heapq
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.lazy_pattern import LazyPattern

MOST_BYTES = 64 * 2**20
"""How much is read of all files together."""
_LONG = LazyPattern(r"[^\n]{400,}")
"""A line that nobody wrote: nothing is looked for in it, for that could take for ever."""
LARGEST = 2**19
"""Bytes of a file that is read; a larger one was not written by hand."""

_PYTHON = r"(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>\w+)"
_SCRIPT = (
    r"(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?"
    r"(?:(?P<kind>function|class|interface|type|enum)\*?[ \t]+(?P<name>[\w$]+)"
    r"|(?:const|let|var)[ \t]+(?P<name2>[\w$]+)[^=\n]*=[ \t]*(?:async[ \t]*)?(?:\([^\n]*=>|function\b|\w+[ \t]*=>))"
)
_GO = r"(?P<kind>func|type)[ \t]+(?:\([^)\n]*\)[ \t]*)?(?P<name>\w+)"
_RUST = (
    r"(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:(?:async|unsafe|const|extern[ \t]+\"[^\"\n]*\")[ \t]+)*"
    r"(?P<kind>fn|struct|enum|trait|type|mod|union)[ \t]+(?P<name>\w+)"
)
_TYPES = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|data|open|override|partial|suspend"
    r"|inline|case|implicit|fileprivate|mutating)[ \t]+)*"
    r"(?P<kind>class|interface|enum|record|object|struct|protocol|trait|extension|fun|func|def)[ \t]+"
    r"(?P<name>\w+)"
)
_C = (
    r"(?:(?P<kind>struct|class|enum|union|namespace)[ \t]+(?P<name>\w+)[^;\n]*(?:\{|$)"
    r"|(?:[A-Za-z_][\w:<>,]*[ \t*&]+)+(?P<name2>[\w:~]+)\([^;\n]*(?:\{|,|\)[ \t\w]*)$)"
)
_RUBY = r"(?P<kind>def|class|module|defmodule|defp)[ \t]+(?P<name>[\w.:?!]+)"
_PHP = (
    r"(?:(?:abstract|final|public|private|protected|static)[ \t]+)*"
    r"(?P<kind>function|class|interface|trait|enum)[ \t]+(?P<name>\w+)"
)
_SHELL = r"(?:(?P<kind>function)[ \t]+(?P<name>[\w-]+)|(?P<name2>[\w-]+)[ \t]*\(\))"
_LUA = r"(?:local[ \t]+)?(?P<kind>function)[ \t]+(?P<name>[\w.:]+)"
_HEADING = r"(?P<kind>#{1,6})[ \t]+(?P<name>[^\n]+?)[ \t#]*$"
_LANGUAGES = {
    ("py", "pyi"): _PYTHON,
    ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"): _SCRIPT,
    ("go",): _GO,
    ("rs",): _RUST,
    ("java", "kt", "kts", "cs", "swift", "scala"): _TYPES,
    ("c", "h", "cc", "cpp", "cxx", "hh", "hpp"): _C,
    ("rb", "ex", "exs"): _RUBY,
    ("php",): _PHP,
    ("sh", "bash", "zsh"): _SHELL,
    ("lua",): _LUA,
    ("md", "markdown"): _HEADING,
}
_BY_SUFFIX = {f".{suffix}": one for suffixes, one in _LANGUAGES.items() for suffix in suffixes}
_KINDS = {
    "def": "function",
    "defp": "function",
    "fn": "function",
    "fun": "function",
    "func": "function",
    "mod": "module",
    "defmodule": "module",
}


class Symbol(NamedTuple):
    """What is defined in some lines of a file (from 1, both inclusive)."""

    name: str
    kind: str
    path: str
    first: int
    last: int


def read_symbols(
    root: str, paths: Iterable[str], stop: Callable[[], bool] = lambda: False
) -> list[Symbol]:
    """Find what the files define, in their order. `stop` ends it early."""
    patterns: dict[str, re.Pattern[str]] = {}
    found: list[Symbol] = []
    left = MOST_BYTES
    for path in paths:
        suffix = Path(path).suffix.lower()
        if suffix not in _BY_SUFFIX:
            continue
        if left <= 0 or stop():
            break
        text = _read(Path(root, path))
        left -= len(text)
        if suffix not in patterns:
            patterns[suffix] = re.compile(rf"^(?P<indent>[ \t]*){_BY_SUFFIX[suffix]}", re.MULTILINE)
        found += _symbols(path, text, patterns[suffix])
    return found


def search_symbols(
    symbols: Sequence[Symbol], query: str, limit: int = 50
) -> tuple[list[Symbol], int]:
    """Return those whose names have these letters in this order, likeliest first, and how many do."""
    letters = query.lower()
    holds = re.compile("[^\n]*?".join(map(re.escape, letters)), re.IGNORECASE).search
    matching = [one for one in symbols if holds(one.name)]
    likeliest = heapq.nsmallest(limit, matching, key=lambda one: _rank(one, letters))
    return likeliest, len(matching)


def _rank(symbol: Symbol, letters: str) -> tuple[int, int, str, str, int]:
    name = symbol.name.lower()
    nearness = (
        0 if name == letters else 1 if name.startswith(letters) else 2 if letters in name else 3
    )
    return nearness, len(name), name, symbol.path, symbol.first


def _read(file: Path) -> str:
    """Return a file's text; nothing if it can't be read, or is too large."""
    try:
        if not file.is_file() or file.stat().st_size > LARGEST:
            return ""
        return _LONG.compiled.sub("", file.read_text("utf-8", "replace"))
    except OSError:
        return ""


def _symbols(path: str, text: str, pattern: re.Pattern[str]) -> list[Symbol]:
    lines: list[str] = []
    found = []
    line, before = 1, 0
    for match in pattern.finditer(text):
        lines = lines or text.split("\n")
        line += text.count("\n", before, match.start())
        before = match.start()
        groups = match.groupdict()
        name, kind = groups["name"] or groups["name2"], groups["kind"] or "function"
        if kind.startswith("#"):
            last, kind = _section_end(lines, line, len(kind)), "heading"
        else:
            last = _block_end(lines, line, len(match["indent"].expandtabs()))
        found.append(Symbol(name, _KINDS.get(kind, kind), path, line, last))
    return found


def _block_end(lines: Sequence[str], first: int, indent: int) -> int:
    """Return the last line of a block: what follows is no deeper than its first one."""
    last = first
    for number in range(first + 1, len(lines) + 1):
        text = lines[number - 1]
        stripped = text.strip()
        if not stripped:
            continue
        depth = len(text.expandtabs()) - len(text.expandtabs().lstrip())
        if depth <= indent:
            if depth == indent and (stripped[0] in "{)]}" or stripped in ("end", "fi", "done")):
                last = number
                if stripped[0] != "{" and not stripped.endswith((":", "{", "(")):
                    break
                continue
            break
        last = number
    return last


def _section_end(lines: Sequence[str], first: int, level: int) -> int:
    """Return the last line before the next heading that is not below this one."""
    for number in range(first + 1, len(lines) + 1):
        marks = len(lines[number - 1]) - len(lines[number - 1].lstrip("#"))
        if 1 <= marks <= level:
            return number - 1
    return len(lines)
