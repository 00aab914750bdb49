"""Messages in lines that can't be read: glued together, with other text on the line, or cut in two.

No such message is obeyed. But a peer that waits for one, or a person who does, is to read which it was.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

MOST_CHARACTERS = 256 * 1024
"""How much of a line is searched."""
MOST_ATTEMPTS = 20
"""How many braces of a line are tried as the beginning of a message."""
MOST_NAMED = 3
_OBJECT = re.compile(r'\{\s*"')
_BEGINNING = re.compile(r'\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:')
_LONGEST_NAME = 60
_DECODER = json.JSONDecoder()


class _Found(NamedTuple):
    """A whole message in a line: its place in the text, and what it is."""

    start: int
    end: int
    name: str


def find_lost_message(text: str) -> str:
    """Describe what happened to the messages in a line that isn't JSON; "" if it has none."""
    text = text[:MOST_CHARACTERS].removeprefix("\ufeff").rstrip()
    found = list(_messages(text))
    if not found:
        return _describe_piece(text)
    names = ", ".join(one.name for one in found[:MOST_NAMED])
    names += ", …" if len(found) > MOST_NAMED else ""
    if len(found) > 1:
        neither = "neither" if len(found) == 2 else "none"
        return f"{len(found)} messages on one line, so {neither} can be read: {names}"
    [only] = found
    where = "before" if text[: only.start].strip() else "after"
    if where == "after" and _BEGINNING.match(text[only.end :].lstrip()):
        return f"a message and the beginning of another on one line, so it can't be read: {names}"
    return f"other text {where} a message on one line, so it can't be read: {names}"


def _messages(text: str) -> Iterator[_Found]:
    position = 0
    for _ in range(MOST_ATTEMPTS):
        brace = _OBJECT.search(text, position)
        if brace is None:
            return
        try:
            value, position = _DECODER.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            position = brace.start() + 1
            continue
        if name := _name(value):
            yield _Found(brace.start(), position, name)


def _name(value: dict[str, Any]) -> str:
    """Return what a message is, for people; "" if the object is no message."""
    method, id = value.get("method"), value.get("id")
    if isinstance(method, str) and ("jsonrpc" in value or "params" in value):
        return method[:_LONGEST_NAME]
    if "id" in value and ("result" in value or "error" in value):
        return f"response to {json.dumps(id, ensure_ascii=False)[:_LONGEST_NAME]}"
    return ""


def _describe_piece(text: str) -> str:
    """Describe a line with a broken message, or a piece of one; "" if it has neither."""
    beginning = _BEGINNING.search(text)
    if beginning is not None and '"jsonrpc"' in text:
        return _describe_broken(text, beginning.start())
    is_rest = text.endswith("}}") and '":' in text and text.count("}") > text.count("{")
    return "probably the rest of a message that began on an earlier line" if is_rest else ""


def _describe_broken(text: str, start: int) -> str:
    try:
        _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if error.pos < len(text) and not error.msg.startswith("Unterminated string"):
            return f"not JSON from character {error.pos + 1} on, so the message can't be read"
    except RecursionError:
        return "a message that is nested too deep, so it can't be read"
    else:
        return ""  # whole, behind too many other objects
    before = "other text, and " if text[:start].strip() else ""
    return f"{before}the beginning of a message that doesn't end on its line, so it can't be read"
