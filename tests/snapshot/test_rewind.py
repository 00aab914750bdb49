"""What the list of turns and its question look like: on a real repository, at a time that stands still."""

import subprocess
import time
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
from tests.snapshot.test_app import SIZES, Compare
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Clock, Running

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
    subprocess.run(["git", "init", "-q", tmp_path / "tea"], check=True)
    return tmp_path / "state"


@pytest.mark.parametrize("asked", [False, True], ids=["list", "question"])
@pytest.mark.parametrize("size", [*SIZES, (200, 60)])
def test_turns(
    snap_compare: Compare, state_folder: Path, tmp_path: Path, size: tuple[int, int], asked: bool
) -> None:
    state, session = states.opened()
    folder = tmp_path / "tea"
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

    async def before(pilot: Pilot[None]) -> None:
        it = Running(app, state, Clock(), [])
        it.pilot = pilot
        await it.press("alt+u")
        await it.until(lambda: "# Tea" in it.screen)
        await it.press("down")
        await it.until(lambda: "MINUTES.get" in it.screen)
        if asked:
            await it.press("enter")
            await it.until(lambda: "is put back" in it.screen)

    assert snap_compare(app, terminal_size=size, run_before=before)
