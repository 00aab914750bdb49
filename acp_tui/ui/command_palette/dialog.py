"""The palette of commands: what keys do, and what the agent's commands are, found by its words."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.synonyms import with_synonyms
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker

KEYS = 20
"""Cells for the keys, at least: they stand behind the words, for here one looks for words."""
COMMANDS = "Commands of the agent"


class PaletteAction(NamedTuple):
    """Something that can be done: by an action of `node`, or, without one, by sending a command."""

    title: str
    words: str
    keys: str
    action: str
    node: "App[Any] | Widget | None"


class PaletteDialog(Picker[PaletteAction]):
    """Place by place, as in the help."""

    def __init__(self, found: Sequence[PaletteAction], do: Callable[[PaletteAction], None]) -> None:
        super().__init__("What do you want to do?")
        self._found = found
        self._do = do

    def heading(self) -> Content:
        return Content.assemble(("Commands and keys", "bold"))

    def items(self) -> Sequence[Item[PaletteAction]]:
        listed: list[Item[PaletteAction]] = []
        title = ""
        longest = max((cell_len(one.words) for one in self._found), default=0)
        width = max(1, min(self.room - KEYS, longest + 2))
        for deed in self._best_first():
            if deed.title != title and not self.searching:
                listed.append(Item(Content.styled(deed.title, "bold $accent")))
            title = deed.title
            words = Content(deed.words).truncate(width - 1, ellipsis=True, pad=True)
            row = Content.assemble(words, " ", (deed.keys, "$primary"))
            listed.append(Item(row, deed, with_synonyms(f"{deed.words} {deed.keys} {deed.title}")))
        return listed

    def _best_first(self) -> Sequence[PaletteAction]:
        """All there is; while one searches, what begins with the words before what only has them."""
        written = self.written.strip().lower()
        if not written:
            return self._found

        def rank(deed: PaletteAction) -> int:
            words = deed.words.lower()
            return 0 if words.startswith(written) else 1 if f" {written}" in words else 2

        return sorted(self._found, key=rank)

    def keys(self) -> list[tuple[str, str]]:
        return [("enter", "do it"), ("f1", "all keys"), ("escape", "back")]

    def empty(self) -> str:
        return "nothing of that name can be done here"

    def chosen(self, value: PaletteAction) -> None:
        self.dismiss()
        self._do(value)


def deeds(
    heard: "Iterable[App[Any] | Widget]", commands: Iterable[tuple[str, str]]
) -> Iterator[PaletteAction]:
    """Find what can be done by the keys of these widgets, each once; then the agent's commands."""
    tables = {id(one.table or one.bindings): one.title for one in bindings.sections()}
    known: set[str] = set()
    for node in heard:
        for table in _tables(node):
            for keys, words in bindings.rows(one for one in table if one.action):
                action = next(one.action for one in table if one.description == words)
                if action not in known and not _is_a_step(action):
                    known.add(action)
                    yield PaletteAction(tables.get(id(table), ""), words, keys, action, node)
    for name, words in commands:
        yield PaletteAction(COMMANDS, clean_line(words), clean_line(name), clean_line(name), None)


def _tables(node: "App[Any] | Widget") -> list[list[Binding]]:
    """Return the tables of keys that a widget has; the app has two."""
    table = node.BINDINGS
    whole = [one for one in bindings.PLACES.values() if one is table]
    both = [bindings.EVERYWHERE, bindings.SESSION_KEYS]
    return whole or (both if list(table)[: len(both[0])] == both[0] else [])


def _is_a_step(action: str) -> bool:
    """Whether it only moves a mark or a cursor, which is no deed, or is what was just done."""
    name = action.partition("(")[0]
    steps = ("move", "mark", "cursor", "cursor_up", "cursor_down", "close")
    return name in steps or "palette.open" in action
