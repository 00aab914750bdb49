"""The command palette: actions of keys and the agent's slash commands, found by their words."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.synonyms import match_rank, name_in, with_synonyms
from acp_tui.ui.toolkit.boxes import NARROW
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker

COMMANDS = "Commands of the agent"
RECENT = "Recently used"


class PaletteAction(NamedTuple):
    """An entry of the palette: an action of `node`, or, if that is None, a slash command."""

    title: str
    words: str
    keys: str
    action: str
    node: "App[Any] | Widget | None"


class PaletteDialog(Picker[PaletteAction]):
    """Lists actions by place, as the help does, below the recently used ones.

    An action that isn't available now is only listed while searching, dimmed and with the reason.
    """

    DEFAULT_CLASSES = NARROW
    marks_best = True

    def __init__(
        self,
        found: Sequence[PaletteAction],
        refused: Mapping[str, str],
        recent: Sequence[str],
        do: Callable[[PaletteAction], None],
    ) -> None:
        """Create a palette; `refused` maps unavailable actions to the reason, `recent` are the last
        used ones, newest first.
        """
        super().__init__("What do you want to do?")
        places = {action: at for at, action in enumerate(recent)}
        self._found = sorted(found, key=lambda one: places.get(one.action, len(places)))
        self._refused = refused
        self._recent = frozenset(recent)
        self._do = do

    def heading(self) -> Content:
        return Content.assemble(("Commands and keys", "bold"))

    def items(self) -> Sequence[Item[PaletteAction]]:
        listed: list[Item[PaletteAction]] = []
        heading = ""
        for found in self._best_first():
            refusal = self._refused.get(found.action, "")
            if refusal and not self.searching:
                continue
            title = RECENT if found.action in self._recent else found.title
            if title != heading and not self.searching:
                listed.append(Item(Content.styled(title, "bold $accent")))
            heading = title
            keys = f"  {found.keys}" if found.keys else ""
            room = max(1, self.room - cell_len(keys))
            words = Content(found.words).truncate(room, ellipsis=True, pad=bool(keys))
            row = Content.assemble(words, (keys, "$primary"))
            if refusal:
                row = Content.styled(f"{name_in(found.words)}: {refusal}", "$text-muted")
            listed.append(
                Item(row, found, with_synonyms(f"{found.words} {found.keys} {found.title}"))
            )
        return listed

    def _best_first(self) -> Sequence[PaletteAction]:
        """Return all actions; while searching, best match first, the agent's commands last."""
        written = self.written.strip().lower()
        if not written:
            return self._found
        return sorted(
            self._found,
            key=lambda one: (
                one.node is None,
                match_rank(one.words, written),
                one.action in self._refused,
            ),
        )

    def keys(self) -> list[tuple[str, str]]:
        return [("enter", "do it"), ("f1", "all keys"), ("escape", "back")]

    def empty(self) -> str:
        return "no action matches"

    def chosen(self, value: PaletteAction) -> None:
        self.dismiss()
        self._do(value)


def find_actions(
    heard: "Iterable[App[Any] | Widget]", commands: Iterable[tuple[str, str]]
) -> Iterator[PaletteAction]:
    """Yield the actions of these widgets' keys, each once; then the agent's slash commands."""
    tables = {id(one.table or one.bindings): one.title for one in bindings.key_sections()}
    known: set[str] = set()
    for node in heard:
        for table in _tables(node):
            for keys, words in bindings.key_rows(one for one in table if one.action):
                action = next(one.action for one in table if one.description == words)
                if action not in known and not _is_a_step(action):
                    known.add(action)
                    yield PaletteAction(tables.get(id(table), ""), words, keys, action, node)
    for name, words in ((clean_line(name), clean_line(words)) for name, words in commands):
        yield PaletteAction(COMMANDS, f"{name}  {words}", "", name, None)


def _tables(node: "App[Any] | Widget") -> list[list[Binding]]:
    """Return the key tables of a widget; the app has two."""
    table = node.BINDINGS
    whole = [one for one in bindings.PLACES.values() if one is table]
    both = [bindings.EVERYWHERE, bindings.SESSION_KEYS]
    return whole or (both if list(table)[: len(both[0])] == both[0] else [])


def _is_a_step(action: str) -> bool:
    """Return whether an action only moves a mark or a cursor, or opened the palette itself."""
    name = action.partition("(")[0]
    steps = ("move", "mark", "cursor", "cursor_up", "cursor_down", "close")
    return name in steps or "palette.open" in action
