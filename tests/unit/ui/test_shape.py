"""How the view is put together: flat classes, and packages that import in one direction."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import get_args

from acp_tui import ui
from acp_tui.ui import bindings
from acp_tui.ui.app import AcpApp
from acp_tui.ui.feature import Feature

DEEPEST = 3
"""A class of ours has at most two others of ours above it."""
LONGEST = 12
"""Modules or packages that import each other in a row. An import inside of a function counts, too: it
only comes later. One under `if TYPE_CHECKING` doesn't: it never happens.
"""
KNOT = 6
"""Modules that know each other, where an import for types alone counts, too: who reads one reads them all."""
MODULES = [one.name for one in walk_packages(ui.__path__, "acp_tui.ui.")]


def classes() -> Iterator[type]:
    for name in MODULES:
        for kind in vars(import_module(name)).values():
            if inspect.isclass(kind) and kind.__module__ == name:
                yield kind


def is_protocol(kind: type) -> bool:
    return getattr(kind, "_is_protocol", False)


def depth(kind: type) -> int:
    ours = [one for one in kind.__bases__ if one.__module__.startswith("acp_tui.")]
    return 1 + max(map(depth, ours), default=0)


def test_no_class_has_more_than_two_of_ours_above_it() -> None:
    made = (kind for kind in classes() if not is_protocol(kind))
    assert [kind for kind in made if depth(kind) > DEEPEST] == []


def test_nothing_inherits_from_the_app() -> None:
    assert [kind for kind in classes() if issubclass(kind, AcpApp) and kind is not AcpApp] == []


def package(module: str) -> str:
    """The folder of a module; a feature's table of keys knows none of the others, and is listed with all tables."""
    return module if module.endswith(".bindings") else ".".join(module.split(".")[:3])


def imported(*, types: bool = False) -> dict[str, set[str]]:
    """What each module of the view imports of the others, wherever that stands."""
    return {name: found[types] - {name} for name, found in _imports().items()}


@cache
def _imports() -> dict[str, tuple[set[str], set[str]]]:
    """What each module imports when it is run, and also for types alone."""
    ours, found = set(MODULES), {}
    for name in MODULES:
        run: set[str] = set()
        all_of_it: set[str] = set()
        for node, is_run in _statements(ast.parse(_source(name)).body):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                whole = [f"{node.module}.{alias.name}" for alias in node.names]
                modules = {one if one in ours else node.module for one in whole} & ours
                all_of_it |= modules
                run |= modules if is_run else set()
        found[name] = run, all_of_it
    return found


def _source(name: str) -> str:
    return Path(inspect.getfile(import_module(name))).read_text("utf-8")


def _statements(body: list[ast.stmt], *, is_run: bool = True) -> Iterator[tuple[ast.stmt, bool]]:
    """All statements, and whether they are ever run: what is only for the type checker is not."""
    for one in body:
        yield one, is_run
        types = isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"
        for part in (one, *getattr(one, "handlers", ()), *getattr(one, "cases", ())):
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(part, name, [])
                yield from _statements(inner, is_run=is_run and not types)


def by_packages() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {package(name): set() for name in MODULES}
    for name, others in imported().items():
        found[package(name)] |= {package(one) for one in others} - {package(name)}
    return found


def longest_row(graph: dict[str, set[str]]) -> list[str]:
    """The longest way down; there is none back up."""
    rows: dict[str, list[str]] = {}

    def row(name: str, above: tuple[str, ...]) -> list[str]:
        assert name not in above, (*above, name)
        if name not in rows:
            below = [row(one, (*above, name)) for one in sorted(graph[name])]
            rows[name] = [name, *max(below, key=len, default=[])]
        return rows[name]

    return max((row(name, ()) for name in sorted(graph)), key=len)


def test_packages_import_each_other_in_one_direction_and_in_short_rows() -> None:
    longest = longest_row(by_packages())
    print("\n".join(longest))
    assert len(longest) <= LONGEST


def test_modules_import_each_other_in_one_direction_and_in_short_rows() -> None:
    longest = longest_row(imported())
    print("\n".join(longest))
    assert len(longest) <= LONGEST


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """All that a module imports, and what that imports."""
    found: set[str] = set()
    left = [start]
    while left:
        new = graph[left.pop()] - found
        found |= new
        left += new
    return found


def test_few_modules_know_each_other() -> None:
    graph = imported(types=True)
    below = {name: reached(graph, name) for name in graph}
    knots = {frozenset(one for one in below[name] if name in below[one]) for name in graph}
    print("\n".join(str(sorted(one)) for one in sorted(knots, key=len)))
    assert max(map(len, knots)) <= KNOT


def test_each_key_names_a_method_of_a_feature() -> None:
    by_name = {
        kind.name: kind for kind in classes() if issubclass(kind, Feature) and kind is not Feature
    }
    named = [one.action for section in bindings.key_sections() for one in section.bindings]
    actions = [ast.literal_eval(one[len("app.do") :]) for one in named if one.startswith("app.do")]
    names = {one if isinstance(one, str) else one[0] for one in actions} | bindings.NOT_IN_DIALOGS
    for name in names:
        feature, _, method = name.partition(".")
        assert callable(getattr(by_name[feature], method)), name


def test_each_event_reaches_a_method_that_takes_it() -> None:
    for kind in classes():
        if issubclass(kind, Feature):
            for event, method in kind.handlers.items():
                [_, given] = inspect.signature(getattr(kind, method)).parameters.values()
                assert event in (given.annotation, *get_args(given.annotation)), (kind, method)


BELOW = {"dialogs", "desktop", "external", "lines", "preferences", "tabs", "transcript"}
"""Folders of the view that any feature may use: they know none."""
TOGETHER = {"conversation", "replay"}
"""Folders that put several features together."""


def test_no_feature_imports_another_one() -> None:
    features = {
        kind.__module__.split(".")[2]
        for kind in classes()
        if issubclass(kind, Feature) and kind.__module__.count(".") > 2
    }
    known = {
        (package(name).split(".")[-1], package(other).split(".")[-1])
        for name, others in imported(types=True).items()
        for other in others
    }
    assert [one for one in sorted(known) if one[0] != one[1] and is_between(one, features)] == []


def is_between(known: tuple[str, str], features: set[str]) -> bool:
    return known[0] in features - TOGETHER and known[1] in features - BELOW
