"""What is read of a frame for whoever looks at all of them: little of a long one, and in slices."""

from codecs import getincrementaldecoder
from collections.abc import Generator
from typing import Any, NamedTuple

from acp_tui import deep_json
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.json_decoder import decode_in_slices
from acp_tui.protocol.long_lines import LONG, SLICE


class Outline(NamedTuple):
    """The JSON of a frame without the ends of long strings, as `jsonrpc.outline` gives it."""

    value: Any
    is_utf8: bool


def outline(raw: bytes) -> Outline:
    """Read a frame at once."""
    if len(raw) > LONG:
        found: Outline = deep_json.finished(outline_in_slices(raw))
        return found
    return Outline(jsonrpc.outline(raw), raw.isascii() or _is_utf8(raw))


def outline_in_slices(raw: bytes) -> Generator[None, None, Outline]:
    """Read a long frame, a little at a time."""
    value = yield from decode_in_slices(raw, outline=True)
    decoder = getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(raw), SLICE):
            decoder.decode(raw[at : at + SLICE])
            yield
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return Outline(value, is_utf8=False)
    return Outline(value, is_utf8=True)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
