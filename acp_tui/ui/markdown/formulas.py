"""Formulas: they are shown as they were written. Read as Markdown they would lose their backslashes."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_NEVER_ESCAPED = frozenset(",;:(){}")
"""What no mark of Markdown begins with, and so no text has to escape: `\\,` and `\\(` are TeX."""
_FORMULA = re.compile(
    r"\\\((?P<inline>.{1,1000}?)\\\)"
    r"|\\\[(?P<display>.{1,1000}?)\\\](?![(\[:])"  # an escaped link goes on
    r"|\$\$(?P<dollars>[^$]{1,1000})\$\$"
    r"|\$(?P<dollar>(?!\s)[^$`\n]{1,300})(?<!\s)\$(?!\d)",
    re.DOTALL,
)
_TEX = re.compile(r"\\(?:[A-Za-z]{2}|[,;:!|{}])|(?<!^)\^|_\{|(?<![A-Za-z0-9])[A-Za-z]_[A-Za-z0-9]")
_EQUATION = re.compile(r"[\w\s+*/()<>|'.,-]+ ?= ?[\w\s+*/()<>|'.,=-]+")
_TERM = re.compile(r"[\w\s+*/()<>|'.-]+")
_WORD = re.compile(r"[A-Za-z]+")


def formula_plugin(parser: MarkdownIt) -> None:
    """Keep formulas, and a backslash before what needs none."""
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.inline.ruler.after("formula", "literal_backslash", _literal_backslash)


def _formula(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "\\$":
        return False
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None or not _is_formula(found, state):
        return False
    if not silent:
        first, *others = found[0].split("\n")
        state.pending += first
        for line in others:
            state.push("softbreak", "br", 0)
            state.pending += line
    state.pos = found.end()
    return True


def _is_formula(found: re.Match[str], state: StateInline) -> bool:
    """Return whether it is a formula, and not escaped brackets or amounts of money."""
    content: str = found[found.lastgroup or 0]
    if _TEX.search(content):
        return True
    if found["display"] is None:
        return False
    before = state.src[state.pos - 1 : state.pos]
    is_checkbox = not before and content in "xX"
    if before.isalnum() or is_checkbox:
        return False
    longest = max(map(len, _WORD.findall(content)), default=0)
    return bool(
        (longest == 1 and _TERM.fullmatch(content))
        or (0 < longest <= 3 and "--" not in content and _EQUATION.fullmatch(content))
    )


def _literal_backslash(state: StateInline, silent: bool) -> bool:
    if (
        state.src[state.pos] != "\\"
        or state.src[state.pos + 1 : state.pos + 2] not in _NEVER_ESCAPED
    ):
        return False
    if not silent:
        state.pending += "\\"
    state.pos += 1
    return True
