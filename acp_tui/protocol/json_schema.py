"""JSON Schema compiled to functions: as much of it as the official schema uses.

A check takes a value and returns None, or what is wrong with it; paths are put together only
where something is wrong, so a good message costs little. Of a union only the branch that the
value chose by its discriminator is checked, so that a problem is named where it is.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from acp_tui.protocol.jsonrpc import as_json

Schema = dict[str, Any]
JsonPath = tuple[str | int, ...]


class ProblemKind(StrEnum):
    """How bad a problem is: `SALVAGED` values a receiver replaces by a default, or drops."""

    WRONG = "wrong"
    SALVAGED = "salvaged"
    CUSTOM = "custom"


class Problem(NamedTuple):
    """What is wrong with a value, and where in it."""

    kind: ProblemKind
    path: JsonPath
    message: str


Check = Callable[[Any], list[Problem] | None]

_TYPES = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}
_SALVAGE = "x-deserialize-default-on-error"
_SALVAGE_ITEMS = "x-deserialize-skip-invalid-items"
_SALVAGE_NULL = "x-deserialize-default-on-null"
_IGNORED = {
    "default",
    "discriminator",  # found from the branches' constants
    "format",
    "not",  # says only that a fallback isn't one of the named branches
    "unevaluatedProperties",
    "x-method",
    "x-side",
}


@dataclass(slots=True)
class _Shape:
    """What a schema and all that it refers to ask of one value. It is never changed, though not
    frozen: that would take three times as long to make.
    """

    types: frozenset[str] | None = None
    constants: tuple[Any, ...] | None = None
    properties: dict[str, tuple[Schema, ...]] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    unions: tuple[tuple[Schema, ...], ...] = ()
    items: Schema | None = None
    values: Schema | None = None
    open: bool = False
    minimum: float | None = None
    maximum: float | None = None
    min_length: int = 0
    salvage: frozenset[str] = frozenset()

    def merged(self, other: "_Shape") -> "_Shape":
        """What both ask. The schema never states a limit twice, so one of two is enough."""
        properties = dict(self.properties)
        for name, schemas in other.properties.items():
            properties[name] = (*properties.get(name, ()), *schemas)
        types = other.types if self.types is None else self.types
        if self.types is not None and other.types is not None:
            types = self.types & other.types
        return _Shape(
            types,
            other.constants if self.constants is None else self.constants,
            properties,
            (*self.required, *(name for name in other.required if name not in self.required)),
            (*self.unions, *other.unions),
            other.items if self.items is None else self.items,
            other.values if self.values is None else self.values,
            self.open or other.open,
            other.minimum if self.minimum is None else self.minimum,
            other.maximum if self.maximum is None else self.maximum,
            self.min_length or other.min_length,
            self.salvage | other.salvage,
        )


class Compiler:
    """Compiles the definitions of one schema. Raises ValueError at a keyword it doesn't know."""

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self._definitions = definitions
        self._compiled: dict[str, Check | None] = {}
        self._shapes: dict[str, _Shape] = {}
        self._fields: dict[str, Check | None] = {}
        """The checks of fields that are just a definition, by its name."""

    def definition(self, name: str) -> Check:
        """The check of a definition, compiled when it is first asked for."""
        if name not in self._compiled:
            self._compiled[name] = self._build(self._gather(self._definitions[name]))
        return self._compiled[name] or _anything

    def _compile(self, schema: Schema) -> Check | None:
        if schema.keys() == {"$ref"}:
            name = schema["$ref"].rpartition("/")[2]
            if name not in self._fields:
                self._fields[name] = self._compile_shape(self._referred(name))
            return self._fields[name]
        return self._compile_shape(self._gather(schema))

    def _compile_shape(self, shape: _Shape) -> Check | None:
        salvage = shape.salvage
        check = self._build(shape)
        if check is None or not salvage:
            return check
        return _salvaged(check, salvage)

    def _gather(self, schema: Schema) -> _Shape:
        """Follow references and `allOf` to all that is asked of the value."""
        shape = _Shape()
        for keyword, value in schema.items():
            match keyword:
                case "$ref":
                    shape = shape.merged(self._referred(value.rpartition("/")[2]))
                case "allOf":
                    for part in value:
                        shape = shape.merged(self._gather(part))
                case "anyOf" | "oneOf":
                    shape = shape.merged(_Shape(unions=(tuple(value),)))
                case _ if keyword not in _IGNORED:
                    shape = shape.merged(_own(keyword, value))
        return shape

    def _referred(self, name: str) -> _Shape:
        if name not in self._shapes:
            self._shapes[name] = self._gather(self._definitions[name])
        return self._shapes[name]

    def _build(self, shape: _Shape) -> Check | None:
        if shape.unions:
            return self._union(replace(shape, unions=shape.unions[1:]), shape.unions[0])
        if shape.constants is not None:
            return _one_of(shape.constants)
        checks: list[Check] = []
        if shape.minimum is not None or shape.maximum is not None:
            checks.append(_within(shape.minimum, shape.maximum))
        if shape.min_length:
            checks.append(_at_least(shape.min_length))
        if shape.items is not None:
            items = self._compile(shape.items)
            if items is not None:
                checks.append(_each(items, _SALVAGE_ITEMS in shape.salvage))
        if shape.properties or (shape.required and not shape.open):
            checks.append(self._object(shape))
        if shape.values is not None:
            values = self._compile(shape.values)
            if values is not None:
                checks.append(_each_value(values))
        return _typed(shape.types, checks)

    def _object(self, shape: _Shape) -> Check:
        checks: dict[str, Check] = {}
        for name, schemas in shape.properties.items():
            check = self._compile(schemas[0] if len(schemas) == 1 else {"allOf": list(schemas)})
            if check is not None:
                checks[name] = check
        names = None if shape.open or shape.values else frozenset(shape.properties)
        return _fields(checks, shape.required, names)

    def _union(self, base: _Shape, branches: tuple[Schema, ...]) -> Check | None:
        shapes = [self._gather(branch) for branch in branches]
        constants = [shape.constants for shape in shapes]
        if all(constants):
            return _one_of([value for some in constants for value in some or ()])
        name = _discriminator(shapes)
        if name is not None:
            return self._discriminated(base, shapes, name)
        built = [(base.merged(shape).types, self._build(base.merged(shape))) for shape in shapes]
        if any(check is None for _, check in built):
            return None
        return _any_of([(types, check or _anything) for types, check in built])

    def _discriminated(self, base: _Shape, shapes: list[_Shape], name: str) -> Check:
        table: dict[Hashable, Check] = {}
        others: list[tuple[frozenset[str] | None, Check]] = []
        any_constant = False
        for shape in shapes:
            merged = base.merged(shape)  # its name is known where its value isn't, too
            merged = replace(merged, properties={name: ({},), **merged.properties})
            check = self._build(merged) or _anything
            constant = _constant_of(shape, name)
            if constant is None:
                others.append((merged.types, check))
                any_constant = any_constant or name in shape.properties
            else:
                table[constant] = check
        return _chosen(name, table, _any_of(others) if others else None, any_constant)


