"""Command lines: what they run, read so carefully that in doubt nothing is allowed.

What a shell would expand, redirect or nest is not worked out: such a line is unclear. Its words are
still read as well as possible, so that a rule that rejects finds them.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from acp_tui.policy.globs import compile_problem, escaped, matches, word_matches

Words = tuple[str, ...]

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_SHELL_FOLDERS = ("", "/bin/", "/usr/bin/")
_RUNS_LINE = re.compile(r"-[a-z]*c")
_WRAPPERS = frozenset(
    (
        *("sudo", "doas", "su", "runuser", "ssh", "trap", "env", "nohup", "time", "timeout"),
        *("nice", "ionice", "stdbuf", "setsid", "command", "exec", "builtin", "eval", "xargs"),
        *("find", "parallel", "watch", "busybox", "strace", "chroot", "unshare", "flock"),
        "script",
    )
)
"""Programs that run what their arguments name."""
_INTERPRETERS = re.compile(r"(?:python|node|perl|ruby|php|awk|gawk|ssh|docker|npx|uvx)[\d.]*")
"""Programs whose arguments are programs."""
_RESERVED = frozenset(
    (
        *("!", "{", "}", "[[", "if", "then", "elif", "else", "fi", "for", "while", "until", "do"),
        *("done", "case", "esac", "in", "function", "select", "coproc"),
    )
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\+?=")
_HARMLESS = re.compile(
    r"(?:[0-9]*>&[0-9]|(?:[0-9]*|&)>>?[ \t]*/dev/null|<[ \t]*/dev/null)(?=[ \t\n;&|)]|$)"
)
"""Redirections that write no file and read none."""
_EXPANDED = re.compile(r"[{*?\[~]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LONGEST = 10_000
"""Characters of a command line that are read; a longer one is unclear."""
_MOST_WORDS = 256
"""Words of a command that are looked at; one of more is unclear."""
_DEEPEST = 5
"""How many shells inside of shells are looked into."""


class Commands(NamedTuple):
    """The simple commands of a line; `clear` if exactly these would run, and nothing else done.

    A line that is not may still show all its commands: `hides` is whether there may be others.
    """

    parts: tuple[Words, ...]
    clear: bool
    hides: bool = False


UNKNOWN = Commands((), clear=False, hides=True)
"""Something would be run that nobody named."""


def joined(found: Iterable[Commands]) -> Commands:
    """All of these, one after the other."""
    every = list(found)
    parts = tuple(part for commands in every for part in commands.parts)
    clear = all(commands.clear for commands in every)
    return Commands(parts, clear, any(commands.hides for commands in every))


def read_line(line: str) -> Commands:
    """What a POSIX shell would run for a line."""
    return _unwrapped(_Reader(line).read(), 0)


def read_argv(argv: Words) -> Commands:
    """What a list of words runs, without a shell: clear, unless it is itself a shell."""
    return _unwrapped(Commands((argv,), clear=True), 0) if argv and argv[0] else UNKNOWN


def _unwrapped(commands: Commands, depth: int) -> Commands:
    """`bash -c LINE` is the line."""

    def inner(words: Words) -> Commands:
        line = _shell_line(words)
        if line is None:
            hides = _runs_more(words)
            return Commands((words,), clear=not hides, hides=hides)
        return _unwrapped(_Reader(line).read(), depth + 1) if depth < _DEEPEST else UNKNOWN

    found = joined(map(inner, commands.parts))
    clear = commands.clear and found.clear and bool(found.parts)
    return Commands(found.parts, clear, commands.hides or found.hides)


def _runs_more(words: Words) -> bool:
    """Whether the words don't show what runs: a shell reads it from its input, an alias is named
    later.
    """
    name, *others = (_name(words), *words[1:])
    options = [word for word in others if word.startswith(("-", "+"))]
    reads_input = name in _SHELLS and ("-s" in options or len(options) == len(others))
    return reads_input or (name == "alias" and bool(others))


def _shell_line(words: Words) -> str | None:
    if len(words) != 3 or _RUNS_LINE.fullmatch(words[1]) is None:
        return None
    folder, name = words[0][: words[0].rfind("/") + 1], words[0].rpartition("/")[2]
    return words[2] if name in _SHELLS and folder in _SHELL_FOLDERS else None


class _Reader:
    """Cuts a line into words and commands."""

    def __init__(self, line: str) -> None:
        self._line = line[:_LONGEST]
        self._hides = len(line) > _LONGEST or _CONTROL.search(line) is not None
        self._clear = True
        self._at = 0
        self._word: list[str] | None = None
        self._words: list[str] = []
        self._parts: list[Words] = []

    def read(self) -> Commands:
        while self._at < len(self._line):
            self._step()
        self._end_command()
        clear = self._clear and not self._hides and bool(self._parts)
        return Commands(tuple(self._parts), clear, self._hides)

    def _step(self) -> None:
        char = self._line[self._at]
        harmless = _HARMLESS.match(self._line, self._at) if char in "0123456789<>&" else None
        if harmless and self._word is None:
            self._at = harmless.end()
            return
        self._at += 1
        match char:
            case " " | "\t":
                self._end_word()
            case "\n" | ";" | "&" | "|":
                self._end_command()
            case "'" | '"':
                self._quoted(char)
            case "\\":
                self._escaped()
            case "(" | ")" | "<" | ">":
                self._clear = False
                self._end_command()
            case "`":
                self._hides = True
                self._end_command()
            case "#" if self._word is None:
                self._clear = False
            case "$":
                self._hides = True
                self._add(char)
            case _:
                self._add(char)

    def _quoted(self, quote: str) -> None:
        """Read up to the closing quote; one that is missing makes the line unclear."""
        self._add("")
        while self._at < len(self._line):
            char = self._line[self._at]
            self._at += 1
            if char == quote:
                return
            if (
                quote == '"'
                and char == "\\"
                and self._line[self._at : self._at + 1] in tuple('$`"\\\n')
            ):
                self._escaped()
            else:
                self._hides = self._hides or (quote == '"' and char in "$`")
                self._add(char)
        self._hides = True

    def _escaped(self) -> None:
        """The character after a backslash; an escaped line end is nothing."""
        char = self._line[self._at : self._at + 1]
        self._at += 1
        self._hides = self._hides or not char
        if char != "\n":
            self._add(char)

    def _add(self, text: str) -> None:
        self._word = self._word or []
        self._word.append(text)

    def _end_word(self) -> None:
        if self._word is not None:
            self._words.append("".join(self._word))
            self._word = None

    def _end_command(self) -> None:
        self._end_word()
        if self._words:
            self._clear = self._clear and self._words[0] not in _RESERVED
            self._hides = self._hides or not _is_plain(self._words)
            self._parts.append(tuple(self._words))
            self._words = []


def _is_plain(words: list[str]) -> bool:
    """Whether the first word is the program, and there are not too many others."""
    first = words[0]
    named = first in _RESERVED or (bool(first) and _EXPANDED.search(first) is None)
    return named and len(words) <= _MOST_WORDS


def pattern_problem(pattern: str) -> str | None:
    """What is wrong with a command pattern."""
    try:
        words = _pattern(pattern)
    except ValueError as error:
        return f"{pattern!r}: {str(error).lower()}"
    if not words:
        return "is empty"
    line = _Reader(pattern.replace("*", "x").replace("?", "x").replace("[", "x")).read()
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
    """Whether exactly this command is meant. A last word `*` is any further words, or none."""
    return _match(pattern, words, word_matches)


def concerns(pattern: str, words: Words) -> bool:
    """Whether this command may be meant: by any path to the program, behind settings of variables
    and programs that run others. For rules that reject or ask.
    """
    return any(_match(pattern, form, matches) for form in _forms(words, 0))


def _match(pattern: str, words: Words, same: Callable[[str, str], bool]) -> bool:
    wanted = _pattern(pattern)
    if wanted[-1] == "*":
        wanted = wanted[:-1]
        if len(words) < max(1, len(wanted)):
            return False
        words = words[: len(wanted)]
    return len(wanted) == len(words) and all(
        one == "*" or same(one, word) for one, word in zip(wanted, words, strict=True)
    )


def _forms(words: Words, depth: int) -> Iterator[Words]:
    """The ways to read a command; each word of a line is read once, however shells are nested."""
    yield words
    start = 0
    while start < len(words) and (words[start] in _RESERVED or _ASSIGNMENT.match(words[start])):
        start += 1
    words = words[start:]
    if not words:
        return
    yield from _named(words)
    name = _name(words)
    if name in _WRAPPERS:
        for at in range(1, min(len(words), _MOST_WORDS)):
            yield from _named(words[at:])
    if depth < _DEEPEST and (name in _WRAPPERS or name in _SHELLS):
        for word in words[1:_MOST_WORDS]:
            for part in read_line(word).parts:
                yield from _forms(part, depth + 1)


def _named(words: Words) -> Iterator[Words]:
    yield words
    yield (_name(words), *words[1:])


def _name(words: Words) -> str:
    return re.split(r"[/\\]", words[0])[-1]


def pattern_of(words: Words, *, open_end: bool = False) -> str:
    """A pattern for exactly these words, or for all that begin so."""
    text = shlex.join(map(escaped, words))
    return f"{text} *" if open_end else text


def runs_others(words: Words) -> bool:
    """Whether the program runs what its arguments say, so that a pattern says little about it."""
    name = _name(words)
    interprets = _INTERPRETERS.fullmatch(name) is not None
    return interprets or name in _WRAPPERS | _SHELLS or "=" in words[0]
