"""Makes checks of the conforming agent, or of a mutant of it."""

import sys
from pathlib import Path

from acp_tui.check.model import Result
from acp_tui.check.prompts import Act, Prompts
from tests.check.running import run_checks

PROMPTS = Prompts({act: str(act) for act in Act}, tries=1)
PATIENCE = 5.0
"""Seconds until an answer is missed that never comes: a mutant may owe one."""


def run_conforming(folder: Path, *only: str, broken: str = "", jobs: int = 4) -> dict[str, Result]:
    """Make some checks; return the results by their ids."""
    program = str(Path(__file__).with_name("__main__.py"))
    words = ("--break", broken) if broken else ()
    argv = (sys.executable, "-S", "-E", program, str(folder / "store"), *words)
    return run_checks(
        folder,
        *only,
        argv=argv,
        jobs=jobs,
        auth="login",
        may_sign_out=True,
        patience=PATIENCE,
        prompts=PROMPTS,
    )