def _own(keyword: str, value: Any) -> _Shape:
    """What one keyword asks."""
    match keyword:
        case "type":
            return _Shape(types=_admitted([value] if isinstance(value, str) else value))
        case "const":
            return _Shape(constants=(value,))
        case "properties":
            return _Shape(properties={name: (schema,) for name, schema in value.items()})
        case "required":
            return _Shape(required=tuple(value))
        case "additionalProperties":
            return _Shape(values=value) if isinstance(value, dict) else _Shape(open=bool(value))
        case "items" | "minimum" | "maximum":
            return _Shape(**{keyword: value})
        case "minLength":
            return _Shape(min_length=value)
        case _ if keyword in (_SALVAGE, _SALVAGE_ITEMS, _SALVAGE_NULL):
            return _Shape(salvage=frozenset([keyword] if value else []))
    raise ValueError(f"the schema has a keyword that is not known here: {keyword}")


def _admitted(types: Iterable[str]) -> frozenset[str]:
    admitted = frozenset(types)
    return admitted | {"integer"} if "number" in admitted else admitted


def _constant_of(shape: _Shape, name: str) -> Hashable:
    for schema in shape.properties.get(name, ()):
        if "const" in schema:
            constant: Hashable = schema["const"]
            return constant
    return None


def _discriminator(shapes: list[_Shape]) -> str | None:
    """The field whose constants tell the branches apart."""
    for shape in shapes:
        for name in shape.required:
            if _constant_of(shape, name) is not None:
                return name
    return None


# Checks


def _anything(_: Any) -> list[Problem] | None:
    return None


def _wrong(message: str, *path: str | int) -> list[Problem]:
    return [Problem(ProblemKind.WRONG, path, message)]


def _below(step: str | int, problems: list[Problem]) -> list[Problem]:
    return [Problem(kind, (step, *path), message) for kind, path, message in problems]


LONGEST = 60
"""Characters of a value that a problem's message shows."""


def describe_value(value: Any) -> str:
    """A value as a problem's message names it: as JSON, short, on one line."""
    text = _brief(value, 3)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _brief(value: Any, depth: int) -> str:
    """The beginning of a value as JSON: as much as may be shown, however big or deep it is."""
    if isinstance(value, str):
        return as_json(value[: LONGEST + 1])
    if not isinstance(value, dict | list):
        return as_json(value)
    if not depth:
        return "..."
    if isinstance(value, list):
        return f"[{', '.join(_brief(one, depth - 1) for one in islice(value, LONGEST))}]"
    fields = islice(value.items(), LONGEST)
    return (
        f"{{{', '.join(f'{_brief(name, 1)}: {_brief(one, depth - 1)}' for name, one in fields)}}}"
    )


