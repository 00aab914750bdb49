"""An import in a function, or for types alone, is only for a module that is not loaded anyway."""

import re
from pathlib import Path
from typing import NamedTuple

import acp_tui

PACKAGE = Path(acp_tui.__file__).parent
IMPORT = re.compile(r"^( *)from (acp_tui[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


class Import(NamedTuple):
    """An import of our own: where it is, and what it may load."""

    line: int
    is_late: bool
    modules: set[str]


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)


def imports(source: str) -> list[Import]:
    found = []
    for one in IMPORT.finditer(source):
        names = re.findall(r"(\w+)(?: as \w+)?", one[3])
        modules = {one[2], *(f"{one[2]}.{name}" for name in names)}
        found.append(Import(source.count("\n", 0, one.start()) + 1, bool(one[1]), modules))
    return found


def loaded_with(name: str, at_the_top: dict[str, set[str]]) -> set[str]:
    """Return the modules that are loaded whenever this one is."""
    found, waiting = set[str](), [name]
    while waiting:
        new = at_the_top[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def test_what_is_imported_late_is_not_loaded_anyway() -> None:
    every = {module_name(file): imports(file.read_text("utf-8")) for file in PACKAGE.rglob("*.py")}
    at_the_top = {
        name: every.keys() & {module for one in found if not one.is_late for module in one.modules}
        for name, found in every.items()
    }
    needless = [
        f"{name}:{one.line} imports {module}"
        for name, found in every.items()
        for one in found
        if one.is_late
        for module in loaded_with(name, at_the_top).intersection(one.modules)
    ]
    assert needless == []
