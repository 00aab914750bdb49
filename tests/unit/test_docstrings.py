"""A string that stands alone documents the name above it: when that name moves, it moves, too."""

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import acp_tui

DOCUMENTED = (ast.Assign, ast.AnnAssign, ast.AugAssign)


def is_string(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def left_behind(source: str) -> Iterator[int]:
    """Yield the lines of strings that document nothing."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for above, one in pairwise(body):
                if is_string(one) and not isinstance(above, DOCUMENTED):
                    yield one.lineno


def test_no_docstring_was_left_behind() -> None:
    assert list(left_behind('import os\n\n"""Seconds to wait."""\nNEXT = 1\n')) == [3]
    folder = Path(acp_tui.__file__).parent
    files = [one for one in folder.rglob("*.py") if "sample" not in one.parts]
    assert len(files) > 100
    found = [(one.name, line) for one in files for line in left_behind(one.read_text("utf-8"))]
    assert found == []
