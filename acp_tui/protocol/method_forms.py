"""Methods and their params, described for forms: from the official schema, and of extensions."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from acp_tui.protocol.schema import Edition, load_documentation, load_extensions, load_schema

_SIDES = ("agent", "protocol")
_NULL = {"type": "null"}


class ParamKind(StrEnum):
    """The type of a param; anything but a single value is written as JSON."""

    TEXT = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    JSON = "json"


class Param(NamedTuple):
    """A param of a method: its type in `words`, the schema's text `about` it, and an example value."""

    name: str
    kind: ParamKind
    words: str
    about: str
    required: bool
    example: Any


class MethodForm(NamedTuple):
    """A request or notification that the agent handles, with its params."""

    name: str
    about: str
    is_request: bool
    params: tuple[Param, ...]


@cache
def method_forms() -> Mapping[str, MethodForm]:
    """Return all methods of the agent by name: from the unstable schema, which includes the stable
    one's, and from the extensions.
    """
    reader = _SchemaReader(load_schema(Edition.UNSTABLE)["$defs"])
    for group in load_extensions():
        reader.add(group["definitions"])
    return {form.name: form for form in sorted(reader.forms())}


@cache
def extension_names() -> Mapping[str, str]:
    """Return the purpose of each known method outside ACP, by the method's name."""
    return {
        one["x-method"]: group["what"]
        for group in load_extensions()
        for one in group["definitions"].values()
        if "x-method" in one
    }


@cache
def result_forms() -> Mapping[str, Any]:
    """Return an example result for each method that the client handles."""
    return dict(_SchemaReader(load_schema(Edition.UNSTABLE)["$defs"]).results())


class _SchemaReader:
    """Reads methods from the definitions of a schema."""

    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions
        self._texts = load_documentation()

    def add(self, definitions: dict[str, Any]) -> None:
        """Add definitions, which include their own descriptions."""
        self._definitions |= definitions

    def forms(self) -> Iterator[MethodForm]:
        """Yield the requests and notifications that the agent handles."""
        for name, one in self._definitions.items():
            is_request = name.endswith("Request")
            if one.get("x-side") in _SIDES and (is_request or name.endswith("Notification")):
                yield self._form(one["x-method"], one, is_request)

    def results(self) -> Iterator[tuple[str, Any]]:
        """Yield the client's methods, each with an example result."""
        for name, one in self._definitions.items():
            if one.get("x-side") == "client" and name.endswith("Response"):
                yield one["x-method"], self._example(one)

    def _form(self, method: str, schema: dict[str, Any], is_request: bool) -> MethodForm:
        texts = self._texts.get(method, {})
        needed, properties = set(schema.get("required", ())), dict(schema.get("properties", {}))
        unions = schema.get("anyOf", ())[::-1]  # the one without a type is last, and usual
        for name in dict.fromkeys(name for one in unions for name in one["properties"]):
            properties[name] = {"anyOf": [one["properties"].get(name, _NULL) for one in unions]}
            needed |= {name} if all(name in one["required"] for one in unions) else set()
        params = {
            name: self._param(
                name, what, texts.get(name) or what.get("description", ""), name in needed
            )
            for name, what in properties.items()
        }
        ordered = sorted(params.values(), key=lambda one: (not one.required, one.name == "_meta"))
        about = texts.get("") or schema.get("description", "")
        return MethodForm(method, about, is_request, tuple(ordered))

    def _param(self, name: str, what: dict[str, Any], about: str, required: bool) -> Param:
        core = self._core(what)
        kinds = {str(one.get("type")) for one in _branches(core) or [core]}
        single = len(kinds) == 1 and kinds <= {one.value for one in ParamKind}
        kind = ParamKind(kinds.pop()) if single else ParamKind.JSON
        choices = ", ".join(str(one["const"]) for one in _branches(core) if "const" in one)
        words = f"{self._words(what)}: {choices}" if choices else self._words(what)
        return Param(name, kind, words, about, required, self._example(what))

    def _core(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Follow references to the schema that decides the type, without null."""
        while True:
            branches = [one for one in _branches(schema) if one != _NULL]
            if "$ref" in schema:
                schema = self._definitions[_name(schema)]
            elif len(branches) == 1 and "properties" not in schema:
                (schema,) = branches
            elif isinstance(schema.get("type"), list):
                (kind,) = (one for one in schema["type"] if one != "null")
                return {**schema, "type": kind}
            else:
                return schema

    def _words(self, schema: dict[str, Any]) -> str:
        """Describe a value's type in words: a JSON type, or a name from the schema."""
        core = self._core(schema)
        kind = core.get("type")
        if kind == "array":
            return f"list of {self._words(core['items'])}"
        if kind is None or kind == "object":
            names = [_name(one) for one in _references(schema)]
            kinds = [
                one["type"] for one in _branches(schema) if one.get("type") not in (None, "null")
            ]
            return " or ".join([*kinds, *names]) or "object"
        return str(kind)

    def _example(self, schema: dict[str, Any]) -> Any:
        core = self._core(schema)
        branches = _branches(core)
        for key in ("const", "default"):
            if key in core:
                return core[key]
        match core.get("type"):
            case "object":
                needed = core.get("required", ())
                properties = core.get("properties", {})
                more = self._example(branches[0]) if branches else {}
                return {**more, **{name: self._example(properties[name]) for name in needed}}
            case None if branches:
                return self._example(branches[0])
            case kind:
                return {"string": "", "array": [], "boolean": False}.get(kind or "", 0)


def _branches(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for key in ("allOf", "anyOf", "oneOf") for one in schema.get(key, ())]


def _references(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in schema:
        yield schema
    for one in _branches(schema):
        yield from _references(one)


def _name(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]
