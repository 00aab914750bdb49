"""Bytes of one line to a JSON value."""

import json
from string import hexdigits
from typing import Any, NamedTuple

from pydantic_core import from_json

from acp_tui.protocol.lost_messages import find_lost_message

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of a line that is read: a text of this length takes a tenth of a second."""
DEEPEST = 200
"""Levels of arrays and objects that are read: as many as pydantic's core follows. Python's own functions
follow them on any stack, so whatever writes, compares or copies what was read needs no guard.
"""
MOST_CONTAINERS = 500_000
"""Arrays and objects in a line that is read: more would hold up the screen for seconds."""
TOO_LONG = f"longer than the {LONGEST_LINE // 2**20} MiB that are read"
TOO_DEEP = f"nested deeper than the {DEEPEST} levels that are read"
TOO_MANY = f"more than the {MOST_CONTAINERS:,} arrays and objects that are read"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Must not stand before JSON; but whoever reads it may pass over it (RFC 8259, section 8.1)."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_LONGEST_INTEGER = 4000
"""Digits of a number that is kept to the last one; Python reads no more than 4,300."""


class TooDeepError(ValueError):
    """JSON is nested too deep to be read."""


class Malformed(NamedTuple):
    """A line that isn't a JSON-RPC message, or one that `is_over_limit` and therefore not read.

    `wants_answer` if its sender may be waiting: for an array, for an object with an unusable method
    (both are answered with -32600), and for a line over the limit (-32700). The answer's id is null.
    `lost_message` if the line contains a message or a piece of one.
    """

    reason: str
    wants_answer: bool = False
    is_over_limit: bool = False
    lost_message: bool = False


def over_limit(reason: str) -> Malformed:
    """Build the Malformed of a line that is too long, or nested too deep, to be parsed."""
    return Malformed(reason, wants_answer=True, is_over_limit=True)


def decode(raw: bytes) -> Any:
    """Decode a line; `Malformed` if it isn't JSON, or over a limit."""
    if len(raw) > LONGEST_LINE:
        return over_limit(TOO_LONG)
    if len(raw) > MOST_CONTAINERS and raw.count(b"[") + raw.count(b"{") > MOST_CONTAINERS:
        return over_limit(TOO_MANY)
    try:
        return read_json(raw)
    except TooDeepError:
        return over_limit(TOO_DEEP)
    except json.JSONDecodeError as error:
        if lost := find_lost_message(error.doc, _TOLERANT):
            return Malformed(lost, lost_message=True)
        return Malformed(_not_utf_8(raw) or _no_json(error))


def read_json(text: str | bytes) -> Any:
    """Read JSON of any length; bytes that are not UTF-8 are replaced. Raises JSONDecodeError and
    TooDeepError.
    """
    try:
        # Without NaN, of which it makes another object each time: what is read twice must be equal.
        return from_json(text, allow_inf_nan=False)
    except (TypeError, ValueError) as error:  # TypeError: a text with half a character
        if str(error).startswith("recursion limit exceeded"):
            raise TooDeepError(TOO_DEEP) from None
    # It may still be readable: halves of characters, a mark before it, NaN, very long numbers. If not, it is to
    # be said why in the words of the standard library, which have a place.
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        value = _TOLERANT.decode(text.removeprefix("\ufeff"))
    except RecursionError:
        raise TooDeepError(TOO_DEEP) from None
    if _is_too_deep(value):
        raise TooDeepError(TOO_DEEP)
    return value


def _is_too_deep(value: Any) -> bool:
    """Return whether a value has more levels than are read."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return bool(level)


def may_be_cut(raw: bytes) -> bool:
    """Return whether bytes may be the beginning of a JSON object, whatever has followed them."""
    text = raw.decode("utf-8", "ignore").removeprefix("\ufeff").lstrip()
    if not text.startswith("{"):
        return not text
    try:
        json.loads(text, parse_int=str)
    except RecursionError:
        return True
    except json.JSONDecodeError as error:
        rest = text[error.pos :]
        in_text = error.msg.startswith("Unterminated string")
        return in_text or any(token.startswith(rest) for token in _TOKENS) or _is_escape(rest)
    return True


_TOKENS = ("true", "false", "null", ".", "-", "e+", "e-", "E+", "E-")
"""Tokens that the decoder rejects if the text was cut within them."""


def _is_escape(rest: str) -> bool:
    """Return whether a rest is the beginning of an escaped character."""
    digits = rest.removeprefix("\\").removeprefix("u")
    return digits != rest and len(digits) <= 4 and set(digits) <= set(hexdigits)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


_TOLERANT = json.JSONDecoder(parse_int=_integer)


def _not_utf_8(raw: bytes) -> str | None:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        if raw.startswith(_UTF_16):
            return "UTF-16 instead of UTF-8"
        return f"not UTF-8: byte {raw[error.start]:#04x} at {error.start}"
    return None


def _no_json(error: json.JSONDecodeError) -> str:
    if not error.doc.strip():
        return "nothing but a byte order mark"
    if not error.doc.lstrip().startswith(("{", "[")):
        return "not JSON"
    what = "more after the JSON," if error.msg == "Extra data" else "not JSON"
    return f"{what} from character {error.pos + 1} on"
