"""What is closed is gone: it takes nothing else away, and nothing holds on to it."""

import gc
import weakref

import anyio
import pytest

from acp_tui.ui.inspector.screen import InspectorScreen
from acp_tui.ui.notices.feature import NoticesScreen
from acp_tui.ui.textual_fixes import gc_control
from tests.hosting import PATIENCE
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.app.test_agents import FakeHosts, side_by_side, talk

pytestmark = pytest.mark.anyio


async def test_a_screen_that_leaves_twice_or_late_leaves_what_came_above_it() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.press("f8")
        notices = it.app.screen
        notices.dismiss()
        notices.dismiss()
        await it.changed()
        assert it.app.screen is it.app.conversation
        await it.press("f8")
        notices = it.app.screen
        assert isinstance(notices, NoticesScreen)
        states.ask(state, session, 50, "Knead")
        await it.changed()
        assert "waiting for you" in it.screen
        await it.press("f4")
        notices.dismiss()
        await it.press("escape")
        await it.changed()
        assert it.app.screen is it.app.conversation
        assert "asks for permission" in it.screen


async def test_the_inspector_comes_and_goes() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        for _ in range(2):
            await it.press("f12")
            assert isinstance(it.app.screen, InspectorScreen)
            await it.press("escape")
            assert it.app.screen is it.app.conversation


@pytest.mark.slow
async def test_nothing_holds_on_to_a_screen_that_was_left() -> None:
    state, session = states.working()
    left = []
    async with running(state) as it:
        for key in ("f1", "f4", "f7", "f8", "alt+o", "ctrl+o", "alt+p"):
            await it.press(key)
            left.append(weakref.ref(it.app.screen))
            assert it.app.screen is not it.app.conversation
            await it.press("escape")
        states.ask(state, session, 50, "Knead")
        await it.changed()
        left.append(weakref.ref(it.app.conversation.question))
        session.permissions.clear()
        await it.changed()
        with anyio.fail_after(PATIENCE):
            while any(screen() is not None for screen in left):
                # Textual keeps the last chain of focus, and what was drawn last for a moment.
                await it.press("f1", "escape", "tab")
                gc.collect()


@pytest.mark.slow
async def test_what_a_screen_left_is_found_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gc_control, "DELAY", 0.01)
    monkeypatch.setattr(gc_control, "SHARE", 1)
    state, _ = states.talked()
    gc.disable()
    try:
        async with running(state) as it:
            it.app.gc_control.enabled = True
            await it.press("f1")
            left = weakref.ref(it.app.screen)
            await it.press("escape")
            with anyio.fail_after(PATIENCE):
                while left() is not None:  # Textual may keep the last one for a moment
                    await it.press("f1", "escape")
    finally:
        gc.enable()


@pytest.mark.usefixtures("thawed")
async def test_nothing_holds_on_to_an_agent_that_was_ended() -> None:
    bread = talk("Rye bread")
    bread.update("agent_message_chunk", content={"type": "text", "text": "dough"})
    async with side_by_side(talk("Tea"), bread, hosts=FakeHosts()) as it:
        await it.press("alt+2")
        assert "dough" in it.screen
        left = [weakref.ref(it.app.conversation.transcript), weakref.ref(it.app.tabs.shown.queue)]
        stays = weakref.ref(it.app.tabs.visible[0].queue)
        gc.freeze()  # as after the first screen: what an agent of the start holds is frozen
        await it.press("alt+w")
        await it.wait_until_armed()
        await it.press("2", "f8", "escape", "tab")  # Textual keeps the last chain of focus
        gc.collect()
        assert [one() for one in left] == [None, None]
        assert stays() is not None


async def test_work_that_comes_back_once_the_app_has_ended_is_no_fault() -> None:
    state, _ = states.talked()
    reached = []

    async with running(state) as it:

        async def work() -> None:
            try:
                while it.app.screen_stack:
                    await anyio.sleep(0)
            finally:  # it may be canceled before it sees that the screens are gone
                reached.append(not it.app.screen_stack)
                it.app.selected_text()

        it.app.spawn(work())
        await it.changed()
    assert reached == [True]
