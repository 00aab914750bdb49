"""Parses command lines for the commands that they run; in doubt a line is unclear, and not allowed.

Expansions, redirections and nesting are not resolved: they make a line unclear. Its words are still
parsed as well as possible, so that a rejecting rule can match them.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from itertools import islice

from acp_tui.policy.allow_patterns import pattern_words
from acp_tui.policy.globs import compile_problem, escape_glob, matches_glob
from acp_tui.policy.launchers import (
    Words,
    is_launcher,
    launched_at,
    launched_lines,
    runs_line,
    set_line,
    without_options,
)
from acp_tui.policy.shell_words import (
    MOST_WORDS,
    RESERVED,
    UNKNOWN,
    Commands,
    Expanded,
    ShellReader,
    join_commands,
)

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"})
_SHELL_FOLDERS = ("", "/bin/", "/usr/bin/")
_RUNS_LINE = re.compile(r"-[efhilmuvx]*c")
"""Not `-k`, with which bash treats `PATH=x` as an assignment anywhere."""
_MAY_RUN_LINE = re.compile(r"-[A-Za-z]*c[A-Za-z]*")
_SHELL_VALUES = frozenset(("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
"""Options of shells that take a value."""
_INPUT = ("/dev/", "/proc/")
_MAY_HIDE = re.compile(r"[$`\s]|^\{\}$")
"""`{}` is the placeholder in xargs and find."""
_ASSIGNMENT = re.compile(r"[A-Za-z_0-9]+\+?=")
"""The beginning of an assignment; zsh also has `1=x`."""
_EVALUATORS = frozenset(
    (
        *("printf", "read", "declare", "typeset", "local", "export", "readonly", "unset", "test"),
        *("[", "let", "wait", "mapfile", "readarray", "getopts"),
    )
)
"""Builtins that evaluate the index in a variable's name, which may run a command."""
_DEEPEST_SHELL = 5
"""How many levels of nested shells are parsed."""


def read_shell_line(line: str) -> Commands:
    """Return the commands that a POSIX shell would run for a line."""
    return _unwrapped(ShellReader(line).read(), 0)


def read_argv(argv: Words) -> Commands:
    """Return the commands that an argv runs without a shell: clear, unless one of them is a shell."""
    return _unwrapped(Commands((argv,), clear=True), 0) if argv and argv[0] else UNKNOWN


def _unwrapped(commands: Commands, depth: int) -> Commands:
    """Replace `bash -c LINE` by the commands of the line."""

    def inner(words: Words) -> Commands:
        line = _shell_line(words)
        if line is None:
            hides = _runs_more(words)
            return Commands((words,), not hides, hides or _hides_line(words, depth))
        return (
            _unwrapped(ShellReader(line).read(), depth + 1) if depth < _DEEPEST_SHELL else UNKNOWN
        )

    found = join_commands(map(inner, commands.parts))
    clear = commands.clear and found.clear and bool(found.parts)
    return Commands(found.parts, clear, commands.hides or found.hides)


def _runs_more(words: Words) -> bool:
    """Return whether words don't show what is run: a shell reads its input, or an alias is defined."""
    while len(words) > 1 and words[0] in ("builtin", "command"):
        words = words[1:]
    name, *others = (_name(words), *words[1:])
    if name in _EVALUATORS:
        return any("[" in word and ("$" in word or "`" in word) for word in others)
    renames = name == "alias" or (name, *others[:1]) in (("hash", "-p"), ("enable", "-f"))
    return _reads_input(name, others) or (renames and bool(others))


def _reads_input(name: str, others: list[str]) -> bool:
    """Return whether a shell reads its input, because it has neither a line nor a file to run."""
    if name in (".", "source"):
        return not others or others[0].startswith(_INPUT)
    if name not in _SHELLS or any(map(_MAY_RUN_LINE.fullmatch, others)):
        return False
    at = 0
    while at < len(others) and others[at].startswith(("-", "+")) and others[at] != "-s":
        at += 1 + (others[at] in _SHELL_VALUES)
    return at >= len(others) or others[at] == "-s" or others[at].startswith(_INPUT)


