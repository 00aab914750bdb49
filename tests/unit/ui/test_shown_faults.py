"""A fault in a key of a screen that has no session: it is shown there, and the screen goes on."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import pytest
from textual.widgets import Input

from acp_tui.ui.textual_fixes.faults import NOT_DRAWN
from acp_tui.ui.toolkit.dialogs.listing import Listing
from tests.e2e.terminal import terminal
from tests.hosting import PATIENCE
from tests.unit.ui.find import test_find as find
from tests.unit.ui.launcher import test_launcher as launcher
from tests.unit.ui.matrix import test_matrix as matrix
from tests.unit.ui.screens import screen_text

pytestmark = pytest.mark.anyio
BREAK_LAUNCHER = """
from acp_tui.ui.launcher.app import LauncherApp
def fail(*_):
    raise ZeroDivisionError("oh \\x1b]0;title\\x07")
LauncherApp.{part} = fail
from acp_tui.__main__ import main
main()
"""

Opened = Callable[[Path], AbstractAsyncContextManager[Any]]
OPENED: dict[str, Opened] = {
    "launcher": launcher.launching,
    "find": find.searching,
    "matrix": lambda _: matrix.shown(),
}


@pytest.mark.parametrize("name", OPENED)
async def test_a_fault_in_a_key_is_shown_and_the_screen_goes_on(name: str, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oh")

    async with OPENED[name](tmp_path) as (app, pilot):
        app.survives_faults = True
        app.action_move = fail
        with anyio.fail_after(PATIENCE):
            while "A bug in acp-tui, in the key down: ZeroDivision" not in screen_text(app):
                await pilot.press("down")  # a screen that is still being built has no keys
        await pilot.press(*"tea")
        assert app.query_one(Input).value == "tea"


@pytest.mark.parametrize("name", OPENED)
async def test_a_fault_in_drawing_is_shown_and_the_rest_is_drawn(name: str, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oh")

    async with OPENED[name](tmp_path) as (app, pilot):
        app.survives_faults = True
        app.query_one(Listing).render = fail
        app.query_one(Listing).refresh()
        with anyio.fail_after(PATIENCE):
            while "A bug in acp-tui, in drawing Listing: ZeroDivision" not in screen_text(app):
                await pilot.pause()
        assert NOT_DRAWN in screen_text(app)
        await pilot.press(*"tea")
        assert app.query_one(Input).value == "tea"


@pytest.mark.parametrize(
    "part",
    [
        "on_mount",
        pytest.param("compose", marks=pytest.mark.slow),  # another place, which ends the same way
    ],
)
def test_a_fault_before_the_first_screen_ends_with_a_clear_word(tmp_path: Path, part: str) -> None:
    program = tmp_path / "broken_launcher.py"
    program.write_text(BREAK_LAUNCHER.format(part=part))
    with terminal(cwd=tmp_path, module=["broken_launcher"]) as it:
        it.wait_for("acp-tui crashed: a bug in acp-tui")
        assert it.wait_for_exit() == 1
        assert "ZeroDivisionError: oh" in it.last_words
        assert b"\x1b]0;title" not in it.written
