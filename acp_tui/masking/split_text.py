"""Finds secrets that are split across records, because their text is sent in pieces.

The pieces of a text are the consecutive chunks of a message in a session, or the output of a
terminal: one of ours, or one of the agent's in tool calls.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.json_parts import object_at
from acp_tui.protocol.process_events import OutputOmitted, TerminalOutput


class Cut(NamedTuple):
    """A part of a record's text that belongs to a longer match; `first` if the match begins here."""

    start: int
    end: int
    first: bool


Cuts = dict[Record, list[Cut]]
"""Cuts by record, from left to right."""

_PRINTED = ("terminal_output_delta", "terminal_output")
"""Keys in the `_meta` of tool calls with the output of the agent's own terminals."""

Find = Callable[[str], Sequence[tuple[int, int]]]
"""Returns the spans of all matches in a text, from left to right, without overlaps."""


class _Text:
    """The pieces of one text so far; `kind` distinguishes it from the text that follows it."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self.pieces: list[tuple[Record, str]] = []


def find_split_parts(records: Iterable[Record], find: Find) -> Cuts:
    """Find secrets that are split across records; return each record's parts of them."""
    found: Cuts = {}
    texts: dict[Any, _Text] = {}
    for record in records:
        source, kind, said = _piece(record)
        if source is None:
            continue
        text = texts.get(source)
        if text is None or text.kind != kind:
            if text is not None:
                _add_split_parts(text, find, found)
            text = texts[source] = _Text(kind)
        if said:
            text.pieces.append((record, said))
    for text in texts.values():
        _add_split_parts(text, find, found)
    return found


class TextField(NamedTuple):
    """The field of a message that has a piece of text: `key` in the object `holder`."""

    holder: dict[str, Any]
    key: str
    path: str

    @property
    def text(self) -> str:
        """The piece of text."""
        said: str = self.holder[self.key]
        return said


def find_text_field(message: Any) -> TextField | None:
    """Return the field of a message that has a piece of a longer text, or None."""
    update = _update_of(message)
    meta = update.get("_meta")
    places = [(update, "content", "text", "params.update.content.text")]
    if isinstance(meta, dict):
        places += [(meta, name, "data", f"params.update._meta.{name}.data") for name in _PRINTED]
    for parent, name, key, path in places:
        holder = parent.get(name)
        if isinstance(holder, dict) and isinstance(holder.get(key), str):
            return TextField(holder, key, path)
    return None


def cut_out(text: str, spans: Sequence[Cut], mask: str) -> str:
    """Remove the parts of split secrets from a text; put the mask where a secret begins."""
    for span in reversed(spans):
        text = text[: span.start] + (mask if span.first else "") + text[span.end :]
    return text


def _piece(record: Record) -> tuple[Any, Any, str]:
    """Return the source of a piece, the kind of text that it belongs to, and its text."""
    if isinstance(record, TerminalOutput):
        return record.terminal_id, None, record.data.decode("utf-8", "surrogateescape")
    if isinstance(record, OutputOmitted):
        return record.terminal_id, record, ""  # the next output is another text
    if not isinstance(record, Frame) or b'"session/update"' not in record.raw:
        return None, None, ""
    message = jsonrpc.decode(record.raw)
    update, kind, said = _update_of(message), None, ""
    source = ("session", str(message["params"].get("sessionId"))) if update else None
    place = find_text_field(message)
    if place is not None and place.key == "data":
        terminal_id = place.holder.get("terminal_id", update.get("toolCallId"))
        source, said = ("terminal", str(terminal_id)), place.text
    elif place is not None:
        kind = (str(update.get("sessionUpdate")), str(update.get("messageId")))
        said = place.text
    return source, kind, said


def _update_of(message: Any) -> dict[str, Any]:
    return object_at(message, "params", "update")


def _add_split_parts(text: _Text, find: Find, found: Cuts) -> None:
    """Record the parts of secrets in a whole text, except secrets that a single piece shows."""
    if len(text.pieces) < 2:
        return
    ends = list(accumulate(len(said) for _, said in text.pieces))
    looked, alone = -1, frozenset[tuple[int, int]]()  # search each piece by itself only once
    for start, end in find("".join(said for _, said in text.pieces)):
        first, last = bisect_right(ends, start), bisect_left(ends, end)
        for index in range(first, last + 1):
            record, said = text.pieces[index]
            begin = ends[index] - len(said)
            if first == last:
                if looked != index:
                    looked, alone = index, frozenset(find(said))
                if (start - begin, end - begin) in alone:
                    continue
            part = Cut(max(start, begin) - begin, min(end, ends[index]) - begin, index == first)
            found.setdefault(record, []).append(part)
