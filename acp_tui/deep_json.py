"""JSON nested deeper than Python's own functions follow: read, written and compared without recursion.

These end at some nine hundred levels, fewer where the stack is deep already. Here Python's own are
asked first, for they are fast; only what they refuse is walked through step by step.
"""

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from json import JSONDecodeError
from json.encoder import encode_basestring_ascii
from typing import Any

DEEPEST = 10_000
"""How many levels are read."""
NOT_READ = f"… (nested deeper than {DEEPEST:,} levels)"
"""Stands where a value was left out because it is nested too deep."""
SET_IN = 100
"""Levels that are set in where Python's own writing ends: all of them would be as long as squared."""
STEPS = 512
"""Values read between two pauses: about a millisecond of work."""
LONG_TEXT = 64 * 1024
"""Characters of a text from which on it is written in pieces, and of such a piece."""

FLAT = 16 * 1024
"""Characters of an array or object that is read in one go."""

_DECODER = json.JSONDecoder()
_Scan = Callable[[str, int], tuple[Any, int]]
_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_FLAT = re.compile(rf'[\[{{][^\[\]{{}}"]*+(?:{_STRING}[^\[\]{{}}"]*+)*+[\]}}]', re.DOTALL)
"""An array or object in which no other stands."""
_ITEMS = re.compile(rf'(?:(?:\s*+{_STRING}\s*+|[^\[\]{{}}",]++),)++', re.DOTALL)
"""Elements of an array that are no arrays or objects, each with its comma."""
_SIGNS = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)

Reading = Generator[None, None, Any]
"""Work in slices, with a value at its end."""


class TooDeepError(ValueError):
    """JSON is nested deeper than `DEEPEST` levels."""


def loads(text: str | bytes) -> Any:
    """Read JSON. Raises ValueError; TooDeepError is one."""
    if not may_be_too_deep(text):
        try:
            return json.loads(text)
        except RecursionError:
            pass
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    return finished(read_in_slices(text))


def may_be_too_deep(text: str | bytes) -> bool:
    """Whether a text opens more arrays and objects than levels are read.

    Up to Python 3.13 its own reader refuses such a depth; from 3.14 on it follows.
    """
    if len(text) <= DEEPEST:
        return False
    opened = (
        text.count("[") + text.count("{")
        if isinstance(text, str)
        else text.count(b"[") + text.count(b"{")
    )
    return opened > DEEPEST


def finished(work: Reading) -> Any:
    """Do all of the work at once, and return its value."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def read_in_slices(text: str, decoder: json.JSONDecoder = _DECODER) -> Reading:
    """Read JSON however deep, in slices. Raises ValueError; TooDeepError is one."""
    return _read(text, DEEPEST, decoder, cut=False)


def upper(text: str, levels: int, decoder: json.JSONDecoder = _DECODER) -> Reading:
    """Read the upper levels of JSON, in slices; `NOT_READ` stands for what is below.

    Raises ValueError. What is below is not checked for more than where it ends.
    """
    return _read(text, levels, decoder, cut=True)


def _read(  # noqa: C901  the states of one loop, which have most of its variables in common
    text: str, levels: int, decoder: json.JSONDecoder, *, cut: bool
) -> Reading:
    scan: _Scan = decoder.scan_once  # type: ignore[attr-defined]
    holders: list[Any] = []
    keys: list[str] = []
    at = _after_space(text, 0)
    step = 0
    while True:
        step += 1
        if step % STEPS == 0:
            yield
        value: Any
        sign = text[at : at + 1]
        if sign not in ("[", "{"):
            if holders and isinstance(holders[-1], list):
                at = yield from _items(text, at, holders[-1], scan)
            value, at = _plain(text, at, scan)
        elif len(holders) == levels:
            if not cut:
                raise TooDeepError(f"nested deeper than {levels:,} levels")
            value, at = NOT_READ, (yield from _end(text, at))
        elif _FLAT.match(text, at, at + FLAT):
            value, at = _plain(text, at, scan)
        else:
            holders.append({} if sign == "{" else [])
            key, at = _key(text, at + 1, scan) if sign == "{" else ("", at + 1)
            keys.append(key)
            at = _after_space(text, at)
            continue
        while True:  # the value is put where it belongs, and so is what it ends
            at = _after_space(text, at)
            if not holders:
                if at != len(text):
                    raise JSONDecodeError("Extra data", text, at)
                return value
            holder, sign = holders[-1], text[at : at + 1]
            is_object = isinstance(holder, dict)
            if is_object:
                holder[keys[-1]] = value
            else:
                holder.append(value)
            if sign == ",":
                if is_object:
                    keys[-1], at = _key(text, at + 1, scan)
                else:
                    at += 1
                at = _after_space(text, at)
                break
            if sign != ("}" if is_object else "]"):
                raise JSONDecodeError("Expecting ',' delimiter", text, at)
            value = holders.pop()
            keys.pop()
            at += 1
            step += 1
            if step % STEPS == 0:
                yield


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None  # it may be empty
    return match.end()


def _plain(text: str, at: int, scan: _Scan) -> tuple[Any, int]:
    """A value that Python's decoder can read by itself, and where it ends."""
    try:
        return scan(text, at)
    except StopIteration as stop:
        raise JSONDecodeError("Expecting value", text, stop.value) from None


