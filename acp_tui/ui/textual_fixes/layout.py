"""Lays a screen out at once: Textual waits for its next frame, and draws each layout."""

from typing import Any

from textual.screen import Screen


def lay_out(screen: Screen[Any]) -> None:
    """Give all widgets their places and sizes, and draw nothing yet."""
    with screen.app.batch_update():
        screen._refresh_layout()


def lay_out_and_draw(screen: Screen[Any]) -> None:
    """Give all widgets their places and sizes, and draw what has changed by that."""
    screen._refresh_layout()
