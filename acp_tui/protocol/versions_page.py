"""Writes docs/versions.md: python -m acp_tui.protocol.versions_page > docs/versions.md"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acp_tui.protocol import versions
from acp_tui.protocol.schema import Edition, load
from acp_tui.protocol.versions import Entry

Definitions = dict[str, Any]
Parts = dict[str, list[str]]
"""Fields or values, by what they are of."""

_INTRO = """\
# What one version is in the other

Every method, update, capability, type, field and value of version 1 of the protocol and what it is in
version 2, which is a draft, and the reverse; stable and unstable. This page is generated from the
official schemas and from one table: `python -m acp_tui.protocol.versions_page > docs/versions.md`. The
inspector says the same about a frame that has another name or shape in the other version.
"""
_GENERAL = {
    f"{side}{kind}"
    for side in ("Agent", "Client")
    for kind in ("Request", "Response", "Notification")
}
"""The types of anything that one side sends."""


def names(definitions: Definitions) -> dict[str, list[str]]:
    """Return all names of a schema but those of fields and values, by the heading of their tables."""
    kinds = (one.get("properties", {}) for one in _branches(definitions["SessionUpdate"]))
    return {
        "Methods": sorted({one["x-method"] for one in definitions.values() if "x-method" in one}),
        "Session updates": [
            one["sessionUpdate"]["const"]
            for one in kinds
            if "const" in one.get("sessionUpdate", {})
        ],
        "Capabilities of the agent": list(_leaves(definitions, "AgentCapabilities")),
        "Capabilities of the client": list(_leaves(definitions, "ClientCapabilities")),
        "Types": sorted(
            name for name in definitions if name not in _GENERAL and not name.startswith("Ext")
        ),
    }


ENTRIES: Mapping[str, Sequence[Entry]] = {
    "Methods": versions.METHODS,
    "Session updates": versions.UPDATES,
    "Capabilities of the agent": versions.AGENT_CAPABILITIES,
    "Capabilities of the client": versions.CLIENT_CAPABILITIES,
    "Types": versions.TYPES,
}


def fields(definitions: Definitions) -> Parts:
    """Return the fields of each type, with those of its variants."""
    found = {name: list(dict.fromkeys(_properties(one))) for name, one in definitions.items()}
    return {name: of for name, of in found.items() if of and name not in _GENERAL}


def values(definitions: Definitions) -> Parts:
    """Return the values of each enum, and those that tell variants apart."""
    found: Parts = {}
    for name, schema in definitions.items():
        found.setdefault(name, []).extend(str(one) for one in schema.get("enum", ()))
        for branch in _branches(schema):
            if "const" in branch:
                found[name].append(str(branch["const"]))
            for field, of in branch.get("properties", {}).items():
                if "const" in of:
                    found.setdefault(f"{name}.{field}", []).append(str(of["const"]))
    return {name: of for name, of in found.items() if of and name != "SessionUpdate.sessionUpdate"}


def page() -> str:
    """Make the page as Markdown."""
    first, second = load(Edition.UNSTABLE)["$defs"], load(Edition.UNSTABLE_2)["$defs"]
    old, new = names(first), names(second)
    lines = [_INTRO]
    for heading, entries in ENTRIES.items():
        lines += [f"## {heading}", "", *_table(1, old[heading], entries)]
        lines += _table(2, new[heading], entries)
    for heading, of, table in (
        ("Fields", fields, versions.FIELDS),
        ("Values", values, versions.VALUES),
    ):
        lines += [f"## {heading}", "", *_parts(1, of(first), of(second), table)]
        lines += _parts(2, of(second), of(first), table)
    return "\n".join(lines)


def _table(version: int, listed: Sequence[str], entries: Sequence[Entry]) -> list[str]:
    rows = [f"| `{name}` | {' | '.join(_cells(version, name, entries))} |" for name in listed]
    return [f"| version {version} | version {3 - version} | |", "|---|---|---|", *rows, ""]


def _cells(version: int, name: str, entries: Sequence[Entry]) -> tuple[str, str]:
    """Return what a name is in the other version, and the notes."""
    found = [one for one in entries if (one.v1 if version == 1 else one.v2) == name]
    if not found:
        return "the same", ""
    others = dict.fromkeys(one.v2 if version == 1 else one.v1 for one in found)
    told = ", ".join(f"`{other}`" for other in others if other) or "none"
    notes = [note for one in found for note in (one.note, one.answer) if note]
    return told, "; ".join(dict.fromkeys(notes))


def _parts(
    version: int, listed: Parts, others: Parts, table: Mapping[str, Sequence[Entry]]
) -> list[str]:
    """Return a row for each type or enum: which of its parts are the same, and what the others are."""
    rows = []
    for owner, parts in sorted(listed.items()):
        other, entries = renamed(version, owner), table.get(_old_name(version, owner), ())
        there = others.get(other or "", [])
        same = [f"`{one}`" for one in parts if one in there and not _is_told(version, one, entries)]
        told = [
            f"`{one}`: {': '.join(cell for cell in _cells(version, one, entries) if cell)}"
            for one in parts
            if _is_told(version, one, entries)
        ]
        gone = [
            f"`{one}`" for one in parts if one not in there and not _is_told(version, one, entries)
        ]
        cells = [
            f"the same: {', '.join(same)}" if same else "",
            f"none: {', '.join(gone)}" if gone else "",
            *told,
        ]
        shown = f"`{other}`" if other else "none"
        rows.append(f"| `{owner}` | {shown} | {'; '.join(one for one in cells if one)} |")
    return [f"| version {version} | version {3 - version} | |", "|---|---|---|", *rows, ""]


def renamed(version: int, owner: str) -> str | None:
    """Return what a type is called in the other version, or what a field of one is."""
    name, dot, field = owner.partition(".")
    for one in versions.TYPES:
        if (one.v1 if version == 1 else one.v2) == name:
            other = one.v2 if version == 1 else one.v1
            return other and other + dot + field
    return owner


def _old_name(version: int, owner: str) -> str:
    return owner if version == 1 else renamed(2, owner) or owner


def _is_told(version: int, name: str, entries: Sequence[Entry]) -> bool:
    return any((one.v1 if version == 1 else one.v2) == name for one in entries)


def _branches(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [*schema.get("oneOf", ()), *schema.get("anyOf", ())]


def _properties(schema: dict[str, Any]) -> Iterator[str]:
    yield from (name for name in schema.get("properties", {}) if name != "_meta")
    for part in (*schema.get("allOf", ()), *_branches(schema)):
        yield from _properties(part)


def _leaves(definitions: Definitions, name: str, path: str = "") -> Iterator[str]:
    """Return the paths of all that capabilities hold."""
    for key, schema in definitions[name].get("properties", {}).items():
        if key != "_meta":
            inner = _object(definitions, schema)
            below = list(_leaves(definitions, inner, f"{path}{key}.")) if inner else []
            yield from below or [f"{path}{key}"]


def _object(definitions: Definitions, schema: dict[str, Any]) -> str | None:
    for part in [schema, *schema.get("allOf", ()), *schema.get("anyOf", ())]:
        name = str(part.get("$ref", "")).rpartition("/")[2]
        if definitions.get(name, {}).get("type") == "object":
            return name
    return None


if __name__ == "__main__":
    sys.stdout.write(page())
