"""Lines that show one record in full: its findings, its JSON, and its bytes."""

import json
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any

from textual.strip import Strip

from acp_tui.debug.columns import ARROWS, MARKS, finding_words, summarize_group
from acp_tui.debug.exchanges import Status
from acp_tui.debug.log import chunk_text
from acp_tui.debug.view import Group
from acp_tui.formatting import exact_duration, narrow_size
from acp_tui.protocol.events import LocalEvent, Record
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.json_decoder import Malformed, decode
from acp_tui.text import reveal_escapes
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.json.json_lines import JsonSource, JsonTree
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import StyledSpan, TextLines, crop_spans, draw_spans

_STYLES = {"error": "error", "warning": "warning", "info": "accent"}


def redraw_facts(group: Group | None) -> tuple[object, ...]:
    """Return the facts that a row's detail depends on; it must be built again when they change."""
    if group is None:
        return ()
    row = group.first
    return row.index, row.status, row.partner, len(row.findings), len(group)


def frame_parts(group: Group, raw: bool) -> Iterator[StackPart | None]:
    """Yield the detail of a row from top to bottom, and None where building may pause."""
    row = group.first
    yield StackPart(TextLines(_head(group), "table.header"))
    yield StackPart(TextLines(_measures(group), "muted"))
    yield StackPart(TextLines(_relation(group), "muted"))  # even if empty: JSON stays in its row
    if len(group) > 1:
        yield from _message(group)
    for finding in row.findings:
        text = f"{MARKS[finding.severity]} {finding.rule.id}  {finding_words(finding)}"
        yield StackPart(TextLines(reveal_escapes(text), _STYLES[finding.severity]))
        if finding.path:
            yield StackPart(TextLines(reveal_escapes(f"at {finding.where}"), "muted"), indent=2)
        yield StackPart(TextLines(finding.rule.basis, "muted"), indent=2)
    record = row.whole
    value = _parse_frame(record) if isinstance(record, Frame) else _facts(record)
    yield from _bytes(record, value) if raw else _tree(record, value)


def _head(group: Group) -> str:
    row = group.first
    number = f"#{row.number}" if row.number else "local"
    return f"{number}  {row.time:.6f}s  {ARROWS[row.direction]} {summarize_group(group)}"


def _measures(group: Group) -> str:
    row = group.first
    size = group.size if row.spread is None else row.whole_size
    was_sent = row.number or size
    known = [
        "" if row.id is None else f"id {row.id!r}",
        f"{narrow_size(size)} bytes" if was_sent else "not on the wire",
        row.status.value,
        "" if row.by is None else f"by {row.by}",
    ]
    return "  ".join(one for one in known if one)


def _relation(group: Group) -> str:
    """Return the text about the other end of the exchange, and about the row's chunks or lines."""
    row, lines = group.first, []
    if row.partner is not None:
        partner = group.log[row.partner]
        apart = "" if row.latency is None else f", {exact_duration(row.latency)} apart"
        if not partner.number:  # an event, such as a timeout, ended the request
            lines.append(f"no answer, but {partner.kind}{apart} (p)")
        else:
            other = "its request" if row.is_answer or not row.number else "its answer"
            lines.append(f"{other} is #{partner.number}{apart} (p)")
    if len(group) > 1:
        what = "lines" if row.status is Status.UNREADABLE else "chunks"
        lines.append(f"{len(group):,} {what}, the first below (Enter in the table unfolds them)")
    return "\n".join(lines)


_LONG = 1024 * 1024
"""Bytes of a chunk that ends the joined text of its message: such a chunk isn't read for that."""
LONGEST_MESSAGE = 20_000
"""Most characters of a message's joined text above its first chunk."""


def _message(group: Group) -> Iterator[StackPart | None]:
    """Yield the text of a message, joined from its chunks."""
    pieces: list[str] = []
    room = LONGEST_MESSAGE
    for at, row in enumerate(group):
        text = chunk_text(row.record) if row.size < _LONG else None
        if text is None or room < 0:
            break
        pieces.append(text)
        room -= len(text)
        if at % 50 == 49:
            yield None
    more = " …" if len(pieces) < len(group) else ""
    if pieces:
        yield StackPart(TextLines("".join(pieces) + more), gap=1)


def _parse_frame(frame: Frame) -> Any:
    """Return a frame's JSON; Malformed if it isn't valid, or was cut off."""
    value = decode(frame.raw)
    if frame.flaw is not None and not isinstance(value, Malformed):
        return Malformed(frame.flaw)
    return value


