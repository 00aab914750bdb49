"""Styles of terminal cells, and the escape sequences that switch from one style to another."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import category, combining, east_asian_width
from zlib import crc32

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

MOST_CACHED = 4096
"""Most styles, and most transitions between styles, in the caches."""
SWAPPED = 5
"""Bytes that it takes to end reverse video."""
_RENDERED = re.compile(
    r"(?:\x1b\]8;[^;]*;(?P<link>.*?)\x1b\\)?(?:\x1b\[(?P<codes>[\d;]*)m)?x", re.DOTALL
)
_UNSEEN = frozenset("12356") | {"8"}
"""Attributes that can't be seen on a blank cell."""
_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "9": "29"}
"""The code that ends each attribute; for other attributes, terminals differ."""
_LENGTHS = {"2": 5, "5": 3}
"""The number of codes in a color, by the code after 38 or 48."""
_REVERSIBLE = frozenset("137")
"""Attributes with which all terminals swap two colors in the same way in reverse video."""
_DIRECT = ("38;", "48;")
"""Prefixes of direct colors, which no attribute makes brighter."""
_EMOJI = 0x1F000
_SYMBOLS = range(0x2300, 0x2BFF + 1)


class DrawnCell(NamedTuple):
    """The content of a cell: a character with its combining characters.

    The second cell of a wide character has no text, and no width. `sure` is whether all terminals
    agree on the character's width.
    """

    text: str
    pen: "Pen"
    width: int = 1
    sure: bool = True


