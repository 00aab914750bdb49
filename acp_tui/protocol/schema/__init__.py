"""The official JSON Schemas of the protocol, as data. See NOTICE.md for where they come from."""

import json
from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files
from typing import Any


class Edition(StrEnum):
    """Which of the schemas; the unstable one of a version holds all of the stable one."""

    STABLE = "v1"
    UNSTABLE = "v1.unstable"
    STABLE_2 = "v2"
    UNSTABLE_2 = "v2.unstable"


DATE = "2026-11-01"
"""When the official schemas here were published."""
DATE_WORDS = "1 Nov 2026"
RELEASE = "1.29"
"""The release of the protocol that they are of."""
WORDS = f"schema {RELEASE} of {DATE_WORDS}"
"""Names the schemas in doctor, in check, and in reports of findings."""
_REFERENCE = "#/$defs/"
_UNSTABLE_OF = {Edition.STABLE: Edition.UNSTABLE, Edition.STABLE_2: Edition.UNSTABLE_2}


def load(edition: Edition) -> dict[str, Any]:
    """Load a schema: its `$defs`, and under `origin` the package, version and checksum it came from.

    `overlay.json` adds to a stable schema what has become stable since, and to version 2 its new
    updates. Reads files of 100 kB and
    more: only for who validates, never at start-up.
    """
    schema: dict[str, Any] = _read(f"{edition}.json")
    if edition in _UNSTABLE_OF:
        unstable = _read(f"{_UNSTABLE_OF[edition]}.json")["$defs"]
        for addition in overlay():
            _stabilize(schema["$defs"], unstable, addition.get("stabilized", {}))
    if edition in (Edition.STABLE_2, Edition.UNSTABLE_2):
        kinds = [kind for addition in overlay() for kind in addition.get("updates", ())]
        schema["$defs"]["SessionUpdate"]["anyOf"][:0] = map(_update_without_fields, kinds)
    return schema


def overlay() -> list[dict[str, Any]]:
    """Load what has become stable since the official schemas: each with its source, and the release
    whose schemas have it.
    """
    additions: list[dict[str, Any]] = _read("overlay.json")
    return additions


def references(node: Any) -> Iterator[str]:
    """Find the names of all definitions that a schema refers to."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix(_REFERENCE)
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from references(item)


def _stabilize(
    stable: dict[str, Any], unstable: dict[str, Any], names: dict[str, list[str]]
) -> None:
    """Copy properties, and the definitions that they need, from the unstable schema."""
    for name in names.keys() & stable.keys():
        for key in names[name]:
            stable[name]["properties"][key] = unstable[name]["properties"][key]
    missing = [one for name in names if name in stable for one in references(stable[name])]
    while missing:
        name = missing.pop()
        if name not in stable:
            stable[name] = unstable[name]
            missing.extend(references(stable[name]))


def _update_without_fields(kind: str) -> dict[str, Any]:
    properties = {"sessionUpdate": {"type": "string", "const": kind}, "_meta": {"type": "object"}}
    return {"type": "object", "properties": properties, "required": ["sessionUpdate"]}


def _read(name: str) -> Any:
    return json.loads(files(__package__).joinpath(name).read_bytes())


def documentation() -> dict[str, dict[str, str]]:
    """Load what the schema says of each method of the agent, under "", and of its params."""
    texts: dict[str, dict[str, str]] = _read("docs.json")
    return texts
