"""Makes instances of the official schema's types, good and broken."""

import copy
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from acp_tui.protocol.json_schema import Compiler
from acp_tui.protocol.schema import Edition, load_schema
from acp_tui.protocol.schema_checks import Check, ProblemKind

Schema = dict[str, Any]
Path = tuple[str | int, ...]
Strategy = st.SearchStrategy[Any]

TEXTS = st.text(max_size=6)
BASE64 = st.binary(max_size=6).map(lambda data: b64encode(data).decode())
JUNK: Strategy = st.sampled_from(
    [None, True, 0, -1, 1.5, "", "junk", [], [None], ["junk"], {}, {"junk": 1}]
)
_TYPES: dict[str, Strategy] = {
    "string": TEXTS,
    "integer": st.integers(0, 2**31 - 1),
    "number": st.floats(-1e6, 1e6).map(lambda number: round(number, 3)),
    "boolean": st.booleans(),
    "null": st.none(),
    "array": st.lists(JUNK, max_size=2),
    "object": st.dictionaries(st.sampled_from(["a", "_b"]), JUNK, max_size=2),
}


class Field(NamedTuple):
    """A field of an instance: where it stands, and what the schema says of it."""

    holder: dict[str, Any]
    name: str
    path: Path
    types: frozenset[str] | None
    required: bool


