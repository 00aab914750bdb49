"""The session as it was after any record of a log. No Textual."""

import pickle
from collections.abc import Sequence
from dataclasses import fields, replace
from io import BytesIO
from time import perf_counter

from acp_tui.protocol.events import Record
from acp_tui.recordings.recording import Interpreter
from acp_tui.state.changes import Change
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State

SLICE = 16
"""Entries packed between two looks at the clock."""


class StatePacker:
    """Packs a state, which must not move meanwhile."""

    def __init__(self, state: State, interpreter: Interpreter) -> None:
        self._buffer = BytesIO()
        self._pickler = pickle.Pickler(self._buffer, pickle.HIGHEST_PROTOCOL)
        self._whole = (state, interpreter)
        self._entries = [entry for one in state.sessions.values() for entry in one.entries]
        self._at = 0

    def work(self, until: float) -> bytes | None:
        """Go on until the time (perf_counter) is over; the bytes, if that is all."""
        while self._at < len(self._entries):
            self._pickler.dump(self._entries[self._at : self._at + SLICE])
            self._at += SLICE
            if perf_counter() > until:
                return None
        self._pickler.dump(self._whole)
        return self._buffer.getvalue()


class StateUnpacker:
    """Makes the state of `position` again from its bytes."""

    def __init__(self, position: int, packed: bytes) -> None:
        self.position = position
        self._unpickler = pickle.Unpickler(BytesIO(packed))  # noqa: S301  # our own
        self._made: list[object] = []  # so that nothing is freed which later parts name

    def work(self, until: float) -> tuple[State, Interpreter] | None:
        """Go on until the time (perf_counter) is over; the state, if that is all."""
        while isinstance(made := self._unpickler.load(), list):
            self._made.append(made)
            if perf_counter() > until:
                return None
        state, interpreter = made
        return state, interpreter


MOST_CHECKPOINTS = 40
MOST_BYTES = 128 * 1024 * 1024
"""How much all checkpoints may take: those of a long session are large."""


class StateCheckpoints:
    """Of one log; by how many records lie before them."""

    def __init__(self) -> None:
        empty = StatePacker(State(), Interpreter()).work(perf_counter())
        assert empty is not None
        self._packed = {0: empty}

    def __len__(self) -> int:
        return len(self._packed)

    def __getitem__(self, position: int) -> bytes:
        return self._packed[position]

    @property
    def size(self) -> int:
        """The bytes of all."""
        return sum(map(len, self._packed.values()))

    def before(self, position: int) -> int:
        """The last one that is not after a position."""
        return max(at for at in self._packed if at <= position)

    def keep(self, position: int, packed: bytes) -> None:
        """Add one; every other but the first and this one goes while there are too many."""
        self._packed[position] = packed
        others = sorted(self._packed.keys() - {0, position})
        while others and (len(self) > MOST_CHECKPOINTS or self.size > MOST_BYTES):
            for at in others[::2]:
                del self._packed[at]
            others = others[1::2]


NEAR = 200
"""How far before its goal a long way leaves a checkpoint, so that steps back are short."""
APART = 20_000
"""How far apart checkpoints are otherwise."""


class History:
    """`state` is what was true after the first `position` records.

    A checkpoint is the state, packed; to go back is to go on from the checkpoint before. What moved
    on a way is reported once, by `moved`: to follow each record of a long way takes far longer than it.
    """

    def __init__(self, records: Sequence[Record], checkpoints: StateCheckpoints) -> None:
        self.records = records
        self._checkpoints = checkpoints
        self.position = 0
        self.state = State()
        self._interpreter = Interpreter()
        self._moved: dict[Change, None] | None = {}
        self._packing: StatePacker | None = None
        self._unpacking: StateUnpacker | None = None
        self._spent: list[object] = []
        """What is not wanted anymore: to free much takes long, too, so each has its own slice."""

    def moved(self) -> list[Change] | None:
        """What moved since this was asked last, each once; None if the state is another one."""
        moved, self._moved = self._moved, {}
        return None if moved is None else list(moved)

    def step(self) -> None:
        """Take one record more."""
        self._packing = None  # what is packed moves now
        event = self._interpreter.event(self.records[self.position])
        self.position += 1
        changes = apply_event(self.state, event)
        if self._moved is not None:
            self._moved.update(dict.fromkeys(changes))

    def seek(self, position: int, until: float) -> bool:
        """Go on toward a position, until the time (perf_counter) is over; tell whether it is
        reached.
        """
        if self._spent:
            self._spent.pop()
            if perf_counter() > until:
                return False
        best = self._checkpoints.before(position)
        if (position < self.position or best > self.position) and not self._go_back(best, until):
            return False
        while self.position < position:
            if self._packing is not None and not self._keep(self._packing, until):
                break
            self.step()
            if position - self.position == NEAR or self.position % APART == 0:
                self._packing = StatePacker(self.state, self._interpreter)
            if perf_counter() > until:
                break
        return self.position == position and not self._spent

    def _go_back(self, position: int, until: float) -> bool:
        """Restore a checkpoint into the same state object: views hold on to it."""
        if self._unpacking is None or self._unpacking.position != position:
            self._unpacking = StateUnpacker(position, self._checkpoints[position])
        made = self._unpacking.work(until)
        if made is None:
            return False
        self._spent += [self._unpacking, self._packing, replace(self.state)]
        self._packing = self._unpacking = None
        state, self._interpreter = made
        for field in fields(State):
            setattr(self.state, field.name, getattr(state, field.name))
        self.position = position
        self._moved = None
        return True

    def _keep(self, packing: StatePacker, until: float) -> bool:
        """Go on with a checkpoint of where we are; tell whether it is done."""
        try:
            packed = packing.work(until)
        except RecursionError:  # something is nested too deep for it: no checkpoint here
            self._packing = None
            return True
        if packed is None:
            return False
        self._spent.append(packing)
        self._packing = None
        self._checkpoints.keep(self.position, packed)
        return True
