"""Draws a cast as an SVG that moves by itself, for pages that play no casts."""

from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

import pyte

from tests.script.casts import Cast

WIDE, HIGH, SIZE = 8.4, 19, 14
"""Of a cell, and of its letters, in pixels."""
HARD = "\N{NO-BREAK SPACE}"
"""For each blank: several of them would be drawn as one by what ignores `white-space`, such as librsvg."""
LEAST = 0.12
"""Seconds that a picture stands at least."""
LAST = 4.0
"""Seconds of the last one, before all begins again."""
FRONT, BACK = "dddddd", "16181d"
_NAMES = {
    "black": "000000", "red": "cd3131", "green": "0dbc79", "brown": "e5e510", "blue": "2472c8",
    "magenta": "bc3fbc", "cyan": "11a8cd", "white": "e5e5e5",
}  # fmt: skip


class Look(NamedTuple):
    """How a run of cells looks."""

    front: str
    back: str
    marks: str


class Picture(NamedTuple):
    """A screen: since when, the names of its rows, and where the cursor is, if it is to be seen."""

    at: float
    rows: tuple[str, ...]
    cursor: tuple[int, int] | None


def draw(cast: Cast) -> str:
    """Draw all pictures side by side, and a window that moves from one to the next."""
    rows: dict[str, str] = {}
    pictures = list(_thinned(_pictures(cast, rows)))
    width, height = round(cast.header["width"] * WIDE), cast.header["height"] * HIGH
    starts = list(_starts(pictures, cast.header["idle_time_limit"]))
    whole = starts[-1] + LAST
    steps = "".join(
        f"{100 * at / whole:.3f}%{{transform:translateX(-{number * width}px)}}"
        for number, at in enumerate(starts)
    )
    style = (
        f"text{{font-size:{SIZE}px;"
        f"font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}}"
        f"#all{{animation:all {whole:.2f}s steps(1,end) infinite}}"
        f"@keyframes all{{{steps}}}"
        "@media(prefers-reduced-motion:reduce)"
        f"{{#all{{animation:none;transform:translateX(-{(len(pictures) - 1) * width}px)}}}}"
    )
    defined = "".join(f'<g id="{name}">{row}</g>' for row, name in rows.items() if row)
    named = {name for row, name in rows.items() if row}
    drawn = "".join(
        f'<g transform="translate({number * width})">{_uses(one, named)}</g>\n'
        for number, one in enumerate(pictures)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}">\n<style>{style}</style>\n<defs>{defined}</defs>\n'
        f'<rect width="100%" height="100%" rx="6" fill="#{BACK}"/>\n<g id="all">\n{drawn}</g>\n</svg>\n'
    )


def _pictures(cast: Cast, names: dict[str, str]) -> Iterator[Picture]:
    screen = pyte.Screen(cast.header["width"], cast.header["height"])
    stream = pyte.Stream(screen)
    rows = [""] * screen.lines
    for at, kind, data in cast.events:
        if kind != "o":
            continue
        stream.feed(data)
        for y in sorted(screen.dirty):
            row = _row([screen.buffer[y][x] for x in range(screen.columns)])
            rows[y] = names.setdefault(row, f"r{len(names)}")
        screen.dirty.clear()
        cursor = None if screen.cursor.hidden else (screen.cursor.x, screen.cursor.y)
        yield Picture(at, tuple(rows), cursor)


def _thinned(pictures: Iterator[Picture]) -> Iterator[Picture]:
    """Leave out what stands too short to be seen."""
    found: list[Picture] = []
    for one in pictures:
        if found and one.at - found[-1].at < LEAST:
            found[-1] = one._replace(at=found[-1].at)
        elif not found or one[1:] != found[-1][1:]:
            found.append(one)
    yield from found


def _starts(pictures: list[Picture], idle: float) -> Iterator[float]:
    start, before = 0.0, pictures[0].at
    for one in pictures:
        start += min(idle, one.at - before)
        before = one.at
        yield start


def _uses(picture: Picture, named: set[str]) -> str:
    told = [
        f'<use href="#{name}" y="{y * HIGH}"/>'
        for y, name in enumerate(picture.rows)
        if name in named
    ]
    if picture.cursor is not None:
        x, y = picture.cursor
        told.append(
            f'<rect x="{x * WIDE:.1f}" y="{y * HIGH}" width="{WIDE}" height="{HIGH}"'
            f' fill="#{FRONT}" opacity=".6"/>'
        )
    return "".join(told)


def _row(cells: list[Any]) -> str:
    told: list[str] = []
    x = 0
    for look, run in groupby(cells, _look):
        part = list(run)
        text = "".join(one.data for one in part)
        left, length = f"{x * WIDE:.1f}", f"{len(part) * WIDE:.1f}"
        if look.back != BACK:
            told.append(f'<rect x="{left}" width="{length}" height="{HIGH}" fill="#{look.back}"/>')
        if text.strip():
            begin = x + len(text) - len(text.lstrip())
            end = x + len(part) - (len(text) - len(text.rstrip()))
            told.append(
                f'<text x="{begin * WIDE:.1f}" y="{HIGH - 5}" fill="#{look.front}"'
                f' textLength="{(end - begin) * WIDE:.1f}" lengthAdjust="spacingAndGlyphs"'
                f"{look.marks}>{escape(text.strip().replace(' ', HARD))}</text>"
            )
        x += len(part)
    return "".join(told)


def _look(cell: Any) -> Look:
    front, back = _color(cell.fg, FRONT), _color(cell.bg, BACK)
    if cell.reverse:
        front, back = back, front
    lines = [cell.underscore and "underline", cell.strikethrough and "line-through"]
    marks = [
        ' font-weight="bold"' if cell.bold else "",
        ' font-style="italic"' if cell.italics else "",
        f' text-decoration="{" ".join(filter(None, lines))}"' if any(lines) else "",
    ]
    return Look(front, back, "".join(marks))


def _color(name: str, default: str) -> str:
    plain = name.removeprefix("bright")
    return (
        default if name == "default" else _NAMES.get("brown" if plain == "yellow" else plain, name)
    )
