"""Commands that bring along what they run: code in another language, or a line in an option.

What such a command does is in none of the words that a pattern goes by, so a pattern allows it only
if it is exactly this text. Programs that aren't known here are taken by their words.
"""

import re
from itertools import takewhile

from acp_tui.policy.code_options import OF, SAME, Options
from acp_tui.policy.launchers import Words, is_launcher, launched_at, sets_code, without_options
from acp_tui.policy.sed_scripts import is_harmless

_ALWAYS = frozenset(
    (
        *("xargs", "parallel", "sem", "eval", "trap", "coproc", "compgen", "complete", "enable"),
        *("ssh", "sshpass", "mosh", "pssh", "su", "runuser", "sg", "watch", "entr", "watchexec"),
        *("nodemon", "hyperfine", "script", "expect", "tmux", "screen", "at", "batch", "crontab"),
        *("gdb", "lldb", "rr", "wsl", "pwsh", "powershell", "osascript", "m4", "ed", "ex", "bind"),
        *("mapfile", "readarray", "fc", "busybox", "toybox", "emacs", "gnuplot", "socat"),
        *("dc", "fzf", "timeit"),
    )
)
"""Programs that are there for that, or whose words say too little."""
_SHELLS = frozenset(
    ("sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash", "fish", "csh", "tcsh")
)


_VERSION = re.compile(r"(?<=[A-Za-z])[\d.]+$")
_EXPORTERS = frozenset(("export", "declare", "typeset", "readonly", "local"))
"""Builtins that set variables, for all commands of a line."""
_SETTING = re.compile(r"[A-Za-z_]\w*\+?=")
_RUNS_LINE = re.compile(r"[-+][A-Za-z]*[cso][A-Za-z]*|--(?:rc|init)-?file.*|--init-command.*")
_LETTERS = re.compile(r"[A-Za-z]+")
_MODULE = re.compile(r"-[A-Za-z]*m(?P<name>.*)")
"""Python's option that runs a module: what stands behind it is that module's."""
_WRITES_SECOND = frozenset(("uniq", "xxd"))
"""Programs that write the second file which they are given."""

_GIT_DOES = frozenset(
    (
        *("difftool", "mergetool", "filter-branch", "send-email", "hook", "config", "daemon"),
        *("shell", "instaweb", "credential", "maintenance", "for-each-repo"),
    )
)
"""What runs other programs, or sets what will be run."""
_GIT_LETTERS = {"clone": "cu", "rebase": "xi", "grep": "O", "ls-remote": "u", "fetch": "u"}
_GIT_RUNS = {"bisect": "run", "submodule": "foreach"}


def brings_code(words: Words, most: int) -> bool:
    """Whether a command brings code, itself or behind programs that run others."""
    set_before = list(takewhile(_SETTING.match, words))
    words = words[len(set_before) :]
    name = program_name(words[0]) if words else ""
    runs = is_launcher(name)
    if len(words) > most or any(map(sets_code, (*set_before, *(words if runs else ())))):
        return True
    starts = launched_at(name, words, most) if runs else ()
    return any(_brings(words[at:]) for at in (0, *starts) if words)


def program_name(word: str) -> str:
    """The name of a program, without the folder that it is in."""
    return re.split(r"[/\\]", word)[-1].removesuffix(".exe")


def _brings(words: Words) -> bool:
    """Whether a program brings code by its own arguments."""
    name, rest = program_name(words[0]), words[1:]
    plain = name if name in OF or name in SAME else _VERSION.sub("", name)
    known = SAME.get(plain, plain)
    if known in _SHELLS:
        return any(map(_RUNS_LINE.fullmatch, rest))
    if known == "sed":
        return not is_harmless(rest)
    if (known == "git" and _git(words)) or (known in _EXPORTERS and any(map(sets_code, rest))):
        return True
    if known == "tar" and rest and _LETTERS.fullmatch(rest[0]):
        rest = (f"-{rest[0]}", *rest[1:])
    if known in ("python", "coverage") and (module := _module(rest)) and _brings(module):
        return True
    if known in _WRITES_SECOND and sum(not word.startswith("-") for word in rest) > 1:
        return True
    return known in _ALWAYS or _has(OF.get(known, Options()), rest)


def _module(rest: Words) -> Words:
    """A module that Python runs, and its arguments."""
    for at, word in enumerate(rest):
        if found := _MODULE.fullmatch(word):
            return (found["name"], *rest[at + 1 :]) if found["name"] else rest[at + 1 :]
    return ()


def _has(options: Options, rest: Words) -> bool:
    others = re.compile(options.others) if options.others else None
    return any(
        _is_option(word, options) or (others is not None and others.match(word) is not None)
        for word in rest
    )


def _is_option(word: str, options: Options) -> bool:
    """Whether a word is one of these: a letter among others; a name, which may be cut short."""
    name = word.lstrip("-").partition("=")[0]
    if word.startswith("--"):
        return bool(name) and any(one.startswith(name) for one in options.names)
    if not word.startswith("-"):
        return False
    return name in options.names or any(letter in word for letter in options.letters)


def _git(words: Words) -> bool:
    """Settings before what git is to do may run anything; what that is may, too."""
    done = without_options("git", words)
    before = words[1 : len(words) - len(done) + 1]
    does, others = (done[1], done[2:]) if len(done) > 1 else ("", ())
    letters = Options(_GIT_LETTERS.get(does, ""))
    return (
        "-c" in before
        or does in _GIT_DOES
        or _GIT_RUNS.get(does) in others
        or any(_is_option(word, letters) for word in others)
    )
