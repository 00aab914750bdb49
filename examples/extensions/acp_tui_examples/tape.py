"""An importer: logs whose lines are {"tape": "in" | "out", "line": "..."}."""

from collections.abc import Iterator
from typing import Any

from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.log_formats import Format


def fits(entry: dict[str, Any]) -> bool:
    return "tape" in entry


def read(entries: list[dict[str, Any]], _around: dict[str, Any]) -> Iterator[Record]:
    for number, entry in enumerate(entries, 1):
        raw = entry["line"].encode()
        yield Frame(Direction(entry["tape"]), raw, entry.get("at", 0.0), number, size=len(raw))


FORMAT = Format("tape", 'lines of {"tape": "in" | "out", "line", "at"}', fits, read)
