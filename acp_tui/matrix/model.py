"""The model of a matrix: facts about agents in rows, an agent in each column, and the observations
behind them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from acp_tui.check.messages import Json, NumberedMessage
from acp_tui.check.probe import Probe
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.json_parts import value_at

NONE = "none"
"""The value of a cell for an empty list of names."""


class ObservedBy(StrEnum):
    """How an observation was made."""

    HANDSHAKE = "handshake"
    SESSION = "session"
    """By opening a session."""
    PROBE = "probe"
    """By a call that was only made to see the response."""
    TURN = "turn"


class MatrixAnswer(StrEnum):
    """The usual values of cells; others are facts, such as a version."""

    YES = "yes"
    NO = "no"
    NOT_OFFERED = "not offered"
    """The agent doesn't advertise it, so it wasn't tried."""
    NOT_SEEN = "not seen"
    """No turn showed it, which proves nothing."""
    NOT_TESTED = "not tested"


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """An observed value, how it was observed, and the number of the frame that shows it; 0 if none
    does.
    """

    text: str
    how: ObservedBy | None = None
    frame: int = 0
    recording: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the cell as JSON, without unknown fields."""
        source = {"how": self.how, "frame": self.frame, "recording": self.recording}
        return {"value": self.text, **{name: value for name, value in source.items() if value}}


UNTESTED = MatrixCell(MatrixAnswer.NOT_TESTED)


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """An agent: its name, its command or URL, and its cells by row id.

    `trouble` says why hardly anything could be observed.
    """

    name: str
    command: str
    cells: Mapping[str, MatrixCell] = field(default_factory=dict)
    trouble: str = ""

    def cell(self, row: str) -> MatrixCell:
        """Return the cell of a row; `UNTESTED` if it has none."""
        return self.cells.get(row, UNTESTED)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Agents that were probed together. `made` is the local time in ISO 8601."""

    made: str
    columns: Sequence[MatrixColumn]
    with_turns: bool = False


def to_json(matrix: Matrix) -> dict[str, Any]:
    """Convert a matrix to JSON."""
    return {
        "made": matrix.made,
        "turns": matrix.with_turns,
        "agents": [
            {
                "name": column.name,
                "command": column.command,
                "trouble": column.trouble,
                "cells": {row: cell.as_json() for row, cell in column.cells.items()},
            }
            for column in matrix.columns
        ],
    }


@dataclass
class Observations:
    """What was observed of an agent.

    `first` is the connection on which a session was opened and methods were called; `called` has
    the responses by method, None for a missing one. `worked` is the connection on which the model
    was prompted.
    """

    first: Probe
    reached: str = "stdio"
    other_version: NumberedMessage | None = None
    """The response to `initialize` with a version that doesn't exist."""
    other: Probe | None = None
    """The connection on which that version was requested."""
    session: NumberedMessage | None = None
    """The response to `session/new`."""
    offered: list[str] = field(default_factory=list)
    """The methods that the agent advertises."""
    called: dict[str, NumberedMessage | None] = field(default_factory=dict)
    worked: Probe | None = None

    @property
    def initialize_result(self) -> Json:
        """The result of `initialize`."""
        return self.first.initialized

    @property
    def probes(self) -> Iterator[tuple[ObservedBy, Probe]]:
        """The connections that are observed: all but `other`, which requests an unknown version."""
        yield ObservedBy.SESSION, self.first
        if self.worked is not None:
            yield ObservedBy.TURN, self.worked

    @cached_property
    def findings(self) -> list[tuple[ObservedBy, Probe, Finding]]:
        """The findings of these connections. Read it only once the agent has been probed
        completely, as it is cached.
        """
        return [(how, probe, one) for how, probe in self.probes for one in probe.findings()]

    def fact(
        self,
        text: str,
        how: ObservedBy,
        message: NumberedMessage | None,
        probe: Probe | None = None,
    ) -> MatrixCell:
        """Return a cell with the frame that shows it; a lone surrogate, which UTF-8 lacks, is
        replaced.
        """
        text = text.encode("utf-8", "replace").decode()
        shown = self.first if probe is None else probe
        frame = 0 if message is None else message.number
        return MatrixCell(text, how, frame, str(shown.recording))

    def in_initialize(self, text: str) -> MatrixCell:
        """Return a cell that was observed in the response to `initialize`."""
        message = next((one for one in self.first.agent_messages if one.result), None)
        return self.fact(text, ObservedBy.HANDSHAKE, message)

    def capability(self, path: str) -> Any:
        """Return the agent's capability at a dotted path; None if there is none."""
        return value_at(self.initialize_result, "agentCapabilities", *path.split("."))

    def cell_for_any(self, condition: Callable[[NumberedMessage], Any]) -> MatrixCell:
        """Return whether any message of the agent's meets `condition`, as a cell."""
        for how, probe in self.probes:
            for message in probe.agent_messages:
                if condition(message):
                    return self.fact(MatrixAnswer.YES, how, message, probe)
        return (
            UNTESTED if self.worked is None else MatrixCell(MatrixAnswer.NOT_SEEN, ObservedBy.TURN)
        )

    def names(
        self, names: Iterable[str], how: ObservedBy, message: NumberedMessage | None
    ) -> MatrixCell:
        """Return a cell that lists names."""
        found = ", ".join(dict.fromkeys(names))
        return self.fact(found or NONE, how, message)


Read = Callable[[Observations], MatrixCell]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A fact, and the function that reads it. `id` never changes, as programs compare matrices of
    several versions.
    """

    id: str
    group: str
    title: str
    read: Read
