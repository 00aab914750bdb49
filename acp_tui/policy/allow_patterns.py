"""Matches commands against the command patterns of allowing rules, and explains mismatches.

A `*` matches plain words only. An option, a word with `@` or `=`, a URL, a path outside the
session's folder or on another machine, and the words that decide what is run must be spelled out in
the pattern: no list of dangerous options could be complete.
"""

import re
import shlex
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from acp_tui.policy import programs
from acp_tui.policy.globs import escape_glob, match_with_gaps, word_matches
from acp_tui.policy.launchers import Words, line_options, without_options
from acp_tui.policy.pattern_head import ASSIGNMENT, find_operands, is_option, read_head
from acp_tui.policy.shell_words import MOST_WORDS, Expanded

OTHER = "it is another command"
_ESCAPED = re.compile(r"\[([*?\[])\]")
_WILDCARD = re.compile(r"[*?]|\[.[^\]]*\]", re.DOTALL)
_RUNS = re.compile(
    r"--?[\w.-]*(?:command|cmd|exec|program|rsh|shell|pager|editor|askpass|upload-pack|receive-pack)"
    r"[\w.-]*|--?(?:[\w.-]*-)?(?:plugins?|hooks?|require|preload|loader|preprocessor|interpreter|eval"
    r"|wrapper|launcher|linker|init-script)|-ok(?:dir)?"
    r"|--(?!(?:no|print|show|dump|list)-)(?:[\w.-]*-)?"
    r"(?:config(?:-?(?:file|path|dir))?|rcfile|settings|presets?|import)"
)
"""An option whose name says that its value is run or loaded."""
_LOADS = re.compile(r"-[cpfreIEFMC]")
"""A short option that often names a file or module to load: a suggested pattern includes its value."""
_SEARCH_ACTS = re.compile(r"-(?:exec|ok)(?:dir)?|-[xX]|--exec(?:-batch)?|-delete|-f(?:print.*|ls)")
_OUTSIDE = re.compile(
    r"(?i)[/~]|[a-z]:[/\\]|file:|(?:.*[/:\\])?(?:\.\.|\.git|git~\d)(?:[/\\]|$)", re.DOTALL
)
"""An absolute path, a path in a home folder or above the current folder, or one in `.git`, where a
file may be a hook that git runs.
"""
_GIT_FOLDER = re.compile(r"(?i)(?<![^/\\:=])(?:\.git|git~\d)(?![^/\\])")
"""A name of the folder in which git keeps its hooks, also on disks that ignore case or shorten names."""
_MARKED = re.compile(r"[@=]|:.*[/\\]", re.DOTALL)
"""A setting, a file's content, a host, a URL (`github:a/b` too), or a file after a format's name.

A slash before the `=` doesn't make it a file name: for `make`, `a/b!=touch x` sets the variable
`a/b`.
"""
_PREFIXED = re.compile(r"(?i)(?:data|npm|jsr)?:|github\.com/")
"""A reference to code without a slash or, in `git push origin :main`, to what is to be deleted.

docker builds the repository `github.com/a/b`, even without `https:`.
"""
_HOST = re.compile(r"[^:/\\]*:(?!:)")
"""A host before a path on it; `a.py::test` is a name instead."""
_ANY_HOST = re.compile(r"[^:/\\]*:")
_NO_HOST = re.compile(r"(?!)")
_URL = re.compile(r"(?i)https?://[^@]*", re.DOTALL)


class _Unit(NamedTuple):
    """An option in a pattern, with the words up to the next option or `*`."""

    words: Words
    required: bool


class _Part(NamedTuple):
    """The words of a pattern before, between or after its `--`."""

    operands: Words
    units: tuple[_Unit, ...]


class _Operands(NamedTuple):
    """The operands that a `*` may match in addition to plain words.

    These are paths in `folders`, URLs if `takes_urls`, and `REVISION:PATH` if `takes_revisions`;
    but nothing that begins with a `host`.
    """

    takes_urls: bool
    takes_revisions: bool
    host: re.Pattern[str]
    folders: Words = ()


class _MatchPlan(NamedTuple):
    head: Words
    parts: tuple[_Part, ...]
    problem: str
    allowed: _Operands


@lru_cache(1000)
def pattern_words(pattern: str) -> Words:
    """Split a pattern into its words. Raises ValueError."""
    return tuple(shlex.split(pattern))


