"""Every name of the official schema that docs/protocol.md has to account for."""

from collections.abc import Iterator
from typing import Any

from acp_tui.protocol.schema import Edition, load_schema

Definitions = dict[str, Any]
_SIDES = {"agent": ("agent",), "client": ("client",), "protocol": ("agent", "client")}


def names() -> dict[str, dict[str, str]]:
    """The editions of all names, by the heading of the table they stand in."""
    found: dict[str, dict[str, str]] = {}
    for edition in (Edition.STABLE, Edition.UNSTABLE):
        for heading, name in _of(load_schema(edition)["$defs"]):
            word = "stable" if edition is Edition.STABLE else "unstable"
            found.setdefault(heading, {}).setdefault(name, word)
    return found


def _of(definitions: Definitions) -> Iterator[tuple[str, str]]:
    for name, schema in definitions.items():
        if name.endswith(("Request", "Notification")) and "x-method" in schema:
            for side in _SIDES.get(schema["x-side"], (schema["x-side"],)):
                yield f"Methods of the {side}", schema["x-method"]
    for branch in definitions["SessionUpdate"]["oneOf"]:
        yield "Session updates", branch["properties"]["sessionUpdate"]["const"]
    for side in ("Agent", "Client"):
        for path in _leaves(definitions, f"{side}Capabilities"):
            yield f"Capabilities of the {side.lower()}", path


def _leaves(definitions: Definitions, name: str, path: str = "") -> Iterator[str]:
    for key, schema in definitions[name].get("properties", {}).items():
        if key == "_meta":
            continue
        inner = _object(definitions, schema)
        below = list(_leaves(definitions, inner, f"{path}{key}.")) if inner else []
        yield from below or [f"{path}{key}"]


def _object(definitions: Definitions, schema: dict[str, Any]) -> str | None:
    """The type of a capability that holds others."""
    for part in [schema, *schema.get("allOf", []), *schema.get("anyOf", [])]:
        name = str(part.get("$ref", "")).rpartition("/")[2]
        if definitions.get(name, {}).get("type") == "object":
            return name
    return None
