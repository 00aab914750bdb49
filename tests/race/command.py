"""`acp-tui race` as a process, with agents that run the prompt in a shell and know their names."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

AGENT = Path(__file__).parents[1] / "shell_agent.py"
BOTH = ("--agent", "ann", "--agent", "bob", "--permissions", "allow")


@pytest.fixture
def env(tmp_path: Path) -> Mapping[str, str]:
    """Settings with two agents."""
    config = tmp_path / "config" / "acp-tui"
    config.mkdir(parents=True)
    command = json.dumps([sys.executable, str(AGENT)])
    (config / "settings.toml").write_text(
        f'[agents.ann]\ncommand = {command}\nenv = {{WHO = "ann"}}\n'
        f'[agents.bob]\ncommand = {command}\nenv = {{WHO = "bob"}}\n'
    )
    ours = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return {**os.environ, **ours}


def race(
    env: Mapping[str, str], cwd: Path, *arguments: str, stderr: int = subprocess.PIPE
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "acp_tui", "race", *arguments],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        timeout=60,
        check=False,
    )


def told(env: Mapping[str, str], cwd: Path) -> dict[str, dict[str, Any]]:
    """What is known of the agents of the last race, by their labels."""
    shown = json.loads(race(env, cwd, "--show", "last", "--format", "json").stdout)
    return {one["label"]: one for one in shown["racers"]}
