"""A field that is only looked at writes nothing to the terminal, and shows where one writes."""

import pytest

from acp_tui.ui.toolkit.line_input import LineInput
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_the_cursor_of_a_field_stands_still() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+slash")
        field = it.app.focused
        assert isinstance(field, LineInput)
        assert field._blink_timer is not None
        assert not field._blink_timer._active.is_set()
        assert field._cursor_visible
        await it.press("t")
        assert not field._blink_timer._active.is_set()
        assert field._cursor_visible


async def test_a_field_has_the_keys_of_a_shell() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+slash")
        field = it.app.focused
        assert isinstance(field, LineInput)
        for keys, text in (
            (["alt+backspace"], "one two "),
            (["ctrl+a", "alt+d"], "two three"),
            (["alt+b", "X"], "one two Xthree"),
            (["ctrl+a", "alt+f", "X"], "one Xtwo three"),
            (["ctrl+b", "X"], "one two threXe"),
            (["ctrl+a", "ctrl+f", "X"], "oXne two three"),
            (["ctrl+a", "ctrl+k"], ""),
        ):
            field.value = "one two three"
            await it.press("end", *keys)
            assert field.value == text, keys


@pytest.mark.slow
async def test_a_text_that_is_too_long_for_its_field_is_seen() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+slash")
        await it.write("word " * 20 + "end")
        assert any("word word end" in row for row in it.rows())
