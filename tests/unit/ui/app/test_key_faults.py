"""A fault in what a key does: it is reported, and the app goes on."""

import asyncio

import pytest

from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_what_is_nothing_to_copy_does_nothing() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.write("tea")
        await it.press("super+c", "super+x", "super+v", "left")
        await it.write("-")
        assert it.prompt == "te-a"


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
        await it.press("f1", "f1", "ctrl+y")
        await it.write("tea")
        assert it.prompt == "tea"
        assert [doing for doing, _ in reported] == ["the key f1", "the key ctrl+y"]


async def test_a_fault_in_what_a_key_began_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        reported: list[str] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: reported.append(context["message"]))
        it.app.survives_faults = True

        async def fail() -> None:
            raise ValueError("oh")

        it.app.spawn(fail())
        await it.until(lambda: bool(reported))
        await it.write("tea")
        assert it.prompt == "tea"
        assert reported == ["the background"]


async def test_a_fault_that_nobody_would_hear_of_ends_the_app(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with running(state) as it:
            monkeypatch.setattr(it.app, "action_help", lambda: 1 / 0)
            await it.press("f1")
