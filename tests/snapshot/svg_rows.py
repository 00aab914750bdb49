"""The rows of a screen that was drawn as SVG, as text: a difference can be read in a terminal and over ssh."""

import re
from difflib import unified_diff
from html import unescape

CELL = 12.2
"""How wide a cell is drawn."""
_TEXT = re.compile(r'<text[^>]*? x="([\d.]+)" y="([\d.]+)"[^>]*?>(.*?)</text>')


def svg_rows(svg: str) -> list[str]:
    """Return the rows of a screen, without their colors."""
    rows: dict[float, str] = {}
    for x, y, text in _TEXT.findall(svg):
        before = rows.get(float(y), "")
        rows[float(y)] = before.ljust(round(float(x) / CELL)) + unescape(text).replace("\xa0", " ")
    return [rows[y].rstrip() for y in sorted(rows)]


def differing_rows(expected: str, actual: str) -> str:
    """Return the rows that differ between two screens; if none does, say so."""
    before, after = svg_rows(expected), svg_rows(actual)
    lines = [*unified_diff(before, after, "expected", "drawn", n=1, lineterm="")]
    return "\n".join(lines) or "all rows are equal: colors differ, or the scroll bar"
