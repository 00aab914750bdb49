"""Other clients' `initialize` params, to act as one of them (`--as`).

Nothing is guessed silently: `known` names the source of each profile, and what is uncertain.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.config.private_files import read_file
from acp_tui.config.toml_files import ConfigError

Params = Mapping[str, Any]
"""The params of an `initialize` request."""
_AIR = ("_meta", "jetbrains", "air", "capabilities")
"""The path to the list of JetBrains AIR's capabilities."""
SWITCHES: Mapping[str, tuple[str, ...]] = {
    "read files": ("fs", "readTextFile"),
    "write files": ("fs", "writeTextFile"),
    "terminals": ("terminal",),
    "sign-in in a terminal": ("auth", "terminal"),
    "questions: forms": ("elicitation", "form"),
    "questions: links": ("elicitation", "url"),
    "boolean options": ("session", "configOptions", "boolean"),
    "notices": ("session", "notices"),
    "compaction": ("session", "compaction"),
    "prompt suggestions (unstable)": ("session", "promptSuggestions"),
    "cursors (unstable)": ("session", "cursors"),
    "plan updates (unstable)": ("plan",),
    "subagents": ("subagents",),
    "_meta: output of the agent's terminals": ("_meta", "terminal_output"),
    "_meta: sign-in, as before it was standard": ("_meta", "terminal-auth"),
    **{
        f"AIR: {name}": (*_AIR, name)
        for name in (
            "asyncTasks",
            "sessionFailure",
            "rawInputRendering",
            "agentFileChangeReport",
            "backgroundSubagents",
            "diffPatch",
            "loadReplayEnd",
            "nativeSubagentSessions",
            "planContentDelta",
            "planFile",
            "recommendedValue",
            "sessionIndex",
        )
    },
}
"""Client capabilities by our name, with their paths in `clientCapabilities`: keys, or a name in a
list.
"""
_TRUE = {("fs",), ("auth",), ("_meta",), ()}
"""The objects whose members are booleans; elsewhere a capability is an object, or absent."""


class ClientProfile(NamedTuple):
    """A client's `initialize` params, and what is `known` about them."""

    name: str
    params: Params
    known: str


PROFILES = {
    name: ClientProfile(name, one["params"], one["known"])
    for name, one in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}


def find_profile(name: str) -> ClientProfile:
    """Return a profile by its name, or read one from a file: `initialize` params as JSON, or a
    recording in which a client sends them. Raises ConfigError.
    """
    if name in PROFILES:
        return PROFILES[name]
    path = Path(name).expanduser()
    try:
        text = read_file(path).decode()
    except FileNotFoundError:
        known = ", ".join(PROFILES)
        words = f"there is no client profile and no file {name!r}; there are: {known}"
        raise ConfigError(words) from None
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8") from None
    params = _find_params(text)
    if params is None:
        words = "neither the params of an initialize as JSON, nor a recording that has them"
        raise ConfigError(f"{path}: {words}")
    return ClientProfile(name, params, f"From {path}.")


def _find_params(text: str) -> Params | None:
    whole = _parse_json(text)
    if isinstance(whole, dict) and "acp-tui" not in whole:
        return _params_of_message(whole) or (whole if "clientCapabilities" in whole else None)
    return next(filter(None, map(_params_of_record, text.splitlines())), None)


def _params_of_record(line: str) -> Params | None:
    """Return the params if a recording's line is a sent `initialize`, else None."""
    record = _parse_json(line)
    if not isinstance(record, dict) or record.get("dir") != "out":
        return None
    message = _parse_json(str(record.get("raw")))
    return _params_of_message(message) if isinstance(message, dict) else None


def _params_of_message(message: Mapping[str, Any]) -> Params | None:
    params = message.get("params")
    return params if message.get("method") == "initialize" and isinstance(params, dict) else None


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def offers_capability(params: Params, path: Iterable[str]) -> bool:
    """Return whether a capability is advertised: as true, as an object, or as a name in a list."""
    value: Any = params.get("clientCapabilities")
    for step in path:
        if isinstance(value, list):
            return step in value
        value = value.get(step) if isinstance(value, Mapping) else None
    return value is True or isinstance(value, Mapping)


def switch_capability(params: Params, path: tuple[str, ...], *, on: bool) -> Params:
    """Return a copy of the params in which a capability is advertised, or not."""
    changed: dict[str, Any] = deepcopy(dict(params))
    if path[:-1] == _AIR:
        return _with_air_capability(changed, path[-1], on=on)
    holder = _object_at(changed, ("clientCapabilities", *path[:-1]))
    if on:
        true = path[:-1] in _TRUE and path not in (("plan",), ("subagents",))
        holder[path[-1]] = True if true else {}
    else:
        holder.pop(path[-1], None)
    return changed


def _with_air_capability(params: dict[str, Any], name: str, *, on: bool) -> Params:
    """Add or remove a name in AIR's list. An empty list is removed with its version, as it no
    longer means AIR.
    """
    air = _object_at(params, ("clientCapabilities", *_AIR[:-1]))
    given = air.get(_AIR[-1])
    names = [one for one in given if one != name] if isinstance(given, list) else []
    if on:
        names.append(name)
    if names:
        air.update({"version": 1, **air, _AIR[-1]: names})
    else:
        _object_at(params, ("clientCapabilities", *_AIR[:-2])).pop(_AIR[-2])
    return params


def _object_at(params: dict[str, Any], path: Iterable[str]) -> dict[str, Any]:
    """Return the object at a path, creating the missing ones."""
    holder = params
    for step in path:
        if not isinstance(holder.get(step), dict):
            holder[step] = {}
        holder = holder[step]
    return holder
