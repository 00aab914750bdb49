"""Looking for findings while an agent works, and showing the frames."""

import pytest

from acp_tui.protocol.frames import Direction, Frame
from acp_tui.state.changes import ScreenChanged
from acp_tui.state.state import State
from acp_tui.ui.feature import LogGrown, ViewRefreshed
from acp_tui.ui.inspector import log_reader
from acp_tui.ui.inspector.screen import InspectorScreen
from tests.unit.ui.app import states
from tests.unit.ui.features.window import FakeWindow

pytestmark = pytest.mark.anyio

WRONG = b'{"jsonrpc":"1.0","method":"session/update","params":{}}\n'


def hearing(state: State | None = None) -> FakeWindow:
    """An agent that has sent one frame, which is wrong."""
    window = FakeWindow(state or states.talked()[0])
    window.tabs.agent.records = [Frame(Direction.IN, WRONG, 1.0, 1)]
    return window


async def read_all(window: FakeWindow) -> None:
    """Let it look at all frames."""
    while window.timers or window.spawned:
        for timer in list(window.timers):
            timer.ring()
        await window.finish()


async def test_findings_are_counted_while_nobody_looks_at_the_frames() -> None:
    window = hearing()
    agent = window.tabs.agent
    window.emit(LogGrown(agent, [ScreenChanged()]))
    assert [timer.delay for timer in window.timers] == [log_reader.SOON]
    await read_all(window)
    assert agent.found[0] > 0
    assert window.status_drawn == 1
    window.emit(LogGrown(agent, [ScreenChanged()]))
    assert window.timers == []  # all that was said is read


async def test_frames_of_a_start_wait_for_the_screen_unless_somebody_looks() -> None:
    window = hearing(states.initializing())
    window.feature.inspector.follow_view(ViewRefreshed())
    assert [timer.delay for timer in window.timers] == [log_reader.STARTING]
    window.feature.inspector.toggle()
    assert [timer.delay for timer in window.timers] == [log_reader.SOON]
    await read_all(window)
    assert window.tabs.agent.found[0] > 0


async def test_frames_of_a_start_are_read_soon_after_it_has_ended() -> None:
    window = hearing(states.initializing())
    agent = window.tabs.agent
    window.emit(LogGrown(agent, [ScreenChanged()]))
    agent.state = states.connected()
    window.emit(LogGrown(agent, [ScreenChanged()]))
    assert [timer.delay for timer in window.timers] == [log_reader.SOON]
    await read_all(window)
    assert agent.found[0] > 0


def test_the_frames_stay_as_they_were_left() -> None:
    window = FakeWindow(states.talked()[0])
    feature, agent = window.feature.inspector, window.tabs.agent
    feature.toggle()
    screen = window.screens[-1]
    assert isinstance(screen, InspectorScreen)
    assert window.installed == [screen]
    assert feature.topic == "Inspector"
    assert screen.source is feature.logs.source(agent)
    window.leave_overlay()
    feature.toggle()
    assert window.screens[-1] is screen
