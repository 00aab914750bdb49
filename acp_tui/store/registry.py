"""Parses the ACP registry's list of agents: leniently, but reporting violations of its schema."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from acp_tui.config.toml_files import ConfigError

KINDS = ("binary", "npx", "uvx")
"""Kinds of distribution."""
PREVIEW = "@preview"
"""Suffix of a preview's id; the schema allows no @ in agents' own ids."""
_SCHEMA_ID = re.compile(r"[a-z][a-z0-9-]*")
"""Ids that the registry's schema allows."""
_SCHEMA_VERSION = re.compile(r"\d+\.\d+\.\d+")
"""How versions begin according to the registry's schema."""
_USABLE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Ids that we accept: more than the schema does, but none that leads out of a folder as a path."""
_SHA256 = re.compile(r"[a-fA-F0-9]{64}")
_SYSTEMS = tuple(
    f"{system}-{machine}"
    for system in ("darwin", "linux", "windows")
    for machine in ("aarch64", "x86_64")
)
_TEXTS = ("name", "version", "description")
_STARTS = ("cmd", "args", "env")


@dataclass(frozen=True, slots=True)
class RegistryAgent:
    """An agent of the registry. `distribution` has the ways to fetch and start it, by kind.

    A preview is an agent of its own, whose id ends with `@preview`.
    """

    id: str
    name: str
    version: str
    distribution: Mapping[str, Mapping[str, Any]]
    description: str = ""
    license_url: str = ""

    @property
    def is_preview(self) -> bool:
        """Whether this is an agent's preview."""
        return self.id.endswith(PREVIEW)


@dataclass(frozen=True, slots=True)
class Registry:
    """The usable agents; `problems` are about entries that were left out, `doubts` about violations
    of the schema.
    """

    agents: list[RegistryAgent] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


def read_registry(path: Path) -> Registry:
    """Read a registry file. Unusable entries are left out, and reported.

    Raises:
        ConfigError: the file can't be read, or isn't a registry.
    """
    try:
        return parse_registry(path.read_bytes(), str(path))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None


def parse_registry(data: bytes, source: str) -> Registry:
    """Parse a registry; `source` is named in messages. Unusable entries are left out, and reported.

    Raises:
        ConfigError: it isn't a registry.
    """
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{source}: not JSON: {error}") from None
    entries = value.get("agents") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise ConfigError(f'{source}: not a registry: it has no list "agents"')
    registry, known = Registry(), set[str]()
    for number, entry in enumerate(entries, 1):
        wrong: list[str] = []
        doubtful: list[str] = []
        agent = _agent(entry, wrong, doubtful)
        who = f"{source}: agent {number}"
        if agent is None:
            registry.problems.append(f"{who} {'; '.join(wrong)}: left out")
        elif agent.id in known:
            registry.problems.append(f"{who} is {agent.id} once more: left out")
        else:
            known.add(agent.id)
            registry.agents.append(agent)
            if (preview := _preview(agent, entry, wrong, doubtful)) is not None:
                registry.agents.append(preview)
            registry.problems.extend(f"{source}: {agent.id}: {one}: left out" for one in wrong)
            registry.doubts.extend(f"{source}: {agent.id}: {one}" for one in doubtful)
    unlicensed = [one.id for one in registry.agents if not (one.license_url or one.is_preview)]
    if unlicensed:  # as one message: older lists have no license URLs at all
        registry.doubts.append(f"{source}: no license_url: {', '.join(unlicensed)}")
    return registry


def _agent(entry: Any, wrong: list[str], doubtful: list[str]) -> RegistryAgent | None:
    """Return an agent with its usable distributions; None if it has no usable id, or no usable
    distribution.
    """
    id = entry.get("id") if isinstance(entry, dict) else None
    if not isinstance(id, str) or not _USABLE_ID.fullmatch(id):
        wrong.append("has no usable id")
        return None
    ways = entry.get("distribution")
    if not isinstance(ways, dict) or not ways:
        wrong.append(f"({id}) has no distribution")
        return None
    usable = usable_ways(ways, wrong, doubtful)
    if not usable:
        wrong[0] = f"({id}): {wrong[0]}"
        return None
    doubtful[:0] = find_doubts(entry)
    return RegistryAgent(
        id,
        _text(entry, "name") or id,
        _text(entry, "version"),
        usable,
        _text(entry, "description"),
        _text(entry, "license_url"),
    )