def allows_command(pattern: str, words: Words, folders: Words = ()) -> bool:
    """Return whether a pattern matches a command in a session with these `folders`."""
    return find_mismatch(pattern, words, folders) is None


def near_miss(pattern: str, words: Words, folders: Words = ()) -> str | None:
    """Return why a pattern doesn't match a command that begins like it.

    None if it matches, or is about another command.
    """
    why = find_mismatch(pattern, words, folders)
    return None if why == OTHER else why


def open_pattern_problem(pattern: str) -> str:
    """Return why a `*` in an allowing pattern would match too much, or ""."""
    plan = _plan_match(pattern)
    return plan.problem if plan is not None else ""


def find_mismatch(pattern: str, words: Words, folders: Words = ()) -> str | None:
    """Return why a pattern doesn't match a command in a session with these `folders`, or None.

    A pattern without a `*` matches the command literally, word by word.
    """
    plan = _plan_match(pattern)
    if plan is None:
        wanted = pattern_words(pattern)
        same = len(wanted) == len(words) and all(map(is_text, wanted, words))
        return None if same and words else OTHER
    head = plan.head
    if not 0 < len(words) <= MOST_WORDS or not all(map(is_text, head, words[: len(head)])):
        return OTHER
    if plan.problem:
        return plan.problem
    if len(words) < len(head):
        return OTHER
    if runner := _runner_word(head, words):
        return f"a * doesn't stand for {runner}, which may run what follows it"
    allowed = plan.allowed._replace(folders=folders)
    return _parts_mismatch(plan.parts, words[len(head) :], allowed)


def _runner_word(head: Words, words: Words) -> str:
    """Return the first operand after a pattern's head if it is a word such as `exec`, or "".

    A word after an option may be the option's value; then the next operand may also be the first.
    """
    name = programs.program_name(words[0])
    reads = _with_subcommand(name, head) in programs.READS_REVISIONS
    if reads or name in programs.RUNS_NOTHING | programs.SCRIPTS_OF_PROJECT:
        return ""
    runners = programs.RUNNING_ALWAYS - ({"run", "install"} if len(head) > 1 else set())
    behind = words[len(head) - 1 :]
    for at, is_sure in find_operands(behind):
        if behind[at] in runners:
            return behind[at]
        if is_sure:
            break
    return ""


def is_text(pattern: str, word: str) -> bool:
    """Return whether a pattern's word is literally this word, as opposed to matching it."""
    return not isinstance(word, Expanded) and pattern in (word, escape_glob(word))


def is_plain_word(word: str, folders: Words = (), *, takes_urls: bool = False) -> bool:
    """Return whether a `*` may match a word: it must be an operand, whatever files exist."""
    first = word[:1]
    if not first or first in "-+@|!" or first.isspace() or unicodedata.category(first) == "Pd":
        return False
    if takes_urls and _URL.fullmatch(word):
        return True
    if isinstance(word, Expanded):  # may become file names such as `-x`, or `src/CC=x`
        return False
    if any(unicodedata.category(one) == "Cf" for one in word):
        return False  # on some disks `.g\u200cit` is `.git`
    if word.endswith("|") or _MARKED.search(word) or _PREFIXED.match(word):
        return False
    inside = ".." not in word and any(
        word.startswith(f"{one.rstrip('/')}/") for one in folders if one
    )
    return inside or not _OUTSIDE.match(word)


def _is_open(pattern: str) -> bool:
    """Return whether a pattern's word has a wildcard that isn't escaped."""
    return _WILDCARD.search(_ESCAPED.sub("x", pattern)) is not None


@lru_cache(1000)
def _plan_match(pattern: str) -> _MatchPlan | None:
    """Parse a pattern; return None if it has no wildcard."""
    wanted = pattern_words(pattern)
    first = next((at for at, word in enumerate(wanted) if _is_open(word)), None)
    if first is None:
        return None
    fixed = wanted[:first]
    head = read_head(fixed)
    length = head.length
    while length < first and not is_option(wanted[length]):
        length += 1
    name = _named_program(wanted)
    parts = tuple(_read_parts(wanted[length:]))
    problem = head.problem or _option_problem(name, wanted, parts)
    head_words = wanted[: first if head.problem else length]
    allowed = _Operands(
        name in programs.DOWNLOADERS,
        _with_subcommand(name, head_words) in programs.READS_REVISIONS,
        _host_regex(name, head_words),
    )
    return _MatchPlan(head_words, parts, problem, allowed)


