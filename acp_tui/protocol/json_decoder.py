"""Decodes a line to a JSON value, and describes the messages lost in a line that isn't JSON.

A lost message is never acted on, only named: for the peer and the user, who may wait for it.
"""

import json
import re
from string import hexdigits
from typing import Any, NamedTuple

from pydantic_core import from_json

LONGEST_LINE = 16 * 1024 * 1024
"""Most bytes of a line that is parsed: text of this length takes a tenth of a second."""
DEEPEST = 200
"""Most levels of arrays and objects that are parsed, which is also pydantic's limit. Python's own
functions reach this depth on any stack, so code that writes, compares or copies parsed values needs
no guard.
"""
MOST_CONTAINERS = 500_000
"""Most arrays and objects in a line that is parsed: more would freeze the screen for seconds."""
TOO_LONG = f"longer than the {LONGEST_LINE // 2**20} MiB that are read"
TOO_DEEP = f"nested deeper than the {DEEPEST} levels that are read"
TOO_MANY = f"more than the {MOST_CONTAINERS:,} arrays and objects that are read"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""JSON must not begin with it, but a parser may ignore it (RFC 8259, section 8.1)."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_LONGEST_INTEGER = 4000
"""Digits of an integer that is parsed exactly; Python rejects more than 4,300."""


class TooDeepError(ValueError):
    """JSON that is nested too deeply to be parsed."""


class Malformed(NamedTuple):
    """A line that isn't a JSON-RPC message, or one that `is_over_limit` and therefore not parsed.

    `wants_answer` if its sender may be waiting: for an array, for an object with an unusable method
    (both are answered with -32600), and for a line over the limit (-32700). The response's id is
    null. `lost_message` if the line contains a message or part of one.
    """

    reason: str
    wants_answer: bool = False
    is_over_limit: bool = False
    lost_message: bool = False


def over_limit(reason: str) -> Malformed:
    """Build the `Malformed` for a line that is too long, or nested too deeply, to be parsed."""
    return Malformed(reason, wants_answer=True, is_over_limit=True)


def decode(raw: bytes) -> Any:
    """Decode a line; return a `Malformed` if it isn't JSON, or over a limit."""
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
    """Parse JSON of any length, replacing invalid UTF-8. Raises JSONDecodeError and TooDeepError."""
    try:
        # No NaN: each parse would make a new one, unequal to the last, but two parses must be
        # equal.
        return from_json(text, allow_inf_nan=False)
    except (TypeError, ValueError) as error:  # TypeError: text with a lone surrogate
        if str(error).startswith("recursion limit exceeded"):
            raise TooDeepError(TOO_DEEP) from None
    # It may still be parsable: lone surrogates, a byte order mark, NaN, very long numbers. If not,
    # the standard library's error says where.
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
    """Return whether a value is nested more deeply than `DEEPEST`."""
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
    """Return whether bytes are the beginning of a JSON object that may have been cut off."""
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
"""Tokens that the decoder rejects if the text ends within them."""


def _is_escape(rest: str) -> bool:
    """Return whether this is the beginning of an escaped character."""
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


MOST_CHARACTERS = 256 * 1024
"""Most characters of a line that are searched for messages."""
MOST_ATTEMPTS = 20
"""Most braces of a line that are tried as the beginning of a message."""
MOST_NAMED = 3
"""Most messages of a line that are named in its description."""
_OBJECT = re.compile(r'\{\s*"')
_BEGINNING = re.compile(r'\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:')
_HEADER = re.compile(r"(?i)\s*content-(?:length|type)\s*:")
_LONGEST_NAME = 60
"""Most characters shown of a name."""


class _WholeMessage(NamedTuple):
    """A complete message within a line: its position and its name."""

    start: int
    end: int
    name: str


def find_lost_message(text: str, decoder: json.JSONDecoder) -> str:
    """Describe the messages in a line that isn't JSON, and why they can't be read; "" without any.

    The `decoder` must accept integers of any length: Python's own raises ValueError at 4,300
    digits.
    """
    is_cut = len(text) > MOST_CHARACTERS
    text = text[:MOST_CHARACTERS].removeprefix("\ufeff").rstrip()
    found, is_whole = _messages(text, decoder)
    if not found:
        return _describe_piece(text, decoder, is_cut=is_cut)
    names = ", ".join(one.name for one in found[:MOST_NAMED])
    names += ", …" if len(found) > MOST_NAMED else ""
    if len(found) > 1:
        at_least = "" if is_whole and not is_cut else "at least "
        neither = "neither" if len(found) == 2 and not at_least else "none"
        return f"{at_least}{len(found)} messages on one line, so {neither} can be read: {names}"
    [only] = found
    where = "before" if text[: only.start].strip() else "after"
    if where == "after" and not is_cut and _BEGINNING.match(text[only.end :].lstrip()):
        return f"a message and the beginning of another on one line, so it can't be read: {names}"
    return f"other text {where} a message on one line, so it can't be read: {names}"


def _messages(text: str, decoder: json.JSONDecoder) -> tuple[list[_WholeMessage], bool]:
    """Return the messages in a text, and whether the whole text was searched."""
    found: list[_WholeMessage] = []
    position = 0
    for _ in range(MOST_ATTEMPTS):
        brace = _OBJECT.search(text, position)
        if brace is None:
            return found, True
        try:
            value, position = decoder.raw_decode(text, brace.start())
        except (json.JSONDecodeError, RecursionError):
            position = brace.start() + 1
            continue
        if name := _name(value):
            found.append(_WholeMessage(brace.start(), position, name))
    return found, _OBJECT.search(text, position) is None


def _name(value: dict[str, Any]) -> str:
    """Name a message for people; return "" if the object isn't one."""
    method, id = value.get("method"), value.get("id")
    if isinstance(method, str) and ("jsonrpc" in value or "params" in value):
        return method[:_LONGEST_NAME]
    if "id" in value and ("result" in value or "error" in value):
        return f"response to {json.dumps(id, ensure_ascii=False)[:_LONGEST_NAME]}"
    return ""


def _describe_piece(text: str, decoder: json.JSONDecoder, *, is_cut: bool) -> str:
    """Describe a line with a broken message, a part of one, or a header; "" if it has none of them.

    `is_cut` means that the line was too long to be searched completely.
    """
    beginning = _BEGINNING.search(text)
    if beginning is not None and '"jsonrpc"' in text:
        return _describe_broken(text, beginning.start(), decoder, is_cut=is_cut)
    if _HEADER.match(text):
        return "a header as of LSP, but in ACP a message is a line, without headers"
    ends = text.endswith("}}") and not is_cut
    is_rest = ends and '":' in text and text.count("}") > text.count("{")
    return "probably the rest of a message that began on an earlier line" if is_rest else ""


def _describe_broken(text: str, start: int, decoder: json.JSONDecoder, *, is_cut: bool) -> str:
    try:
        decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if error.pos < len(text) and not error.msg.startswith("Unterminated string"):
            return f"not JSON from character {error.pos + 1} on, so the message can't be read"
    except RecursionError:
        return "a message that is nested too deep, so it can't be read"
    else:
        return ""  # whole, but after too many other objects
    if is_cut:
        return "a message in a line that is too long to be searched, so it can't be read"
    before = "other text, and " if text[:start].strip() else ""
    return f"{before}the beginning of a message that doesn't end on its line, so it can't be read"
