"""A fault in what a key does: it is reported, and the app goes on."""

import asyncio

import pytest

from acp_tui.ui.textual_fixes.faults import NOT_DRAWN
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.dialogs.question_dialogs import ConfirmDialog
from acp_tui.ui.transcript.document_view import DocumentView
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_a_fault_in_a_key_is_reported_once_and_the_app_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        reported: list[tuple[str, str]] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(
            lambda _, context: reported.append((context["message"], str(context["exception"])))
        )
        it.app.survives_faults = True
        monkeypatch.setattr(it.app, "action_help", lambda: 1 / 0)
        monkeypatch.setattr(it.app.conversation.prompt, "action_yank", lambda: 1 / 0)
        await it.press("f1", "f1", "ctrl+y", *"te")
        assert it.prompt == "te"
        assert [doing for doing, _ in reported] == ["the key f1", "the key ctrl+y"]
        reported.clear()
        await it.press("super+c", "super+x", "super+v", "left", "-")
        assert it.prompt == "t-e", "what is nothing to copy does nothing"
        assert reported == []
        it.app.spawn(fail_later())
        await it.until(lambda: bool(reported))
        await it.write("a")
        assert it.prompt == "t-ae"
        assert [doing for doing, _ in reported] == ["the background"]


async def fail_later() -> None:
    raise ValueError("oh")


def fail(*_: object, **__: object) -> None:
    raise ValueError("oh")


async def test_a_fault_in_drawing_is_reported_and_the_app_goes_on() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        reported: list[str] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: reported.append(str(context["exception"])))
        it.app.survives_faults = True
        for kind, method, is_named in (
            (KeyedChoices, "get_content_height", False),
            (KeyedChoices, "render", True),
            (KeyedChoices, "render_line", True),
            (KeyedChoices, "render_lines", True),
            (KeyedChoices, "on_mount", False),
            (ConfirmDialog, "compose", False),
            (ConfirmDialog, "on_mount", False),
        ):
            where = f"{kind.__name__}.{method}"
            reported.clear()
            it.app._reported_faults.clear()  # all are raised in one line
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(kind, method, fail)
                await it.app.push_screen(ConfirmDialog("Sure?", [], "Yes", it.clock))
                await it.until(lambda: bool(it.screen and reported))
                assert (NOT_DRAWN in it.screen) == is_named, where
                it.clock.now += 1
                await it.press("escape")
                await it.until(lambda: len(it.app.screens) == 1)
            await it.write("t")
            assert reported[0] == "oh", where
        assert it.prompt == "t" * 7


async def test_a_fault_in_drawing_the_conversation_leaves_the_rest_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        reported: list[str] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: reported.append(context["message"]))
        it.app.survives_faults = True
        monkeypatch.setattr(DocumentView, "render_line", fail)
        monkeypatch.setattr(DocumentView, "row", fail)
        it.app.conversation.refresh(layout=True)
        await it.until(lambda: NOT_DRAWN in it.screen)
        await it.write("tea")
        assert "tea" in it.screen
        assert reported == ["drawing Transcript"]


async def test_a_fault_that_nobody_would_hear_of_ends_the_app(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with running(state) as it:
            monkeypatch.setattr(it.app, "action_help", lambda: 1 / 0)
            await it.press("f1")


async def test_what_comes_up_while_the_app_ends_does_not_break_it() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.press("f4")
        states.ask(state, session, 7, "run tests")
        it.app.exit()
        it.app.show_note("an agent is gone")
        it.app.refresh_view()
        await it.until(lambda: not it.app.is_running)
    assert it.app.return_code == 0
