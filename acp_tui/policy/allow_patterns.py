"""Command patterns of rules that allow: which commands they match, and why not.

A `*` stands for plain words. An option, a word with `@` or `=`, a URL, a path outside the session's
folder or on another machine, and the words that decide what is run must be written out in the
pattern. No list of dangerous options could be complete.
"""

import re
import shlex
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from acp_tui.policy import programs
from acp_tui.policy.globs import escape_glob, word_matches
from acp_tui.policy.launchers import Words, is_wrapper, line_options, without_options
from acp_tui.policy.shell_words import MOST_WORDS, Expanded

OTHER = "it is another command"
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_NUMBER = re.compile(r"[\d.]+[smhd]?")
_ESCAPED = re.compile(r"\[([*?\[])\]")
_WILDCARD = re.compile(r"[*?]|\[.[^\]]*\]", re.DOTALL)
_RUNS = re.compile(
    r"--?[\w.-]*(?:command|cmd|exec|program|rsh|shell|pager|editor|askpass|upload-pack|receive-pack)"
    r"[\w.-]*|--?(?:[\w.-]*-)?(?:plugins?|hooks?|require|preload|loader|preprocessor|interpreter|eval"
    r"|wrapper|launcher|linker|init-script)|-ok(?:dir)?"
)
"""An option whose value is, by its name, something to run."""
_SEARCH_ACTS = re.compile(r"-(?:exec|ok)(?:dir)?|-[xX]|--exec(?:-batch)?|-delete|-f(?:print.*|ls)")
_OF_TEXT = (
    *("awk", "gawk", "mawk", "nawk", "original-awk", "sed", "gsed"),
    *("jq", "gojq", "jaq", "yq", "xq", "fq"),
)
"""Interpreters whose first operand is code, not the name of a script."""
_OUTSIDE = re.compile(
    r"(?i)[/~]|[a-z]:[/\\]|file:|(?:.*[/:\\])?(?:\.\.|\.git)(?:[/\\]|$)", re.DOTALL
)
"""An absolute path, a path in a home folder, one above the current folder, or one in `.git`, where a
file may be a hook that git runs.
"""
_MARKED = re.compile(r"[@=]|:.*[/\\]", re.DOTALL)
"""A setting, a file's content, a host, a URL (`github:a/b` too), or a file after a format's name.

A slash before a `=` doesn't make it a file name: to `make`, `a/b!=touch x` sets the variable `a/b`.
"""
_PREFIXED = re.compile(r"(?i)(?:data|npm|jsr)?:|github\.com/")
"""Names code without a slash or, in `git push origin :main`, what is to be deleted.

To docker, `github.com/a/b` is a repository to build, also without `https:`.
"""
_HOST = re.compile(r"[^:/\\]*:(?!:)")
"""A host before a path on it; `a.py::test` is a name."""
_ANY_HOST = re.compile(r"[^:/\\]*:")
_NO_HOST = re.compile(r"(?!)")
_URL = re.compile(r"(?i)https?://[^@]*", re.DOTALL)


class PatternHead(NamedTuple):
    """The first words of a pattern, which a command must have at the same places.

    `problem` is why no `*` may follow them.
    """

    length: int
    problem: str = ""


class _Unit(NamedTuple):
    """An option in a pattern, with the words up to the next option or `*`."""

    words: Words
    required: bool


class _Part(NamedTuple):
    """The words of a pattern before, between or after its `--`."""

    operands: Words
    units: tuple[_Unit, ...]


class _MatchPlan(NamedTuple):
    head: Words
    parts: tuple[_Part, ...]
    problem: str
    takes_urls: bool
    takes_revisions: bool
    host: re.Pattern[str]


class _Operands(NamedTuple):
    """What a `*` may stand for besides plain words.

    Paths in `folders`, URLs if `takes_urls`, and `REVISION:PATH` if `takes_revisions`; but nothing
    that begins with a `host`.
    """

    folders: Words
    takes_urls: bool
    takes_revisions: bool
    host: re.Pattern[str]


@lru_cache(1000)
def pattern_words(pattern: str) -> Words:
    """Split a pattern into its words. Raises ValueError."""
    return tuple(shlex.split(pattern))


