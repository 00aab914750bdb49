"""Frames as rows of a log before they are in one, for those who decide what becomes of them."""

from collections.abc import Iterable

from acp_tui.debug.log import Log
from acp_tui.debug.rows import NOWHERE, LogRow
from acp_tui.protocol.frames import Frame
from acp_tui.recordings.records import Records

TURNS = 8
"""How many of the last prompts may still run."""


class _Newest(Records):
    """So many frames, of which only the newest is kept."""

    def __init__(self) -> None:
        self._length = 0
        self._newest: Frame | None = None

    def __len__(self) -> int:
        return self._length

    def add(self, frame: Frame) -> None:
        """Add a frame, and forget the one before."""
        self._length += 1
        self._newest = frame

    def read(self, index: int) -> Frame:
        """Return the newest frame."""
        assert self._newest is not None
        assert index == self._length - 1
        return self._newest


class LiveRows:
    """Reads frames of both directions as they come; `waiting` are requests from before."""

    def __init__(self, waiting: Iterable[Frame] = ()) -> None:
        self._frames = _Newest()
        self._log = Log(self._frames)
        for frame in waiting:
            self.row(frame)

    def row(self, frame: Frame) -> LogRow:
        """Return the row of the next frame; it holds until the one after it."""
        self._frames.add(frame)
        self._log.catch_up()
        return self._log[-1]

    @property
    def in_turn(self) -> bool:
        """Whether a prompt has no response yet."""
        log = self._log
        return any(log.partners[at] == NOWHERE for at in log.prompts[-TURNS:])
