"""A state packed into bytes and made again, in slices: a long session's takes a second and more.

One pickler packs the entries, which are nearly all of it, and then the state that holds them: what
was packed before is only named there. So it is with what is made of it again.
"""

import pickle
from io import BytesIO
from time import perf_counter

from acp_tui.recordings.recording import Interpreter
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
