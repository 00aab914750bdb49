"""A session as an HTML page that looks like the screen: one file without scripts or resources."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rich.cells import cell_len, split_graphemes
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from acp_tui.state.subagents import name_of, subagents_at
from acp_tui.text import clean_title
from acp_tui.ui.export.about import ExportAbout
from acp_tui.ui.transcript.document import LinePlace
from acp_tui.ui.transcript.entries.context import Fold

if TYPE_CHECKING:
    from acp_tui.ui.export.drawing import Drawing

LINKS = ("http", "https", "file")
"""The URL schemes of clickable links."""
_MARKS = {"bold": "font-weight: bold", "italic": "font-style: italic", "dim": "opacity: .6"}
_LINES = {"underline": "underline", "strike": "line-through", "overline": "overline"}
LINES_AT_ONCE = 100
"""Lines per block: a browser lays out only blocks near the visible part."""

_STYLE = """
body { margin: 0 auto; padding: 1em; width: max-content; max-width: 100%; box-sizing: border-box;
  font: 14px/1.25 ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
h1 { font-size: 1.2em; margin: 0 0 .3em 2ch; white-space: pre-wrap; }
dl { display: grid; grid-template-columns: max-content auto; gap: 0 1ch; margin: 0 0 2em 2ch; }
dd { margin: 0; overflow-wrap: anywhere; }
dt { opacity: .7; }
main { overflow-x: auto; }
.l { white-space: pre; width: max-content; min-width: 100%; content-visibility: auto; }
.g { margin-top: 1.25em; }
.c { margin-left: 2ch; }
summary { list-style: none; cursor: pointer; white-space: pre; }
summary::-webkit-details-marker { display: none; }
summary > b::before { content: "▸"; font-weight: normal; }
[open] > summary > b::before { content: "▾"; }
.l span, .l a, summary span { padding-block: .07em; }
i { font-style: inherit; display: inline-block; width: 2ch; }
"""
_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="acp-tui">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
"""


def html_page(drawing: "Drawing", about: ExportAbout) -> Iterator[str]:
    """Yield the page in pieces; an empty one lets the caller pause.

    All entries are complete. Entries that can be folded on the screen can be folded here, too.
    """
    body = _Body(drawing)
    entries: list[str] = []
    for piece in body.all_entries():
        entries.append(piece)
        yield ""
    yield f"{_HEAD}<title>{escape(about.title)}</title>\n<style>{_STYLE}{body.rules()}</style>\n"
    yield f"</head>\n<body>\n<h1>{escape(about.title)}</h1>\n<dl>\n"
    for name, value in about.facts:
        yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>\n"
    yield "</dl>\n<main>\n"
    yield from entries
    yield "</main>\n</body>\n</html>\n"


def _open_all(drawing: "Drawing") -> list[Fold]:
    """Open every entry; return the folds that the screen would show."""
    folds = []
    for index in range(len(drawing.document)):
        view = drawing.document.view(index)
        folds.append(view.fold)
        view.choose(Fold.FULL)
    return folds


class _Body:
    """Entries as HTML elements; each distinct style becomes a class."""

    def __init__(self, drawing: "Drawing", parent: "_Body | None" = None) -> None:
        """Create a body; it shares its classes with the `parent` session's."""
        self._drawing = drawing
        self._document = drawing.document
        self._classes: dict[str, str] = parent._classes if parent is not None else {}  # noqa: SLF001
        self._class_names: dict[Style, str] = parent._class_names if parent is not None else {}  # noqa: SLF001
        self._done: set[str] = parent._done if parent is not None else set()  # noqa: SLF001
        """The subagents whose conversations are on the page already."""
        self._colors = (drawing.base.color, drawing.base.bgcolor)

    def rules(self) -> str:
        """Return the CSS rules of all styles used."""
        color, ground = (self._hex(part, at == 0) for at, part in enumerate(self._colors))
        rules = [f".{name} {{ {look} }}\n" for look, name in self._classes.items() if look]
        return "".join([f"body {{ color: {color}; background: {ground} }}\n", *rules])

    def all_entries(self) -> Iterator[str]:
        """Yield the elements of all entries, with subagents' conversations folded below them."""
        folds = _open_all(self._drawing)
        for _ in self._drawing.lay_out():
            yield ""
        state, session = self._document.context.state, self._document.context.session
        for index in range(len(self._document)):
            yield from self.entry(index, folds[index])
            for child in subagents_at(state, session, self._document.entries[index]):
                if child.session_id not in self._done and child.entries:
                    self._done.add(child.session_id)
                    name = escape(clean_title(name_of(state, child.session_id)))
                    yield f'<details class="c"><summary><b></b> What {name} did</summary>\n'
                    yield from _Body(self._drawing.of_subagent(child), self).all_entries()
                    yield "</details>\n"

    def entry(self, index: int, fold: Fold) -> Iterator[str]:
        """Yield the elements of an entry, some lines at a time."""
        view = self._document.view(index)
        if not view.height:
            return
        gap = " g" if self._document.has_gap(index) else ""
        if not view.foldable or view.height == 1:
            yield from self._lines(index, 0, gap)
            return
        opened = "" if fold is Fold.FOLDED else " open"
        head = self._line(self._drawing.line(LinePlace(index, 0)).crop(1))
        yield f'<details class="{gap.strip()}"{opened}><summary><b></b>{head}</summary>\n'
        yield from self._lines(index, 1, "")
        yield "</details>\n"

    def _lines(self, index: int, first: int, gap: str) -> Iterator[str]:
        height = self._document.view(index).height
        for start in range(first, height, LINES_AT_ONCE):
            lines = range(start, min(start + LINES_AT_ONCE, height))
            size = f"contain-intrinsic-height: {len(lines) * 1.25}em"
            text = "\n".join(self._line(self._drawing.line(LinePlace(index, y))) for y in lines)
            yield f'<div class="l{gap if start == first else ""}" style="{size}">{text}\n</div>\n'

    def _line(self, strip: Strip) -> str:
        """Return a line as HTML, without invisible trailing blanks."""
        segments = list(strip.simplify())
        while segments and self._is_plain(segments[-1].style):
            last = segments.pop()
            if text := last.text.rstrip():
                segments.append(last._replace(text=text))
                break
        return "".join(self._segment(segment) for segment in segments)

    def _is_plain(self, style: Style | None) -> bool:
        ground = style.bgcolor if style else None
        return ground in (None, self._colors[1]) and not (style and style.reverse)

    def _segment(self, segment: Segment) -> str:
        text, style = _text(segment.text), segment.style or Style.null()
        name = self._class(style)
        link = style.link or style.meta.get("link")
        if link and is_clickable(link):
            kind = f' class="{name}"' if name else ""
            return f'<a href="{escape(link)}" rel="noopener noreferrer"{kind}>{text}</a>'
        return f'<span class="{name}">{text}</span>' if name else text

    def _class(self, style: Style) -> str:
        look = self._class_names.get(style)
        if look is None:
            look = self._class_names[style] = self._css_of(style)
        if look not in self._classes:
            self._classes[look] = f"s{len(self._classes)}" if look else ""
        return self._classes[look]

    def _css_of(self, style: Style) -> str:
        """Return a style as CSS, without the page's own defaults."""
        own = self._colors
        color, ground = style.color or own[0], style.bgcolor or own[1]
        if style.reverse:
            color, ground = ground, color
        rules = []
        if color != own[0] or style.reverse:
            rules.append(f"color: {self._hex(color, not style.reverse)}")
        if ground != own[1] or style.reverse:
            rules.append(f"background: {self._hex(ground, bool(style.reverse))}")
        rules += [rule for mark, rule in _MARKS.items() if getattr(style, mark)]
        lines = [line for mark, line in _LINES.items() if getattr(style, mark)]
        return "; ".join(rules + ([f"text-decoration: {' '.join(lines)}"] if lines else []))

    def _hex(self, color: Color | None, foreground: bool) -> str:
        whole = color or Color.default()
        return whole.get_truecolor(self._drawing.terminal, foreground).hex


def is_clickable(link: str) -> bool:
    """Return whether a link may be clickable: its scheme must not run anything."""
    try:
        return urlsplit(link).scheme.lower() in LINKS
    except ValueError:
        return False


def _text(text: str) -> str:
    """Escape text for HTML, with wide characters two cells wide in every font."""
    if len(text) == cell_len(text) and text.isascii():
        return escape(text)
    spans, _ = split_graphemes(text)
    return "".join(
        f"<i>{escape(text[start:end])}</i>" if cells == 2 else escape(text[start:end])
        for start, end, cells in spans
    )