def _is_of(value: Any, types: frozenset[str]) -> bool:
    """Whether a value is of one of these types. 1.0 is an integer, too."""
    kind = _TYPES[type(value)]
    return kind in types or (kind == "number" and "integer" in types and value.is_integer())


def _mistyped(wanted: str, value: Any) -> list[Problem]:
    kind = _TYPES[type(value)]
    return _wrong(
        f"must be {wanted}, is {kind}{'' if value is None else f': {describe_value(value)}'}"
    )


def _one_of(constants: Iterable[Any]) -> Check:
    known = list(constants)
    names = ", ".join(map(str, known))

    def check(value: Any) -> list[Problem] | None:
        if value in known and not isinstance(value, bool):
            return None
        return _wrong(f"{describe_value(value)} is none of: {names}")

    return check


def _typed(types: frozenset[str] | None, checks: list[Check]) -> Check | None:
    if types is None:
        return _all(checks) if checks else None
    wanted = " or ".join(sorted(types - ({"integer"} if "number" in types else set())))
    rest = _all(checks) if checks else None

    def check(value: Any) -> list[Problem] | None:
        if _TYPES[type(value)] not in types and not _is_of(value, types):
            return _mistyped(wanted, value)
        return rest(value) if rest is not None and value is not None else None

    return check


def _all(checks: list[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def check(value: Any) -> list[Problem] | None:
        found = [problem for one in checks for problem in one(value) or ()]
        return found or None

    return check


def _within(minimum: float | None, maximum: float | None) -> Check:
    low = float("-inf") if minimum is None else minimum
    high = float("inf") if maximum is None else maximum

    def check(value: Any) -> list[Problem] | None:
        if low <= value <= high:
            return None
        return _wrong(f"must be {f'at least {low:g}' if value < low else f'at most {high:g}'}")

    return check


def _at_least(length: int) -> Check:
    return lambda value: None if len(value) >= length else _wrong("must not be empty")


def _each(item: Check, salvage: bool) -> Check:
    def check(value: Any) -> list[Problem] | None:
        found: list[Problem] = []
        for index, one in enumerate(value):
            if (problems := item(one)) is not None:
                found += _below(index, _demoted(problems) if salvage else problems)
        return found or None

    return check


def _each_value(item: Check) -> Check:
    def check(value: Any) -> list[Problem] | None:
        found: list[Problem] = []
        for key, one in value.items():
            if (problems := item(one)) is not None:
                found += _below(key, problems)
        return found or None

    return check


def _fields(
    checks: dict[str, Check], required: tuple[str, ...], names: frozenset[str] | None
) -> Check:
    def check(value: Any) -> list[Problem] | None:
        found: list[Problem] = []
        for name in required:
            if name not in value:
                found += _wrong("is missing", name)
        for name, one in value.items():
            if name in checks:
                if (problems := checks[name](one)) is not None:
                    found += _below(name, problems)
            elif names is not None and name not in names:
                found.append(Problem(ProblemKind.CUSTOM, (name,), "is no field of the protocol"))
        return found or None

    return check


def _chosen(
    name: str, table: dict[Hashable, Check], other: Check | None, any_constant: bool
) -> Check:
    """Of a union the branch that has the value's constant; an `other` one may have none, or, if
    `any_constant`, one that nobody knows.
    """
    names = ", ".join(map(str, table))

    def check(value: Any) -> list[Problem] | None:
        if not isinstance(value, dict):
            return _mistyped("object", value)
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


def _any_of(branches: list[tuple[frozenset[str] | None, Check]]) -> Check:
    wanted = " or ".join(sorted({one for types, _ in branches for one in types or ()}))

    def check(value: Any) -> list[Problem] | None:
        best: list[Problem] | None = None
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


def _badness(problems: list[Problem]) -> tuple[int, int]:
    return sum(one.kind is ProblemKind.WRONG for one in problems), len(problems)


def _demoted(problems: list[Problem]) -> list[Problem]:
    return [
        one._replace(kind=ProblemKind.SALVAGED) if one.kind is ProblemKind.WRONG else one
        for one in problems
    ]


def _salvaged(check: Check, salvage: frozenset[str]) -> Check:
    on_error, on_null = _SALVAGE in salvage, _SALVAGE_NULL in salvage

    def lenient(value: Any) -> list[Problem] | None:
        problems = check(value)
        salvaged = on_error or (on_null and value is None)
        return _demoted(problems) if problems is not None and salvaged else problems

    return lenient
