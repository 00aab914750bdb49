"""The rows about tabs: the open sessions of all agents, and the tabs that wait for the user."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.widget import Widget

from acp_tui.formatting import SPINS, spinner_at
from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs import marks
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import Tabs
from acp_tui.ui.toolkit.shortened import cropped_in_middle
from acp_tui.ui.toolkit.timers import Ticker

if TYPE_CHECKING:
    from acp_tui.ui.sessions.feature import SessionsFeature

FORMS = (
    (60, True),
    (40, True),
    (30, True),
    (24, True),
    (24, False),
    (16, False),
    (10, False),
    (0, False),
)
"""Characters of a name, and whether marks have their words; the first form that fits is used."""
NARROWEST = 5
"""Fewest cells of a tab without its name: if more tabs are open than fit, only the last form is
tried.
"""
LEAST = 10
"""Fewest characters of the shown tab's name."""
EDGE = 5
"""Cells for the number of tabs that are out of view at an end."""
APART = 3
"""Fewest cells between the tabs and the hint for the keys that switch them."""
SPELLED_OUT = ("waiting for you", "failed", "lost", "not running", "no session")
"""The marks that are also shown as words."""


class SessionTabs(Widget):
    """Shows the number, sign and name of each tab; the shown tab is always in view."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    def __init__(self, tabs: Tabs, clock: Callable[[], float], sessions: "SessionsFeature") -> None:
        super().__init__()
        self._sessions = sessions
        self._tabs = tabs
        self._clock = clock
        self._ticker = Ticker(self, 1 / SPINS, self.refresh)
        self._ends: list[tuple[int, Tab]] = []

    def show(self) -> None:
        """Update the tabs."""
        self._ends = [(end, tab) for end, tab in self._ends if tab in self._tabs.visible]
        self._ticker.run_while(any(marks.is_animated(tab) for tab in self._tabs.visible))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Switch to the clicked tab."""
        for end, tab in self._ends:
            if event.x < end:
                self._sessions.show_tab(tab)
                return

    def render(self) -> Content:
        """Draw the shown tab and its neighbors, and at each end the number of those that don't fit."""
        tabs, width = self._tabs.visible, max(1, self.size.width)
        cells = self._cells(width)
        first, last = _window(
            [one.cell_length for one in cells], tabs.index(self._tabs.shown), width
        )
        parts = list(zip(cells[first:last], tabs[first:last], strict=True))
        if first > 0:
            parts.insert(0, (_beyond(tabs[:first], f" ‹{first} "), tabs[first - 1]))
        if last < len(tabs):
            parts.append((_beyond(tabs[last:], f" {len(tabs) - last}› "), tabs[last]))
        line, self._ends = Content(), []
        for part, tab in parts:
            line = line + part
            self._ends.append((line.cell_length, tab))
        first_key, last_number = key_name("alt+1"), min(len(tabs), 9)
        is_default = first_key.endswith("1")  # otherwise the keys were rebound
        words = f"{first_key}–{last_number} switch " if is_default else ""
        keys = Content.styled(words, "$text-muted")
        space = width - line.cell_length - keys.cell_length
        if keys and space >= APART:
            line = Content.assemble(line, " " * space, keys)
        return line.truncate(width, ellipsis=True)

    def _cells(self, width: int) -> list[Content]:
        """Return a cell for each tab, in the first form in which all of them fit, or else in the
        last one.
        """
        spinner = spinner_at(self._clock())
        found = marks.tab_names(self._tabs).items()
        named = [(tab, name, marks.tab_mark(tab, spinner)) for tab, name in found]
        cells: list[Content] = []
        for form in FORMS if len(named) * NARROWEST <= width else FORMS[-1:]:
            cells = [self._cell(number, *one, *form) for number, one in enumerate(named, 1)]
            if sum(cell.cell_length for cell in cells) <= width:
                break
        return cells

    def _cell(
        self, number: int, tab: Tab, name: str, mark: marks.Mark, longest: int, in_words: bool
    ) -> Content:
        sign, word, style = mark
        shown = tab is self._tabs.shown
        most = max(longest, LEAST) if shown else longest
        title = cropped_in_middle(name, most)
        words = f" ({word})" if in_words and word in SPELLED_OUT else ""
        return Content.assemble(
            ("▌" if shown else " ", "$primary"),
            (f"{number} ", "$foreground" if shown else "$text-muted"),
            (f"{sign} ", style),
            (title, "bold $foreground" if shown else "$text-muted"),
            (words, style),
            " " if title else "",
        ).stylize("on $background" if shown else "")


def _window(cells: Sequence[int], shown: int, width: int) -> tuple[int, int]:
    """Return the range of tabs in view: the shown one, and as many on both sides as fit."""
    if sum(cells) <= width:
        return 0, len(cells)
    first, last = shown, shown + 1
    room = width - cells[shown] - 2 * EDGE
    while True:
        before = first > 0 and cells[first - 1] <= room
        after = last < len(cells) and cells[last] <= room
        if not before and not after:
            return first, last
        if before and (not after or shown - first < last - shown):
            first -= 1
            room -= cells[first]
        else:
            room -= cells[last]
            last += 1


def _beyond(tabs: Sequence[Tab], words: str) -> Content:
    """Return the number of tabs out of view, highlighted if one of them needs the user."""
    waits = any(marks.tab_mark(tab, marks.SPINNING)[1] in SPELLED_OUT for tab in tabs)
    return Content.styled(words, "bold $warning" if waits else "$text-muted")


class WaitingElsewhere(Widget):
    """Names the tab that has waited longest, and the key that switches to it: a question is
    answered only in its own tab.
    """

    def __init__(self, tabs: Tabs, sessions: "SessionsFeature") -> None:
        super().__init__()
        self._sessions = sessions
        self._tabs = tabs
        self._waiting: list[Tab] = []
        self.display = False

    def show(self) -> None:
        """Show the waiting tabs; hide the row if there are none."""
        self._waiting = self._tabs.waiting_elsewhere()
        self.display = bool(self._waiting)
        self.refresh()

    def on_click(self) -> None:
        """Switch to the tab that has waited longest."""
        self._sessions.go_to_question()

    def render(self) -> Content:
        return waiting_words(self._tabs, self._waiting).truncate(
            max(1, self.content_size.width), ellipsis=True
        )


def waiting_words(tabs: Tabs, waiting: Sequence[Tab], *, shows_key: bool = True) -> Content:
    """Name the tab that has waited longest, and count the others; with `shows_key`, name the key
    that switches to it.
    """
    if not waiting:
        return Content()
    first = waiting[0]
    more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
    number = f"{tabs.visible.index(first) + 1} " if first in tabs.visible else ""
    return Content.assemble(
        (f"◆ {number}{marks.tab_name(tabs, first)}", "bold $warning"),
        (f"{more} waiting for you", "$warning"),
        (f"  {key_name('ctrl+s')}", "bold $primary") if shows_key else "",
        (" goes there", "$text-muted") if shows_key else "",
    )
