"""Frames as lines of a recording; long ones a little at a time."""

from base64 import b64encode
from codecs import iterdecode
from collections.abc import Callable, Iterable, Iterator
from json.encoder import encode_basestring_ascii

from acp_tui.protocol.frames import Frame

LONG = 1024 * 1024
"""Bytes of a frame from which on it is written in pieces."""
PIECE = 3 * 64 * 1024
"""Bytes of a long frame that are written at one go; in base64 three are four."""


def frame_in_pieces(
    frame: Frame, length: int, parts: Callable[[], Iterable[bytes]]
) -> Iterator[str]:
    """Write a frame as one line whose bytes, so many, come in `parts`: in the multiples of three that
    base64 needs, or the last one.
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


def slices(raw: bytes) -> Iterator[bytes]:
    """Cut bytes into such pieces."""
    return (raw[at : at + PIECE] for at in range(0, len(raw), PIECE))


def frame_line(frame: Frame) -> str:
    """Write a frame as one line; put together by hand, as this is done for each of them."""
    ((name, text),) = plain_bytes(frame.raw).items()
    start, end = _around(frame, len(frame.raw))
    return f'{start}, "{name}": {encode_basestring_ascii(text)}{end}'


def _around(frame: Frame, length: int) -> tuple[str, str]:
    """What stands before the bytes of a frame, and after them."""
    flaw = "" if frame.flaw is None else f', "flaw": "{frame.flaw}"'
    size = "" if frame.size == length else f', "size": {frame.size}'
    mark = _mark_of(frame) if frame.is_marked else ""
    start = f'{{"at": {frame.at!r}, "dir": "{frame.direction}", "n": {frame.number}'
    return start, f"{flaw}{size}{mark}}}"


def _mark_of(frame: Frame) -> str:
    by = "" if frame.by is None else f', "by": "{frame.by}"'
    of = f', "of": {frame.of}' if frame.of else ""
    stopped = "" if frame.stopped is None else f', "stopped": "{frame.stopped}"'
    return f"{by}{of}{stopped}"


def plain_bytes(raw: bytes) -> dict[str, str]:
    """Write bytes as a field: as text if they are UTF-8."""
    try:
        return {"raw": raw.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(raw).decode()}
