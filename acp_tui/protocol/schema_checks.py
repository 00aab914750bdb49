"""The checks that a compiled JSON Schema consists of.

A check takes a value, and returns its problems or None. Paths are only built for problems, so a
good message costs little.
"""

from collections.abc import Callable, Hashable, Iterable
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from acp_tui.protocol.findings import JsonPath
from acp_tui.protocol.jsonrpc import as_json

SALVAGE = "x-deserialize-default-on-error"
SALVAGE_ITEMS = "x-deserialize-skip-invalid-items"
SALVAGE_NULL = "x-deserialize-default-on-null"


class ProblemKind(StrEnum):
    """How bad a problem is. `SALVAGED` values are replaced or dropped; `CUSTOM` fields are unknown."""

    WRONG = "wrong"
    SALVAGED = "salvaged"
    CUSTOM = "custom"


class SchemaProblem(NamedTuple):
    """A problem with a value, and its place."""

    kind: ProblemKind
    path: JsonPath
    message: str


Check = Callable[[Any], list[SchemaProblem] | None]

_TYPES = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}
_ARTICLES = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


def anything(_: Any) -> list[SchemaProblem] | None:
    return None


def _wrong(message: str, *path: str | int) -> list[SchemaProblem]:
    return [SchemaProblem(ProblemKind.WRONG, path, message)]


def _below(step: str | int, problems: list[SchemaProblem]) -> list[SchemaProblem]:
    return [SchemaProblem(kind, (step, *path), message) for kind, path, message in problems]


LONGEST_VALUE = 60
"""Most characters of a value that a problem's message shows."""


def describe_value(value: Any) -> str:
    """Format a value for a problem's message: as short JSON on one line."""
    text = _brief(value, 3)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."


def _brief(value: Any, depth: int) -> str:
    """Return the beginning of a value as JSON, enough to show, however large or deep the value is."""
    if isinstance(value, str):
        return as_json(value[: LONGEST_VALUE + 1])
    if not isinstance(value, dict | list):
        return as_json(value)
    if not depth:
        return "..."
    if isinstance(value, list):
        return f"[{', '.join(_brief(one, depth - 1) for one in islice(value, LONGEST_VALUE))}]"
    fields = islice(value.items(), LONGEST_VALUE)
    return (
        f"{{{', '.join(f'{_brief(name, 1)}: {_brief(one, depth - 1)}' for name, one in fields)}}}"
    )


def _is_of(value: Any, types: frozenset[str]) -> bool:
    """Return whether a value is of one of these types. 1.0 counts as an integer."""
    kind = _TYPES[type(value)]
    return kind in types or (kind == "number" and "integer" in types and value.is_integer())


def _mistyped(wanted: str, value: Any) -> list[SchemaProblem]:
    given = "null" if value is None else f"{_named(_TYPES[type(value)])}: {describe_value(value)}"
    return _wrong(f"must be {wanted}, but is {given}")


def _named(*types: str) -> str:
    return " or ".join(_ARTICLES.get(one, one) for one in sorted(types))


def one_of(constants: Iterable[Any]) -> Check:
    known = list(constants)
    names = ", ".join(map(str, known))

    def check(value: Any) -> list[SchemaProblem] | None:
        if value in known and not isinstance(value, bool):
            return None
        return _wrong(f"{describe_value(value)} is none of: {names}")

    return check


def typed(types: frozenset[str] | None, checks: list[Check]) -> Check | None:
    if types is None:
        return _all(checks) if checks else None
    wanted = _named(*(types - ({"integer"} if "number" in types else set())))
    rest = _all(checks) if checks else None

    def check(value: Any) -> list[SchemaProblem] | None:
        if _TYPES[type(value)] not in types and not _is_of(value, types):
            return _mistyped(wanted, value)
        return rest(value) if rest is not None and value is not None else None

    return check


