"""A row of key hints shows what fits, by the names that the keys have now."""

from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from acp_tui.config.settings import Settings
from acp_tui.ui.keymap import move_keys
from acp_tui.ui.toolkit.hints import KeyHints
from tests.unit.ui.app.test_settings import keys_move_back

pytestmark = pytest.mark.anyio

__all__ = ["keys_move_back"]


class Hinting(App[None]):
    def compose(self) -> ComposeResult:
        yield KeyHints("everywhere")


@pytest.mark.usefixtures("keys_move_back")
async def test_a_row_names_keys_as_they_are_bound_now_and_only_those_that_fit(
    tmp_path: Path,
) -> None:
    app = Hinting()
    async with app.run_test(size=(20, 3)) as pilot:
        row = app.query_one(KeyHints)
        row.show([("f12", "protocol"), ("f7", "changes")])
        await pilot.pause()
        assert (str(row.render()), row.named) == ("F12 protocol", {"f12"})
        for key in ("Alt+I", "Alt+Y"):
            move_keys(Settings.model_validate({"keys": {"everywhere": {"F12": key}}}), tmp_path)
            row.name_keys()
            assert str(row.render()) == f"{key} protocol"
        await pilot.resize_terminal(40, 3)
        assert (str(row.render()), row.named) == ("Alt+Y protocol   F7 changes", {"f12", "f7"})
        row.show([("f7", "changes")])
        assert (str(row.render()), row.named) == ("F7 changes", {"f7"})