def _host_regex(name: str, head: Words) -> re.Pattern[str]:
    """Return the regex for the beginning of a word that names another machine."""
    if any(programs.program_name(word) in programs.ON_OTHER_MACHINES for word in head):
        return _ANY_HOST
    if (
        name in programs.NAMES_WITH_COLONS
        or _with_subcommand(name, head) in programs.NAMES_WITH_COLONS
    ):
        return _NO_HOST
    return _ANY_HOST if name in programs.WITH_TRANSPORTS else _HOST


def _with_subcommand(name: str, head: Words) -> str:
    """Return a program with its subcommand, such as `git show`."""
    at = next((at for at, word in enumerate(head) if not ASSIGNMENT.match(word)), len(head))
    words = without_options(name, head[at:]) if at < len(head) else ()
    found = [words[at] for at, is_sure in find_operands(words) if is_sure]
    while len(found) > 1 and programs.NESTED.get((name, found[0])) == name:
        del found[0]
    return f"{name} {found[0]}" if found else name


def _named_program(words: Words) -> str:
    named = next((word for word in words if not ASSIGNMENT.match(word)), "")
    return programs.program_name(named)


def _read_parts(words: Words) -> Iterator[_Part]:
    """Yield the parts after the head. A command may omit the options between two wildcards."""
    wild = [at for at, word in enumerate(words) if _is_open(word) and not is_option(word)]
    optional = range(wild[0], wild[-1]) if wild else range(0)
    operands: list[str] = []
    units: list[_Unit] = []
    at = 0
    while at < len(words):
        word = words[at]
        end = at + 1
        if word == "--":
            yield _Part(tuple(operands), tuple(units))
            operands, units = [], []
        elif is_option(word):
            while end < len(words) and not _is_open(words[end]) and not is_option(words[end]):
                end += 1
            units.append(_Unit(words[at:end], at not in optional))
        else:
            is_last = end == len(words) or is_option(words[end])
            operands.append("**" if word == "*" and is_last else word)
        at = end
    yield _Part(tuple(operands), tuple(units))


def _option_problem(name: str, words: Words, parts: tuple[_Part, ...]) -> str:
    """Return why the options of a pattern with a `*` leave too much open, or ""."""
    if name in programs.SEARCHES and any(map(_SEARCH_ACTS.fullmatch, words)):
        return f"what {name} runs or writes can't be left open: write all of its words"
    for unit in (unit for part in parts for unit in part.units):
        option, sets, _ = unit.words[0].partition("=")
        if _is_open(option) or (_is_open(unit.words[0]) and not sets):
            return f"a * can't stand for an option: write all of {unit.words[0]}"
        has_value = len(unit.words) > 1 or (sets and not _is_open(unit.words[0]))
        runs = _RUNS.fullmatch(option) or (name != "git" and option in line_options(name))
        runs = runs or (option == "-x" and _with_subcommand(name, words) == "git rebase")
        runs = runs or (name in ("sed", "gsed") and not _is_flag(name, option))
        if runs and not has_value:
            return f"what {option} runs can't be left open: write it, too"
    return ""


def _is_flag(name: str, option: str) -> bool:
    letters = programs.FLAGS.get(name, "")
    return len(option) > 1 and option[0] == "-" and all(one in letters for one in option[1:])


def _parts_mismatch(parts: tuple[_Part, ...], words: Words, allowed: _Operands) -> str | None:
    """Return why words don't match the pattern after its head, or None."""
    sides: list[list[str]] = [[]]
    if allowed.takes_revisions and len(parts) == 1:
        words = _without_dashes(words, parts[0].units)
    for word in words:
        if word == "--" and len(sides) < len(parts):
            sides.append([])
        else:
            sides[-1].append(word)
    if len(sides) < len(parts):
        return "the rule has a --"
    found = (_side_mismatch(*side, allowed) for side in zip(parts, sides, strict=True))
    return next((why for why in found if why is not None), None)


def _without_dashes(words: Words, units: tuple[_Unit, ...]) -> Words:
    """Remove the `--` between revisions and paths, unless it may be the value of an option."""
    if "--" not in words:
        return words
    at = words.index("--")
    before = words[max(0, at - 1) : at]
    takes_value = any(map(is_option, before)) and all(unit.words != before for unit in units)
    return words if takes_value else (*words[:at], *words[at + 1 :])


