"""The palette of commands: what keys do, and what the agent's commands are, found by its words."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.synonyms import synonyms_of, with_synonyms
from acp_tui.ui.toolkit.boxes import NARROW
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker

KEYS = 20
"""Cells for the keys, at least: they stand behind the words, for here one looks for words."""
COMMANDS = "Commands of the agent"
RECENT = "Recently used"
_NAME_ENDS = re.compile(r"[:;(]|  ")
"""Where the name of an action ends, and more is said of it."""


class PaletteAction(NamedTuple):
    """Something that can be done: by an action of `node`, or, without one, by sending a command."""

    title: str
    words: str
    keys: str
    action: str
    node: "App[Any] | Widget | None"

    @property
    def name(self) -> str:
        """The words without what else is said of it, in small letters."""
        return _NAME_ENDS.split(self.words, maxsplit=1)[0].lower()


class PaletteDialog(Picker[PaletteAction]):
    """Place by place, as in the help, below what was used last."""

    DEFAULT_CLASSES = NARROW
    marks_best = True

    def __init__(
        self,
        found: Sequence[PaletteAction],
        recent: Sequence[str],
        do: Callable[[PaletteAction], None],
    ) -> None:
        """`recent` are the actions used last, the newest first."""
        super().__init__("What do you want to do?")
        places = {action: at for at, action in enumerate(recent)}
        self._found = sorted(found, key=lambda one: places.get(one.action, len(places)))
        self._recent = frozenset(recent)
        self._do = do

    def heading(self) -> Content:
        return Content.assemble(("Commands and keys", "bold"))

    def items(self) -> Sequence[Item[PaletteAction]]:
        listed: list[Item[PaletteAction]] = []
        heading = ""
        longest = max((cell_len(one.words) for one in self._found), default=0)
        width = max(1, min(self.room - KEYS, longest + 2))
        for deed in self._best_first():
            title = RECENT if deed.action in self._recent else deed.title
            if title != heading and not self.searching:
                listed.append(Item(Content.styled(title, "bold $accent")))
            heading = title
            words = Content(deed.words).truncate(
                width - 1 if deed.keys else max(1, self.room), ellipsis=True, pad=bool(deed.keys)
            )
            row = Content.assemble(words, " ", (deed.keys, "$primary"))
            listed.append(Item(row, deed, with_synonyms(f"{deed.words} {deed.keys} {deed.title}")))
        return listed

    def _best_first(self) -> Sequence[PaletteAction]:
        """Return all there is; while one searches, in the order of `_rank`."""
        written = self.written.strip().lower()
        if not written:
            return self._found
        return sorted(self._found, key=lambda deed: _rank(deed, written))

    def keys(self) -> list[tuple[str, str]]:
        return [("enter", "do it"), ("f1", "all keys"), ("escape", "back")]

    def empty(self) -> str:
        return "nothing of that name can be done here"

    def chosen(self, value: PaletteAction) -> None:
        self.dismiss()
        self._do(value)


def _rank(deed: PaletteAction, written: str) -> tuple[bool, int]:
    """Return the sort key of what is found: our own actions before the agent's commands, and names
    before what else is said.
    """
    is_agents, name = deed.node is None, deed.name.removeprefix("/")
    if name.startswith(written) and name[len(written) : len(written) + 1] != ",":
        return is_agents, 0
    if written in re.split(r"\W+", name) or written in synonyms_of(deed.words).split(", "):
        return is_agents, 1
    if f" {written}" in f" {name}":
        return is_agents, 2
    return is_agents, 3 if f" {written}" in deed.words.lower() else 4


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
    for name, words in ((clean_line(name), clean_line(words)) for name, words in commands):
        yield PaletteAction(COMMANDS, f"{name}  {words}", "", name, None)


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
