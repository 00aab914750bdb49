"""Finds the head of a pattern: the words that decide what is run, such as program and subcommand.

They must be spelled out before any `*`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from acp_tui.policy import programs
from acp_tui.policy.launchers import Words, is_wrapper, without_options

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_NUMBER = re.compile(r"[\d.]+[smhd]?")
_OF_TEXT = (
    *("awk", "gawk", "mawk", "nawk", "original-awk", "sed", "gsed"),
    *("jq", "gojq", "jaq", "yq", "xq", "fq"),
)
"""Interpreters whose first operand is code instead of a script's name."""


class PatternHead(NamedTuple):
    """The first words of a pattern, with which a command must begin.

    `length` is their number; `problem` is why no `*` may follow them, or "".
    """

    length: int
    problem: str = ""


def is_option(word: str) -> bool:
    """Return whether a word looks like an option."""
    return word[:1] in ("-", "+") and bool(word)


def read_head(fixed: Words) -> PatternHead:
    """Return the head of a pattern, given its words before the first wildcard."""
    at = 0
    while at < len(fixed) and ASSIGNMENT.match(fixed[at]):
        at += 1
    if at == len(fixed):
        return PatternHead(at, "a * can't stand for the program: write its name")
    return _shift_head(at, _program_head(fixed[at:]))


def _shift_head(count: int, head: PatternHead) -> PatternHead:
    return PatternHead(count + head.length, head.problem)


def _program_head(words: Words) -> PatternHead:
    name = programs.program_name(words[0])
    if name in programs.TRANSPARENT:
        return _launcher_head(name, words)
    if name in programs.WITH_SUBCOMMANDS:
        return _subcommand_head(name, words)
    if name in programs.INTERPRETERS:
        return _script_head(name, words)
    if name in programs.ARCHIVERS:
        return _archive_head(name, words)
    if name in programs.OPAQUE or (is_wrapper(name) and name not in programs.SEARCHES):
        why = f"what {name} is given may be run, or say what is: write all of its words"
        return PatternHead(len(words), why)
    for at, is_sure in find_operands(words) if name not in programs.RUNS_NOTHING else ():
        if _names_runner(name, words[at]):
            return _opaque_head(name, words[at:])
        if is_sure:
            break
    return PatternHead(1)


def _opaque_head(name: str, words: Words) -> PatternHead:
    """Return the head of a subcommand whose operands must all be spelled out."""
    why = f"what `{name} {words[0]}` is given may be run: write all of its words"
    return PatternHead(len(words), why)


def _last_name(word: str) -> str:
    """Return the last part of a subcommand: `exec` of `emulators:exec`."""
    return re.split(r"[:.]", word)[-1]


def _names_runner(name: str, word: str) -> bool:
    """Return whether a subcommand runs the program that its operands name."""
    is_ours = word == "run" and name in programs.SCRIPTS_OF_PROJECT
    runs = _last_name(word).casefold() in programs.RUNNING or "exec" in re.split(r"[:.-]", word)
    return runs and not is_ours


def _names_installer(name: str, word: str) -> bool:
    """Return whether a subcommand installs what its operands name, which may then be run, too."""
    does = _last_name(word)
    is_known = does in programs.BRINGING or ("install" in does and not does.startswith("un"))
    return is_known and name not in programs.BRINGS_NOTHING


def _abbreviates_runner(name: str, word: str) -> bool:
    """Return whether a program may complete a word to a subcommand that runs or installs code."""
    if name not in programs.ABBREVIATING:
        return False
    known = programs.OPAQUE_SUBCOMMANDS | programs.OPAQUE_OF.get(name, frozenset())
    known |= programs.BRINGING | programs.LAUNCHING | programs.RUNNING
    return word not in known and any(one.startswith(word) for one in known)


def find_operands(words: Words, flags: str = "") -> Iterator[tuple[int, bool]]:
    """Yield the index of each word that may be an operand, and whether it certainly is one.

    A word after an option may be the option's value.
    """
    after_option = False
    for at, word in enumerate(words[1:], 1):
        if word == "--":
            if at + 1 < len(words):
                yield at + 1, True
            return
        if is_option(word):
            is_flag = len(word) > 1 and all(one in flags for one in word[1:])
            after_option = "=" not in word and not is_flag
        else:
            yield at, not after_option
            after_option = False


def _launcher_head(name: str, words: Words) -> PatternHead:
    """Return the head of a launcher including that of the program it runs. Each word that may be
    that program is checked.
    """
    for at, is_sure in find_operands(words):
        if ASSIGNMENT.match(words[at]) or _NUMBER.fullmatch(words[at]):
            continue
        head = _shift_head(at, _program_head(words[at:]))
        if head.problem or is_sure:
            return head
    return PatternHead(len(words), f"write what {name} runs, too, as in `{name} PROGRAM *`")


