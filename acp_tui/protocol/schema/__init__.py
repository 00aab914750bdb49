"""Loads the official JSON Schemas of the protocol. NOTICE.md says where they come from."""

import json
from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files
from typing import Any


class Edition(StrEnum):
    """An edition of the schema; the unstable one of a version contains all of the stable one."""

    STABLE = "v1"
    UNSTABLE = "v1.unstable"
    STABLE_2 = "v2"
    UNSTABLE_2 = "v2.unstable"


DATE = "2026-11-01"
"""The date when the official schemas here were published."""
DATE_WORDS = "1 Nov 2026"
RELEASE = "1.29"
"""The release of the protocol that they belong to."""
WORDS = f"schema {RELEASE} of {DATE_WORDS}"
"""Names the schemas in `doctor`, in `check`, and in reports of findings."""
_REFERENCE = "#/$defs/"
_UNSTABLE_OF = {Edition.STABLE: Edition.UNSTABLE, Edition.STABLE_2: Edition.UNSTABLE_2}


def load_schema(edition: Edition) -> dict[str, Any]:
    """Load a schema: its `$defs`, and as `origin` its package, version and checksum.

    `overlay.json` adds properties and variants of unions to a stable schema that have become stable
    since. It also adds definitions, properties and variants that neither schema of a version has:
    to both, or only to the unstable one if they are `unstable`. Reads files of 100 kB and more: use
    it to validate, never at startup.
    """
    schema: dict[str, Any] = _read_json(f"{edition}.json")
    definitions: dict[str, Any] = schema["$defs"]
    version = 2 if edition in (Edition.STABLE_2, Edition.UNSTABLE_2) else 1
    additions = [one for one in load_overlay() if version in one["versions"]]
    if edition in _UNSTABLE_OF:
        unstable = _read_json(f"{_UNSTABLE_OF[edition]}.json")["$defs"]
        for addition in additions:
            _stabilize(definitions, unstable, addition)
    for addition in additions:
        if edition in _UNSTABLE_OF and addition.get("unstable"):
            continue
        definitions.update(addition.get("definitions", {}))
        for name, properties in addition.get("properties", {}).items():
            definitions[name]["properties"].update(properties)
        for union, variants in addition.get("added", {}).items():
            variants_of(definitions[union]).extend(variants)
    return schema


def load_overlay() -> list[dict[str, Any]]:
    """Load what was added to the protocol after the official schemas: each addition has its source,
    and the release whose schemas include it. `prose` has the sentences to quote.
    """
    additions: list[dict[str, Any]] = _read_json("overlay.json")
    return additions


def load_extensions() -> list[dict[str, Any]]:
    """Load methods outside ACP, in groups with a purpose, a source, and definitions.

    The definitions may refer to the protocol's. Messages are never checked against them.
    """
    groups: list[dict[str, Any]] = _read_json("extensions.json")
    return groups


def find_references(node: Any) -> Iterator[str]:
    """Yield the names of all definitions that a schema refers to."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix(_REFERENCE)
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from find_references(item)


def variants_of(union: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a union's variants: version 1 closes unions (`oneOf`), version 2 doesn't (`anyOf`)."""
    variants: list[dict[str, Any]] = union["oneOf" if "oneOf" in union else "anyOf"]
    return variants


def constant_of(variant: dict[str, Any]) -> str | None:
    """Return the constant that selects a variant of a union; None if it has none."""
    properties = variant.get("properties", {}).values()
    return next((one["const"] for one in properties if "const" in one), None)


def _stabilize(stable: dict[str, Any], unstable: dict[str, Any], addition: dict[str, Any]) -> None:
    """Copy properties and variants, with the definitions that they need, from the unstable schema."""
    properties, variants = addition.get("stabilized", {}), addition.get("variants", {})
    for name in properties.keys() & stable.keys():
        for key in properties[name]:
            stable[name]["properties"][key] = unstable[name]["properties"][key]
    for name in variants.keys() & stable.keys():
        variants_of(stable[name]).extend(
            one for one in variants_of(unstable[name]) if constant_of(one) in variants[name]
        )
    changed = [name for name in (*properties, *variants) if name in stable]
    missing = [one for name in changed for one in find_references(stable[name])]
    while missing:
        name = missing.pop()
        if name not in stable:
            stable[name] = unstable[name]
            missing.extend(find_references(stable[name]))


def _read_json(name: str) -> Any:
    return json.loads(files(__package__).joinpath(name).read_bytes())


def load_documentation() -> dict[str, dict[str, str]]:
    """Load the schema's description of each method of the agent, as "", and of its params."""
    texts: dict[str, dict[str, str]] = _read_json("docs.json")
    return texts
