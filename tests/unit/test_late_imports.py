"""An import in a function, or for types alone, is only for a module that is not loaded anyway."""

import ast
from collections.abc import Iterator
from pathlib import Path

import acp_tui

PACKAGE = Path(acp_tui.__file__).parent


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)


TREES = {name_of(file): ast.parse(file.read_text("utf-8")) for file in PACKAGE.rglob("*.py")}


def imported(node: ast.AST) -> set[str]:
    """Return the modules that an import loads."""
    if not isinstance(node, ast.ImportFrom):
        return set()
    found = {node.module or "", *(f"{node.module}.{one.name}" for one in node.names)}
    return found & TREES.keys()


AT_THE_TOP = {name: set[str]().union(*map(imported, tree.body)) for name, tree in TREES.items()}


def loaded_with(name: str) -> set[str]:
    """Return the modules that are loaded whenever this one is."""
    found, waiting = set[str](), [name]
    while waiting:
        new = AT_THE_TOP[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def late_imports(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node not in tree.body:
            yield node


def test_what_is_imported_late_is_not_loaded_anyway() -> None:
    needless = [
        f"{name}:{node.lineno} imports {module}"
        for name, tree in TREES.items()
        for loaded in [loaded_with(name)]
        for node in late_imports(tree)
        for module in imported(node) & loaded
    ]
    assert needless == []
