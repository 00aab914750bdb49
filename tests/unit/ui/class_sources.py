"""The sources of classes; `inspect.getsource` parses a class's whole module again for each of them."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from sys import modules


def source_of(kind: type) -> str:
    """Return the source of a class that isn't made in a function."""
    return _sources(kind.__module__)[kind.__qualname__]


@cache
def _sources(module: str) -> dict[str, str]:
    """The source of each class of a module that is loaded."""
    text = Path(inspect.getfile(modules[module])).read_text("utf-8")
    lines = text.splitlines(keepends=True)
    return {
        name: "".join(lines[found.lineno - 1 : found.end_lineno])
        for name, found in _classes(ast.parse(text).body)
    }


def _classes(body: list[ast.stmt], outer: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for one in body:
        if isinstance(one, ast.ClassDef):
            yield f"{outer}{one.name}", one
            yield from _classes(one.body, f"{outer}{one.name}.")
        elif isinstance(one, ast.If | ast.Try):
            yield from _classes([*one.body, *one.orelse], outer)
