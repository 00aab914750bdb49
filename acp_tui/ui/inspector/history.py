"""The session as it was: the fold over the first records of a log, forth and back. No Textual."""

import pickle
from collections.abc import Sequence
from dataclasses import fields
from time import perf_counter

from acp_tui.session.changes import Change
from acp_tui.session.fold import apply
from acp_tui.session.state import State
from acp_tui.wire.recording import Interpreter, Record

NEAR = 200
"""How far before its goal a long way leaves a checkpoint, so that steps back are short."""
APART = 20_000
"""How far apart checkpoints are otherwise; their count is bounded."""
MOST = 40


class History:
    """`state` is what was true after the first `position` records.

    A checkpoint is the state, packed; to go back is to go on from the checkpoint before.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        self.position = 0
        self.state = State()
        self._interpreter = Interpreter()
        self._checkpoints: dict[int, bytes] = {}
        self._keep()

    def step(self) -> list[Change]:
        """Take one record more; tell what moved."""
        event = self._interpreter.event(self.records[self.position])
        self.position += 1
        return apply(self.state, event)

    def seek(self, position: int, until: float) -> tuple[bool, list[Change] | None]:
        """Go on toward a position, until the time (perf_counter) is over.

        Tells whether it is reached, and what moved: None if the state is another one.
        """
        moved: list[Change] | None = []
        best = max(at for at in self._checkpoints if at <= position)
        if position < self.position or best > self.position:
            self._go_back(best)
            moved = None
        while self.position < position:
            changes = self.step()
            if moved is not None:
                moved += changes
            if position - self.position == NEAR or self.position % APART == 0:
                self._keep()
            if perf_counter() > until:
                break
        return self.position == position, moved

    def _go_back(self, position: int) -> None:
        """Restore a checkpoint into the same state object: views hold on to it."""
        state, self._interpreter = pickle.loads(self._checkpoints[position])  # noqa: S301  # our own
        for field in fields(State):
            setattr(self.state, field.name, getattr(state, field.name))
        self.position = position

    def _keep(self) -> None:
        if self.position not in self._checkpoints:
            packed = pickle.dumps((self.state, self._interpreter), pickle.HIGHEST_PROTOCOL)
            self._checkpoints[self.position] = packed
        if len(self._checkpoints) > MOST:
            self._thin_out()

    def _thin_out(self) -> None:
        """Drop every other checkpoint but the first and the newest."""
        for at in sorted(self._checkpoints)[1:-1:2]:
            del self._checkpoints[at]
