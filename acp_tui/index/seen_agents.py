"""What recordings tell of agents: the version that each had last, and when one last worked for its person."""

import json
import sqlite3
from pathlib import Path

from acp_tui.index.index import Index
from acp_tui.store.seen_agents import SeenAgent, as_version


def seen_agents(file: Path) -> dict[tuple[str, ...], SeenAgent]:
    """Return what the index knows of agents, by their commands; nothing where there is no index, or none
    that can be read. It isn't brought up to date for that.
    """
    if not file.exists():
        return {}
    try:
        with Index.reading(file) as index:
            rows = index.database.execute(
                "select command, version, turns, started from recordings order by started"
            ).fetchall()
    except sqlite3.Error:
        return {}
    found: dict[tuple[str, ...], SeenAgent] = {}
    for command, version, turns, started in rows:
        argv = tuple(json.loads(command))
        before = found.get(argv, SeenAgent("", None))
        found[argv] = SeenAgent(
            as_version(version) or before.version, started if turns else before.worked
        )
    return found
