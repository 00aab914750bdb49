"""Makes checks of an agent within a test."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from acp_tui.check.bench import Stage
from acp_tui.check.model import CheckResult, Profile
from acp_tui.check.prompts import CheckPrompts
from acp_tui.check.runner import chosen_checks, plan_checks, run_plan
from acp_tui.client.launch import Launch
from acp_tui.config.remote import Remote

DEMO = (sys.executable, "-m", "acp_tui.demo_agent")


def stage_in(folder: Path, argv: Sequence[str] = DEMO, url: str = "", **fields: Any) -> Stage:
    """A stage for an agent, with all its files below a folder; with a URL it is reached there."""
    made = folder / "recordings"
    made.mkdir()
    launch = Launch(tuple(argv), str(folder), opening=None, handshake=False, backups=False)
    if url:
        launch = replace(launch, argv=(), remote=Remote(url))
    folder = Path(os.path.realpath(folder)) / "agents"
    return Stage(launch, folder, made, fields.pop("prompts", CheckPrompts()), **fields)


def run_checks(folder: Path, *only: str, jobs: int = 2, **fields: Any) -> dict[str, CheckResult]:
    """Make some checks, or all of version 1; return the results by their ids."""
    return anyio.run(lambda: checked(folder, *only, jobs=jobs, **fields))


async def checked(folder: Path, *only: str, jobs: int = 2, **fields: Any) -> dict[str, CheckResult]:
    """Make checks in a loop that runs."""
    stage = stage_in(folder, **fields)
    made = plan_checks(chosen_checks(Profile.V1, only, stage.version), stage.prompts.tries)
    results = await run_plan(
        made, stage, jobs=jobs, again=lambda check: check.id, report=lambda *_: None
    )
    return {one.check.id: one for one in results}
