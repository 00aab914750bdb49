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


def run_step(name: str, folder: Path, agent: tuple[str, ...]) -> int:
    """Run a step as the host does, with an agent that is called as the example calls it."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for program, argv in (
        ("acp-tui", (sys.executable, "-m", "acp_tui")),
        ("my-agent", agent),
    ):
        script = programs / program
        more = ' "$@"' if program == "acp-tui" else ""
        script.write_text(f"#!/bin/sh\nexec {shlex.join(argv)}{more}\n")
        script.chmod(0o755)
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


def test_what_the_job_keeps_is_there(tmp_path: Path) -> None:
    run_step("Check the agent", tmp_path, SILENT)
    kept = re.search(r"path: \|\n((?: {12}.+\n?)+)", JOB.read_text())
    assert kept is not None
    for path in kept[1].split():
        assert list(tmp_path.glob(path.removeprefix("~/"))), path
