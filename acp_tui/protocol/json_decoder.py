"""Bytes of one line to a JSON value."""

import json
from string import hexdigits
from typing import Any, NamedTuple

from acp_tui import deep_json
from acp_tui.deep_json import Reading, TooDeepError, may_be_too_deep
from acp_tui.protocol.long_lines import LONG, without_strings

_DECODER = json.JSONDecoder()
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Must not stand before JSON; but whoever reads it may pass over it (RFC 8259, section 8.1)."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_LONGEST_INTEGER = 4000
"""Digits of a number that is kept to the last one; Python reads no more than 4,300."""
AT_ONCE = LONG // 4
"""Characters that are read at one go."""
_UPPER = 3
"""Levels that are read of what is nested too deep: params, and the update in them."""


class Upper(dict[str, Any]):
    """A message that is nested too deep: only its upper levels were read."""


class Malformed(NamedTuple):
    """A line that is no JSON-RPC message.

    `wants_answer` is true for an array, or an object with a method that can't be used: whoever
    sent it may be waiting, so it is answered with -32600 and a null id.
    """

    reason: str
    wants_answer: bool = False


def outline(raw: bytes) -> Any:
    """Decode a line, with only the beginnings of long strings."""
    return (
        decode(raw) if len(raw) <= LONG else deep_json.finished(decode_in_slices(raw, outline=True))
    )


def decode(raw: bytes) -> Any:
    """Decode a line; `Malformed` if it isn't JSON, `Upper` if it is nested too deep."""
    if len(raw) > LONG:
        return deep_json.finished(decode_in_slices(raw))
    text = raw.decode("utf-8", "replace")
    if not may_be_too_deep(text):
        try:
            value, end = _DECODER.raw_decode(text)  # `json.loads` takes nearly twice as long
            if end == len(text):
                return value
        except (ValueError, RecursionError):
            pass  # it may still be readable; if not, it is to be said why
    return deep_json.finished(_reading(raw, text, _TOLERANT))


def decode_in_slices(raw: bytes, *, outline: bool = False) -> Reading:
    """Decode a long line in slices."""
    try:
        rest = yield from without_strings(raw, outline=outline)
    except ValueError:
        return Malformed("not JSON")
    decoder = json.JSONDecoder(parse_int=_integer, parse_float=rest.number)
    value = yield from _reading(rest.raw, rest.raw.decode("utf-8", "replace"), decoder)
    return Malformed("not JSON") if isinstance(value, Malformed) else value


def may_be_cut(raw: bytes) -> bool:
    """Whether bytes may be the beginning of a JSON object, whatever has followed them."""
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
"""What is an error to a decoder where it was cut."""


def _is_escape(rest: str) -> bool:
    """Whether a rest is the beginning of an escaped character."""
    digits = rest.removeprefix("\\").removeprefix("u")
    return digits != rest and len(digits) <= 4 and set(digits) <= set(hexdigits)


def _reading(raw: bytes, text: str, decoder: json.JSONDecoder) -> Reading:
    """The same for what has space or a mark before it, numbers of any length, or many levels."""
    text = text.removeprefix("\ufeff")
    try:
        if len(text) <= AT_ONCE and not may_be_too_deep(text):
            return decoder.decode(text)
    except RecursionError:
        pass
    except json.JSONDecodeError as error:
        return Malformed(_not_utf_8(raw) or _no_json(error))
    try:
        return (yield from deep_json.read_in_slices(text, decoder))
    except TooDeepError:
        pass
    except json.JSONDecodeError as error:
        return Malformed(_not_utf_8(raw) or _no_json(error))
    try:
        value = yield from deep_json.upper(text, _UPPER, decoder)
    except json.JSONDecodeError as error:
        return Malformed(_not_utf_8(raw) or _no_json(error))
    return Upper(value) if isinstance(value, dict) else value


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
