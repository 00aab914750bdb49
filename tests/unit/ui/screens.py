"""Read the screen of an app as text."""

from typing import Any

from textual.app import App


def screen_rows(app: App[Any]) -> list[str]:
    """Return the screen in front row by row: blank ones while it isn't laid out yet."""
    strips = app.screen._compositor.render_strips()
    rows = ["".join(segment.text for segment in strip) for strip in strips]
    return rows or [""] * app.size.height


def screen_text(app: App[Any]) -> str:
    """Return the screen in front as one text."""
    return "\n".join(screen_rows(app))
