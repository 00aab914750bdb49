"""Command lines: what they run, read so carefully that in doubt nothing is allowed.

What a shell would expand, redirect or nest is not worked out: such a line is unclear. Its words are
still read as well as possible, so that a rule that rejects finds them.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice

from acp_tui.policy.globs import compile_problem, escaped, matches, word_matches
from acp_tui.policy.launchers import Words, is_launcher, launched_at, launched_lines
from acp_tui.policy.shell_words import (
    MOST_WORDS,
    RESERVED,
    UNKNOWN,
    Commands,
    Expanded,
    Reader,
    joined,
)

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"})
_SHELL_FOLDERS = ("", "/bin/", "/usr/bin/")
_RUNS_LINE = re.compile(r"-[a-z]*c")
_INTERPRETERS = re.compile(r"(?:python|node|perl|ruby|php|awk|gawk)[\d.]*")
"""Programs whose arguments are programs."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\+?=")
_EVALUATORS = frozenset(
    (
        *("printf", "read", "declare", "typeset", "local", "export", "readonly", "unset", "test"),
        *("[", "let", "wait", "mapfile", "readarray", "getopts"),
    )
)
"""Builtins that work out the index in the name of a variable, whatever it runs."""
_DEEPEST = 5
"""How many shells inside of shells are looked into."""


def read_line(line: str) -> Commands:
    """Read what a POSIX shell would run for a line."""
    return _unwrapped(Reader(line).read(), 0)


def read_argv(argv: Words) -> Commands:
    """Read what a list of words runs without a shell: clear, unless it is itself a shell."""
    return _unwrapped(Commands((argv,), clear=True), 0) if argv and argv[0] else UNKNOWN


def _unwrapped(commands: Commands, depth: int) -> Commands:
    """`bash -c LINE` is the line."""

    def inner(words: Words) -> Commands:
        line = _shell_line(words)
        if line is None:
            hides = _runs_more(words)
            return Commands((words,), clear=not hides, hides=hides)
        return _unwrapped(Reader(line).read(), depth + 1) if depth < _DEEPEST else UNKNOWN

    found = joined(map(inner, commands.parts))
    clear = commands.clear and found.clear and bool(found.parts)
    return Commands(found.parts, clear, commands.hides or found.hides)


def _runs_more(words: Words) -> bool:
    """Whether the words don't show what runs: a shell reads it from its input, an alias is named
    later.
    """
    while len(words) > 1 and words[0] in ("builtin", "command"):
        words = words[1:]
    name, *others = (_name(words), *words[1:])
    if name in _EVALUATORS:
        return any("[" in word and ("$" in word or "`" in word) for word in others)
    options = [word for word in others if word.startswith(("-", "+"))]
    reads_input = name in _SHELLS and ("-s" in options or len(options) == len(others))
    renames = name == "alias" or (name, *options[:1]) in (("hash", "-p"), ("enable", "-f"))
    return reads_input or (renames and bool(others))


def _shell_line(words: Words) -> str | None:
    if len(words) != 3 or _RUNS_LINE.fullmatch(words[1]) is None:
        return None
    folder, name = words[0][: words[0].rfind("/") + 1], words[0].rpartition("/")[2]
    return words[2] if name in _SHELLS and folder in _SHELL_FOLDERS else None


def pattern_problem(pattern: str) -> str | None:
    """Say what is wrong with a command pattern, if anything."""
    try:
        words = _pattern(pattern)
    except ValueError as error:
        return f"{pattern!r}: {str(error).lower()}"
    if not words:
        return "is empty"
    line = Reader(pattern.replace("*", "x").replace("?", "x").replace("[", "x")).read()
    if not line.clear or len(line.parts) != 1:
        return (
            f"{pattern!r}: give one command, without operators, redirections and variables: "
            "each part of a line is matched alone"
        )
    return next(filter(None, map(compile_problem, words)), None)


@lru_cache(1000)
def _pattern(pattern: str) -> Words:
    return tuple(shlex.split(pattern))


def allows(pattern: str, words: Words) -> bool:
    """Whether a pattern means exactly this command. A last word `*` is any number of words; only
    these may be what the shell has yet to expand.
    """
    return _match(pattern, words, _is_meant)


def concerns(pattern: str, words: Words) -> bool:
    """Whether a pattern may mean this command: by any path to the program, after variable settings
    and programs that run others. For rules that reject or ask.
    """
    return any(_match(pattern, form, matches) for form in _forms(words, 0))


def _is_meant(pattern: str, word: str) -> bool:
    return not isinstance(word, Expanded) and (pattern == "*" or word_matches(pattern, word))


def _match(pattern: str, words: Words, same: Callable[[str, str], bool]) -> bool:
    wanted = _pattern(pattern)
    if wanted[-1] == "*":
        wanted = wanted[:-1]
        if len(words) < max(1, len(wanted)):
            return False
        words = words[: len(wanted)]
    return len(wanted) == len(words) and all(map(same, wanted, words))


def _forms(words: Words, depth: int) -> Iterator[Words]:
    """The ways to read a command; each word of a line is read once, however shells are nested."""
    yield words
    start = 0
    while start < len(words) and (words[start] in RESERVED or _ASSIGNMENT.match(words[start])):
        start += 1
    words = words[start:]
    if not words:
        return
    yield from _named(words)
    name = _name(words)
    for at in launched_at(name, words, MOST_WORDS):
        yield from _named(words[at:])
    if depth < _DEEPEST:
        lines = words[1:] if name in _SHELLS else launched_lines(name, words, MOST_WORDS)
        for line in islice(lines, MOST_WORDS):
            for part in read_line(line).parts:
                yield from _forms(part, depth + 1)


def _named(words: Words) -> Iterator[Words]:
    yield words
    yield (_name(words), *words[1:])


def _name(words: Words) -> str:
    return re.split(r"[/\\]", words[0])[-1]


def pattern_of(words: Words, *, open_end: bool = False) -> str:
    """Make a pattern for exactly these words, or for all commands that begin with them."""
    text = shlex.join(map(escaped, words))
    return f"{text} *" if open_end else text


def runs_others(words: Words) -> bool:
    """Whether the program runs what its arguments say, so that a pattern says little about it."""
    name = _name(words)
    interprets = _INTERPRETERS.fullmatch(name) is not None
    return interprets or name in _SHELLS or is_launcher(name) or "=" in words[0]
