"""What a line is read as against what bash makes of it: a slice of `make fuzz`."""

import os
import re
import shutil
import subprocess
from itertools import dropwhile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from acp_tui.policy.shell import read_line

BASH = shutil.which("bash")
TELL = """
exec 9>&1 >/dev/null 2>&1 </dev/null
command_not_found_handle() { printf '%s\\0' "$#" "$@" >&9; }
eval "$1"
wait
"""
"""Runs a line in which no command exists; what would have been run is told."""
pieces = st.sampled_from([*"abc \n\t;&|<>$`'\"\\#!*?=12", "a b", "&&", "||", ">&2", "2>&1", "<<a"])
lines = st.lists(pieces, min_size=1, max_size=14).map("".join)
fuzz = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "60")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def run(line: str, folder: str) -> list[tuple[str, ...]]:
    """The commands that bash would have run."""
    assert BASH is not None
    ran = subprocess.run(
        [BASH, "--norc", "-c", TELL, "bash", line],
        cwd=folder,
        env={"PATH": "/nonexistent"},
        capture_output=True,
        timeout=10,
        check=False,
    )
    words = iter(ran.stdout.decode().split("\0")[:-1])
    return [tuple(next(words) for _ in range(int(count))) for count in words]


def unset(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without what it sets before it, which a rule that allows must name, too."""
    return tuple(dropwhile(re.compile(r"[a-z_]\w*=").match, words))


@pytest.mark.skipif(BASH is None, reason="needs bash")
@fuzz
@example("a=a b")
@given(lines)
def test_what_is_read_without_a_guess_is_all_that_bash_runs(line: str) -> None:
    found = read_line(line)
    if not found.clear or found.hides:
        return
    with TemporaryDirectory() as folder:
        for words in run(line, folder):
            assert words in {form for part in found.parts for form in (part, unset(part))}
        assert not any(Path(folder).iterdir())
