"""Lays a screen out at once: Textual waits for its next frame, and draws each layout."""

from typing import Any

from textual.screen import Screen
from textual.widget import Widget


def lay_out(screen: Screen[Any]) -> None:
    """Give all widgets their places and sizes, and draw nothing yet."""
    with screen.app.batch_update():
        lay_out_and_draw(screen)


def lay_out_and_draw(screen: Screen[Any]) -> None:
    """Give all widgets their places and sizes, and draw what has changed by that."""
    _forget_outdated(screen)
    screen._refresh_layout()


def _forget_outdated(screen: Screen[Any]) -> None:
    """Drop the places that parents keep of what has changed since. Textual does that only once nothing is
    left to do: until then a widget gets the size again that it had in the layout before.
    """
    for widget in screen.walk_children(Widget):
        if widget._layout_required:
            for parent in widget.ancestors:
                if not isinstance(parent, Widget):
                    break
                parent._clear_arrangement_cache()
                parent._layout_updates += 1
                if not parent.styles.auto_dimensions:
                    break