def _script_head(name: str, words: Words) -> PatternHead:
    """Return the head of an interpreter: with its script, or the module after Python's `-m`."""
    flags = programs.FLAGS.get(name, "")
    for at, word in enumerate(words[1:], 1):
        module = re.fullmatch(rf"-[{flags}]*m(.*)", word) if name in programs.PYTHONS else None
        if module and module[1]:
            return _shift_head(at, _program_head((module[1], *words[at + 1 :])))
        if module and at + 1 < len(words):
            return _shift_head(at + 1, _program_head(words[at + 1 :]))
        if not is_option(word):
            break
    for at, is_sure in find_operands(words, flags):
        if is_sure:
            if name in _OF_TEXT:
                return PatternHead(len(words))
            if _names_runner(name, words[at]):
                return _opaque_head(name, words[at:])
            return PatternHead(len(words), _program_head(words[at:]).problem)
    example = "CODE" if name in _OF_TEXT else "FILE"
    return PatternHead(len(words), f"write what {name} runs, too, as in `{name} {example} *`")


def _archive_head(name: str, words: Words) -> PatternHead:
    """Return the head of `tar`, whose first word is options even without a dash."""
    if len(words) == 1:
        return PatternHead(1, f"write the options of {name}, as in `{name} -tf *`")
    if not words[1].startswith("--") and not {"I", "F"}.isdisjoint(words[1]):
        return PatternHead(
            len(words), f"what {name} runs can't be left open: write all of its words"
        )
    return PatternHead(2)


def _subcommand_head(name: str, words: Words) -> PatternHead:
    """Return the head of a program whose first operand decides what it does."""
    if name == "git":
        at = len(words) - len(without_options(name, words)) + 1
        if at < len(words):
            return _shift_head(at, _action_head(name, words[at:]))
    for at, is_sure in find_operands(words) if name != "git" else ():
        does = PatternHead(1) if name in programs.RUNS_NOTHING else _action_head(name, words[at:])
        head = _shift_head(at, does)
        if head.problem or is_sure:
            return head
    example = programs.EXAMPLES.get(name, f"{name} SUBCOMMAND *")
    return PatternHead(
        len(words), f"a * can't stand for what {name} is to do: write it, as in `{example}`"
    )


def _action_head(name: str, words: Words) -> PatternHead:
    """Return the head of a program's subcommand, which `words` begin with."""
    does = words[0]
    nested = programs.NESTED.get((name, does))
    if nested is not None:
        return _program_head((nested, *words[1:]))
    elsewhere = programs.NESTED_ELSEWHERE.get((name, does))
    if elsewhere is not None:
        return _shift_head(1, _program_head((elsewhere, *words[2:])))
    if does in programs.OPAQUE_SUBCOMMANDS or does in programs.OPAQUE_OF.get(name, ()):
        return _opaque_head(name, words)
    if _names_installer(name, does) or _abbreviates_runner(name, does):
        return _opaque_head(name, words)
    launches = does in programs.LAUNCHING
    if launches and not (does == "run" and name in programs.SCRIPTS_OF_PROJECT):
        if name in programs.LAUNCHES_HERE:
            return _launcher_head(f"{name} {does}", words)
        if name in programs.LAUNCHES_ELSEWHERE:
            place = next((at for at, is_sure in find_operands(words) if is_sure), len(words))
            return _shift_head(place, _launcher_head(f"{name} {does} PLACE", words[place:]))
    if name in programs.TWO_LEVELS or does in programs.NAMED_NEXT.get(name, ()):
        return _nested_head(name, words)
    if _names_runner(name, does):
        return _opaque_head(name, words)
    return _program_head(words) if name in programs.RUNS_BY_NAME else PatternHead(1)


def _nested_head(name: str, words: Words) -> PatternHead:
    """Return the head of a subcommand that has subcommands of its own."""
    does = f"{name} {words[0]}"
    named = next((at for at, is_sure in find_operands(words) if is_sure), None)
    if named is None:
        why = f"write the word behind `{does}`, too, as in `{does} WORD *`"
        return PatternHead(len(words), why)
    if words[named] in programs.RUNNING:
        return _launcher_head(f"{does} {words[named]}", words[named:])
    next_word = words[named]
    is_opaque = next_word in programs.OPAQUE_SUBCOMMANDS | programs.OPAQUE_OF.get(does, frozenset())
    if is_opaque or _names_installer(name, next_word):
        return _opaque_head(does, words[named:])
    return PatternHead(named + 1)
