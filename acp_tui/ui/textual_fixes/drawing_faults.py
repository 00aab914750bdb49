"""A fault while a widget is laid out or drawn: it is reported, and the rest of the screen is drawn.

Textual would end the app, and the turn with it, for each of them.
"""

from fractions import Fraction
from typing import Any

from rich.segment import Segment
from textual._styles_cache import StylesCache
from textual.box_model import BoxModel
from textual.geometry import Region, Size, Spacing
from textual.strip import Strip
from textual.widget import Widget

from acp_tui.ui.textual_fixes.key_faults import SurvivesFaults

NOT_DRAWN = "✗ not drawn: a bug in acp-tui"
_get_box_model = Widget._get_box_model
_render_widget = StylesCache.render_widget


def draw_lines(widget: Widget, crop: Region) -> list[Strip]:
    """Draw a part of a widget; after a fault, draw a message in its place."""
    try:
        return widget.render_lines(crop)
    except Exception as error:
        return _after_fault(widget, crop, error)


def _after_fault(widget: Widget, crop: Region, error: Exception) -> list[Strip]:
    app = widget.app
    if not (isinstance(app, SurvivesFaults) and app.survives_faults):
        raise error
    app.report_fault(f"drawing {type(widget).__name__}", error)
    words = Strip([Segment(NOT_DRAWN, widget.rich_style)])
    blank = Strip.blank(crop.width, widget.rich_style)
    rest = [blank] * max(0, crop.height - 1)
    return [words.adjust_cell_length(crop.width, widget.rich_style), *rest][: crop.height]


def _render_widget_or_report(self: StylesCache, widget: Widget, crop: Region) -> list[Strip]:
    try:
        return _render_widget(self, widget, crop)
    except Exception as error:
        return _after_fault(widget, crop, error)


def _get_box_model_or_report(self: Widget, container: Size, *args: Any, **options: Any) -> BoxModel:
    """Measure a widget; after a fault, give it one row for the message."""
    try:
        return _get_box_model(self, container, *args, **options)
    except Exception as error:
        app = self.app
        if not (isinstance(app, SurvivesFaults) and app.survives_faults):
            raise
        app.report_fault(f"measuring {type(self).__name__}", error)
        return BoxModel(Fraction(container.width), Fraction(1), Spacing())


StylesCache.render_widget = _render_widget_or_report  # type: ignore[method-assign]
Widget._get_box_model = _get_box_model_or_report  # type: ignore[method-assign]
