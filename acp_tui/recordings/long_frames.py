"""Frames too long to write or hold in memory at once: written in pieces, bytes stored elsewhere."""

from base64 import b64encode
from codecs import iterdecode
from collections.abc import Callable, Iterable, Iterator
from json.encoder import encode_basestring_ascii
from typing import NamedTuple, Protocol

from acp_tui.protocol.frames import Frame

LONG_FRAME_BYTES = 1024 * 1024
"""Size of a frame from which it is written in pieces, in bytes."""
PIECE = 3 * 64 * 1024
"""Bytes of a long frame written at once; a multiple of three, as base64 needs."""
HUGE = 4 * 1024 * 1024
"""Size of a frame that is too large to be read or written at once, in bytes."""


def frame_in_pieces(
    frame: Frame, length: int, parts: Callable[[], Iterable[bytes]]
) -> Iterator[str]:
    """Yield a frame as one line; its `length` bytes come in `parts`, multiples of three except the
    last.
    """
    start, end = _around(frame, length)
    try:
        for _ in iterdecode(parts(), "utf-8"):
            pass
    except UnicodeDecodeError:
        yield f'{start}, "base64": "'
        yield from (b64encode(part).decode() for part in parts())
    else:
        yield f'{start}, "raw": "'
        yield from (encode_basestring_ascii(text)[1:-1] for text in iterdecode(parts(), "utf-8"))
    yield f'"{end}'


def slice_bytes(raw: bytes) -> Iterator[bytes]:
    """Yield bytes in pieces."""
    return (raw[at : at + PIECE] for at in range(0, len(raw), PIECE))


def frame_line(frame: Frame) -> str:
    """Return a frame as one line; formatted by hand, since it is done for every frame."""
    ((name, text),) = plain_bytes(frame.raw).items()
    start, end = _around(frame, len(frame.raw))
    return f'{start}, "{name}": {encode_basestring_ascii(text)}{end}'


def _around(frame: Frame, length: int) -> tuple[str, str]:
    """Return the JSON before the bytes of a frame, and after them."""
    flaw = "" if frame.flaw is None else f', "flaw": "{frame.flaw}"'
    size = "" if frame.size == length else f', "size": {frame.size}'
    mark = ""
    if frame.is_marked:
        mark = "" if frame.by is None else f', "by": "{frame.by}"'
        mark += f', "of": {frame.of}' if frame.of else ""
        mark += "" if frame.stopped is None else f', "stopped": "{frame.stopped}"'
    start = f'{{"at": {frame.at!r}, "dir": "{frame.direction}", "n": {frame.number}'
    return start, f"{flaw}{size}{mark}}}"


def plain_bytes(raw: bytes) -> dict[str, str]:
    """Return bytes as a JSON field: as text if they are UTF-8."""
    try:
        return {"raw": raw.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(raw).decode()}


class StoredBytes(Protocol):
    """Bytes that are stored elsewhere."""

    def read(self) -> bytes:
        """Return all bytes."""

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes in pieces."""


class ByteStore(Protocol):
    """A store of bytes."""

    def store(self, data: bytes) -> StoredBytes:
        """Store bytes."""


class StoredFrame(NamedTuple):
    """A `frame` without its bytes, which are stored elsewhere; there are `length` of them."""

    frame: Frame
    length: int
    content: StoredBytes

    @property
    def at(self) -> float:
        """The time of the frame."""
        return self.frame.at

    def whole(self) -> Frame:
        """Return the frame with its bytes."""
        return self.frame._replace(raw=self.content.read())

    def pieces(self) -> Iterator[str]:
        """Yield the frame as a line of a recording, without loading all of it."""
        return frame_in_pieces(self.frame, self.length, self.content.pieces)


def store_frame(frame: Frame, store: ByteStore) -> StoredFrame:
    """Store the bytes of a frame elsewhere."""
    return StoredFrame(frame._replace(raw=b""), len(frame.raw), store.store(frame.raw))
