"""Rows of key hints: formatting, the hint row at the bottom of a screen, and clicks on hints."""

from collections.abc import Iterable, Sequence
from typing import Any

from textual import events
from textual.app import App
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from acp_tui.ui.bindings import places_of
from acp_tui.ui.keys import CLICKED, format_hints, key_name
from acp_tui.ui.textual_fixes.compositor import compose_narrowly

Hint = tuple[str, str]
"""A key as it is bound, and what it does."""

WIDE = 120
"""Width in columns from which Tab leaves most hints of the last row in place: unchanged cells
aren't sent to the terminal again. A narrower row shows only the most important keys.
"""


def describe_closing_key() -> str:
    """Name the key that closes the session, for users who pressed Ctrl+W as in other programs."""
    word, session = key_name("ctrl+w", "prompt"), key_name("alt+w")
    return f"{word} deletes a word; {session} closes the session"


class NamesKeys:
    """A widget that shows the names of keys, which the user can rebind while it is visible."""

    def name_keys(self) -> None:
        """Update the names of the keys."""
        raise NotImplementedError


def hint_row(keys: Iterable[Hint], width: int, *places: str, kept: int = 1) -> Content:
    """Format key hints as one row of this width; `places` are where the keys are bound.

    Hints that don't fit are dropped from the end, except for the last `kept` ones.
    """
    fitting = list(keys)
    row = format_hints(fitting, *places)
    while row.cell_length > width and len(fitting) > 1:
        del fitting[max(0, len(fitting) - 1 - kept)]
        row = format_hints(fitting, *places)
    return row


def name_keys(screens: Iterable[Screen[Any]]) -> None:
    """Update the names of keys in all widgets of these screens."""
    for screen in screens:
        for one in screen.walk_children(with_self=True):
            if isinstance(one, NamesKeys):
                one.name_keys()


class Footed:
    """A widget whose keys are in the last row while it or a widget inside it has the focus."""

    @property
    def footer(self) -> Sequence[Hint]:
        """The hints, most important first."""
        raise NotImplementedError


class ListsMoreKeys:
    """A screen whose command palette also lists the keys of widgets without the focus."""

    @property
    def focused_by_tab(self) -> Sequence[Widget]:
        """The widgets that Tab would focus."""
        raise NotImplementedError


def footer_of(focused: Widget | None) -> Sequence[Hint]:
    """Return the hints of the focused widget, or of its nearest ancestor that has any."""
    around = focused.ancestors_with_self if focused is not None else ()
    return next((one.footer for one in around if isinstance(one, Footed)), ())


def press_clicked(app: App[Any], event: events.Click) -> None:
    """Press the key whose hint was clicked, if any. A guard treats the click like the key."""
    key = event.style.meta.get(CLICKED)
    if isinstance(key, str):
        event.stop()
        app.post_message(events.Key(key, key if len(key) == 1 else None))


class KeyHints(Widget, NamesKeys):
    """One row of key hints; those that don't fit are left out."""

    def __init__(self, *places: str) -> None:
        """Create a row for keys bound at some places, or else at the focused widget."""
        super().__init__()
        self._places = places
        self._hints: Sequence[Hint] = ()
        self._fitted: tuple[Content, Sequence[Hint]] | None = None
        """One row of the hints that fit, and these; None if the names of keys have changed since."""
        self._fitted_for: object = None
        """The hints, their places and the width for which that was formatted."""
        self.is_covered = False
        """Whether a dialog in front shows its own keys."""

    def show(self, hints: Sequence[Hint]) -> None:
        """Show these hints, most important first."""
        if hints != self._hints:
            self._hints = hints
            self.refresh()

    def name_keys(self) -> None:
        self._fitted = None
        self.refresh()

    @property
    def named(self) -> set[str]:
        """The keys whose hints fit in the row."""
        return {key for key, _ in self._fitting()[1]}

    def cover(self, is_covered: bool) -> None:
        """Hide the hints while a dialog is in front, or show them again."""
        self.is_covered = is_covered
        self.refresh()

    def render(self) -> Content:
        return Content() if self.is_covered else self._fitting()[0]

    def _fitting(self) -> tuple[Content, Sequence[Hint]]:
        """Return the row and its hints. They are asked for with each key, but seldom change."""
        places = self._places or places_of(self.screen.focused)
        fitted_for = (self._hints, places, self.size.width)
        if self._fitted is None or fitted_for != self._fitted_for:
            self._fitted, self._fitted_for = self._fit(places), fitted_for
        return self._fitted

    def _fit(self, places: Sequence[str]) -> tuple[Content, Sequence[Hint]]:
        line = Content()
        for at, (key, words) in enumerate(self._hints):
            hint = format_hints([(key, words)], *places)
            if not hint:
                continue
            wider = Content("   ").join([line, hint]) if line else hint
            if wider.cell_length > self.size.width:
                return line, self._hints[:at]
            line = wider
        return line, self._hints


class GroundScreen(Screen[None]):
    """The screen of a program with only one: it hides its hints while a dialog is in front."""

    def __init__(self) -> None:
        super().__init__()
        compose_narrowly(self)

    def on_screen_suspend(self) -> None:
        """Hide the hints while a dialog is in front."""
        for row in self.query(KeyHints):
            row.cover(True)

    def on_screen_resume(self) -> None:
        """Show the hints again."""
        for row in self.query(KeyHints):
            row.cover(False)
