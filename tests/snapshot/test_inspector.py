"""What the inspector looks like. After a wanted change: pytest tests/snapshot --snapshot-update."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from acp_tui.host.agent import Agent
from acp_tui.recordings.recording import read_events
from acp_tui.state.fold import replay_events
from acp_tui.ui.app import AcpApp
from acp_tui.ui.features import Features
from acp_tui.ui.inspector.status import StatusRow
from tests.unit.ui.holding.test_holding import held_talk
from tests.unit.ui.inspector.scene import talk, until_read
from tests.unit.ui.inspector.test_all_numbers import Source, all_read, part
from tests.unit.ui.settling import settled

SIZES = [(80, 24), (120, 40)]
Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def no_settings_of_mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(autouse=True)
def what_is_said_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StatusRow, "set_timer", lambda *_: None)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("frames", ["f12", "home", "n"]),
        ("filter", ["f12", "slash", *"method:sess"]),
        ("wrong", ["f12", "slash", *"size:3 and x"]),
        ("past", ["f12", "home", *["j"] * 8, "full_stop"]),
        ("waterfall", ["f12", "home", *["j"] * 8, "w"]),
    ],
)
def test_inspector(
    snap_compare: Compare, name: str, keys: list[str], size: tuple[int, int]
) -> None:
    records = talk().records

    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press(keys[0])
        await until_read(pilot)
        for key in keys[1:]:
            await pilot.press(key)
            await settled(pilot)

    agent = Agent(replay_events(read_events(records)), lambda _: None, records)
    app = AcpApp([agent], Features, clock=lambda: records[-1].at, theme_name="night")
    assert snap_compare(app, terminal_size=size, run_before=before)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_held_frames(snap_compare: Compare, size: tuple[int, int]) -> None:
    records = held_talk().records

    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        for key in ("f12", "H"):
            await pilot.press(key)
            await settled(pilot)

    agent = Agent(replay_events(read_events(records)), lambda _: None, records)
    app = AcpApp([agent], Features, clock=lambda: records[-1].at, theme_name="night")
    assert snap_compare(app, terminal_size=size, run_before=before)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_numbers_of_all_recordings(snap_compare: Compare, size: tuple[int, int]) -> None:
    records = talk().records
    parts = [part(1.0 + at % 5, agent) for at, agent in enumerate(["tea 1.0", "milk 2"] * 12)]

    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        for key in ("f12", "S", "S"):
            await pilot.press(key)
            await settled(pilot)

    agent = Agent(replay_events(read_events(records)), lambda _: None, records)
    app = AcpApp([agent], Features, clock=lambda: records[-1].at, theme_name="night")
    app.feature.numbers.read_all = Source(all_read(*parts)).read
    assert snap_compare(app, terminal_size=size, run_before=before)
