"""The styles that all views of an app share."""

import pytest

from acp_tui.ui.palette import Palette
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_every_view_has_the_same_styles_until_the_theme_changes() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        before = Palette.of(it.app)
        assert Palette.of(it.app) is before
        await it.press("f3")
        assert Palette.of(it.app).styles != before.styles