def allows_command(pattern: str, words: Words, folders: Words = ()) -> bool:
    """Return whether a pattern matches a command of a session in `folders`."""
    return find_mismatch(pattern, words, folders) is None


def near_miss(pattern: str, words: Words, folders: Words = ()) -> str | None:
    """Return why a pattern doesn't match a command with the same beginning; None if it matches, or
    is about something else.
    """
    why = find_mismatch(pattern, words, folders)
    return None if why == OTHER else why


def open_pattern_problem(pattern: str) -> str:
    """Return why a `*` in an allowing pattern would stand for too much, or ''."""
    plan = _plan(pattern)
    return plan.problem if plan is not None else ""


def find_mismatch(pattern: str, words: Words, folders: Words = ()) -> str | None:
    """Return why a pattern doesn't match a command of a session in `folders`; None if it does.

    Without a `*` it matches the command's text, word by word.
    """
    plan = _plan(pattern)
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
    allowed = _Operands(folders, plan.takes_urls, plan.takes_revisions, plan.host)
    return _parts_mismatch(plan.parts, words[len(head) :], allowed)


def is_text(pattern: str, word: str) -> bool:
    """Return whether a pattern's word is literally this word, not only a match."""
    return not isinstance(word, Expanded) and pattern in (word, escape_glob(word))


def is_plain_word(word: str, folders: Words = (), *, takes_urls: bool = False) -> bool:
    """Return whether a `*` may stand for a word: it must be an operand, whatever files exist."""
    first = word[:1]
    if not first or first in "-+@|!" or first.isspace() or unicodedata.category(first) == "Pd":
        return False
    if takes_urls and _URL.fullmatch(word):
        return True
    if isinstance(word, Expanded):  # expands to file names, which may be `-x`, or `src/CC=x`
        return False
    if word.endswith("|") or _MARKED.search(word) or _PREFIXED.match(word):
        return False
    inside = ".." not in word and any(
        word.startswith(f"{one.rstrip('/')}/") for one in folders if one
    )
    return inside or not _OUTSIDE.match(word)


def _is_option(word: str) -> bool:
    return word[:1] in ("-", "+") and bool(word)


def _is_open(pattern: str) -> bool:
    """Return whether a pattern's word matches more than one text."""
    return _WILDCARD.search(_ESCAPED.sub("x", pattern)) is not None


@lru_cache(1000)
def _plan(pattern: str) -> _MatchPlan | None:
    """Parse a pattern; return None if it has no wildcard."""
    wanted = pattern_words(pattern)
    first = next((at for at, word in enumerate(wanted) if _is_open(word)), None)
    if first is None:
        return None
    fixed = wanted[:first]
    head = _head(fixed)
    length = head.length
    while length < first and not _is_option(wanted[length]):
        length += 1
    name = _program(wanted)
    parts = tuple(_read_parts(wanted[length:]))
    problem = head.problem or _option_problem(name, wanted, parts)
    head_words = wanted[: first if head.problem else length]
    takes_urls = name in programs.DOWNLOADERS
    takes_revisions = _with_subcommand(name, head_words) in programs.READS_REVISIONS
    host = _host(name, head_words)
    return _MatchPlan(head_words, parts, problem, takes_urls, takes_revisions, host)


def _host(name: str, head: Words) -> re.Pattern[str]:
    """Return the regex of a word's beginning that names another machine."""
    if any(programs.program_name(word) in programs.ON_OTHER_MACHINES for word in head):
        return _ANY_HOST
    if (
        name in programs.NAMES_WITH_COLONS
        or _with_subcommand(name, head) in programs.NAMES_WITH_COLONS
    ):
        return _NO_HOST
    return _ANY_HOST if name in programs.WITH_TRANSPORTS else _HOST


def _with_subcommand(name: str, head: Words) -> str:
    """Return a program and its subcommand, such as `git show`."""
    at = next((at for at, word in enumerate(head) if not _ASSIGNMENT.match(word)), len(head))
    words = without_options(name, head[at:]) if at < len(head) else ()
    found = [words[at] for at, is_sure in _operands(words) if is_sure]
    while len(found) > 1 and programs.NESTED.get((name, found[0])) == name:
        del found[0]
    return f"{name} {found[0]}" if found else name


