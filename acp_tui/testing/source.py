"""Writes JSON values as Python source."""

import re
from collections.abc import Iterable
from math import isfinite
from typing import Any

from acp_tui.protocol.json_decoder import TooDeepError

WIDTH = 88
"""Columns of a line, roughly; long texts stay whole."""
_INDENT = "    "
_DEEPEST_LITERAL = 100
"""Levels of brackets on lines of their own: Python reads no source with more than 200 in all."""


def format_literal(value: Any) -> str:
    """Write a JSON value that holds no other, a text in double quotes unless it has some."""
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    shown = repr(value)
    return f'"{shown[1:-1]}"' if shown.startswith("'") and '"' not in shown else shown


def literal_source(value: Any, indent: str = _INDENT) -> str:
    """Write a JSON value, on several lines where one is too long. Raises TooDeepError."""
    if not isinstance(value, dict | list):
        return format_literal(value)
    line = _on_one_line(value, WIDTH - len(indent))
    if line is not None:
        return line
    inner = f"{indent}{_INDENT}"
    if len(inner) > _DEEPEST_LITERAL * len(_INDENT):
        raise TooDeepError
    if isinstance(value, dict):
        items = [
            f"{inner}{format_literal(key)}: {literal_source(one, inner)},\n"
            for key, one in value.items()
        ]
        return f"{{\n{''.join(items)}{indent}}}" if items else "{}"
    items = [f"{inner}{literal_source(one, inner)},\n" for one in value]
    return f"[\n{''.join(items)}{indent}]" if items else "[]"


def comment_words(text: str) -> str:
    """Return a text as words for a comment or a docstring, which it can't end."""
    return re.sub(r"[^\w .-]", "_", text)


def _on_one_line(value: Any, room: int) -> str | None:
    """Write a value in no more columns than there is room for; None where it needs more."""
    if isinstance(value, dict):
        names = (f"{format_literal(key)}: " for key in value)
        inner = _items(zip(names, value.values(), strict=True), room - 2)
        line = None if inner is None else f"{{{inner}}}"
    elif isinstance(value, list):
        inner = _items((("", one) for one in value), room - 2)
        line = None if inner is None else f"[{inner}]"
    else:
        line = format_literal(value)
    return None if line is None or len(line) > room else line


def _items(items: Iterable[tuple[str, Any]], room: int) -> str | None:
    written: list[str] = []
    for name, value in items:
        shown = _on_one_line(value, room - len(name))
        if shown is None:
            return None
        written.append(f"{name}{shown}")
        room -= len(written[-1]) + 2
    return ", ".join(written)
