"""States on the way through a log, packed, so that nobody has to begin at its first record again."""

from time import perf_counter

from acp_tui.recordings.recording import Interpreter
from acp_tui.state.state import State
from acp_tui.ui.inspector.state_packer import StatePacker

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
