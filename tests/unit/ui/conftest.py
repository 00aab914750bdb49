import pytest

from acp_tui.ui.lines.measure import measure


@pytest.fixture(autouse=True)
def prose_as_wide_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an app has set must not matter to the next test."""
    monkeypatch.setattr(measure, "cells", 0)