class Official:
    """One edition of the schema. Instances are small, and hold fields nobody has heard of."""

    def __init__(self, edition: Edition = Edition.STABLE) -> None:
        self.definitions: dict[str, Schema] = load_schema(edition)["$defs"]
        self._compiler = Compiler(self.definitions)
        self._made: dict[str, Strategy] = {}

    def types(self, side: str, *kinds: str) -> dict[str, str]:
        """The types of a side's requests, responses or notifications, by method."""
        found = {}
        for name, schema in self.definitions.items():
            if schema.get("x-side") in (side, "protocol") and name.endswith(kinds):
                found[schema["x-method"]] = name
        return found

    def asked(self, name: str) -> str:
        """All that is asked of a type, and of the types in it, as one text."""
        found: dict[str, Schema] = {}
        due = [name]
        while due:
            one = due.pop()
            if one not in found:
                found[one] = self.definitions[one]
                due += re.findall(r'"\$ref": "#/\$defs/(\w+)"', json.dumps(found[one]))
        return json.dumps(found, sort_keys=True)

    def check(self, name: str) -> Check:
        """What tells whether a value is of this type."""
        return self._compiler.definition(name)

    def salvageable(self, name: str, value: Any) -> bool:
        """Whether a receiver takes the value, with defaults for what is wrong in it."""
        problems = self.check(name)(value) or []
        return all(problem.kind is not ProblemKind.WRONG for problem in problems)

    def valid(self, name: str) -> Strategy:
        """Good instances of a type."""
        return _valid(self, name)

    def named(self, name: str) -> Strategy:
        if name not in self._made:
            self._made[name] = st.deferred(lambda: self._schema(self.definitions[name]))
        return self._made[name]

    def fields(self, name: str, value: Any) -> "list[Field]":
        """All fields of an instance that the schema has a say in."""
        return list(self._fields(self.definitions[name], value, ()))

    def has_fields(self, name: str) -> bool:
        """Whether a type has fields that can be broken: more than `_meta`."""
        schemas = self._applying(self.definitions[name], None)
        return any(one.get("properties", {}).keys() - {"_meta"} for one in schemas)

    def _fields(self, schema: Schema, value: Any, path: Path) -> "Iterator[Field]":
        for one in self._applying(schema, value):
            if isinstance(value, dict):
                for name, of in one.get("properties", {}).items():
                    if name in value:
                        # Without what tells it from others, it may be another one.
                        required = name in one.get("required", ()) and "const" not in of
                        yield Field(value, name, (*path, name), self._types(of), required)
                        yield from self._fields(of, value[name], (*path, name))
            if isinstance(value, list) and "items" in one:
                for index, item in enumerate(value):
                    yield from self._fields(one["items"], item, (*path, index))

    def _applying(self, schema: Schema, value: Any) -> Iterator[Schema]:
        """What a schema asks of a value: by itself, and by all that it refers to."""
        yield schema
        if "$ref" in schema:
            yield from self._applying(self._referred(schema), value)
        for part in schema.get("allOf", ()):
            yield from self._applying(part, value)
        for branch in [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
            if self._is_chosen(branch, value):
                yield from self._applying(branch, value)

    def _is_chosen(self, branch: Schema, value: Any) -> bool:
        """Whether a union's branch is plainly the one that a value means."""
        if not isinstance(value, dict):
            return False
        constants = [
            (name, of["const"])
            for one in self._applying(branch, None)
            for name, of in one.get("properties", {}).items()
            if "const" in of
        ]
        nullable = branch.keys() == {"$ref"} and not constants
        return nullable or any(value.get(name) == constant for name, constant in constants)

    def _types(self, schema: Schema) -> frozenset[str] | None:
        """The types that a value may have; None for any."""
        if "$ref" in schema:
            return self._types(self._referred(schema))
        if "const" in schema:
            return frozenset([_type_of(schema["const"])])
        types = schema.get("type")
        if types is not None:
            return frozenset([types] if isinstance(types, str) else types)
        for parts, several in ((schema.get("allOf"), False), (_branches(schema), True)):
            found = [self._types(part) for part in parts or ()]
            some = [one for one in found if one is not None]
            if found and (len(some) == len(found) or not several):
                return frozenset().union(*some)
        return None

    def _referred(self, schema: Schema) -> Schema:
        return self.definitions[schema["$ref"].rpartition("/")[2]]

    def _schema(self, schema: Schema) -> Strategy:
        if "$ref" in schema:
            return self.named(schema["$ref"].rpartition("/")[2])
        if "const" in schema:
            return st.just(schema["const"])
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        parts = [self._schema(one) for one in schema.get("allOf", [])]
        branches = [self._schema(one) for one in schema.get("anyOf", []) + schema.get("oneOf", [])]
        if branches:
            parts.append(st.one_of(branches))
        if "properties" in schema:
            parts.append(self._object(schema))
        elif not parts:
            return self._plain(schema)
        return st.tuples(*parts).map(_merged)

    def _object(self, schema: Schema) -> Strategy:
        required = schema.get("required", [])
        fields = {name: self._schema(one) for name, one in schema["properties"].items()}
        known = st.fixed_dictionaries(
            {name: one for name, one in fields.items() if name in required},
            optional={name: one for name, one in fields.items() if name not in required},
        )
        extra = st.fixed_dictionaries({}, optional={"xUnheardOf": JUNK.filter(bool)})
        return st.tuples(known, extra).map(_merged)

    def _plain(self, schema: Schema) -> Strategy:
        types = schema.get("type", list(_TYPES))
        kinds = [types] if isinstance(types, str) else types
        return st.one_of([self._of_kind(kind, schema) for kind in kinds])

    def _of_kind(self, kind: str, schema: Schema) -> Strategy:
        if kind == "array" and "items" in schema:
            return st.lists(self._schema(schema["items"]), max_size=2)
        values = schema.get("additionalProperties")
        if kind == "object" and isinstance(values, dict):
            return st.dictionaries(st.sampled_from(["p", "q"]), self._schema(values), max_size=2)
        if kind == "string" and schema.get("contentEncoding") == "base64":
            return BASE64
        return _TYPES[kind]


def _merged(parts: tuple[Any, ...]) -> Any:
    """Objects that must all hold make one; of anything else the last one counts."""
    whole: Any = parts[-1]
    if all(isinstance(part, dict) for part in parts):
        whole = {}
        for part in parts:
            whole |= part
    return whole


def _branches(schema: Schema) -> list[Schema]:
    return [*schema.get("anyOf", ()), *schema.get("oneOf", ())]


def _type_of(value: Any) -> str:
    for kind, types in (("boolean", bool), ("string", str), ("array", list), ("object", dict)):
        if isinstance(value, types):
            return kind
    if value is None:
        return "null"
    return "integer" if float(value).is_integer() else "number"


@st.composite
def with_one_broken_field(draw: st.DrawFn, official: Official, name: str) -> tuple[Any, Path]:
    """An instance with one field of a type that it can't have, or left out though it must be there;
    and where that is. What tells the members of a union apart is never left out.
    """
    value = copy.deepcopy(draw(official.valid(name)))
    fields = [one for one in official.fields(name, value) if one.types or one.required]
    assume(fields)
    field = draw(st.sampled_from(fields))
    types = field.types or frozenset(_TYPES)
    admitted = types | {"integer"} if "number" in types else types
    wrong = [one for one in (None, True, 7, 1.5, "junk", [], {}) if _type_of(one) not in admitted]
    if field.required and (not wrong or draw(st.booleans())):
        del field.holder[field.name]
    else:
        assume(wrong)
        field.holder[field.name] = draw(st.sampled_from(wrong))
    return value, field.path


@st.composite
def _valid(draw: st.DrawFn, official: Official, name: str) -> Any:
    """A composite, because the repr of what it is made of would fill books.

    Fields that nobody has heard of are no fault: only their names are pointed out.
    """
    value = draw(official.named(name))
    problems = official.check(name)(value) or []
    assume(all(problem.kind is ProblemKind.CUSTOM for problem in problems))
    return value


@st.composite
def broken(draw: st.DrawFn, instances: Strategy) -> Any:
    """An instance with one value, anywhere in it, replaced or left out."""
    value = copy.deepcopy(draw(instances))
    places = list(_places(value))
    if not places:
        return draw(JUNK)
    holder, key = draw(st.sampled_from(places))
    if isinstance(holder, dict) and draw(st.booleans()):
        del holder[key]
    else:
        holder[key] = draw(JUNK)
    return value


def _places(value: Any) -> Any:
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])
