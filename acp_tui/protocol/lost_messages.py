"""Messages in lines that can't be read: glued together, with other text on the line, or cut in two.

No such message is obeyed. But a peer that waits for one, or a person who does, is to read which it was.
"""

import json
import re
from typing import Any, NamedTuple

MOST_CHARACTERS = 256 * 1024
"""Characters of a line that are searched."""
MOST_ATTEMPTS = 20
"""Braces of a line that are tried as the beginning of a message."""
MOST_NAMED = 3
"""Messages of a line that are named in its description."""
_OBJECT = re.compile(r'\{\s*"')
_BEGINNING = re.compile(r'\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:')
_HEADER = re.compile(r"(?i)\s*content-(?:length|type)\s*:")
_LONGEST_NAME = 60
"""Characters of a name that are shown."""


class _WholeMessage(NamedTuple):
    """A complete message within a line: its position and its readable name."""

    start: int
    end: int
    name: str


def find_lost_message(text: str, decoder: json.JSONDecoder) -> str:
    """Describe what happened to the messages in a line that isn't JSON; "" if it has none. The `decoder` has to
    read integers of any length: Python's own raises ValueError at 4,300 digits.
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
    """Return the messages in a text, and whether all of it was searched."""
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
    """Return a readable name for a message; "" if the object isn't one."""
    method, id = value.get("method"), value.get("id")
    if isinstance(method, str) and ("jsonrpc" in value or "params" in value):
        return method[:_LONGEST_NAME]
    if "id" in value and ("result" in value or "error" in value):
        return f"response to {json.dumps(id, ensure_ascii=False)[:_LONGEST_NAME]}"
    return ""


def _describe_piece(text: str, decoder: json.JSONDecoder, *, is_cut: bool) -> str:
    """Describe a line with a broken message, a piece of one, or its header; "" if it has none of them.

    `is_cut` means that the line was too long to be searched as a whole.
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
        return ""  # whole, behind too many other objects
    if is_cut:
        return "a message in a line that is too long to be searched, so it can't be read"
    before = "other text, and " if text[:start].strip() else ""
    return f"{before}the beginning of a message that doesn't end on its line, so it can't be read"
