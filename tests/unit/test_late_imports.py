"""An import in a function, or for types alone, is only for a module that is not loaded anyway."""

import ast
from collections.abc import Iterator
from pathlib import Path

import acp_tui

PACKAGE = Path(acp_tui.__file__).parent


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)


def imported(node: ast.AST) -> Iterator[str]:
    """Yield what an import may load: modules, and names in them."""
    if isinstance(node, ast.ImportFrom):
        yield node.module or ""
        yield from (f"{node.module}.{one.name}" for one in node.names)


def loaded_with(name: str, at_the_top: dict[str, set[str]]) -> set[str]:
    """Return the modules that are loaded whenever this one is."""
    found, waiting = set[str](), [name]
    while waiting:
        new = at_the_top[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def late_imports(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node not in tree.body:
            yield node


def test_what_is_imported_late_is_not_loaded_anyway() -> None:
    # Parsed here: each process of the tests loads this module.
    trees = {
        module_name(file): ast.parse(file.read_text("utf-8")) for file in PACKAGE.rglob("*.py")
    }
    at_the_top = {
        name: trees.keys() & {module for node in tree.body for module in imported(node)}
        for name, tree in trees.items()
    }
    needless = [
        f"{name}:{node.lineno} imports {module}"
        for name, tree in trees.items()
        for loaded in [loaded_with(name, at_the_top)]
        for node in late_imports(tree)
        for module in loaded.intersection(imported(node))
    ]
    assert needless == []
