"""What Textual has to show goes to our own display, which knows what the terminal shows."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Any, cast

from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.screen import Screen
from textual.strip import Strip

from acp_tui.ui.output.display import Display
from acp_tui.ui.output.terminal import TerminalOutput


class DisplayApp(App[None]):
    """Textual writes whole regions, whatever changed in them."""

    @property
    def _own_display(self) -> Display | None:
        """The display of our driver, if it is ours."""
        output = getattr(self._driver, "output", None)
        return output.display if isinstance(output, TerminalOutput) else None

    def redraw(self) -> None:
        """Draw everything again: something else may have written on the terminal."""
        if self._own_display is not None:
            self._own_display.grid.forget()
        if self.screen_stack:
            self.screen.refresh(layout=True)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        display = self._own_display
        if display is None or not isinstance(renderable, CompositorUpdate):
            super()._display(screen, renderable)
            return
        try:
            if self._running and not self._closed and not self._batch_count:
                self._show(display, renderable)
        except Exception as error:
            self._handle_exception(error)
        finally:
            self.post_display_hook()

    def _show(self, display: Display, update: CompositorUpdate) -> None:
        put, console = display.grid.put, self.console
        display.grid.resize(*self.size)
        if isinstance(update, LayoutUpdate):
            for y, strips in enumerate(update.strips, update.region.y):
                # Where a window is resized while it is drawn, Textual has nothing for some cells.
                drawn: Iterable[Strip | None] = strips
                there = takewhile(lambda strip: strip is not None, drawn)
                put(update.region.x, y, cast("Iterable[Strip]", there), console)
        elif isinstance(update, ChopsUpdate):
            for y, left, right in update.spans:
                chops = zip(update.chop_ends[y], update.chops[y].items(), strict=False)
                for end, (x, strip) in chops:
                    if strip is not None and x < right and end > left:
                        put(x, y, [strip], console)
        display.grid.point(*self.screen.outer_size.clamp_offset(self.cursor_position))
        display.synchronizes = self._sync_available
        display.draw()
