"""A matrix: facts about agents in rows, an agent in each column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class How(StrEnum):
    """The sources of an observation."""

    HANDSHAKE = "handshake"
    SESSION = "session"
    """When a session was opened."""
    PROBE = "probe"
    """A call that was made to see what is answered."""
    TURN = "turn"


class MatrixAnswer(StrEnum):
    """The usual values of cells; others are facts, such as a version."""

    YES = "yes"
    NO = "no"
    NOT_OFFERED = "not offered"
    """The agent doesn't say that it can, so it wasn't asked to."""
    NOT_SEEN = "not seen"
    """It may be able to: nothing in the turns called for it, or it doesn't."""
    NOT_TESTED = "not tested"


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """An observed value, its source, and the number of the frame that shows it; 0 if none does."""

    text: str
    how: How | None = None
    frame: int = 0
    recording: str = ""


UNTESTED = MatrixCell(MatrixAnswer.NOT_TESTED)


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """An agent: its name here, the command or address, and what was found, by the ids of the rows.

    `trouble` says why hardly anything was found.
    """

    name: str
    command: str
    cells: Mapping[str, MatrixCell] = field(default_factory=dict)
    trouble: str = ""

    def cell(self, row: str) -> MatrixCell:
        """Return what was found for a row."""
        return self.cells.get(row, UNTESTED)


@dataclass(frozen=True, slots=True)
class Matrix:
    """All agents that were probed together. `made` is a local time in ISO 8601."""

    made: str
    columns: Sequence[MatrixColumn]
    with_turns: bool = False


def to_json(matrix: Matrix) -> dict[str, Any]:
    """Return a matrix as JSON."""
    return {
        "made": matrix.made,
        "turns": matrix.with_turns,
        "agents": [
            {
                "name": column.name,
                "command": column.command,
                "trouble": column.trouble,
                "cells": {row: _cell_json(cell) for row, cell in column.cells.items()},
            }
            for column in matrix.columns
        ],
    }


def _cell_json(cell: MatrixCell) -> dict[str, Any]:
    seen = {"how": cell.how, "frame": cell.frame, "recording": cell.recording}
    return {"value": cell.text, **{name: value for name, value in seen.items() if value}}
