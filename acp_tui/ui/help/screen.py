"""The help screen: all keys, on one page."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.ui import bindings
from acp_tui.ui.keys import HELP
from acp_tui.ui.synonyms import match_rank, with_synonyms
from acp_tui.ui.toolkit.boxes import PAGE, BoxFrame
from acp_tui.ui.toolkit.hints import NamesKeys
from acp_tui.ui.toolkit.line_input import LineInput
from acp_tui.ui.toolkit.screens import OverlayScreen

COLUMN = 34
"""Maximum column at which descriptions begin."""
TWO, GAP = 140, 4
"""Width in cells from which there are two columns of sections, and the gap between them."""
LEAST = 20
"""Minimum cells for descriptions."""
AROUND = 5
"""Cells beside the text: the edges, their padding and the scrollbar."""


class HelpScreen(OverlayScreen[None]):
    """Lists all keys, filtered by typed words; built from the same tables as the bindings."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = HELP  # type: ignore[assignment]

    def __init__(self, topic: str, *, is_alone: bool = False) -> None:
        """Create the help; an app that `is_alone` with one screen has no other keys or palette."""
        super().__init__()
        self._has_palette = not is_alone
        self._frame = BoxFrame(title="Keys")
        self._input = LineInput(placeholder="Search keys")
        self._page = VerticalScroll(can_focus=False)
        self._keys = _Keys(bindings.sections_here(topic, is_alone=is_alone))

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._input
            with self._page:
                yield self._keys

    def on_mount(self) -> None:
        """Focus the search field."""
        choose = [("alt+x", "actions")] if self._has_palette else []
        self._frame.offer([*choose, ("escape", "back")], "help")
        self._input.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Disable the choice of an action if there is no palette."""
        return self._has_palette or action != "do"

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the keys that match the typed words."""
        event.stop()
        self._page.scroll_home(animate=False)
        self._keys.show(event.value)

    def action_scroll(self, pages: int = 0, lines: int = 0) -> None:
        """Scroll by pages or lines."""
        rows = pages * max(1, self._page.size.height - 1) + lines
        self._page.scroll_relative(y=rows, animate=False)

    async def action_do(self) -> None:
        """Close, and open the palette for the widget that had the focus before."""
        app = self.app
        await self.dismiss()
        await app.run_action("app.do('palette.open')")


class _Keys(Static, NamesKeys):
    """The keys that match the typed words."""

    def __init__(self, sections: list[bindings.Section]) -> None:
        super().__init__(markup=False)
        self._sections = sections
        self._written = ""
        self._width = 0
        """The width that the lines are wrapped at."""

    def on_mount(self) -> None:
        """Show all keys at their final width: the first layout depends on it, and is visible."""
        self._show(self.app.size.width - AROUND)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap all lines again if the width changed, not only the height, as it does with each search."""
        if event.size.width != self._width:
            self._show(event.size.width)

    def name_keys(self) -> None:
        self._show(self.size.width)

    def show(self, words: str) -> None:
        """Show the keys that match these words."""
        self._written = words.strip().lower()
        self._show(self.size.width)

    def _show(self, width: int) -> None:
        self._width = width
        found = list(_page(self._sections, self._written, width))
        empty = [Content.styled("no matching key", "$text-muted")]
        self.update(Content("\n").join(found or empty))


def _page(sections: list[bindings.Section], written: str, width: int) -> Iterator[Content]:
    """Yield the lines of matching keys, best match first, in two columns if they fit."""
    count = 2 if width >= TWO else 1
    wide = (width - GAP * (count - 1)) // count
    columns: list[list[Content]] = [[] for _ in range(count)]
    found = [(one.title, rows) for one in sections if (rows := _found(one, written))]
    longest = max((len(keys) for _, rows in found for keys, _ in rows), default=0)
    for title, rows in sorted(found, key=lambda section: _rank(section[1][0], written)):
        widest = longest if count > 1 else max(len(keys) for keys, _ in rows)
        block = _block(title, rows, min(COLUMN, widest + 4), wide)
        shortest = min(columns, key=len)
        shortest += [Content(), *block] if shortest else block
    for row in zip_longest(*columns, fillvalue=Content()):
        *before, last = row
        yield Content.assemble(
            *(one.pad_right(wide + GAP - one.cell_length) for one in before), last
        )


def _found(section: bindings.Section, written: str) -> list[tuple[str, str]]:
    """Return the keys of a section that match all typed words, best match first."""
    found = (
        (keys, words)
        for keys, words in bindings.key_rows(section.bindings)
        if all(term in with_synonyms(f"{keys} {words} {section.title}") for term in written.split())
    )
    return sorted(found, key=lambda row: _rank(row, written))


def _rank(row: tuple[str, str], written: str) -> int:
    _, words = row
    return match_rank(words, written)


def _block(title: str, rows: list[tuple[str, str]], column: int, width: int) -> list[Content]:
    """Return the keys of a section; descriptions wrap beside their keys, not below them."""
    lines = [Content.styled(title, "bold $accent")]
    for keys, words in rows:
        first, *rest = wrap(words, max(LEAST, width - column))
        lines.append(Content.assemble((f"  {keys}".ljust(column), "$primary"), first))
        lines += [Content(" " * column + part) for part in rest]
    return lines