def _side_mismatch(part: _Part, words: list[str], allowed: _Operands) -> str | None:
    operands: list[str] = []
    seen: set[_Unit] = set()
    units = sorted(part.units, key=lambda unit: -len(unit.words))
    at = 0
    while at < len(words):
        unit = next((one for one in units if _is_here(one, words[at:], allowed)), None)
        if unit is not None:
            seen.add(unit)
            at += len(unit.words)
        elif is_option(words[at]):
            return f"{words[at]} is an option that the rule doesn't spell out"
        else:
            operands.append(words[at])
            at += 1
    missing = next((one for one in part.units if one.required and one not in seen), None)
    if missing is not None:
        return f"the rule wants {shlex.join(missing.words)}, too"
    matched = match_with_gaps(
        part.operands,
        operands,
        lambda pattern, word: _operand_matches(pattern, word, allowed),
        lambda word: _is_plain(word, allowed),
    )
    if matched:
        return None
    return next(filter(None, (_not_plain(word, allowed) for word in operands)), OTHER)


def _is_plain(word: str, allowed: _Operands) -> bool:
    plain = is_plain_word(word, allowed.folders, takes_urls=allowed.takes_urls)
    if not plain and allowed.takes_revisions and not isinstance(word, Expanded):
        revision, _, path = word.partition(":")
        plain = is_plain_word(revision) and is_plain_word(path)
    is_url = allowed.takes_urls and _URL.fullmatch(word) is not None
    return plain and (is_url or not allowed.host.match(word))


def _not_plain(word: str, allowed: _Operands) -> str | None:
    return None if _is_plain(word, allowed) else f"a * doesn't stand for {shlex.quote(word)}"


def _is_here(unit: _Unit, words: list[str], allowed: _Operands) -> bool:
    """Return whether words begin with an option of the pattern."""
    if len(words) < len(unit.words) or not all(map(is_text, unit.words[1:], words[1:])):
        return False
    option, word = unit.words[0], words[0]
    if not _is_open(option):
        return is_text(option, word)
    start = option.partition("=")[0] + "="
    value = word[len(start) :]
    pattern = option[len(start) :]
    return word.startswith(start) and _value_matches(pattern, value, allowed)


def _value_matches(pattern: str, word: str, allowed: _Operands) -> bool:
    """Return whether a pattern's word with wildcards matches an operand, or an option's value."""
    if pattern in ("*", "**"):
        return _is_plain(word, allowed)
    start = _WILDCARD.split(_ESCAPED.sub("x", pattern))[0]
    if isinstance(word, Expanded) or _MARKED.search(word[len(start) :]):
        return False
    if any(unicodedata.category(one) == "Cf" and one not in pattern for one in word):
        return False  # to some disks `.g\u200cit` is `.git`
    if any(name not in pattern for name in _GIT_FOLDER.findall(word)):
        return False
    host = allowed.host.match(word)
    if host is not None and host.end() > len(start):
        return False
    return (bool(start) or _is_plain(word, allowed)) and word_matches(pattern, word)


def _operand_matches(pattern: str, word: str, allowed: _Operands) -> bool:
    if _is_open(pattern):
        return _value_matches(pattern, word, allowed)
    return is_text(pattern, word)


def widen_command(words: Words, folders: Words) -> str | None:
    """Return a pattern that allows this command with other operands, or None.

    It spells out the subcommand, the project's script and all options, with values that may be
    something to load.
    """
    name = programs.program_name(words[0])
    is_script = name in programs.INTERPRETERS and words[1:2] != ("-m",)
    if ASSIGNMENT.match(words[0]) or name in programs.TRANSPARENT or is_script:
        return None
    head = read_head(words)
    if head.problem:
        return None
    length = head.length
    if length == 1 and words[1:] and words[1].isalpha():
        length = 2
    if name in programs.SCRIPTS_OF_PROJECT and words[length - 1] in programs.RUN_SCRIPT:
        length += words[length:] != () and not is_option(words[length])
    kept = list(words[:length])
    for before, word in pairwise(words[length - 1 :]):
        loads = _RUNS.fullmatch(before) or (
            name not in programs.RUNS_NOTHING and _LOADS.fullmatch(before)
        )
        if is_option(word) or (is_option(before) and (loads or not is_plain_word(word, folders))):
            kept.append(word)
    pattern = f"{shlex.join(map(escape_glob, kept))} *"
    return pattern if allows_command(pattern, words, folders) else None
