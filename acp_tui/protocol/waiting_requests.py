"""Requests without a response. Very many may wait, so most of them are packed meanwhile."""

import pickle
import zlib
from collections.abc import Callable, Iterator

from acp_tui.protocol.events import Requested
from acp_tui.protocol.frames import Frame

MANY = 1000
"""How many may wait as they were read; of those beyond, short ones are packed as frames."""
SHORT = 4096
"""Bytes of such a frame: it is soon read again."""
BLOCK = 64
"""How many frames are packed at once: they are much alike, and take a tenth."""


class _Block:
    """Frames by their numbers, packed once there are enough."""

    __slots__ = ("_frames", "_packed")

    def __init__(self) -> None:
        self._frames: dict[int, Frame] | None = {}
        self._packed = b""

    def add(self, frame: Frame) -> bool:
        """Add a frame; return whether there is room for more."""
        assert self._frames is not None
        self._frames[frame.number] = frame
        if len(self._frames) < BLOCK:
            return True
        self._packed = zlib.compress(pickle.dumps(self._frames), 1)
        self._frames = None
        return False

    def frames(self) -> dict[int, Frame]:
        """Return all frames."""
        if self._frames is not None:
            return self._frames
        frames: dict[int, Frame] = pickle.loads(zlib.decompress(self._packed))  # noqa: S301  # our own
        return frames


class WaitingRequests:
    """Those of both sides, oldest first, by the numbers of their frames.

    Those beyond many are read again by `read` when they are looked up.
    """

    def __init__(self, read: Callable[[Frame], Requested]) -> None:
        self._read = read
        self._all: dict[int, Requested | _Block] = {}
        self._filling = _Block()
        self._unpacked: tuple[_Block | None, dict[int, Frame]] = None, {}
        """The last block that was looked into: often the next request is in it, too."""

    def put(self, request: Requested, frame: Frame) -> Requested | int:
        """Add a request, as it was read from a frame; return by what `take` knows it."""
        if frame.number in self._all:
            return request  # other programs number the frames of their logs as they like
        if len(self._all) < MANY or len(frame.raw) > SHORT:
            self._all[frame.number] = request
        else:
            self._all[frame.number] = self._filling
            if not self._filling.add(frame):
                self._filling = _Block()
        return frame.number

    def take(self, request: Requested | int) -> Requested:
        """Remove and return a request."""
        if not isinstance(request, int):
            return request
        found = self.get(request)
        assert found is not None
        del self._all[request]
        if not self._all:
            self._all.clear()  # by itself a dict keeps the room that it had
        return found

    def get(self, number: int) -> Requested | None:
        """Return the request in the frame of this number. It stays as it was read: it is about to
        be answered."""
        found = self._all.get(number)
        if isinstance(found, _Block):
            found = self._all[number] = self._read(self._frames_of(found)[number])
        return found

    def __contains__(self, number: int) -> bool:
        return number in self._all

    def __iter__(self) -> Iterator[Requested]:
        for number, one in self._all.items():
            yield self._read(self._frames_of(one)[number]) if isinstance(one, _Block) else one

    def _frames_of(self, block: _Block) -> dict[int, Frame]:
        if self._unpacked[0] is not block:
            self._unpacked = block, block.frames()
        return self._unpacked[1]
