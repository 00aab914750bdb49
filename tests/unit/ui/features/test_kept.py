"""A screen of a kept run: how it is left, and what others open there."""

import pytest

from acp_tui.errors import AcpTuiError
from acp_tui.host.agent import Agent
from acp_tui.state.state import State
from acp_tui.ui.leaving.dialog import LeaveDialog
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.features.window import FakeWindow

pytestmark = pytest.mark.anyio


class Kept:
    name = "tea"
    stopped = kept = False
    trouble = ""

    def __init__(self, *, kept_by_default: bool) -> None:
        self.kept_by_default = kept_by_default

    def stop(self) -> None:
        self.stopped = True

    def keep(self) -> None:
        if self.trouble:
            raise AcpTuiError(self.trouble)
        self.kept = True


def screen(*, kept_by_default: bool = True) -> tuple[FakeWindow, Kept]:
    state, _ = states.talked()
    window, kept = FakeWindow(state), Kept(kept_by_default=kept_by_default)
    window.feature.leaving.run = kept
    return window, kept


@pytest.mark.parametrize(
    ("answer", "left", "stopped"), [(False, True, False), (True, False, True), (None, False, False)]
)
def test_one_is_asked_whether_a_kept_run_continues(
    answer: bool | None, left: bool, stopped: bool
) -> None:
    window, kept = screen()
    window.feature.leaving.leave()
    assert isinstance(window.screens[-1], LeaveDialog)
    window.answer(answer)
    assert (window.has_left, kept.stopped) == (left, stopped)


def test_the_key_again_keeps_it_running() -> None:
    window, kept = screen()
    window.feature.leaving.leave()
    window.feature.leaving.leave()
    assert (window.has_left, kept.stopped) == (True, False)


@pytest.mark.parametrize(
    ("answer", "left", "kept"), [(False, True, True), (True, True, False), (None, False, False)]
)
def test_one_is_asked_whether_any_other_run_is_to_go_on(
    answer: bool | None, left: bool, kept: bool
) -> None:
    window, run = screen(kept_by_default=False)
    window.feature.leaving.leave()
    window.answer(answer)
    assert (window.has_left, run.kept) == (left, kept)


def test_the_key_again_ends_a_run_that_is_not_kept() -> None:
    window, run = screen(kept_by_default=False)
    window.feature.leaving.leave()
    window.feature.leaving.leave()
    assert (window.has_left, run.kept) == (True, False)


def test_before_anything_was_said_there_is_nothing_to_keep() -> None:
    window, run = screen(kept_by_default=False)
    for session in window.tabs.agents[0].state.sessions.values():
        session.entries.clear()
    window.feature.leaving.leave()
    assert (window.has_left, run.kept) == (True, False)


def test_what_cannot_be_kept_is_not_left() -> None:
    window, run = screen(kept_by_default=False)
    run.trouble = "no room"
    window.feature.leaving.leave()
    window.answer(False)
    assert not window.has_left
    assert window.toasts == ["no room"]


def test_what_another_screen_opens_does_not_come_in_front() -> None:
    window, _ = screen()
    (tab,) = window.tabs.visible
    tab.agent.openings = 0
    tab.agent.state.session("theirs").opened = True
    window.tabs.follow()
    assert window.tabs.shown is tab
    assert len(window.tabs.visible) == 2
    tab.agent.openings = 1
    tab.agent.state.session("mine").opened = True
    window.tabs.follow()
    assert window.tabs.shown.session_id == "mine"


def test_an_agent_that_another_screen_starts_and_ends_comes_and_goes() -> None:
    window, _ = screen()
    shown = window.tabs.shown
    bread = Agent(State(), lambda _: None)
    window.feature.agents.appeared(bread)
    assert window.tabs.shown is shown
    window.feature.agents.vanished(bread)
    assert window.tabs.agents == [shown.agent]
    window.feature.agents.vanished(shown.agent)
    assert window.has_left


@pytest.mark.parametrize(("key", "name"), [("ctrl+d", "Ctrl+D"), ("ctrl+c", "Ctrl+C")])
async def test_the_question_names_the_key_that_asked_it_and_hears_it_again(
    key: str, name: str
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        run = it.app.feature.leaving.run = Kept(kept_by_default=True)
        await it.press(key)
        await it.until(lambda: f"running in the background ({name} again)" in it.screen)
        await it.press(key)
        await it.until(lambda: it.app._exit)
        assert not run.stopped


@pytest.mark.parametrize(
    ("kept_by_default", "again"),
    [
        (False, "End the agent (Ctrl+Q again)"),
        (True, "Keep the agent running in the background (Ctrl+Q again)"),
    ],
)
async def test_the_question_says_who_works_and_what_each_answer_does(
    kept_by_default: bool, again: str
) -> None:
    state, session = states.working()
    assert session.turn is not None
    async with running(state) as it:
        run = it.app.feature.leaving.run = Kept(kept_by_default=kept_by_default)
        it.clock.now = session.turn.started + 3
        await it.press("ctrl+q")
        await it.until(lambda: "Quit? The agent is working (3s)" in it.screen)
        it.clock.now += 9
        await it.until(lambda: "is working (12s)" in it.screen)
        assert again in it.screen
        assert "acp-tui attach tea" in it.screen
        assert "✗ End the agent" in it.screen
        assert "✓" not in it.screen
        await it.wait_until_armed()
        await it.press("escape")
        assert "Quit?" not in it.screen
        assert not run.stopped
        await it.press("ctrl+q")
        await it.wait_until_armed()
        await it.press("2")
        assert run.stopped


async def test_where_nobody_works_nobody_is_said_to() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        it.app.feature.leaving.run = Kept(kept_by_default=False)
        await it.press("ctrl+q")
        await it.until(lambda: "Quit?" in it.screen)
        assert "working" not in it.screen.partition("Quit?")[2].partition("\n")[0]
