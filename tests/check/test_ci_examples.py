"""The examples for CI do what they say: their commands are run as they stand there."""

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.check.running import DEMO
from tests.in_process import run_program

JOB = Path(__file__).parents[2] / "examples" / "github-action.yml"
SILENT = ("sh", "-c", "exit 3")


def steps(job: str) -> dict[str, str]:
    """The commands of the steps that have names, as the shell gets them."""
    found: dict[str, str] = {}
    for step in re.split(r"^      - ", job, flags=re.MULTILINE):
        name = re.match(r"name: (.+)\n", step)
        run = re.search(r"^ +run: (>?)(.*(?:\n {10}.*)*)", step, flags=re.MULTILINE)
        if name and run:
            lines = textwrap.dedent(run[2].strip("\n")).split("\n")
            found[name[1]] = " ".join(lines) if run[1] else "\n".join(lines)
    return found


def make_program(folder: Path, name: str, words: str) -> None:
    """Make a program that runs a line of the shell."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\nexec {words}\n")
    (folder / name).chmod(0o755)


def run_step(name: str, folder: Path, agent: tuple[str, ...]) -> int:
    """Run a step as the host does, with an agent that is called as the example calls it."""
    programs = folder / "bin"
    make_program(programs, "acp-tui", f'{sys.executable} -m acp_tui "$@"')
    make_program(programs, "my-agent", shlex.join(agent))
    env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    env |= {
        "PATH": f"{programs}:{env['PATH']}",
        "HOME": str(folder),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    line = ["bash", "-e", "-c", steps(JOB.read_text())[name]]
    return subprocess.run(line, cwd=folder, env=env, capture_output=True).returncode


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "code"), [(DEMO, 0), (SILENT, 1)])
def test_the_steps_check_the_agent_and_show_the_results(
    agent: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    assert run_step("Check the agent", tmp_path, agent) == code
    assert run_step("Show the results", tmp_path, agent) == 0
    assert "`acp-tui check` of" in (tmp_path / "summary.md").read_text()
    for made in re.findall(r"--(?:junit|sarif|markdown)=(\S+)", JOB.read_text()):
        assert (tmp_path / made).stat().st_size > 0


def test_what_the_job_keeps_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    make_program(tmp_path / "bin", "my-agent", shlex.join(SILENT))
    program, *words = shlex.split(steps(JOB.read_text())["Check the agent"])
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    ran = run_program(*words, cwd=tmp_path, env=env)
    assert (program, ran.returncode) == ("acp-tui", 1), ran.stderr
    kept = re.search(r"path: \|\n((?: {12}.+\n?)+)", JOB.read_text())
    assert kept is not None
    for path in kept[1].split():
        assert list(tmp_path.glob(path.removeprefix("~/"))), path
