"""JSON values as highlighted text, made piece by piece as needed."""

import json
from collections.abc import Callable, Container, Iterator
from functools import partial
from typing import Any, NamedTuple

from acp_tui.text import begin_counted, clean_line, clean_text, reveal_escapes
from acp_tui.ui.lines.text_lines import StyledSpan
from acp_tui.ui.lines.visible import LONGEST_SHOWN_LINE, more_characters, visible_line

KEY, STRING, NUMBER, WORD = (
    "token.name.tag",
    "token.literal.string",
    "token.literal.number",
    "token.keyword",
)
"""Styles. Braces and colons look like keys, commas like what they follow, to save bytes."""
BAR = "│ "
"""The prefix of each line of a multi-line text."""

Line = list[StyledSpan]


class JsonItem(NamedTuple):
    """A value, its key if it has one, and the comma after it, if any."""

    key: str | None
    value: Any
    comma: str


class JsonRow(NamedTuple):
    """A line, its depth, and the object or list that begins in it."""

    depth: int
    line: Line
    opens: Any = None


StringLines = Callable[[int, Line, JsonItem], Iterator[tuple[int, Line]]]
"""Yields the lines of a string, with their depths; the first line begins with the given head."""


def line_text(line: Line) -> str:
    """Return the text of a line without its colors."""
    return "".join([span.text for span in line])


def compact_pieces(value: Any) -> Iterator[StyledSpan]:
    """Yield the value as spans of a single line."""
    after_comma = False
    for _, line, _ in walk_rows(value, _quoted):
        if after_comma:
            yield StyledSpan(" ")
        yield from line
        after_comma = line[-1].text.endswith(",")


def indent_lines(value: Any, longest: int = LONGEST_SHOWN_LINE) -> Iterator[tuple[int, Line]]:
    """Return the lines of a value with their depths.

    Multi-line texts are shown as several lines; of each text, the first `longest` characters are
    shown.
    """
    return ((row.depth, row.line) for row in walk_rows(value, partial(_readable, longest)))


def format_whole(value: Any) -> str:
    """Return the whole value as JSON."""
    try:
        text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
        return clean_text(reveal_escapes(text))
    except ValueError:
        return "\n".join("  " * depth + line_text(line) for depth, line in indent_lines(value))


def has_longer_text(value: Any, longest: int) -> bool:
    """Return whether a value contains a text, key or number that isn't shown completely."""
    stack = [value]
    while stack:
        match stack.pop():
            case dict() as members:
                stack += [*members.values()]
                if any(_is_longer(str(key), LONGEST_SHOWN_LINE) for key in members):
                    return True
            case list() as elements:
                stack += elements
            case str() as text if _is_longer(text, longest):
                return True
            case int() as number if number.bit_length() > LONGEST_SHOWN_LINE:
                return True
    return False


def _is_longer(text: str, longest: int) -> bool:
    return len(text) > longest and begin_counted(text, longest)[1] > 0


def walk_rows(
    value: Any, string: "StringLines | None" = None, folded: Container[int] = ()
) -> Iterator[JsonRow]:
    """Walk a value iteratively, as it may be nested deeper than Python's stack allows.

    `folded` are the ids of objects and lists that take one line.
    """
    string = string or partial(_readable, LONGEST_SHOWN_LINE)
    opened: list[tuple[Iterator[JsonItem], str]] = [(iter([JsonItem(None, value, "")]), "")]
    while opened:
        items, closing = opened[-1]
        item = next(items, None)
        depth = len(opened) - 1
        if item is None:
            opened.pop()
            if closing:
                yield JsonRow(depth - 1, [StyledSpan(closing, KEY)])
            continue
        head = [] if item.key is None else [*_string(item.key, KEY), StyledSpan(": ", KEY)]
        match item.value:
            case dict() | list() if item.value and id(item.value) in folded:
                yield JsonRow(depth, [*head, *_folded(item)], item.value)
            case dict() if item.value:
                yield JsonRow(depth, [*head, StyledSpan("{", KEY)], item.value)
                opened.append((_members(item.value), "}" + item.comma))
            case list() if item.value:
                yield JsonRow(depth, [*head, StyledSpan("[", KEY)], item.value)
                opened.append((_elements(item.value), "]" + item.comma))
            case str():
                yield from (JsonRow(*one) for one in string(depth, head, item))
            case _:
                scalar = _scalar(item.value)
                yield JsonRow(depth, [*head, scalar, StyledSpan(item.comma, scalar.style)])


def _folded(item: JsonItem) -> Line:
    """Return a folded object or list as one line, with its length."""
    start, end = "{}" if isinstance(item.value, dict) else "[]"
    return [
        StyledSpan(start, KEY),
        StyledSpan(f"… {len(item.value):,}", "muted"),
        StyledSpan(f" {end}{item.comma}", KEY),
    ]


def _members(value: dict[str, Any]) -> Iterator[JsonItem]:
    for at, (key, member) in enumerate(value.items(), 1):
        yield JsonItem(str(key), member, "," if at < len(value) else "")


def _elements(value: list[Any]) -> Iterator[JsonItem]:
    for at, element in enumerate(value, 1):
        yield JsonItem(None, element, "," if at < len(value) else "")


def _quoted(
    depth: int, head: Line, item: JsonItem, longest: int = LONGEST_SHOWN_LINE
) -> Iterator[tuple[int, Line]]:
    text = _string(item.value, STRING, longest)
    yield depth, [*head, *text, StyledSpan(item.comma, STRING)]


def _readable(longest: int, depth: int, head: Line, item: JsonItem) -> Iterator[tuple[int, Line]]:
    """Yield a quoted string, or the lines of a multi-line one beside a bar."""
    text, rest = begin_counted(item.value, longest)
    if "\n" not in text.rstrip("\n"):
        yield from _quoted(depth, head, item, longest)
        return
    if head:
        yield depth, head
    for line in text.split("\n"):
        yield depth + 1, [StyledSpan(BAR, "muted"), StyledSpan(visible_line(line, longest), STRING)]
    if rest:
        yield depth + 1, [StyledSpan(BAR + more_characters(rest), "muted")]


def _string(text: str, style: str, longest: int = LONGEST_SHOWN_LINE) -> Iterator[StyledSpan]:
    text, rest = begin_counted(text, longest)
    yield StyledSpan(clean_line(reveal_escapes(json.dumps(text, ensure_ascii=False))), style)
    if rest:
        yield StyledSpan(" " + more_characters(rest), "muted")


def _scalar(value: Any) -> StyledSpan:
    match value:
        case None | bool():
            return StyledSpan(json.dumps(value), WORD)
        case int() if value.bit_length() > LONGEST_SHOWN_LINE:
            return StyledSpan(f"a number of {value.bit_length():,} bits", NUMBER)
        case int() | float():
            return StyledSpan(json.dumps(value), NUMBER)
        case dict():
            return StyledSpan("{}", KEY)
        case list():
            return StyledSpan("[]", KEY)
    return StyledSpan(visible_line(str(value)).replace("\n", " "), WORD)