class Pen(dict[str, DrawnCell]):
    """A style: attributes and colors as SGR codes, and the address of a link.

    A pen creates the cells that are written with it. The same text in the same pen is the same cell
    object, and a blank is the same in all pens whose blanks look the same.
    """

    def __init__(
        self, attributes: frozenset[str], foreground: str, background: str, link: str
    ) -> None:
        super().__init__()
        self.attributes = attributes
        self.foreground = foreground
        self.background = background
        self.link = link
        self.blank = self
        self.normalized = self
        """The pen that looks the same without reverse video; cells use that one."""
        self.swapped: Pen | None = None
        """The pen that looks the same with reverse video, if all terminals agree on that."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return (
            f"Pen({';'.join(self.attributes)}, {self.foreground}, {self.background}, {self.link})"
        )

    def __missing__(self, text: str) -> DrawnCell:
        """Create a cell of one column."""
        if text == " " and self.blank is not self:
            cell = self[text] = self.blank[text]
        else:
            cell = self[text] = DrawnCell(text, self, 1, _is_narrow(text))
        return cell

    def wide(self, text: str) -> DrawnCell:
        """Return a cell of two columns; it is followed by `second_half`, a cell with empty text."""
        if text not in self:
            self[text] = DrawnCell(text, self, 2, _is_wide(text))
        return self[text]

    @property
    def second_half(self) -> DrawnCell:
        """The second cell of a wide character."""
        if "" not in self:
            self[""] = DrawnCell("", self, 0)
        return self[""]

    @property
    def shows_on_blanks(self) -> bool:
        """Whether a blank in this pen shows more than its background."""
        return not self.normalized.attributes <= _UNSEEN


class Pens:
    """All pens of one terminal; pens that look the same are the same object."""

    def __init__(self) -> None:
        self._by_style: dict[int, tuple[Style | None, Pen]] = {}  # by id: faster than by hash
        self._by_attributes: dict[tuple[frozenset[str], str, str, str], Pen] = {}
        self._switches: dict[tuple[Pen, Pen], str] = {}
        self.plain = self._pen(frozenset(), "", "", "")

    def of(self, style: Style | None, console: Console) -> Pen:
        """Return the pen for a style, in colors that the console supports."""
        known = self._by_style.get(id(style))
        if known is None:
            if len(self._by_style) > MOST_CACHED:
                self._by_style.clear()
                self._by_attributes.clear()
                self._by_attributes[frozenset(), "", "", ""] = self.plain
            known = self._by_style[id(style)] = (style, self._rendered(style, console))
        return known[1]

    def on(self, pen: Pen, background: str) -> Pen:
        """Return the pen on another background, without attributes that show on blanks."""
        return self._pen(pen.attributes & _UNSEEN, pen.foreground, background, "")

    def nearest(self, old: Pen, new: Pen) -> Pen:
        """Return the pen that looks like `new` and takes the fewest bytes after `old`.

        Reverse video is used only if it saves several bytes, as it would prevent erasing blanks
        afterwards.
        """
        other = new.swapped
        if other is None or len(self.switch(old, new)) <= len(self.switch(old, other)) + SWAPPED:
            return new
        return other

    def for_blank(self, old: Pen, background: str) -> Pen:
        """Return the pen for blanks on a background that takes the fewest bytes after `old`."""
        near = self.on(old, background)
        other = self._pen(near.attributes | {"7"}, near.foreground, old.background, "")
        fits = other.normalized is not other and other.normalized.background == background
        return (
            other if fits and len(self.switch(old, other)) < len(self.switch(old, near)) else near
        )

    def switch(self, old: Pen, new: Pen) -> str:
        """Return the escape sequence that switches the terminal from one pen to another."""
        switch = self._switches.get((old, new))
        if switch is None:
            if len(self._switches) > MOST_CACHED:
                self._switches.clear()
            switch = self._switches[old, new] = _shorter_sequence(old, new) + _link(old, new)
        return switch

    def _rendered(self, style: Style | None, console: Console) -> Pen:
        """Return the pen of a style, parsed from the sequence that Textual writes for it."""
        found = _RENDERED.match(Strip([Segment("x", style)]).render(console))
        assert found is not None
        attributes, foreground, background = _parsed((found["codes"] or "").split(";"))
        return self._pen(attributes, foreground, background, found["link"] or "").normalized

    def _pen(self, attributes: frozenset[str], front: str, back: str, link: str) -> Pen:
        key = (attributes, front, back, link)
        if key not in self._by_attributes:
            pen = self._by_attributes[key] = Pen(*key)
            if not pen.shows_on_blanks and (attributes or front):
                pen.blank = self._pen(frozenset(), "", back, link)
            if attributes <= _REVERSIBLE and (front[:3], back[:3]) == _DIRECT:
                other = self._pen(attributes ^ {"7"}, f"3{back[1:]}", f"4{front[1:]}", link)
                if "7" in attributes:
                    pen.normalized = other
                else:
                    pen.swapped = other
        return self._by_attributes[key]


def _parsed(codes: Sequence[str]) -> tuple[frozenset[str], str, str]:
    attributes, front, back = set(), "", ""
    at = 0
    while at < len(codes):
        code, length = codes[at], 1
        if code in ("38", "48"):
            length = _LENGTHS.get(codes[at + 1], 1)
        whole = ";".join(codes[at : at + length])
        if len(code) < 2 or code in ("21", "51", "52", "53"):
            attributes.add(code)
        elif code[-2] in "39":  # 3x, 9x
            front = "" if code == "39" else whole
        else:  # 4x, 10x
            back = "" if code == "49" else whole
        at += length
    return frozenset(attributes - {"0", ""}), front, back


def _shorter_sequence(old: Pen, new: Pen) -> str:
    """Return the shorter sequence: a change from the old style, or a reset and the new one."""
    attributes = sorted(new.attributes)
    full = ";".join(one for one in ("0", *attributes, new.foreground, new.background) if one)
    ended = old.attributes - new.attributes
    codes = ["0"] if ended - _OFF.keys() else sorted({_OFF[one] for one in ended})
    if codes == ["0"]:
        return f"\x1b[{full}m"
    still = {one for one in old.attributes if _OFF.get(one) not in codes}
    codes += [one for one in attributes if one not in still]
    if new.foreground != old.foreground:
        codes.append(new.foreground or "39")
    if new.background != old.background:
        codes.append(new.background or "49")
    if not codes:
        return ""
    if full == "0":
        return "\x1b[m"
    return f"\x1b[{min(full, ';'.join(codes), key=len)}m"


def _link(old: Pen, new: Pen) -> str:
    """Return the sequence that begins or ends a link.

    The link's id, by which a terminal finds all its pieces, depends only on its address: Textual's
    ids are random.
    """
    if new.link == old.link:
        return ""
    name = f"id={crc32(new.link.encode('utf-8', 'replace')):x}" if new.link else ""
    return f"\x1b]8;{name};{new.link}\x1b\\"


def _is_narrow(text: str) -> bool:
    """Return whether all terminals agree that this text has one column."""
    if text < "\u0300" and len(text) == 1:
        return True
    return (
        len(text) == 1
        and ord(text) < _EMOJI
        and east_asian_width(text) not in "WF"
        and not combining(text)
        and category(text)[0] in "LNPSZ"
    )


def _is_wide(text: str) -> bool:
    """Return whether all terminals agree that this text has two columns: CJK, but no emoji."""
    if len(text) != 1 or east_asian_width(text) not in "WF":
        return False
    return ord(text) >= 0x20000 or (ord(text) < _EMOJI and ord(text) not in _SYMBOLS)