def _preview(
    agent: RegistryAgent, entry: Mapping[str, Any], wrong: list[str], doubtful: list[str]
) -> RegistryAgent | None:
    """Return an agent's preview; None if it has no usable one."""
    preview = entry.get("preview")
    if preview is None:
        return None
    ways = preview.get("distribution") if isinstance(preview, dict) else None
    if not isinstance(ways, dict) or not ways:
        wrong.append("its preview has no distribution")
        return None
    faults: list[str] = []
    usable = usable_ways(ways, faults, doubtful)
    wrong += [f"preview: {one}" for one in faults]
    if not usable:
        return None
    return replace(
        agent,
        id=f"{agent.id}{PREVIEW}",
        name=f"{agent.name} (preview)",
        version=_text(preview, "version"),
        distribution=usable,
    )


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def find_doubts(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield violations of the schema that don't make an entry unusable."""
    if not _SCHEMA_ID.fullmatch(entry["id"]):
        yield "its id isn't made of small letters, digits and hyphens"
    for key in _TEXTS:
        text = entry.get(key)
        if not isinstance(text, str) or not text:
            yield f"it has no {key}"
        elif key == "version" and not _SCHEMA_VERSION.match(text):
            yield f"its version {text!r} isn't of the form 1.2.3"


def usable_ways(
    distribution: Mapping[Any, Any], wrong: list[str], doubtful: list[str]
) -> dict[str, Mapping[str, Any]]:
    """Return the usable distributions by kind.

    Problems with others are added to `wrong`, violations of the schema to `doubtful`.
    """
    usable: dict[str, Mapping[str, Any]] = {}
    for kind, way in distribution.items():
        if kind not in KINDS:
            wrong.append(f"distribution {kind!r} isn't known")
        elif not isinstance(way, dict):
            wrong.append(f"{kind} is no table")
        elif kind == "binary":
            if targets := _targets(way, wrong, doubtful):
                usable[kind] = targets
        elif reason := _package_fault(way):
            wrong.append(f"{kind}: {reason}")
        else:
            usable[kind] = way
            doubtful += [f"{kind}: {one}" for one in _start_doubts(way, ("package", *_STARTS))]
    return usable


def _targets(
    way: Mapping[Any, Any], wrong: list[str], doubtful: list[str]
) -> dict[str, Mapping[str, Any]]:
    usable: dict[str, Mapping[str, Any]] = {}
    for system, target in way.items():
        if reason := _target_fault(target):
            wrong.append(f"binary {system}: {reason}")
            continue
        usable[str(system)] = target
        if system not in _SYSTEMS:
            doubtful.append(f"binary {system}: there is no such system")
        known = ("archive", "sha256", *_STARTS)
        doubtful += [f"binary {system}: {one}" for one in _start_doubts(target, known)]
    return usable


def _target_fault(target: Any) -> str:
    if not isinstance(target, dict):
        return "is no table"
    url, program, sha256 = (target.get(one) for one in ("archive", "cmd", "sha256"))
    if not isinstance(program, str) or not program:
        return "it has no cmd"
    if not isinstance(url, str):
        return "it has no archive"
    if sha256 is not None and not (isinstance(sha256, str) and _SHA256.fullmatch(sha256)):
        return f"its sha256 {sha256!r} isn't 64 hexadecimal digits"
    try:
        return "" if is_fetchable(url) else f"its archive {url!r} isn't at https://"
    except ValueError as error:
        return f"its archive {url!r} is no address: {error}"


def is_fetchable(url: str) -> bool:
    """Return whether a URL is HTTPS, so that nobody can change the content in transit, or on this
    machine.

    Raises ValueError if it isn't a URL.
    """
    parts = urlsplit(url)
    is_here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return parts.scheme == "https" or (parts.scheme == "http" and is_here)


def _package_fault(way: Mapping[Any, Any]) -> str:
    for key in ("package", "cmd"):
        word = way.get(key)
        if word is None and key == "cmd":
            continue
        if not isinstance(word, str) or not word or word.startswith("-"):
            return f"its {key} {word!r} is none" if word is not None else f"it has no {key}"
    return ""


def _start_doubts(way: Mapping[Any, Any], known: tuple[str, ...]) -> Iterator[str]:
    words, variables = way.get("args", []), way.get("env", {})
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        yield "its args are no list of texts"
    if not isinstance(variables, dict) or not all(
        isinstance(one, str) for one in variables.values()
    ):
        yield "its env has more than texts"
    for key in way:
        if key not in known:
            yield f"{key!r} isn't known"
