"""Letters on the links that are on screen: a letter opens one."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.ui.transcript.outside import Outside

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
"""Those under the fingers first."""
_LABEL = Style(bold=True, reverse=True)


class Link(NamedTuple):
    """Where a link stands, and where it leads: an address, or a file and a line of it."""

    y: int
    x: int
    words: str
    target: str
    line: int | None = None
    is_file: bool = False


class LinkHints:
    """A link whose words don't say where it leads is opened after a yes, with all of its address shown."""

    def __init__(
        self, outside: Outside, refresh: Callable[[], object], row_at: Callable[[int], Strip]
    ) -> None:
        self._outside = outside
        self._row_at = row_at
        self._refresh = refresh
        self._links: dict[str, Link] = {}
        self._typed = ""

    @property
    def is_shown(self) -> bool:
        """Whether links have letters."""
        return bool(self._links)

    def show(self, rows: Sequence[Strip]) -> bool:
        """Give letters to the links in these rows; false if there are none."""
        links = list(chain.from_iterable(_links_in(row, y) for y, row in enumerate(rows)))
        self._links = dict(zip(_labels(len(links)), links, strict=False))
        self._typed = ""
        self._refresh()
        return self.is_shown

    def take(self, event: events.Key) -> None:
        """Take a key: a letter, or any other to leave."""
        typed = self._typed + (event.key if event.key in LETTERS else "?")
        if typed in self._links:
            self._choose(typed)
        elif any(label.startswith(typed) for label in self._links):
            self._typed = typed
            self._refresh()
        else:
            self._leave()

    def _choose(self, label: str) -> None:
        link = self._links[label]
        if link not in _links_in(self._row_at(link.y), link.y):
            self._leave()
            self._outside.say("the links have moved: look again, nothing was opened")
            return
        # words that only have the address in them may be a longer one, which leads elsewhere
        if link.is_file or link.target == link.words.strip():
            self._open(link)
        else:
            self._leave()
            self._outside.ask_for_link(link.target)

    def _open(self, link: Link) -> None:
        self._leave()
        if link.is_file:
            self._outside.edit(link.target, link.line)
        else:
            self._outside.open_link(link.target)

    def _leave(self) -> None:
        self._links, self._typed = {}, ""
        self._refresh()

    def drawn(self, y: int, row: Strip) -> Strip:
        """Return a row with the letters that are left to type."""
        for label, link in self._links.items():
            left = label.removeprefix(self._typed)
            if link.y == y and label.startswith(self._typed):
                end = link.x + len(left)
                row = Strip([*row.crop(0, link.x), Segment(left, _LABEL), *row.crop(end)])
        return row


def _labels(count: int) -> Iterator[str]:
    """Return as many labels, all of them as long: none is the beginning of another."""
    size = 1
    while len(LETTERS) ** size < count:
        size += 1
    return map("".join, product(LETTERS, repeat=size))


def _links_in(row: Strip, y: int) -> Iterator[Link]:
    x = 0
    last: Link | None = None
    for segment in row:
        meta = segment.style.meta if segment.style is not None else {}
        link = None
        if "link" in meta:
            link = Link(y, x, segment.text, str(meta["link"]))
        elif "path" in meta:
            link = Link(y, x, segment.text, str(meta["path"]), meta.get("line"), is_file=True)
        if last is not None and link is not None and link.target == last.target:
            last = last._replace(words=last.words + segment.text)
        else:
            if last is not None:
                yield last
            last = link
        x += segment.cell_length
    if last is not None:
        yield last
