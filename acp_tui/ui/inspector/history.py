"""Restores the session as it was after any record of a log. Doesn't use Textual."""

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
"""Entries pickled between two checks of the time."""


class StatePacker:
    """Pickles a state in slices: a long session takes a second or more. The state must not change
    until that is done.

    One pickler packs first the entries, which are nearly all of the state, then the state that
    contains them: it packs mere references to objects that it has packed before.
    """

    def __init__(self, state: State, interpreter: Interpreter) -> None:
        self._buffer = BytesIO()
        self._pickler = pickle.Pickler(self._buffer, pickle.HIGHEST_PROTOCOL)
        self._whole = (state, interpreter)
        self._entries = [entry for one in state.sessions.values() for entry in one.entries]
        self._at = 0

    def work(self, until: float) -> bytes | None:
        """Pack until the time `until` (perf_counter); return the bytes once everything is packed."""
        while self._at < len(self._entries):
            self._pickler.dump(self._entries[self._at : self._at + SLICE])
            self._at += SLICE
            if perf_counter() > until:
                return None
        self._pickler.dump(self._whole)
        return self._buffer.getvalue()


class StateUnpacker:
    """Unpickles the packed state of `position`, in slices."""

    def __init__(self, position: int, packed: bytes) -> None:
        self.position = position
        self._unpickler = pickle.Unpickler(BytesIO(packed))  # noqa: S301  # made by StatePacker
        self._unpickled: list[
            object
        ] = []  # later parts refer to objects of these, which must not be freed

    def work(self, until: float) -> tuple[State, Interpreter] | None:
        """Unpack until the time `until` (perf_counter); return the state once everything is
        unpacked.
        """
        while isinstance(made := self._unpickler.load(), list):
            self._unpickled.append(made)
            if perf_counter() > until:
                return None
        state, interpreter = made
        return state, interpreter


MOST_CHECKPOINTS = 40
MOST_BYTES = 128 * 1024 * 1024
"""Most bytes of memory that all checkpoints may use: those of a long session are large."""


class StateCheckpoints:
    """Packed states of a log, keyed by the number of records before them, so that going back
    needn't replay from 0.
    """

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
        """Bytes of all checkpoints."""
        return sum(map(len, self._packed.values()))

    def before(self, position: int) -> int:
        """Return the position of the last checkpoint at or before `position`."""
        return max(at for at in self._packed if at <= position)

    def add(self, position: int, packed: bytes) -> None:
        """Add a checkpoint. While there are too many, drop every other one, except the first and
        this one.
        """
        self._packed[position] = packed
        others = sorted(self._packed.keys() - {0, position})
        while others and (len(self) > MOST_CHECKPOINTS or self.size > MOST_BYTES):
            for at in others[::2]:
                del self._packed[at]
            others = others[1::2]


NEAR = 200
"""Records before its goal at which a seek leaves a checkpoint, so that steps back are fast."""
APART = 20_000
"""Records between other checkpoints."""


class History:
    """Replays a log forward and backward: `state` is the state after the first `position` records.

    Going back restores the checkpoint before the goal and replays from there. `moved` reports the
    changes of a whole seek at once: a view updated for each record would take far longer than the
    replay.
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
        """Garbage that is freed one object per slice: freeing a large state takes long, too."""

    def moved(self) -> list[Change] | None:
        """Return the changes since the last call, without duplicates; None if another state was restored."""
        moved, self._moved = self._moved, {}
        return None if moved is None else list(moved)

    def step(self) -> None:
        """Apply the next record."""
        self._packing = None  # the state that is being packed changes now
        event = self._interpreter.event(self.records[self.position])
        self.position += 1
        changes = apply_event(self.state, event)
        if self._moved is not None:
            self._moved.update(dict.fromkeys(changes))

    def seek(self, position: int, until: float) -> bool:
        """Move toward a position until the time `until` (perf_counter); return whether it was
        reached.
        """
        if self._spent:
            self._spent.pop()
            if perf_counter() > until:
                return False
        best = self._checkpoints.before(position)
        if (position < self.position or best > self.position) and not self._restore(best, until):
            return False
        while self.position < position:
            if self._packing is not None and not self._pack_state(self._packing, until):
                break
            self.step()
            if position - self.position == NEAR or self.position % APART == 0:
                self._packing = StatePacker(self.state, self._interpreter)
            if perf_counter() > until:
                break
        return self.position == position and not self._spent

    def _restore(self, position: int, until: float) -> bool:
        """Restore a checkpoint into the same state object, which views refer to. Return whether it
        is done.
        """
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

    def _pack_state(self, packing: StatePacker, until: float) -> bool:
        """Continue packing a checkpoint of the current state; return whether that is done."""
        try:
            packed = packing.work(until)
        except RecursionError:  # values nested too deep for pickle: no checkpoint here
            self._packing = None
            return True
        if packed is None:
            return False
        self._spent.append(packing)
        self._packing = None
        self._checkpoints.add(self.position, packed)
        return True
