"""What a line is read as against what bash and dash make of it: a slice of `make fuzz`."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from acp_tui.policy.allow_patterns import allows_command
from acp_tui.policy.shell import read_shell_line
from acp_tui.policy.shell_words import Expanded
from tests.examples import some_of

SHELLS = [
    pytest.param(path, id=name, marks=pytest.mark.skipif(path is None, reason=f"needs {name}"))
    for name in ("bash", "dash")
    for path in [shutil.which(name)]
]
FILES = ("a", "b1", ".c", "a b", "-x", "+y", "@f", "a=b", "=")
"""What globs find: options, settings and files of options among them."""
TELL = """#!/bin/sh
printf '%s\\0' "$(($# + 1))" "${0##*/}" "$@" >&9
"""
"""Any command of a line: tells how it was called."""
pieces = st.sampled_from(
    [
        *"abc \n\t;&|<>$`'\"\\#!*?=12{},.~/[]",
        *("a ", "b ", "-x", "--", "+", "@", "[-]", "{-x,a}", "{a,b}", "$'a'", "\u2010", "./"),
        *("a b", "&&", "||", ">&2", "2>&1", "12>&1", "<<a", "&>/dev/null ", "2>/dev/null", "&>>"),
        *("\\\n", "\r", "\x0b", "\xa0", "\u2028", "\n", ";;", "$'", '$"', "$(", "${", "$((", "<("),
        *("<<-'a'", "\na\n", "<<<", ">|", "{fd}>", "()", "() {", "=~", "[[ ", " ]]", "$#", "$!"),
        *("time ", "! ", "exec ", "command ", "eval ", "coproc ", "jobs -x ", "trap ", "[ "),
        *("if ", "then ", "fi", "for a in b", "do ", "done", "case a in a) ", "esac"),
        *("function a ", "alias a="),
    ]
)
ORDINARY = (
    "a -x b && b 'a b' | a",
    'a "it\'s" b; b "(a|b)$" a',
    "a b 2>/dev/null || b -x",
    "a 2>&1 | b +y &",
    "a <<'b'\na 'b' $(a)\nb\nb a",
    "A=b a \\\n -x b",
    "[ -f a ] && b",
    "a # b c\nb",
    "a ./b1 a/* ~ {a,b}",
    "time a b\njobs -x b a",
)
"""Lines that mean something else with one more piece in them."""


@st.composite
def nearly_ordinary(draw: st.DrawFn) -> str:
    line = draw(st.sampled_from(ORDINARY))
    for piece in draw(st.lists(pieces, max_size=3)):
        at = draw(st.integers(0, len(line)))
        line = line[:at] + piece + line[at + draw(st.integers(0, 1)) :]
    return line


lines = st.lists(pieces, min_size=1, max_size=14).map("".join) | nearly_ordinary()
patterns = ("a *", "b *", "a b *", "a ?", "a */b", "b * a", "a .*", "b a/* *", "a * -x *", "a -- *")
wide = (*patterns, "jobs *", "jobs -x *", "time *", "time ! *", "exec *", "command *")
LAUNCHERS = frozenset(("command", "exec", "jobs", "time"))
"""Words of a shell that run the words after them."""
READERS = frozenset((".", "eval", "trap"))
"""Words of a shell that run shell code, which the words after them need not show."""
fuzz = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", some_of(60))),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def run(shell: str, line: str, folder: Path) -> list[tuple[str, ...]]:
    """The commands that a shell runs: whatever a piece of the line may name is one."""
    with TemporaryDirectory() as programs:
        tell = Path(programs, "tell of it")
        tell.write_text(TELL)
        tell.chmod(0o755)
        for name in names(line):
            Path(programs, name).symlink_to(tell)
        with NamedTemporaryFile() as told:
            subprocess.run(
                [
                    shell,
                    "-c",
                    'exec 9>"$2" >/dev/null 2>&1; eval "$1"; wait',
                    "sh",
                    line,
                    told.name,
                ],
                cwd=folder,
                env={"PATH": programs},
                stdin=subprocess.DEVNULL,
                timeout=10,
                check=False,
            )
            words = iter(told.read().decode().split("\0")[:-1])
        return [tuple(next(words) for _ in range(int(count))) for count in words]


def names(line: str) -> Iterator[str]:
    """What a part of a line may name, whatever is quoted in it."""
    plain = re.sub(r"""['"\\]""", "", line)
    found = {plain[start:end] for start in range(len(plain)) for end in range(len(plain) + 1)}
    yield from (name for name in found if name not in ("", ".", "..") and "/" not in name)


def unset(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without what it sets before it, which a rule that allows must name, too."""
    return tuple(dropwhile(re.compile(r"[A-Za-z_]\w*=").match, words))


def run_by(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What a command may be to the shell that runs it."""
    yield words
    yield (rest := unset(words))
    if rest[:1] and rest[0] in LAUNCHERS:
        yield from (rest[start:] for start in range(1, len(rest)))


def is_that(part: tuple[str, ...], ran: tuple[str, ...]) -> bool:
    """Whether a command that ran is what was read, up to what the shell expanded."""
    known = next((at for at, word in enumerate(part) if isinstance(word, Expanded)), None)
    return part[:known] == ran[:known]


@pytest.mark.parametrize("shell", SHELLS)
@fuzz
@example("a=a b")
@example("a &>/dev/null b a")
@example("a 12>&1")
@example("a {.,b}./a")
@example("a .?/a")
@example("a *")
@example("a {-x,b}")
@example("a [-]x")
@example("a a*")
@example("a ./*")
@example("a .*")
@example("a a?b")
@example("a -- *")
@example("time ! a")
@example("time -p { a; }")
@example("jobs -x a b")
@example("[ -f a ] && a b")
@example('a "(a|b)$" b')
@example('a "$\\\n(b)"')
@given(line=lines)
def test_what_is_read_without_a_guess_is_all_that_a_shell_runs(shell: str, line: str) -> None:
    found = read_shell_line(line)
    if not found.clear or found.hides:
        return
    if any(name in READERS for words in found.parts for name in unset(words)[:1]):
        return
    with TemporaryDirectory() as made:
        folder = Path(made)
        for name in FILES:
            (folder / name).touch()
        for ran in run(shell, line, folder):
            forms = [form for part in found.parts for form in run_by(part)]
            assert any(is_that(form, ran) for form in forms)
            for pattern in wide:
                if all(allows_command(pattern, part) for part in found.parts):
                    assert allows_command(pattern, ran)
        assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
