from collections.abc import Iterator

import pytest
from textual._compositor import Compositor
from textual._styles_cache import StylesCache

from acp_tui.ui.lines.lines import measure


@pytest.fixture(autouse=True)
def prose_as_wide_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an app has set must not matter to the next test."""
    monkeypatch.setattr(measure, "cells", 0)


@pytest.fixture
def drawn() -> None:
    """Draw each frame, though no terminal shows it."""


@pytest.fixture(autouse=True)
def nothing_drawn_for_nobody(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lay out, but don't draw, what no terminal shows: that took a third of the time. Who looks at the
    screen draws it (`Running.rows`).
    """

    def render_update(compositor: Compositor, **_: object) -> None:
        compositor._dirty_regions.clear()

    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(Compositor, "render_update", render_update)


@pytest.fixture(autouse=True)
def nothing_drawn_is_kept() -> Iterator[None]:
    """Free what the test drew. Textual keeps the last 1,024 widgets, half a million objects for the
    garbage collector to look at again and again.
    """
    yield
    StylesCache.get_inner_outer.cache_clear()
