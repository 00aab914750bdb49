"""Makes checks of an agent within a test."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio

from acp_tui.check.bench import Stage
from acp_tui.check.model import Profile, Result
from acp_tui.check.plan import chosen, plan
from acp_tui.check.prompts import Prompts
from acp_tui.check.runner import make
from acp_tui.client.launch import Launch

DEMO = (sys.executable, "-m", "acp_tui.demo_agent")


def stage_in(folder: Path, argv: Sequence[str] = DEMO, **fields: Any) -> Stage:
    """A stage for an agent, with all its files below a folder."""
    made = folder / "recordings"
    made.mkdir()
    launch = Launch(tuple(argv), str(folder), opening=None, handshake=False, backups=False)
    folder = Path(os.path.realpath(folder)) / "agents"
    return Stage(launch, folder, made, fields.pop("prompts", Prompts()), **fields)


def run_checks(
    folder: Path, *only: str, argv: Sequence[str] = DEMO, jobs: int = 2, **fields: Any
) -> dict[str, Result]:
    """Make some checks, or all of version 1; return the results by their ids."""
    stage = stage_in(folder, argv, **fields)
    made = plan(chosen(Profile.V1, only), stage.prompts.tries)

    async def go() -> list[Result]:
        return await make(
            made, stage, jobs=jobs, again=lambda check: (check.id, *argv), tell=lambda *_: None
        )

    return {one.check.id: one for one in anyio.run(go)}
