"""A test of an app that crashes fails at once, with the app's own error."""

from typing import ClassVar

import anyio
import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

pytestmark = pytest.mark.anyio


class CrashingByKey(App[None]):
    BINDINGS: ClassVar = [("x", "crash", "")]

    def action_crash(self) -> None:
        raise LookupError("no tea")


class CrashingAtStart(App[None]):
    def on_mount(self) -> None:
        raise LookupError("no tea")


class Brittle(Static):
    is_broken = False

    def render(self) -> str:
        if self.is_broken:
            raise LookupError("no tea")
        return "whole"


class CrashingWhileDrawn(App[None]):
    BINDINGS: ClassVar = [("x", "crash", "")]

    def compose(self) -> ComposeResult:
        yield Brittle()

    def action_crash(self) -> None:
        brittle = self.query_one(Brittle)
        brittle.is_broken = True
        brittle.refresh(layout=True)


async def wait_for_nothing(app: App[None]) -> None:
    async with app.run_test() as pilot:
        await pilot.app._press_keys(["x"])
        await anyio.sleep_forever()


@pytest.mark.parametrize("app", [CrashingByKey, CrashingAtStart, CrashingWhileDrawn])
async def test_what_waits_for_an_app_that_crashes_ends_with_its_error(app: type[App[None]]) -> None:
    with pytest.raises(LookupError, match="no tea"):
        await wait_for_nothing(app())
