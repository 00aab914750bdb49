"""Values as Python source, as formatters write it."""

from math import isfinite
from typing import Any

WIDTH = 88
"""Columns of a line, about; long texts stay whole."""


def literal(value: Any) -> str:
    """Write a JSON value on one line, a text in double quotes unless it has some."""
    if isinstance(value, dict | list):
        return _on_one_line(value)
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    shown = repr(value)
    return f'"{shown[1:-1]}"' if shown.startswith("'") and '"' not in shown else shown


def source(value: Any, indent: str = "    ") -> str:
    """Write a JSON value, on several lines where one is too long."""
    line = _on_one_line(value)
    if len(line) <= WIDTH - len(indent) or not value or not isinstance(value, dict | list):
        return line
    inner = f"{indent}    "
    if isinstance(value, dict):
        items = [f"{inner}{literal(key)}: {source(one, inner)},\n" for key, one in value.items()]
        return f"{{\n{''.join(items)}{indent}}}"
    items = [f"{inner}{source(one, inner)},\n" for one in value]
    return f"[\n{''.join(items)}{indent}]"


def _on_one_line(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{literal(key)}: {_on_one_line(one)}" for key, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_on_one_line, value))}]"
    return literal(value)
