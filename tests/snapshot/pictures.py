"""Pictures of one app, at several sizes and moments: it starts once for all of them."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from tests.unit.ui.settling import settled

Size = tuple[int, int]
Pictures = dict[tuple[str, Size], str]
"""SVG, by the moment and the size."""
Moments = Callable[[Pilot[None]], AsyncIterator[str]]


def take_pictures(app: App[Any], sizes: Sequence[Size], moments: Moments) -> Pictures:
    """Run an app, and take a picture at each size at each moment that `moments` yields."""
    taken: Pictures = {}

    async def visit(pilot: Pilot[None]) -> None:
        async for moment in moments(pilot):
            for size in sizes:
                if (*app.size,) != size:
                    await pilot.resize_terminal(*size)
                await settled(pilot)
                taken[moment, size] = app.export_screenshot(title=app.title, simplify=True)
        app.exit()

    app.run(headless=True, auto_pilot=visit, size=sizes[0])
    return taken
