"""Makes instances of the official schema's types, good and broken."""

import copy
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from acp_tui.protocol.compiled import Check, Compiler, Kind
from acp_tui.protocol.official import Edition, load

Schema = dict[str, Any]
Strategy = st.SearchStrategy[Any]

TEXTS = st.text(max_size=6)
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


class Official:
    """One edition of the schema. Instances are small, and hold fields nobody has heard of."""

    def __init__(self, edition: Edition = Edition.STABLE) -> None:
        self.definitions: dict[str, Schema] = load(edition)["$defs"]
        self._compiler = Compiler(self.definitions)
        self._made: dict[str, Strategy] = {}

    def types(self, side: str, *kinds: str) -> dict[str, str]:
        """The types of a side's requests, responses or notifications, by method."""
        found = {}
        for name, schema in self.definitions.items():
            if schema.get("x-side") in (side, "protocol") and name.endswith(kinds):
                found[schema["x-method"]] = name
        return found

    def check(self, name: str) -> Check:
        """What tells whether a value is of this type."""
        return self._compiler.definition(name)

    def salvageable(self, name: str, value: Any) -> bool:
        """Whether a receiver takes the value, with defaults for what is wrong in it."""
        problems = self.check(name)(value) or []
        return all(problem.kind is not Kind.WRONG for problem in problems)

    def valid(self, name: str) -> Strategy:
        """Good instances of a type."""
        return _valid(self, name)

    def named(self, name: str) -> Strategy:
        if name not in self._made:
            self._made[name] = st.deferred(lambda: self._schema(self.definitions[name]))
        return self._made[name]

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
        return _TYPES[kind]


def _merged(parts: tuple[Any, ...]) -> Any:
    """Objects that must all hold make one; of anything else the last one counts."""
    whole: Any = parts[-1]
    if all(isinstance(part, dict) for part in parts):
        whole = {}
        for part in parts:
            whole |= part
    return whole


@st.composite
def _valid(draw: st.DrawFn, official: Official, name: str) -> Any:
    """A composite, because the repr of what it is made of would fill books."""
    value = draw(official.named(name))
    assume(not official.check(name)(value))
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