def _all(checks: list[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def check(value: Any) -> list[SchemaProblem] | None:
        found = [problem for one in checks for problem in one(value) or ()]
        return found or None

    return check


def within(minimum: float | None, maximum: float | None) -> Check:
    low = float("-inf") if minimum is None else minimum
    high = float("inf") if maximum is None else maximum

    def check(value: Any) -> list[SchemaProblem] | None:
        if low <= value <= high:
            return None
        return _wrong(f"must be {f'at least {low:g}' if value < low else f'at most {high:g}'}")

    return check


def at_least(length: int) -> Check:
    return lambda value: None if len(value) >= length else _wrong("must not be empty")


def each(item: Check, salvage: bool) -> Check:
    def check(value: Any) -> list[SchemaProblem] | None:
        found: list[SchemaProblem] = []
        for index, one in enumerate(value):
            if (problems := item(one)) is not None:
                found += _below(index, _demoted(problems) if salvage else problems)
        return found or None

    return check


def each_value(item: Check) -> Check:
    def check(value: Any) -> list[SchemaProblem] | None:
        found: list[SchemaProblem] = []
        for key, one in value.items():
            if (problems := item(one)) is not None:
                found += _below(key, problems)
        return found or None

    return check


def fields(
    checks: dict[str, Check], required: tuple[str, ...], names: frozenset[str] | None
) -> Check:
    def check(value: Any) -> list[SchemaProblem] | None:
        found: list[SchemaProblem] = []
        for name in required:
            if name not in value:
                found += _wrong("is missing", name)
        for name, one in value.items():
            if name in checks:
                if (problems := checks[name](one)) is not None:
                    found += _below(name, problems)
            elif names is not None and name not in names:
                found.append(
                    SchemaProblem(
                        ProblemKind.CUSTOM, (name,), "is not a field that the protocol has here"
                    )
                )
        return found or None

    return check


def chosen(
    name: str, table: dict[Hashable, Check], other: Check | None, any_constant: bool
) -> Check:
    """Return a check that selects a union's branch by the value's constant.

    `other` is the branch for a value without a constant or, if `any_constant`, with an unknown one.
    """
    names = ", ".join(map(str, table))

    def check(value: Any) -> list[SchemaProblem] | None:
        if not isinstance(value, dict):
            return _mistyped("an object", value)
        constant = value.get(name)
        chosen = table.get(constant) if isinstance(constant, str) else None
        if chosen is not None:
            return chosen(value)
        problems = other(value) if other is not None else _wrong("is missing", name)
        wrong = any(one.kind is ProblemKind.WRONG for one in problems or ())
        if wrong and name in value and not any_constant:
            return _wrong(f"{describe_value(constant)} is none of: {names}", name)
        return problems

    return check


def any_of(branches: list[tuple[frozenset[str] | None, Check]]) -> Check:
    wanted = _named(*{one for types, _ in branches for one in types or ()})

    def check(value: Any) -> list[SchemaProblem] | None:
        best: list[SchemaProblem] | None = None
        for types, branch in branches:
            if types is not None and not _is_of(value, types):
                continue
            problems = branch(value)
            if problems is None:
                return None
            if best is None or _badness(problems) < _badness(best):
                best = problems
        return best or _mistyped(wanted, value)

    return check


def _badness(problems: list[SchemaProblem]) -> tuple[int, int]:
    return sum(one.kind is ProblemKind.WRONG for one in problems), len(problems)


def _demoted(problems: list[SchemaProblem]) -> list[SchemaProblem]:
    return [
        one._replace(kind=ProblemKind.SALVAGED) if one.kind is ProblemKind.WRONG else one
        for one in problems
    ]


def salvaged(check: Check, salvage: frozenset[str]) -> Check:
    on_error, on_null = SALVAGE in salvage, SALVAGE_NULL in salvage

    def lenient(value: Any) -> list[SchemaProblem] | None:
        problems = check(value)
        salvaged = on_error or (on_null and value is None)
        return _demoted(problems) if problems is not None and salvaged else problems

    return lenient