def _program(words: Words) -> str:
    named = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    return programs.program_name(named)


def _read_parts(words: Words) -> Iterator[_Part]:
    """Yield the parts after the head. A command may omit the options between two wildcards."""
    wild = [at for at, word in enumerate(words) if _is_open(word) and not _is_option(word)]
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
        elif _is_option(word):
            while end < len(words) and not _is_open(words[end]) and not _is_option(words[end]):
                end += 1
            units.append(_Unit(words[at:end], at not in optional))
        else:
            is_last = end == len(words) or _is_option(words[end])
            operands.append("**" if word == "*" and is_last else word)
        at = end
    yield _Part(tuple(operands), tuple(units))


def _option_problem(name: str, wanted: Words, parts: tuple[_Part, ...]) -> str:
    """Return what is wrong with the options of a pattern that has a `*`, or ""."""
    if name in programs.SEARCHES and any(map(_SEARCH_ACTS.fullmatch, wanted)):
        return f"what {name} runs or writes can't be left open: write all of its words"
    for unit in (unit for part in parts for unit in part.units):
        option, sets, _ = unit.words[0].partition("=")
        if _is_open(option) or (_is_open(unit.words[0]) and not sets):
            return f"a * can't stand for an option: write all of {unit.words[0]}"
        has_value = len(unit.words) > 1 or (sets and not _is_open(unit.words[0]))
        runs = _RUNS.fullmatch(option) or (name != "git" and option in line_options(name))
        runs = runs or (option == "-x" and _with_subcommand(name, wanted) == "git rebase")
        runs = runs or (name in ("sed", "gsed") and not _is_flag(name, option))
        if runs and not has_value:
            return f"what {option} runs can't be left open: write it, too"
    return ""


def _is_flag(name: str, option: str) -> bool:
    letters = programs.FLAGS.get(name, "")
    return len(option) > 1 and option[0] == "-" and all(one in letters for one in option[1:])


def _head(fixed: Words) -> PatternHead:
    """Return the words before the first wildcard that decide what is run."""
    at = 0
    while at < len(fixed) and _ASSIGNMENT.match(fixed[at]):
        at += 1
    if at == len(fixed):
        return PatternHead(at, "a * can't stand for the program: write its name")
    return _after(at, _program_head(fixed[at:]))


def _after(count: int, head: PatternHead) -> PatternHead:
    return PatternHead(count + head.length, head.problem)


def _program_head(words: Words) -> PatternHead:
    name = programs.program_name(words[0])
    if name in programs.TRANSPARENT:
        return _launched(name, words)
    if name in programs.WITH_SUBCOMMANDS:
        return _subcommand(name, words)
    if name in programs.INTERPRETERS:
        return _script(name, words)
    if name in programs.ARCHIVERS:
        return _archive(name, words)
    if name in programs.OPAQUE or (is_wrapper(name) and name not in programs.SEARCHES):
        why = f"what {name} is given may be run, or say what is: write all of its words"
        return PatternHead(len(words), why)
    for at, is_sure in _operands(words) if name not in programs.RUNS_NOTHING else ():
        if _runs(name, words[at]):
            return _opaque(name, words[at:])
        if is_sure:
            break
    return PatternHead(1)


def _opaque(name: str, words: Words) -> PatternHead:
    """Return the head of a subcommand whose operands must all be written out."""
    why = f"what `{name} {words[0]}` is given may be run: write all of its words"
    return PatternHead(len(words), why)


def _last_name(word: str) -> str:
    """Return the last part of a subcommand: `emulators:exec`, `archive.install`."""
    return re.split(r"[:.]", word)[-1]


def _runs(name: str, word: str) -> bool:
    """Return whether the words after this one name what is run."""
    is_ours = word == "run" and name in programs.SCRIPTS_OF_PROJECT
    runs = _last_name(word).casefold() in programs.RUNNING or "exec" in re.split(r"[:.-]", word)
    return runs and not is_ours


