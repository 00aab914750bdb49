"""Frames whose bytes are too long for memory and stored elsewhere."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from acp_tui.protocol.frames import Frame
from acp_tui.recordings.frame_lines import frame_in_pieces

HUGE = 4 * 1024 * 1024
"""Size of a frame that is too large to be read or written at once, in bytes."""


class LongFrame(Protocol):
    """Bytes that are stored elsewhere."""

    def read(self) -> bytes:
        """Return all bytes."""

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes in pieces."""


class Keep(Protocol):
    """A store of bytes."""

    def keep(self, data: bytes) -> LongFrame:
        """Store bytes."""


class KeptFrame(NamedTuple):
    """A `frame` without its bytes, which are stored elsewhere; there are `length` of them."""

    frame: Frame
    length: int
    kept: LongFrame

    @property
    def at(self) -> float:
        """The time of the frame."""
        return self.frame.at

    def whole(self) -> Frame:
        """Return the frame with its bytes."""
        return self.frame._replace(raw=self.kept.read())

    def pieces(self) -> Iterator[str]:
        """Yield the frame as a line of a recording, without loading all of it."""
        return frame_in_pieces(self.frame, self.length, self.kept.pieces)


def keep_frame(frame: Frame, keep: Keep) -> KeptFrame:
    """Store the bytes of a frame elsewhere."""
    return KeptFrame(frame._replace(raw=b""), len(frame.raw), keep.keep(frame.raw))
