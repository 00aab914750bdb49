"""Layout of a screen at once: Textual would wait for its next frame, and draw every layout."""

from typing import Any

from textual.screen import Screen
from textual.widget import Widget


def lay_out(screen: Screen[Any]) -> None:
    """Lay out all widgets, and draw nothing yet."""
    with screen.app.batch_update():
        lay_out_and_draw(screen)


def lay_out_and_draw(screen: Screen[Any]) -> None:
    """Lay out all widgets, and draw what has changed."""
    _clear_outdated_arrangements(screen)
    screen._refresh_layout()


def _clear_outdated_arrangements(screen: Screen[Any]) -> None:
    """Clear the cached arrangements around widgets that need a new layout. Textual clears them only once a
    widget is idle: until then, a layout would give the widget its old size.
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
