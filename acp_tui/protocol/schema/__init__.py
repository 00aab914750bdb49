"""The official JSON Schemas of the protocol, as data. See NOTICE.md for where they come from."""

import json
from enum import StrEnum
from importlib.resources import files
from typing import Any


class Edition(StrEnum):
    """Which of the schemas; the unstable one of a version holds all of the stable one."""

    STABLE = "v1"
    UNSTABLE = "v1.unstable"
    STABLE_2 = "v2"
    UNSTABLE_2 = "v2.unstable"


def load(edition: Edition) -> dict[str, Any]:
    """Load a schema: its `$defs`, and under `origin` the package, version and checksum it came from.

    Reads a file of 100 kB and more: only for who validates, never at start-up.
    """
    schema: dict[str, Any] = json.loads(files(__package__).joinpath(f"{edition}.json").read_bytes())
    return schema


def documentation() -> dict[str, dict[str, str]]:
    """Load what the schema says of each method of the agent, under "", and of its params."""
    texts: dict[str, dict[str, str]] = json.loads(
        files(__package__).joinpath("docs.json").read_bytes()
    )
    return texts
