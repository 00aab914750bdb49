"""Frames so long that their bytes are kept elsewhere than in memory."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from acp_tui.protocol.frames import Frame
from acp_tui.recordings.frame_lines import frame_in_pieces

HUGE = 4 * 1024 * 1024
"""Bytes of a frame that are too many to be read or written at one go."""


class LongFrame(Protocol):
    """Bytes that are kept elsewhere."""

    def read(self) -> bytes:
        """Return all of them."""

    def pieces(self) -> Iterator[bytes]:
        """Yield them, a few at a time."""


class Keep(Protocol):
    """Where bytes are kept."""

    def keep(self, data: bytes) -> LongFrame:
        """Keep bytes."""


class KeptFrame(NamedTuple):
    """A `frame` without its bytes, which are kept; there are `length` of them."""

    frame: Frame
    length: int
    kept: LongFrame

    @property
    def at(self) -> float:
        """When it came."""
        return self.frame.at

    def whole(self) -> Frame:
        """Return the frame with its bytes."""
        return self.frame._replace(raw=self.kept.read())

    def pieces(self) -> Iterator[str]:
        """Write it as a line of a recording, without ever having all of it."""
        return frame_in_pieces(self.frame, self.length, self.kept.pieces)


def keep_frame(frame: Frame, keep: Keep) -> KeptFrame:
    """Keep the bytes of a frame elsewhere."""
    return KeptFrame(frame._replace(raw=b""), len(frame.raw), keep.keep(frame.raw))