def _tree(record: Record, value: Any) -> Iterator[StackPart | None]:
    """Yield a record's JSON, with each `_meta` shown separately; its bytes if it isn't JSON."""
    if not isinstance(record, Frame):
        yield StackPart(JsonTree(value), gap=1)
        return
    raw = record.raw
    if isinstance(value, Malformed):
        yield StackPart(TextLines(f"not a message: {value.reason}", "error"), gap=1)
        yield from _bytes(record, value)
        return
    metas: list[tuple[str, Any]] = []
    if b'_meta"' in raw:  # few frames have one, and walking through all values takes long
        value = _without_meta(value, "", metas)
    yield StackPart(JsonTree(value), gap=1)
    for path, meta in metas:
        yield StackPart(TextLines(path, "accent"), gap=1)
        yield StackPart(JsonTree(meta))


MOST_BYTES = 1024 * 1024
"""Most bytes of a record that are shown."""


def _bytes(record: Record, value: Any) -> Iterator[StackPart]:
    """Yield a record's bytes: highlighted if they are JSON, in hex if they aren't UTF-8."""
    data = record.raw if isinstance(record, Frame) else _printed_bytes(record, value)
    left_out = max(0, len(data) - MOST_BYTES)
    data = data[:MOST_BYTES]
    lines: LineColumn
    try:
        text = getincrementaldecoder("utf-8")().decode(data, final=not left_out)
    except UnicodeDecodeError as error:
        yield StackPart(
            TextLines(f"not UTF-8 at byte {error.start}: {error.reason}", "error"), gap=1
        )
        lines = HexLines(data)
    else:
        shown = reveal_escapes(text)
        lines = TextLines(shown) if _is_other(record, value) else JsonSource(shown)
    yield StackPart(lines, gap=1)
    if left_out:
        yield StackPart(TextLines(f"… {left_out:,} more bytes are not shown", "muted"), gap=1)


def _is_other(record: Record, value: Any) -> bool:
    """Return whether the bytes are something other than JSON."""
    return isinstance(value, Malformed) or isinstance(getattr(record, "data", None), bytes)


def _printed_bytes(record: LocalEvent, facts: Any) -> bytes:
    data = getattr(record, "data", None)
    if isinstance(data, bytes):
        return data
    return json.dumps(facts, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _facts(event: LocalEvent) -> dict[str, Any]:
    """Return a local event's fields, in the order of their definition."""
    facts: dict[str, Any] = {"event": type(event).__name__}
    for name, value in event._asdict().items():
        plain = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        facts[name] = list(plain) if isinstance(plain, tuple) else plain
    return facts


DEEPEST = 200
"""Most levels of nesting that are searched for `_meta`."""


def _without_meta(value: Any, path: str, metas: list[tuple[str, Any]], depth: int = 0) -> Any:
    """Return a value without its `_meta` members, which are added to `metas` with their paths."""
    if depth > DEEPEST:
        return value
    if isinstance(value, list):
        return [
            _without_meta(one, f"{path}[{at}]", metas, depth + 1) for at, one in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    rest = {}
    for key, one in value.items():
        where = f"{path}.{key}".removeprefix(".")
        if key == "_meta":
            metas.append((where, one))
        else:
            rest[key] = _without_meta(one, where, metas, depth + 1)
    return rest


class HexLines:
    """Bytes as hex, with ASCII characters at the right."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._width = 0
        self._step = 16

    @property
    def height(self) -> int:
        return -(-len(self._data) // self._step)

    def lay_out(self, width: int, until: float) -> bool:  # noqa: ARG002
        self._width = width
        self._step = 16 if width >= 76 else 8
        return True

    def strip(self, y: int, palette: Palette) -> Strip:
        place, digits, text = self._row(y)
        spans = [
            StyledSpan(place, "muted"),
            StyledSpan(digits),
            StyledSpan(text, "token.literal.string"),
        ]
        return draw_spans(crop_spans(spans, self._width), palette)

    def plain(self, y: int) -> str:
        return "".join(self._row(y))

    def source(self, first: int, last: int) -> str:
        return "\n".join(self.plain(y) for y in range(first, last + 1))

    def _row(self, y: int) -> tuple[str, str, str]:
        start = y * self._step
        part = self._data[start : start + self._step]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in part)
        return f"{start:08x}  ", f"{part.hex(' '):<{3 * self._step}} ", text
