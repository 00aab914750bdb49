"""Backslashes of formulas: in text that is read as Markdown they would vanish."""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_OF_FORMULAS = frozenset(",;:(){}")
"""What no mark of Markdown begins with, and so no text has to escape: `\\,` and `\\(` are TeX."""


def literal_backslash_plugin(parser: MarkdownIt) -> None:
    """Keep a backslash before what needs none."""
    parser.inline.ruler.before("escape", "literal_backslash", _literal_backslash)


def _literal_backslash(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "\\" or state.src[state.pos + 1 : state.pos + 2] not in _OF_FORMULAS:
        return False
    if not silent:
        state.pending += "\\"
    state.pos += 1
    return True
