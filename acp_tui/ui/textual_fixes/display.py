"""An app that draws through our own display, and can lend its terminal to other programs."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from time import perf_counter
from typing import Any, cast

from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.binding import Binding, BindingsMap
from textual.filter import NoColor
from textual.screen import Screen
from textual.strip import Strip

from acp_tui.config import icons
from acp_tui.ui.output.display import PERIOD, Display
from acp_tui.ui.output.terminal import OutputTerminal
from acp_tui.ui.textual_fixes.key_bindings import rebind_keys
from acp_tui.ui.textual_fixes.terminal_driver import driver_class


class DisplayApp(App[None]):
    """Sends what Textual draws to our own display, which knows the terminal's content; Textual
    would write whole regions, whatever changed in them.
    """

    _last_urgent_draw = 0.0
    """When something urgent was last drawn, by `perf_counter`."""

    @property
    def _own_display(self) -> Display | None:
        """The display of our driver, if the driver is ours."""
        output = getattr(self._driver, "output", None)
        return output.display if isinstance(output, OutputTerminal) else None

    on_terminal_taken: Callable[[bool], None] | None = None
    """Called with True when the driver takes the terminal, and with False after it gave it back."""

    def __init__(self) -> None:
        super().__init__(driver_class=driver_class(self._take_terminal))
        self.is_suspended = False
        self._added: list[Sequence[Binding]] = []
        if self.no_color:
            self._drop_colors()

    def _take_terminal(self, is_taken: bool) -> None:
        if self.on_terminal_taken is not None:
            self.on_terminal_taken(is_taken)

    @contextmanager
    def step_aside(self) -> Iterator[None]:
        """Lend the terminal to another program; nothing is drawn in the meantime."""
        if self.is_headless:
            yield
            return
        self.is_suspended = True
        try:
            with self.batch_update(), self.suspend():
                yield
        finally:
            self.is_suspended = False

    def action_stop(self) -> None:
        """Suspend the whole job, until the shell continues it."""
        if self._driver is not None and self._driver.can_suspend:
            os.killpg(0, signal.SIGTSTP)

    def action_redraw(self) -> None:
        """Redraw everything, over the output of another program."""
        self.write_sequence("\x1b[2J")
        self.redraw()

    def on_resize(self) -> None:
        """Redraw the whole screen, even at the same size: an intermediate size that we didn't see
        may have cut off the terminal's content.
        """
        self.redraw()

    def use_icons(self) -> None:
        """Apply the `icons` setting. Raises ConfigError."""
        output = getattr(self._driver, "output", None)
        if isinstance(output, OutputTerminal):
            output.use_table(icons.replacement_table())
            self.action_redraw()

    def write_sequence(self, sequence: str) -> None:
        """Write an escape sequence to the terminal, unless another program has it."""
        if self._driver is not None and not self._driver.is_headless and not self.is_suspended:
            self._driver.write(sequence)

    def _drop_colors(self) -> None:
        """Replace the theme's colors by bold, reverse and other attributes.

        Textual's own way is shades of gray, and black on black if the terminal's own colors are
        used.
        """
        self.ansi_color = True
        self._filters = [NoColor()]

    def add_bindings(self, bindings: Sequence[Binding]) -> None:
        """Add key bindings that precede those of the focused widget, which `App.bind` can't."""
        self._added.append(bindings)
        self._bindings = BindingsMap.merge([self._bindings, BindingsMap(bindings)])

    def rebind_keys(self) -> None:
        """Apply changed key tables to all screens and their widgets."""
        installed = (one for one in self._installed_screens.values() if isinstance(one, Screen))
        screens = dict.fromkeys([*self.screen_stack, *installed])
        widgets = (one for screen in screens for one in screen.walk_children(with_self=True))
        rebind_keys([self, *widgets])
        for table in self._added:
            self._bindings = BindingsMap.merge([self._bindings, BindingsMap(table)])

    def redraw(self) -> None:
        """Redraw everything: another program may have written to the terminal."""
        if self._own_display is not None:
            self._own_display.grid.forget()
        if self.screen_stack:
            self.screen.refresh(layout=True)

    def draw_immediately(self) -> None:
        """Draw changes now: a key's effect waits neither for a stream's frame nor for its own."""
        now = perf_counter()
        if self.screen_stack and now - self._last_urgent_draw >= PERIOD:
            self._last_urgent_draw = now
            self.screen.call_later(self._draw_now, self.screen)  # after its pending messages

    def _draw_now(self, screen: Screen[Any]) -> None:
        screen._on_timer_update()
        if self._own_display is not None:
            self._own_display.draw_now()

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        display = self._own_display
        if display is None or not isinstance(renderable, CompositorUpdate):
            super()._display(screen, renderable)
            return
        try:
            if self._running and not self._closed and not self._batch_count:
                self._show(display, renderable)
        except Exception as error:
            App._handle_exception(self, error)  # without a display, nobody would see the error
        finally:
            self.post_display_hook()

    def _show(self, display: Display, update: CompositorUpdate) -> None:
        put, console = display.grid.put, self.console
        display.grid.resize(*self.size)
        if isinstance(update, LayoutUpdate):
            for y, strips in enumerate(update.strips, update.region.y):
                # If a window is resized while it is drawn, Textual has no strips for some cells.
                drawn: Iterable[Strip | None] = strips
                there = takewhile(lambda strip: strip is not None, drawn)
                put(update.region.x, y, cast("Iterable[Strip]", there), console)
        elif isinstance(update, ChopsUpdate):
            for y, left, right in update.spans:
                chops = zip(update.chop_ends[y], update.chops[y].items(), strict=False)
                for end, (x, strip) in chops:
                    if strip is not None and x < right and end > left:
                        put(x, y, [strip], console)
        writes = hasattr(self.focused, "cursor_blink")  # text widgets, not imported at start
        at = self.screen.outer_size.clamp_offset(self.cursor_position)
        display.grid.point(at if writes else None)
        display.synchronizes = self._sync_available
        display.draw()
