"""A badge: a picture of a line for a README."""

from xml.sax.saxutils import escape

from acp_tui.check.model import Outcome
from acp_tui.check.summary import Summary

_LEFT = "ACP"
_GOOD, _BAD, _OPEN = "#2e7d32", "#b3261e", "#7a5c00"
_HEIGHT = 20
_WIDE, _MARGIN = 6.6, 10
"""How wide a character is, about, and the room around a text."""


def badge(summary: Summary) -> str:
    """Draw the badge as SVG. What was not tested is told, and never counts as right."""
    words, color = _words(summary)
    left, right = (_WIDE * len(text) + 2 * _MARGIN for text in (_LEFT, words))
    title = escape(f"{_LEFT}: {words}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="{_HEIGHT}" '
        f'role="img" aria-label="{title}"><title>{title}</title>'
        f'<rect width="{left:.1f}" height="{_HEIGHT}" fill="#444"/>'
        f'<rect x="{left:.1f}" width="{right:.1f}" height="{_HEIGHT}" fill="{color}"/>'
        '<g fill="#fff" text-anchor="middle" '
        'font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2:.1f}" y="14">{_LEFT}</text>'
        f'<text x="{left + right / 2:.1f}" y="14">{escape(words)}</text></g></svg>\n'
    )


def _words(summary: Summary) -> tuple[str, str]:
    passed, total = summary.counts[Outcome.PASS], len(summary.results)
    untested = len(summary.untested)
    if summary.broken:
        return f"{len(summary.broken)} of {total} checks failed", _BAD
    if untested:
        return f"{passed} of {total} passed, {untested} not tested", _OPEN
    if summary.is_conformant and summary.whole:
        return f"conformant ({summary.profile})", _GOOD
    return f"{passed} of {total} checks passed", _OPEN
