import pickle
from collections.abc import Callable
from typing import Any

import pytest
from pytest_textual_snapshot import node_to_report_path
from textual._compositor import Compositor
from textual.app import App
from textual.content import Content

from acp_tui.ui.conversation.status_line import StatusLine
from acp_tui.ui.lines.lines import measure
from tests.snapshot.pictures import Pictures
from tests.snapshot.svg_rows import differing_rows


@pytest.fixture(autouse=True)
def prose_as_wide_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an app has set must not matter to the next test."""
    monkeypatch.setattr(measure, "cells", 0)


@pytest.fixture(autouse=True)
def only_the_picture_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay out, but don't draw, what isn't in the picture: that took more than a third of the time."""
    draw = Compositor.render_update

    def render_update(compositor: Compositor, *, full: bool = False, **options: Any) -> object:
        if full:
            return draw(compositor, full=True, **options)
        compositor._dirty_regions.clear()
        return None

    monkeypatch.setattr(Compositor, "render_update", render_update)


@pytest.fixture(autouse=True)
def masked_status_line(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no words in the status line but where a test wants them: each word of it broke them all."""
    if request.node.get_closest_marker("status_line") is None:
        monkeypatch.setattr(
            StatusLine, "render", lambda self: Content("· " * (self.size.width // 2))
        )


@pytest.fixture
def snap_compare(
    snap_compare: Callable[..., bool], request: pytest.FixtureRequest
) -> Callable[..., bool]:
    """Compare as the plugin does, and print the rows that differ: its report needs a browser."""

    def compare(*args: Any, **options: Any) -> bool:
        if snap_compare(*args, **options):
            return True
        _, expected, drawn, *_ = pickle.loads(node_to_report_path(request.node).read_bytes())
        pytest.fail(differing_rows(expected, drawn), pytrace=False)

    return compare


TAKEN: dict[tuple[str, str], Pictures] = {}
"""The pictures of each app that several tests look at, by the test's function and the app's name."""


@pytest.fixture
def looks_the_same(
    snap_compare: Callable[..., bool],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., bool]:
    """Compare one of the pictures of an app: the first test that asks for one has all of them taken."""

    def compare(
        take: Callable[[], Pictures], size: tuple[int, int], *, app: str = "", moment: str = ""
    ) -> bool:
        key = request.node.originalname, app
        if key not in TAKEN:
            TAKEN[key] = take()
        picture = TAKEN[key][moment, size]
        monkeypatch.setattr("textual._doc.take_svg_screenshot", lambda **_: picture)
        return snap_compare(App())

    return compare