def _items(text: str, at: int, holder: list[Any], scan: _Scan) -> Generator[None, None, int]:
    """Read many elements at once, without the last; return where the next one begins."""
    items = _ITEMS.match(text, at, at + FLAT)
    if items is None:
        return at
    try:
        values, _ = scan(f"[{text[at : items.end() - 1]}]", 0)
    except (StopIteration, JSONDecodeError):
        return at  # one by one, until it shows which of them is none
    holder += values
    yield
    return _after_space(text, items.end())


def _key(text: str, at: int, scan: _Scan) -> tuple[str, int]:
    """A key and where its value begins."""
    at = _after_space(text, at)
    if text[at : at + 1] != '"':
        raise JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    key, at = _plain(text, at, scan)
    at = _after_space(text, at)
    if text[at : at + 1] != ":":
        raise JSONDecodeError("Expecting ':' delimiter", text, at)
    return key, at + 1


def _end(text: str, at: int) -> Generator[None, None, int]:
    """Where an array or object ends."""
    depth = 0
    for step, sign in enumerate(_SIGNS.finditer(text, at), 1):
        match text[sign.start()]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
                if not depth:
                    return sign.end()
        if step % (8 * STEPS) == 0:
            yield
    raise JSONDecodeError("Expecting ',' delimiter", text, len(text))


def dumps(
    value: Any,
    *,
    indent: int | None = None,
    ensure_ascii: bool = True,
    separators: tuple[str, str] | None = None,
    default: Callable[[Any], Any] | None = None,
) -> str:
    """Write JSON, as `json.dumps` does; what is nested deeper is set in by `SET_IN` levels."""
    try:
        return json.dumps(
            value, indent=indent, ensure_ascii=ensure_ascii, separators=separators, default=default
        )
    except RecursionError:
        pass
    comma, colon = separators or (", " if indent is None else ",", ": ")
    encode = json.JSONEncoder(ensure_ascii=ensure_ascii, default=default).encode
    return "".join(_written(value, indent, comma, colon, lambda plain: (encode(plain),)))


def long_text(value: Any) -> int:
    """Return how many characters the long texts in a value have; names of fields don't count."""
    found = 0
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            found += len(one) if len(one) > LONG_TEXT else 0
        elif isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list | tuple):
            left += one
    return found


def dump_in_pieces(value: Any) -> Iterator[str]:
    """Write JSON as `dumps` does, a long text in pieces: no copy of it is made."""
    return _written(value, None, ", ", ": ", _in_pieces)


def _in_pieces(plain: Any) -> Iterator[str]:
    """Write a plain value; only a text has a quote in its first piece, and in its last."""
    if not isinstance(plain, str) or len(plain) <= LONG_TEXT:
        yield json.dumps(plain)
        return
    last = (len(plain) - 1) // LONG_TEXT * LONG_TEXT
    for at in range(0, len(plain), LONG_TEXT):
        piece = encode_basestring_ascii(plain[at : at + LONG_TEXT])
        yield piece[bool(at) : None if at == last else -1]


def _written(
    value: Any, indent: int | None, comma: str, colon: str, plain: Callable[[Any], Iterable[str]]
) -> Iterator[str]:
    opened: list[tuple[Iterator[Any], str]] = []
    head = ""

    def line() -> str:
        return "" if indent is None else "\n" + " " * (indent * min(len(opened), SET_IN))

    while True:
        yield head
        if isinstance(value, dict) and value:
            yield "{"
            opened.append((iter(value.items()), "}"))
            between = line()
        elif isinstance(value, list | tuple) and value:
            yield "["
            opened.append((iter(value), "]"))
            between = line()
        else:
            yield from plain(value)
            between = comma + line()
        while opened:
            items, closing = opened[-1]
            item = next(items, opened)  # what holds all can't be in it
            if item is not opened:
                break
            opened.pop()
            yield line() + closing
            between = comma + line()
        else:
            return
        if closing == "}":
            key, value = item
            head = f"{between}{''.join(plain(key))}{colon}"
        else:
            value, head = item, between


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal."""
    try:
        return bool(one == other)
    except RecursionError:
        pass
    pairs = [(one, other)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs += [(value, other[key]) for key, value in one.items()]
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            if len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
        elif one != other:
            return False
    return True
