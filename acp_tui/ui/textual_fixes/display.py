"""The app's side of the terminal: what it shows, and what else is written to it."""

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
from acp_tui.ui.textual_fixes.key_bindings import bind_again
from acp_tui.ui.textual_fixes.terminal_driver import driver_class


class DisplayApp(App[None]):
    """Sends what Textual draws to our own display, which knows what the terminal shows; Textual
    would write whole regions, whatever changed in them.
    """

    _drawn_at_once = 0.0
    """When something urgent was last drawn."""

    @property
    def _own_display(self) -> Display | None:
        """The display of our driver, if it is ours."""
        output = getattr(self._driver, "output", None)
        return output.display if isinstance(output, OutputTerminal) else None

    takes_terminal: Callable[[bool], None] | None = None
    """Told when the terminal is taken, and when it has been given back."""

    def __init__(self) -> None:
        super().__init__(driver_class=driver_class(self._take_terminal))
        self.is_away = False
        self._added: list[Sequence[Binding]] = []
        if self.no_color:
            self._leave_out_colors()

    def _take_terminal(self, taken: bool) -> None:
        if self.takes_terminal is not None:
            self.takes_terminal(taken)

    @contextmanager
    def step_aside(self) -> Iterator[None]:
        """Leave the terminal to another program: nothing is drawn meanwhile."""
        if self.is_headless:
            yield
            return
        self.is_away = True
        try:
            with self.batch_update(), self.suspend():
                yield
        finally:
            self.is_away = False

    def action_stop(self) -> None:
        """Suspend the whole job, until the shell continues it."""
        if self._driver is not None and self._driver.can_suspend:
            os.killpg(0, signal.SIGTSTP)

    def action_redraw(self) -> None:
        """Draw everything again, over what something else left on the screen."""
        self.write_sequence("\x1b[2J")
        self.redraw()

    def on_resize(self) -> None:
        """Draw the whole screen, even at the size that it had: a size in between that nobody saw
        may have cut off what the terminal showed.
        """
        self.redraw()

    def use_icons(self) -> None:
        """Draw with the characters that the settings want. Raises ConfigError."""
        output = getattr(self._driver, "output", None)
        if isinstance(output, OutputTerminal):
            output.use_table(icons.replacement_table())
            self.action_redraw()

    def write_sequence(self, sequence: str) -> None:
        """Write an escape sequence to the terminal, unless another program has it."""
        if self._driver is not None and not self._driver.is_headless and not self.is_away:
            self._driver.write(sequence)

    def _leave_out_colors(self) -> None:
        """Show by bold, reverse and the like what every theme shows by colors.

        Textual's own way is gray levels, and black on black where the terminal's colors are used.
        """
        self.ansi_color = True
        self._filters = [NoColor()]

    def add_bindings(self, bindings: Sequence[Binding]) -> None:
        """Bind more keys; `App.bind` can't have them checked before those of the focused widget."""
        self._added.append(bindings)
        self._bindings = BindingsMap.merge([self._bindings, BindingsMap(bindings)])

    def bind_again(self) -> None:
        """Bind the current keys of the tables in all screens and their widgets."""
        kept = (one for one in self._installed_screens.values() if isinstance(one, Screen))
        screens = dict.fromkeys([*self.screen_stack, *kept])
        widgets = (one for screen in screens for one in screen.walk_children(with_self=True))
        bind_again([self, *widgets])
        for table in self._added:
            self._bindings = BindingsMap.merge([self._bindings, BindingsMap(table)])

    def redraw(self) -> None:
        """Draw everything again: something else may have written on the terminal."""
        if self._own_display is not None:
            self._own_display.grid.forget()
        if self.screen_stack:
            self.screen.refresh(layout=True)

    def draw_at_once(self) -> None:
        """Draw what has changed by now: the effect of a key waits neither for a frame of a stream
        nor for that frame's turn.
        """
        now = perf_counter()
        if self.screen_stack and now - self._drawn_at_once >= PERIOD:
            self._drawn_at_once = now
            self.screen.call_later(self._draw_now, self.screen)  # behind what it has yet to hear

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
            App._handle_exception(self, error)  # without a display nobody would learn of it
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
        writes = hasattr(self.focused, "cursor_blink")  # fields and texts; a start loads no field
        at = self.screen.outer_size.clamp_offset(self.cursor_position)
        display.grid.point(at if writes else None)
        display.synchronizes = self._sync_available
        display.draw()
