import gc
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


@pytest.fixture
def thawed() -> Iterator[None]:
    """Have the garbage collector look at all objects when an agent ends, as outside of tests."""
    yield
    gc.freeze()


@pytest.fixture(autouse=True)
def older_objects_stay_frozen(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leave frozen what the process of the tests holds when an app ends an agent: else each full
    collection, up to the end of the process, looks at the modules and at thousands of tests.
    """
    if "thawed" not in request.fixturenames:
        monkeypatch.setattr("acp_tui.ui.sessions.agents.include_old_objects", lambda: None)