def _hides_line(words: Words, depth: int) -> bool:
    """Return whether an argument may be a line with hidden commands, or the input is such a line."""
    start = next((at for at, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    words = words[start:]
    if not words:
        return False
    name, *others = (_name(words), *words[1:])
    if name in ("at", "batch"):
        return True
    shells = [at for at in range(len(words)) if _name(words[at:]) in _SHELLS]
    if shells and (name in _SHELLS or is_launcher(name)):
        lines = any(map(_MAY_RUN_LINE.fullmatch, others))
        return (
            _may_hide_command(others, depth)
            if lines
            else _reads_input(_name(words[shells[-1] :]), list(words[shells[-1] + 1 :]))
        )
    return runs_line(name) and _may_hide_command(others, depth)


def _may_hide_command(words: list[str], depth: int) -> bool:
    """Return whether any of the words may be a command line that hides commands."""
    if depth == _DEEPEST_SHELL or any(isinstance(word, Expanded) for word in words):
        return True
    lines = filter(_MAY_HIDE.search, words)
    return any(_unwrapped(ShellReader(line).read(), depth + 1).hides for line in lines)


def _shell_line(words: Words) -> str | None:
    if len(words) != 3 or isinstance(words[2], Expanded) or _RUNS_LINE.fullmatch(words[1]) is None:
        return None
    folder, name = words[0][: words[0].rfind("/") + 1], words[0].rpartition("/")[2]
    return words[2] if name in _SHELLS and folder in _SHELL_FOLDERS else None


def pattern_problem(pattern: str) -> str | None:
    """Return why a command pattern is invalid, or None."""
    try:
        words = pattern_words(pattern)
    except ValueError as error:
        return f"{pattern!r}: {str(error).lower()}"
    if not words:
        return "is empty"
    line = ShellReader(pattern.replace("*", "x").replace("?", "x").replace("[", "x")).read()
    if not line.clear or len(line.parts) != 1:
        return (
            f"{pattern!r}: give one command, without operators, redirections and variables: "
            "each part of a line is matched alone"
        )
    return next(filter(None, map(compile_problem, words)), None)


def may_match_command(pattern: str, words: Words) -> bool:
    """Return whether a pattern may match this command.

    For rejecting and asking rules: the program may have any path, and follow assignments and
    launchers.
    """
    return any(_may_be(pattern, form) for form in _forms(words, 0))


def _words_match(wanted: Words, words: Words, same: Callable[[str, str], bool]) -> bool:
    if wanted[-1] == "*":
        wanted = wanted[:-1]
        if len(words) < max(1, len(wanted)):
            return False
        words = words[: len(wanted)]
    return len(wanted) == len(words) and all(map(same, wanted, words))


def _may_be(pattern: str, words: Words) -> bool:
    """Return whether a pattern matches a command; case is ignored in the program's name."""
    name, *others = pattern_words(pattern)
    return _words_match((name.casefold(), *others), (words[0].casefold(), *words[1:]), matches_glob)


def _forms(words: Words, depth: int) -> Iterator[Words]:
    """Yield all readings of a command; each word of a line only once, however shells are nested."""
    yield words
    start = 0
    while start < len(words) and (words[start] in RESERVED or _ASSIGNMENT.match(words[start])):
        start += 1
    if depth < _DEEPEST_SHELL:
        for line in filter(None, map(set_line, words[:start])):
            for part in read_shell_line(line).parts:
                yield from _forms(part, depth + 1)
    if words[start:]:
        yield from _command_forms(words[start:], depth)


def _command_forms(words: Words, depth: int) -> Iterator[Words]:
    yield from _named(words)
    for at, word in enumerate(words[1:MOST_WORDS], 1):
        if word == "{" and words[at + 1 :]:  # the body of a function or a named coprocess
            yield from _named(words[at + 1 :])
    name = _name(words)
    yield without_options(name, (name, *words[1:]))
    for at in launched_at(name, words, MOST_WORDS):
        yield from _named(words[at:])
    if depth < _DEEPEST_SHELL:
        lines = words[1:] if name in _SHELLS else launched_lines(name, words, MOST_WORDS)
        for line in islice(lines, MOST_WORDS):
            for part in read_shell_line(line).parts:
                yield from _forms(part, depth + 1)


def _named(words: Words) -> Iterator[Words]:
    yield words
    yield (_name(words), *words[1:])


def _name(words: Words) -> str:
    """Return the program's name without its folder and `.exe`, in lower case."""
    return re.split(r"[/\\]", words[0])[-1].casefold().removesuffix(".exe")


def pattern_of(words: Words) -> str:
    """Return a pattern for exactly these words."""
    return shlex.join(map(escape_glob, words))
