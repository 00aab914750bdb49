"""What the inspector looks like. After a wanted change: pytest tests/snapshot --snapshot-update."""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

from acp_tui.host.agent import Agent
from acp_tui.protocol.events import Record
from acp_tui.recordings.recording import read_events
from acp_tui.state.fold import replay_events
from acp_tui.ui.app import AcpApp
from acp_tui.ui.features import Features
from acp_tui.ui.inspector.status import StatusRow
from tests.snapshot.pictures import Pictures, Size, take_pictures
from tests.unit.ui.holding.test_holding import held_talk
from tests.unit.ui.inspector.scene import talk, until_read
from tests.unit.ui.inspector.test_all_numbers import Source, all_read, part
from tests.unit.ui.settling import pressed, settled

SIZES = [(80, 24), (120, 40)]
WIDE_SIZES = [(80, 24), (200, 60)]
Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def no_settings_of_mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(autouse=True)
def what_is_said_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StatusRow, "set_timer", lambda *_: None)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("moment", ["frames", "filter", "wrong", "past", "waterfall"])
def test_inspector(looks_the_same: Compare, moment: str, size: Size) -> None:
    async def moments(pilot: Pilot[None]) -> AsyncIterator[str]:
        await settled(pilot)
        await pressed(pilot, "f12")
        await until_read(pilot)
        await pressed(pilot, "home", "n")
        yield "frames"
        await pressed(pilot, "slash", *"method:sess")
        yield "filter"
        await pressed(pilot, "escape", "slash", *"size:3 and x")
        yield "wrong"
        await pressed(pilot, "escape", "home", *["j"] * 8, "w")
        yield "waterfall"
        await pressed(pilot, "w", "full_stop")
        yield "past"

    def take() -> Pictures:
        return take_pictures(inspected(talk().records), [size], moments)

    assert looks_the_same(take, size, app=str(size), moment=moment)


@pytest.mark.parametrize("size", WIDE_SIZES)
def test_held_frames(looks_the_same: Compare, size: Size) -> None:
    async def moments(pilot: Pilot[None]) -> AsyncIterator[str]:
        await settled(pilot)
        await pressed(pilot, "f12", "H")
        yield ""

    def take() -> Pictures:
        return take_pictures(inspected(held_talk().records), WIDE_SIZES, moments)

    assert looks_the_same(take, size)


@pytest.mark.parametrize("size", WIDE_SIZES)
def test_numbers_of_all_recordings(looks_the_same: Compare, size: Size) -> None:
    async def moments(pilot: Pilot[None]) -> AsyncIterator[str]:
        await settled(pilot)
        await pressed(pilot, "f12")
        await pressed(pilot, "S", "S")
        yield ""

    def take() -> Pictures:
        parts = [part(1.0 + at % 5, agent) for at, agent in enumerate(["tea 1.0", "milk 2"] * 12)]
        app = inspected(talk().records)
        app.feature.numbers.read_all = Source(all_read(*parts)).read
        return take_pictures(app, WIDE_SIZES, moments)

    assert looks_the_same(take, size)


def inspected(records: Sequence[Record]) -> AcpApp:
    """Create an app whose agent left these records."""
    agent = Agent(replay_events(read_events(records)), lambda _: None, records)
    return AcpApp([agent], Features, clock=lambda: records[-1].at, theme_name="night")
