"""Layout and drawing of a screen: a compositor that asks for lines only from widgets to be drawn,
and notifies each one that is shown or resized; a layout without waiting for a frame; a callback
once the terminal shows it.
"""

from collections.abc import Callable, Iterable
from typing import Any

from textual._compositor import ChopsUpdate, Compositor, CompositorMap, ReflowResult
from textual.app import App
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from acp_tui.ui.textual_fixes.faults import draw_lines


class NarrowCompositor(Compositor):
    """Asks for lines only from widgets that are visible where something changed.

    Textual's own asks every widget that would be there if it were larger, and all behind it: for a
    line of the transcript also the prompt and everything below it, which takes as long as the line.

    This one also notifies every widget that is shown or resized. Textual's own compares with the
    positions that were last queried. If those are queried before the layout is complete, as may
    happen on a busy machine, it sees no change: widgets never learn their size, and a transcript
    that got shorter doesn't follow its end.

    And it measures again what changes between a layout and its notification. Textual's own caches
    the size until the next change: a text that arrives just after its widget is mounted would keep
    one row.
    """

    _requested: tuple[Region, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self._laid_out = self._full_map

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out everything; return which widgets are hidden, shown and resized by that."""
        self._full_map = self._laid_out
        found = super().reflow(parent, size)
        self._laid_out = self._full_map
        return found

    def _arrange_root(
        self, root: Widget, size: Size, visible_only: bool = True
    ) -> tuple[CompositorMap, set[Widget]]:
        found, widgets = super()._arrange_root(root, size, visible_only)
        for widget in found:
            if widget._layout_required:
                # Further changes aren't counted while this one is pending.
                widget._layout_updates += 1
        return found, widgets

    def render_partial_update(self) -> ChopsUpdate | None:
        self._requested = tuple(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._requested = ()

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        requested = self._requested or (crop or self.size.region,)
        before: list[Region] = []
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            if shown and _is_visible(shown, requested, before):
                before.append(shown)
                yield region, clip, draw_lines(widget, shown.translate(-region.offset))


def compose_narrowly(screen: Screen[Any]) -> None:
    """Replace the compositor of a screen that was just created."""
    screen._compositor = NarrowCompositor()


def _is_visible(shown: Region, requested: Iterable[Region], before: Iterable[Region]) -> bool:
    """Return whether a requested region is visible in `shown`, not all covered by `before`."""
    parts = [shown.intersection(one) for one in requested if shown.overlaps(one)]
    return any(not any(one.contains_region(part) for one in before) for part in parts)


def lay_out(screen: Screen[Any]) -> None:
    """Lay out all widgets now, without drawing. Textual would wait for its next frame, and draw
    each layout.
    """
    with screen.app.batch_update():
        lay_out_and_draw(screen)


def lay_out_and_draw(screen: Screen[Any]) -> None:
    """Lay out all widgets now, and draw the changes."""
    _clear_outdated_arrangements(screen)
    screen._refresh_layout()


def _clear_outdated_arrangements(screen: Screen[Any]) -> None:
    """Clear the cached arrangements around widgets that need a new layout.

    Textual clears them only when a widget is idle; a layout before that would use its old size.
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


def when_shown(app: App[Any], act: Callable[[], object]) -> None:
    """Call `act` once the terminal shows what is drawn so far; at once if it can't be asked."""
    output = getattr(app._driver, "output", None)  # None in tests
    call_when_shown = getattr(output, "when_shown", None)
    if call_when_shown is None:
        act()
    else:
        call_when_shown(act)
