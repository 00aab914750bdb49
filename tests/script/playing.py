"""Plays scripts by `acp-tui script`, as a person does."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.in_process import run_program
from tests.installed import ROOT

DEMO = (sys.executable, "-m", "acp_tui.demo_agent")
SAMPLE = ROOT / "acp_tui" / "demo_agent" / "sample"


@dataclass(frozen=True)
class Ran:
    """How it ended."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> dict[str, Any]:
        """The one object of `--format json`."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def play(
    folder: Path, text: str, *options: str, argv: Sequence[str] = DEMO, cwd: Path | None = None
) -> Ran:
    """Write a script and play it to an agent."""
    file = folder / "tea.yaml"
    file.write_text(text, "utf-8")
    return script("tea.yaml", *options, "--", *argv, cwd=folder, at=cwd)


def script(*arguments: str, cwd: Path, at: Path | None = None) -> Ran:
    """Run `acp-tui script` in a folder; the agent works `at` another."""
    where = ["--cwd", str(at)] if at is not None else []
    plain = {"XDG_CONFIG_HOME": "/nonexistent", "XDG_STATE_HOME": str(cwd / ".state")}
    ran = run_program("script", *where, *arguments, cwd=cwd, env=plain)
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
