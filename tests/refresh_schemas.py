"""Updates the schemas to another release: python -m tests.refresh_schemas PACKAGE_DIR

PACKAGE_DIR is the unpacked npm package `@agentclientprotocol/sdk`: npm pack, then tar xzf.
"""

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from acp_tui.protocol.schema import Edition, constant_of, find_references, load_overlay, variants_of

SOURCES = {
    Edition.STABLE: "schema/v1/schema.json",
    Edition.UNSTABLE: "schema/v1/schema.unstable.json",
    Edition.STABLE_2: "schema/v2/schema.json",
    Edition.UNSTABLE_2: "schema/v2/schema.unstable.json",
}
_EDITIONS = {
    1: (Edition.STABLE, Edition.UNSTABLE),
    2: (Edition.STABLE_2, Edition.UNSTABLE_2),
}
_PROSE = ("description", "title", "x-docs-ignore")
_SEE = "\n\nSee protocol docs"
_CALLS = ("Request", "Notification")


def reduce_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Extract the definitions that messages need, without their prose."""
    definitions: dict[str, Any] = _without_prose(schema["$defs"])
    wanted = ["Error", *(name for name, one in definitions.items() if "x-method" in one)]
    kept: dict[str, Any] = {}
    while wanted:
        name = wanted.pop()
        if name not in kept:
            kept[name] = definitions[name]
            wanted.extend(find_references(kept[name]))
    return dict(sorted(kept.items()))


def extract_documentation(schema: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Extract the schema's text about each method of the agent, under "", and about its params."""
    definitions = schema["$defs"]
    found: dict[str, dict[str, str]] = {}
    for name, one in definitions.items():
        if one.get("x-side") in ("agent", "protocol") and name.endswith(_CALLS):
            texts = found.setdefault(one["x-method"], {"": one.get("description", "")})
            for part in (one, *one.get("anyOf", ()), *one.get("oneOf", ())):
                for param, what in part.get("properties", {}).items():
                    texts.setdefault(param, _described(what, definitions))
    return dict(sorted(found.items()))


def extract_prose(schema: dict[str, Any]) -> dict[str, list[str]]:
    """Extract the schema's text about each type and its parts, except `_meta`."""
    found = {name: list(_said(one)) for name, one in schema["$defs"].items()}
    for where, text in _said_of_references(schema.get("anyOf", [])):
        found[where].append(text.partition(_SEE)[0])
    return {name: list(dict.fromkeys(texts)) for name, texts in sorted(found.items()) if texts}


def _said(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(text := node.get("description"), str):
            yield text.partition(_SEE)[0]
        node = [value for name, value in node.items() if name != "_meta"]
    if isinstance(node, list):
        for item in node:
            yield from _said(item)


def _said_of_references(node: Any) -> Iterator[tuple[str, str]]:
    """Yield each description of a reference to a type, with the name of the type."""
    if isinstance(node, dict):
        text = node.get("description")
        names = [one["$ref"] for one in node.get("allOf", ()) if "$ref" in one]
        if isinstance(text, str) and len(names) == 1:
            yield names[0].removeprefix("#/$defs/"), text
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from _said_of_references(item)


def _described(what: dict[str, Any], definitions: dict[str, Any]) -> str:
    """Return the description of a param, or else that of its type."""
    if "description" in what:
        return str(what["description"])
    names = (one.removeprefix("#/$defs/") for one in find_references(what))
    return next((definitions[one].get("description", "") for one in names), "")


def _without_prose(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_prose(item) for item in node]
    if not isinstance(node, dict):
        return node
    # A property may be called `title`: then its value is a schema, not a string.
    return {
        key: _without_prose(value)
        for key, value in node.items()
        if key not in _PROSE or isinstance(value, dict)
    }


def still_missing(
    additions: list[dict[str, Any]], schemas: dict[Edition, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the additions of the overlay that the new schemas still lack."""
    return [
        one
        for one in additions
        if any(
            _lacks(schemas[_EDITIONS[version][one.get("unstable", False)]], one)
            for version in one["versions"]
        )
    ]


def _lacks(definitions: dict[str, Any], addition: dict[str, Any]) -> bool:
    """Return whether something of an addition is missing: a definition, or a property or a variant of
    the types that are there.
    """
    if not definitions.keys() >= addition.get("definitions", {}).keys():
        return True
    added = {
        union: [constant_of(one) for one in variants]
        for union, variants in addition.get("added", {}).items()
    }
    return any(
        name in definitions and not there(definitions[name]).issuperset(wanted)
        for there, names in (
            (_properties, addition.get("stabilized", {})),
            (_properties, addition.get("properties", {})),
            (_constants, addition.get("variants", {})),
            (_constants, added),
        )
        for name, wanted in names.items()
    )


def _properties(definition: dict[str, Any]) -> set[str]:
    return set(definition["properties"])


def _constants(union: dict[str, Any]) -> set[str | None]:
    return set(map(constant_of, variants_of(union)))


def refresh_schemas(package: Path, target: Path) -> list[Path]:
    """Write the reduced schemas, their texts, and the license into `target`; return the files."""
    about = json.loads((package / "package.json").read_text("utf-8"))
    written = []
    for edition, source in SOURCES.items():
        raw = (package / source).read_bytes()
        origin = {
            "package": about["name"],
            "version": about["version"],
            "file": source,
            "sha256": hashlib.sha256(raw).hexdigest(),
        }
        data = {"origin": origin, "$defs": reduce_schema(json.loads(raw))}
        path = target / f"{edition}.json"
        path.write_text(json.dumps(data, separators=(",", ":")) + "\n", "utf-8")
        written.append(path)
    first, second = (
        json.loads((package / SOURCES[edition]).read_bytes())
        for edition in (Edition.UNSTABLE, Edition.UNSTABLE_2)
    )
    texts_by_name = {
        "docs": extract_documentation(first),
        "prose": extract_prose(first),
        "prose.v2": extract_prose(second),
    }
    for name, texts in texts_by_name.items():
        written.append(target / f"{name}.json")
        written[-1].write_text(json.dumps(texts, indent=1) + "\n", "utf-8")
    schemas = {
        edition: json.loads((package / source).read_bytes())["$defs"]
        for edition, source in SOURCES.items()
    }
    written.append(target / "overlay.json")
    written[-1].write_text(
        json.dumps(still_missing(load_overlay(), schemas), indent=1) + "\n", "utf-8"
    )
    shutil.copyfile(package / "LICENSE", target / "LICENSE")
    return [*written, target / "LICENSE"]


def main(arguments: list[str], target: Path) -> None:
    """Refresh `target` from the package folder that `arguments` name; print the files."""
    if len(arguments) != 1:
        sys.exit(__doc__)
    for file in refresh_schemas(Path(arguments[0]), target):
        sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main(sys.argv[1:], Path(str(files("acp_tui.protocol.schema"))))
