"""What the list of turns and its question look like: on a real repository, at a time that stands still."""

import subprocess
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual.pilot import Pilot

from acp_tui.host.agent import Agent
from acp_tui.rewind import limits, object_store, store
from acp_tui.rewind.checkpoint import CheckpointKind, Reason
from acp_tui.rewind.store import Checkpoints
from acp_tui.state.entries import Role
from acp_tui.ui.app import AcpApp
from acp_tui.ui.features import Features
from acp_tui.ui.toolkit import type_ahead
from tests.snapshot.pictures import Pictures, Size, take_pictures
from tests.snapshot.test_app import SIZES, Compare
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Clock, Running

ALL_SIZES = [*SIZES, (200, 60)]
PROMPTS = ["Which leaves are there?", "Let unknown leaves steep, too", "Say it in the readme"]
OLD = (
    'MINUTES = {"green": 2, "black": 4}\n\n\ndef steep(tea: str) -> int:\n    return MINUTES[tea]\n'
)
NEW = OLD.replace("MINUTES[tea]", "MINUTES.get(tea, 3)")
NOON = 1_700_049_600.0
"""An hour that is on the same day everywhere, long ago."""


@pytest.fixture
def state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where what is kept lies; in the home folder there is only the project."""
    monkeypatch.setattr(type_ahead, "SHOWN_BEFORE_KEYS", 0.0)
    monkeypatch.setattr(limits, "LINE_COUNT_TIMEOUT", 60.0)
    stopped = SimpleNamespace(time=lambda: next(times), monotonic=time.monotonic, sleep=time.sleep)
    for module in (store, object_store):
        monkeypatch.setattr(module, "time", stopped)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    times = iter(NOON + at for at in range(1000))
    return tmp_path / "state"


@pytest.mark.parametrize("moment", ["list", "question"])
@pytest.mark.parametrize("size", ALL_SIZES)
def test_turns(
    looks_the_same: Compare, state_folder: Path, tmp_path: Path, size: Size, moment: str
) -> None:
    pictures = partial(pictures_of_turns, state_folder, tmp_path / "tea")
    assert looks_the_same(pictures, size, moment=moment)


def pictures_of_turns(state_folder: Path, folder: Path) -> Pictures:
    subprocess.run(["git", "init", "-q", folder], check=True)
    state, session = states.opened()
    session.cwd = str(folder)
    kept = Checkpoints.of(folder, state_folder, anywhere=False)
    assert kept is not None
    (folder / "tea.py").write_text(OLD)
    kept.make_checkpoint(Reason(CheckpointKind.TURN, "of another session", "another"))
    for words, name, text in zip(
        PROMPTS,
        ["tea.py", "tea.py", "readme.md"],
        [OLD, NEW, "# Tea\n\nOf leaves.\n"],
        strict=True,
    ):
        kept.make_checkpoint(
            Reason(CheckpointKind.TURN, words, session.session_id, len(session.entries))
        )
        (folder / name).write_text(text)
        session.entries += [states.message(Role.USER, words), states.message(Role.AGENT, "Done.")]
    app = AcpApp([Agent(state, lambda _: None)], Features, clock=Clock(), theme_name="night")
    app.feature.checkpoints.place = state_folder

    async def moments(pilot: Pilot[None]) -> AsyncIterator[str]:
        it = Running(app, state, Clock(), [])
        it.pilot = pilot
        await it.press("alt+u")
        await it.until(lambda: "# Tea" in it.screen)
        await it.press("down")
        await it.until(lambda: "MINUTES.get" in it.screen)
        yield "list"
        await it.press("enter")
        await it.until(lambda: "is put back" in it.screen)
        yield "question"

    return take_pictures(app, ALL_SIZES, moments)
