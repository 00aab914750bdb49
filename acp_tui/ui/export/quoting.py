"""Words of others within an exported page of Markdown: a quote, in which nothing runs and nothing is ours."""

import re
from collections.abc import Iterator

from acp_tui.edits.steps import Steps
from acp_tui.ui.markdown.fencing import fenced, read_blocks
from acp_tui.ui.markdown.leaves import Fence, Leaf

_PARAGRAPHS = re.compile(r"(\n[ \t]*(?=\n))")
_TICKS = re.compile(r"\\.|`+")
_MARKUP = re.compile(
    r"""
    (?P<escaped>\\.)
    | <(?=[a-z/!?])  # HTML, or an address between angle brackets
    # where a link leads, unless that is an address of a safe scheme, or none with a scheme
    | (?<=\])(?P<link>[(:])(?!\s*+(?:https?://|file:|mailto:|[^\s():&\\/?\#]*[/?\#)]|[^\s():&\\/?\#]+(?:\s|\Z)))
    """,
    re.IGNORECASE | re.VERBOSE,
)


def quoted(text: str, level: int) -> Steps[str]:
    """Return a text as a quote, its headings below those of `level`; in steps.

    A quote ends where it ends whatever is open in it: a fence, a list, a heading's line. HTML and links that
    could run something are escaped, so that they are text.
    """
    text = yield from fenced(text, level)
    blocks = yield from read_blocks(text)
    pieces, at = [], 0
    for leaf in blocks.leaves:
        if _is_code(leaf):
            pieces += [harmless(text[at : leaf.start]), text[leaf.start : leaf.end]]
            at = leaf.end
            yield
    pieces.append(harmless(text[at:]))
    # Behind four cells tabs reach as far as they did without the quote.
    margin = "  > " if "\t" in text else "> "
    lines = "".join(pieces).split("\n")
    return "\n".join(f"{margin}{line}" if line else margin.rstrip() for line in lines)


def _is_code(leaf: Leaf) -> bool:
    """Whether every reader of Markdown takes a leaf for a block of code: not all know footnotes."""
    is_fenced = leaf.kind == "code" and isinstance(leaf.block, Fence) and leaf.block.char != ""
    return is_fenced and all(one.kind != "footnote" for one in leaf.path)


def harmless(text: str) -> str:
    """Return a text in which no HTML is and no link that could run something, but as text."""
    return "".join(map(_paragraph, _PARAGRAPHS.split(text)))


def _paragraph(text: str) -> str:
    """Escape what is in lines outside of code. Code is only what is so however the lines are read: where
    backticks are left open on one of them, none is.
    """
    lines = text.split("\n")
    codes = [[*_codes(line)] for line in lines]
    if any(code is None for found in codes for code in found):
        codes = [[] for _ in lines]
    return "\n".join(map(_line, lines, codes))


def _codes(line: str) -> Iterator[tuple[int, int] | None]:
    """Yield where code stands in a line; None for backticks that the line doesn't close, or a table may."""
    at = 0
    while ticks := _TICKS.search(line, at):
        at = ticks.end()
        if ticks[0].startswith("`"):
            end = re.compile(rf"(?<!`){ticks[0]}(?!`)").search(line, at)
            if end is None or "|" in line[at : end.start()]:
                yield None
                return
            yield ticks.start(), end.end()
            at = end.end()


def _line(line: str, codes: list[tuple[int, int] | None]) -> str:
    pieces, at = [], 0
    for code in codes:
        assert code is not None
        pieces += [_MARKUP.sub(_escape, line[at : code[0]]), line[code[0] : code[1]]]
        at = code[1]
    return "".join([*pieces, _MARKUP.sub(_escape, line[at:])])


def _escape(found: re.Match[str]) -> str:
    return found[0] if found["escaped"] else f"\\{found[0]}"