def _brings(name: str, word: str) -> bool:
    """Return whether the words after this one name what will be installed and may run."""
    does = _last_name(word)
    is_known = does in programs.BRINGING or ("install" in does and not does.startswith("un"))
    return is_known and name not in programs.BRINGS_NOTHING


def _operands(words: Words, flags: str = "") -> Iterator[tuple[int, bool]]:
    """Yield the indexes of a program's operands, and whether each certainly is one.

    A word after an option may be its value.
    """
    after_option = False
    for at, word in enumerate(words[1:], 1):
        if word == "--":
            if at + 1 < len(words):
                yield at + 1, True
            return
        if _is_option(word):
            is_flag = len(word) > 1 and all(one in flags for one in word[1:])
            after_option = "=" not in word and not is_flag
        else:
            yield at, not after_option
            after_option = False


def _launched(name: str, words: Words) -> PatternHead:
    """Return the head of what a launcher runs: each word that may be that program is judged."""
    for at, is_sure in _operands(words):
        if _ASSIGNMENT.match(words[at]) or _NUMBER.fullmatch(words[at]):
            continue
        head = _after(at, _program_head(words[at:]))
        if head.problem or is_sure:
            return head
    return PatternHead(len(words), f"write what {name} runs, too, as in `{name} PROGRAM *`")


def _script(name: str, words: Words) -> PatternHead:
    """Return the head of an interpreter: with its script, or the module of Python's `-m`."""
    flags = programs.FLAGS.get(name, "")
    for at, word in enumerate(words[1:], 1):
        module = re.fullmatch(rf"-[{flags}]*m(.*)", word) if name in programs.PYTHONS else None
        if module and module[1]:
            return _after(at, _program_head((module[1], *words[at + 1 :])))
        if module and at + 1 < len(words):
            return _after(at + 1, _program_head(words[at + 1 :]))
        if not _is_option(word):
            break
    for at, is_sure in _operands(words, flags):
        if is_sure:
            if name in _OF_TEXT:
                return PatternHead(len(words))
            if _runs(name, words[at]):
                return _opaque(name, words[at:])
            return PatternHead(len(words), _program_head(words[at:]).problem)
    example = "CODE" if name in _OF_TEXT else "FILE"
    return PatternHead(len(words), f"write what {name} runs, too, as in `{name} {example} *`")


def _archive(name: str, words: Words) -> PatternHead:
    """Return the head of `tar`: its first word contains options, even without a dash."""
    if len(words) == 1:
        return PatternHead(1, f"write the options of {name}, as in `{name} -tf *`")
    if not words[1].startswith("--") and not {"I", "F"}.isdisjoint(words[1]):
        return PatternHead(
            len(words), f"what {name} runs can't be left open: write all of its words"
        )
    return PatternHead(2)


def _subcommand(name: str, words: Words) -> PatternHead:
    """Return the head of a program whose first operand decides what it does."""
    if name == "git":
        at = len(words) - len(without_options(name, words)) + 1
        if at < len(words):
            return _after(at, _done(name, words[at:]))
    for at, is_sure in _operands(words) if name != "git" else ():
        does = PatternHead(1) if name in programs.RUNS_NOTHING else _done(name, words[at:])
        head = _after(at, does)
        if head.problem or is_sure:
            return head
    example = programs.EXAMPLES.get(name, f"{name} SUBCOMMAND *")
    return PatternHead(
        len(words), f"a * can't stand for what {name} is to do: write it, as in `{example}`"
    )


def _done(name: str, words: Words) -> PatternHead:
    """Return the head of a subcommand and its operands."""
    does = words[0]
    nested = programs.NESTED.get((name, does))
    if nested is not None:
        return _program_head((nested, *words[1:]))
    elsewhere = programs.NESTED_ELSEWHERE.get((name, does))
    if elsewhere is not None:
        return _after(1, _program_head((elsewhere, *words[2:])))
    if does in programs.OPAQUE_SUBCOMMANDS or does in programs.OPAQUE_OF.get(name, ()):
        return _opaque(name, words)
    if _brings(name, does):
        return _opaque(name, words)
    launches = does in programs.LAUNCHING
    if launches and not (does == "run" and name in programs.SCRIPTS_OF_PROJECT):
        if name in programs.LAUNCHES_HERE:
            return _launched(f"{name} {does}", words)
        if name in programs.LAUNCHES_ELSEWHERE:
            place = next((at for at, is_sure in _operands(words) if is_sure), len(words))
            return _after(place, _launched(f"{name} {does} PLACE", words[place:]))
    if name in programs.TWO_LEVELS or does in programs.NAMED_NEXT.get(name, ()):
        return _named_next(name, words)
    if _runs(name, does):
        return _opaque(name, words)
    return _program_head(words) if name in programs.RUNS_BY_NAME else PatternHead(1)


