"""Checks an entry of the registry's list by the registry's own schema.

Entries that could start another program than the author meant are left out; other violations
are only reported.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

KINDS = ("binary", "npx", "uvx")
"""How agents are distributed."""
_ID = re.compile(r"[a-z][a-z0-9-]*")
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_SHA256 = re.compile(r"[a-fA-F0-9]{64}")
_SYSTEMS = tuple(
    f"{system}-{machine}"
    for system in ("darwin", "linux", "windows")
    for machine in ("aarch64", "x86_64")
)
_TEXTS = ("name", "version", "description")
_STARTS = ("cmd", "args", "env")


def doubts(entry: Mapping[str, Any]) -> Iterator[str]:
    """Find what breaks the schema in an entry that can be used all the same."""
    if not _ID.fullmatch(entry["id"]):
        yield "its id isn't made of small letters, digits and hyphens"
    for key in _TEXTS:
        text = entry.get(key)
        if not isinstance(text, str) or not text:
            yield f"it has no {key}"
        elif key == "version" and not _VERSION.match(text):
            yield f"its version {text!r} isn't of the form 1.2.3"


def usable_ways(
    distribution: Mapping[Any, Any], wrong: list[str], doubtful: list[str]
) -> dict[str, Mapping[str, Any]]:
    """Return the usable ways to start an agent; report why others aren't, and what is doubtful."""
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


def is_fetchable(url: str) -> bool:
    """Return whether an address is HTTPS, so that nobody can change the content on its way. Raises
    ValueError: it isn't an address."""
    parts = urlsplit(url)
    is_here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return parts.scheme == "https" or (parts.scheme == "http" and is_here)


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
