"""Commands that run another program, as bash and dash run them: no wide rule allows any of them."""

import shlex
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.policy.allow_patterns import allows_command
from acp_tui.policy.shell import read_shell_line
from tests.properties.test_shell import SHELLS, fuzz

DEED = '#!/bin/sh\n: > "$DONE"\n'
"""What no rule allows: it leaves a file."""
pieces = {
    "sed": ["1e deed", "e deed", "s/.*/deed/e", "p", ";", "-n", "-e", "--expression=1e deed", "{", "}", "f", "$!", "/a/", "s/[/]/e;p/", "-i", "w out"],
    "awk": ["BEGIN{", 'system("deed")', '"deed"|getline', 'print|"deed"', "}", "{print}", "f", "-v", "a=b"],
    "find": [".", "-exec", "-execdir", "deed", "{}", "+", ";", "-name", "f", "-o", "-print", "-ok"],
    "xargs": ["deed", "-n", "1", "-I{}", "sh", "-c", "deed;"],
    "env": ["deed", "-S", "-i", "A=b", "-Sdeed", "--split-string=deed", "-vSdeed", "sh", "-c", "deed;"],
    "perl": ["-e", 'system("deed")', "-ne", "-w", "f", "-Mstrict", "-E"],
    "python3": ["-c", 'import os;os.system("deed")', "-I", "-Ic", "f"],
    "tar": ["cf", "o.tar", "f", "-cf", "-I", "deed", "cIf", "--checkpoint=1", "--checkpoint-action=exec=deed", "--checkpoint-a=exec=deed", "--use-c=deed", "--to-command=deed"],
    "git": ["-c", "alias.x=!deed", "x", "-C", ".", "bisect", "run", "deed", "grep", "-Odeed", "--exec-path=.", "core.pager=deed", "ls-remote", "--upload-pack=deed", "."],
    "make": ["SHELL=deed", "--eval=$(shell deed)", "-E", "$(shell deed)", "-f", "f", "x", "--ev=$(shell deed)"],
    "sort": ["f", "-u", "--compress-program=deed", "-S1", "--compress-p=deed"],
    "sh": ["-c", "deed;", "-ec", "-s", "-o", "errexit", "f", "./f"],
    ".": ["./f", "f"],
    "exec": ["deed", "-c", "-a", "x"],
    "command": ["deed", "-p", "-v"],
    "nohup": ["deed", "sh", "f"],
    "setsid": ["-w", "deed", "nice", "-n", "5"],
    "stdbuf": ["-oL", "-o", "L", "deed", "env"],
    "time": ["-p", "deed"],
    "flock": ["f", "deed", "-n", "-c"],
    "bash": ["f", "-x", "-c", "deed", "--rcfile", "-i"],
    "dash": ["f", "-x", "-c", "deed"],
}  # fmt: skip
"""Words that together may run it."""
FLAGS = ("-n", "-i", "-w", "-p", "-x", "-u", "-v", "-cf", "-name", "-print", "-S1")
"""Options that a wide rule may spell out."""


@st.composite
def lines(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(sorted(pieces)))
    words = draw(st.lists(st.sampled_from(pieces[name]), min_size=1, max_size=5))
    before = draw(st.sampled_from(["", "", "", "nice ", "A=b ", "timeout 5 ", "PAGER=deed "]))
    return before + shlex.join([name, *words])


def runs_it(shell: str, line: str, folder: Path) -> bool:
    """Whether a shell runs the deed for a line."""
    programs, work, done = folder / "bin", folder / "work", folder / "done"
    for made in (programs, work):
        made.mkdir(exist_ok=True)
    (programs / "deed").write_text(DEED)
    (programs / "deed").chmod(0o755)
    (work / "f").write_text("deed\n")
    done.unlink(missing_ok=True)
    path = f"{programs}:{Path(shutil.which('git') or '/usr/bin/git').parent}:/usr/bin:/bin"
    subprocess.run(
        [shell, "-c", line],
        cwd=work,
        env={"PATH": path, "DONE": str(done), "HOME": str(folder)},
        input=b"f\n",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=20,
        check=False,
    )
    return done.exists()


@pytest.mark.parametrize("shell", SHELLS)
@fuzz
@example("sed '1e deed' f")
@example("awk 'BEGIN{system(\"deed\")}'")
@example("find . -name f -exec deed ';'")
@example("env -Sdeed")
@example("A=b env deed")
@example("tar cf o.tar f --checkpoint=1 --checkpoint-a=exec=deed")
@example("git -c alias.x='!deed' x")
@example("make '--ev=$(shell deed)'")
@given(line=lines())
def test_what_runs_something_else_is_allowed_by_no_wide_rule(shell: str, line: str) -> None:
    with TemporaryDirectory() as made:
        if not runs_it(shell, line, Path(made)):
            return
    found = read_shell_line(line)
    for words in found.parts:
        wide = [f"{word} *" for word in ("nice", "timeout", "timeout 5", "A=b", *pieces)]
        wide += [f"{name} * {' '.join(map(shlex.quote, FLAGS))} *" for name in pieces]
        allowed = [pattern for pattern in ("*", *wide) if allows_command(pattern, words)]
        assert not found.clear or not allowed