def _named_next(name: str, words: Words) -> PatternHead:
    """Return the head of a subcommand that has a subcommand of its own."""
    does = f"{name} {words[0]}"
    named = next((at for at, is_sure in _operands(words) if is_sure), None)
    if named is None:
        why = f"write the word behind `{does}`, too, as in `{does} WORD *`"
        return PatternHead(len(words), why)
    if words[named] in programs.RUNNING:
        return _launched(f"{does} {words[named]}", words[named:])
    next_word = words[named]
    is_opaque = next_word in programs.OPAQUE_SUBCOMMANDS | programs.OPAQUE_OF.get(does, frozenset())
    if is_opaque or _brings(name, next_word):
        return _opaque(does, words[named:])
    return PatternHead(named + 1)


def _parts_mismatch(parts: tuple[_Part, ...], words: Words, allowed: _Operands) -> str | None:
    """Return why words don't match what follows a head."""
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
    """Return words without the `--` between revisions and paths, unless it may be an option's value."""
    if "--" not in words:
        return words
    at = words.index("--")
    before = words[max(0, at - 1) : at]
    takes_value = any(map(_is_option, before)) and all(unit.words != before for unit in units)
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
        elif _is_option(words[at]):
            return f"{words[at]} is an option that the rule doesn't spell out"
        else:
            operands.append(words[at])
            at += 1
    missing = next((one for one in part.units if one.required and one not in seen), None)
    if missing is not None:
        return f"the rule wants {shlex.join(missing.words)}, too"
    if _operands_match(part.operands, operands, allowed):
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
    host = allowed.host.match(word)
    if host is not None and host.end() > len(start):
        return False
    return (bool(start) or _is_plain(word, allowed)) and word_matches(pattern, word)


def _operands_match(wanted: Words, words: list[str], allowed: _Operands) -> bool:
    """Match operands: `**` is any number of plain words; only the last `**` needs backtracking."""
    at = place = 0
    again: tuple[int, int] | None = None
    while place < len(words):
        if at < len(wanted) and wanted[at] == "**":
            again = (at, place)
            at += 1
        elif at < len(wanted) and _operand_matches(wanted[at], words[place], allowed):
            at += 1
            place += 1
        elif again is not None and _is_plain(words[again[1]], allowed):
            at, place = again[0] + 1, again[1] + 1
            again = (again[0], place)
        else:
            return False
    return all(one == "**" for one in wanted[at:])


def _operand_matches(pattern: str, word: str, allowed: _Operands) -> bool:
    if _is_open(pattern):
        return _value_matches(pattern, word, allowed)
    return is_text(pattern, word)


def widen_command(words: Words, folders: Words = ()) -> str | None:
    """Return a pattern for this command with other operands: subcommand and options are written
    out.

    None if there is no such pattern.
    """
    name = programs.program_name(words[0])
    is_script = name in programs.INTERPRETERS and words[1:2] != ("-m",)
    if _ASSIGNMENT.match(words[0]) or name in programs.TRANSPARENT or is_script:
        return None
    head = _head(words)
    if head.problem:
        return None
    length = head.length
    if length == 1 and words[1:] and words[1].isalpha():
        length = 2
    kept = list(words[:length])
    for before, word in pairwise(words[length - 1 :]):
        if _is_option(word) or (_is_option(before) and not is_plain_word(word, folders)):
            kept.append(word)
    pattern = f"{shlex.join(map(escape_glob, kept))} *"
    return pattern if allows_command(pattern, words, folders) else None
