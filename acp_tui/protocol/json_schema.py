"""Compiles JSON Schema to functions: only the keywords that the official schema uses.

In a union, only the branch that the value's discriminator selects is checked, so that problems are
reported where they are.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from acp_tui.protocol.schema_checks import (
    SALVAGE,
    SALVAGE_ITEMS,
    SALVAGE_NULL,
    Check,
    any_of,
    anything,
    at_least,
    chosen,
    each,
    each_value,
    fields,
    one_of,
    salvaged,
    typed,
    within,
)

Schema = dict[str, Any]


_IGNORED = {
    "contentEncoding",  # whoever decodes it reports errors
    "default",
    "discriminator",  # found from the branches' constants
    "format",
    "not",  # only excludes the named branches from a fallback
    "unevaluatedProperties",
    "x-method",
    "x-side",
}


@dataclass(slots=True)
class _Shape:
    """The constraints of a schema on one value, with all references resolved.

    Never changed, but not frozen either: that would make building it three times slower.
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
    """For strings in characters, for arrays in items."""
    salvage: frozenset[str] = frozenset()

    def merged(self, other: "_Shape") -> "_Shape":
        """Combine two shapes. The schema never states a limit twice, so either one will do."""
        properties = dict(self.properties)
        for name, schemas in other.properties.items():
            properties[name] = (*properties.get(name, ()), *schemas)
        types = other.types if self.types is None else self.types
        if self.types is not None and other.types is not None:
            types = self.types & other.types
        return _Shape(
            types=types,
            constants=other.constants if self.constants is None else self.constants,
            properties=properties,
            required=(
                *self.required,
                *(name for name in other.required if name not in self.required),
            ),
            unions=(*self.unions, *other.unions),
            items=other.items if self.items is None else self.items,
            values=other.values if self.values is None else self.values,
            open=self.open or other.open,
            minimum=other.minimum if self.minimum is None else self.minimum,
            maximum=other.maximum if self.maximum is None else self.maximum,
            min_length=self.min_length or other.min_length,
            salvage=self.salvage | other.salvage,
        )


class Compiler:
    """Compiles the definitions of one schema. Raises ValueError for an unknown keyword."""

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self._definitions = definitions
        self._compiled: dict[str, Check | None] = {}
        self._shapes: dict[str, _Shape] = {}
        self._fields: dict[str, Check | None] = {}
        """The checks of fields that are only a reference to a definition, by the definition's name.
        """

    def definition(self, name: str) -> Check:
        """Return the check of a definition, compiled on first use."""
        if name not in self._compiled:
            self._compiled[name] = self._build(self._gather(self._definitions[name]))
        return self._compiled[name] or anything

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
        return salvaged(check, salvage)

    def _gather(self, schema: Schema) -> _Shape:
        """Follow references and `allOf`, and return all constraints on the value."""
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
            return one_of(shape.constants)
        checks: list[Check] = []
        if shape.minimum is not None or shape.maximum is not None:
            checks.append(within(shape.minimum, shape.maximum))
        if shape.min_length:
            checks.append(at_least(shape.min_length))
        if shape.items is not None:
            items = self._compile(shape.items)
            if items is not None:
                checks.append(each(items, SALVAGE_ITEMS in shape.salvage))
        if shape.properties or (shape.required and not shape.open):
            checks.append(self._object(shape))
        if shape.values is not None:
            values = self._compile(shape.values)
            if values is not None:
                checks.append(each_value(values))
        return typed(shape.types, checks)

    def _object(self, shape: _Shape) -> Check:
        checks: dict[str, Check] = {}
        for name, schemas in shape.properties.items():
            check = self._compile(schemas[0] if len(schemas) == 1 else {"allOf": list(schemas)})
            if check is not None:
                checks[name] = check
        names = None if shape.open or shape.values else frozenset(shape.properties)
        return fields(checks, shape.required, names)

    def _union(self, base: _Shape, branches: tuple[Schema, ...]) -> Check | None:
        shapes = [self._gather(branch) for branch in branches]
        constants = [shape.constants for shape in shapes]
        if all(constants):
            return one_of([value for some in constants for value in some or ()])
        name = _discriminator(shapes)
        if name is not None:
            return self._discriminated(base, shapes, name)
        built = [(base.merged(shape).types, self._build(base.merged(shape))) for shape in shapes]
        if any(check is None for _, check in built):
            return None
        return any_of([(types, check or anything) for types, check in built])

    def _discriminated(self, base: _Shape, shapes: list[_Shape], name: str) -> Check:
        table: dict[Hashable, Check] = {}
        others: list[tuple[frozenset[str] | None, Check]] = []
        any_constant = False
        for shape in shapes:
            merged = base.merged(shape)  # its name is known even if its value isn't
            merged = replace(merged, properties={name: ({},), **merged.properties})
            check = self._build(merged) or anything
            constant = _constant_of(shape, name)
            if constant is None:
                others.append((merged.types, check))
                any_constant = any_constant or name in shape.properties
            else:
                table[constant] = check
        return chosen(name, table, any_of(others) if others else None, any_constant)


def _own(keyword: str, value: Any) -> _Shape:
    """Return the constraint that one keyword adds."""
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
        case "minLength" | "minItems":
            return _Shape(min_length=value)
        case _ if keyword in (SALVAGE, SALVAGE_ITEMS, SALVAGE_NULL):
            return _Shape(salvage=frozenset([keyword] if value else []))
    raise ValueError(f"the schema has a keyword that acp-tui doesn't know: {keyword}")


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
    """Return the field whose constants distinguish the branches."""
    for shape in shapes:
        for name in shape.required:
            if _constant_of(shape, name) is not None:
                return name
    return None
