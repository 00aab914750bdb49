"""What is to happen after a moment happens, on a busy machine, too."""

import asyncio

import pytest

from acp_tui.ui.textual_fixes.faults import SurvivesFaults

pytestmark = pytest.mark.anyio

TOO_SOON = 1e-9
"""Seconds that are over before the timer has begun to wait, as a millisecond is on a busy machine."""


async def test_a_timer_that_begins_too_late_is_called() -> None:
    is_called = asyncio.Event()
    app = SurvivesFaults[None]()
    async with app.run_test():
        app.set_timer(TOO_SOON, is_called.set)
        await asyncio.wait_for(is_called.wait(), 10)


async def test_a_timer_without_a_delay_is_called() -> None:
    is_called = asyncio.Event()
    app = SurvivesFaults[None]()
    async with app.run_test():
        app.set_timer(0, is_called.set)
        await asyncio.wait_for(is_called.wait(), 10)


async def test_a_timer_is_called_once() -> None:
    calls = list[None]()
    is_over = asyncio.Event()
    app = SurvivesFaults[None]()
    async with app.run_test():
        app.set_timer(TOO_SOON, lambda: calls.append(None))
        app.set_timer(0.05, is_over.set)
        await asyncio.wait_for(is_over.wait(), 10)
    assert calls == [None]
