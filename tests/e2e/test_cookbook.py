"""The recipes of docs/cookbook.md, run one after the other with the demo agent in place of one's own."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installed import ROOT

DEMO = [sys.executable, "-m", "acp_tui.demo_agent"]
ON_A_SCREEN = (
    "--",
    "--break",
    "--as",
    "--attach-tap",
    "--watch",
    "--protocol",
    "replay",
    "--follow",
)
"""What begins, or marks, a command that draws or goes on: its arguments are read by another test."""
ELSEWHERE = ("matrix", "race")
"""What needs agents by their names."""
FINDS = (0, 1, 6)
"""What it has to say is no failure: findings, differences, an answer with an error."""


def recipes() -> list[list[str]]:
    """The arguments of each command that can be run here."""
    page = (ROOT / "docs" / "cookbook.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("acp-tui ")]
    found = [shlex.split(line, comments=True)[1:] for line in lines]
    return [
        one
        for one in found
        if one[0] not in (*ON_A_SCREEN, *ELSEWHERE) and not set(one[:3]) & {"--follow"}
    ]


@pytest.mark.slow
def test_every_recipe_works(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "ACP_DEMO_SPEED": "0"}

    def acp_tui(*arguments: str) -> "subprocess.CompletedProcess[str]":
        argv = [sys.executable, "-m", "acp_tui", *arguments]
        return subprocess.run(
            argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=False
        )

    for _ in range(2):
        assert acp_tui("run", "Hello", "--", *DEMO).returncode == 0
    noisy = tmp_path / "noisy.py"
    noisy.write_text(
        "print('noise', flush=True)\nimport runpy\n"
        "runpy.run_module('acp_tui.demo_agent', run_name='__main__')\n"
    )
    assert acp_tui("run", "Hello", "--", sys.executable, str(noisy)).returncode == 0
    assert acp_tui("log", "1", "--report", "report.zip").returncode == 0
    (tmp_path / "tea.yaml").write_text("steps: [{prompt: hi, expect: {text: demo agent}}]")
    ran = 0
    for recipe in recipes():
        at = recipe.index("--") if "--" in recipe else len(recipe)
        done = acp_tui(*recipe[:at], *(["--", *DEMO] if at < len(recipe) else []))
        assert done.returncode in FINDS, f"{recipe}: {done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, f"{recipe}: {done.stderr}"
        ran += 1
    assert ran > 20
    assert {"frames.jsonl", "small.jsonl", "test_hello.py", "hello_agent.py", "report.xml"} <= {
        path.name for path in tmp_path.iterdir()
    }
