"""All of one record: what is wrong with it, its JSON, and its bytes."""

import json
from collections.abc import Iterator
from typing import Any

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.text import reveal_escapes
from acp_tui.ui.inspector.hex_lines import HexLines
from acp_tui.ui.transcript.json_lines import JsonLines
from acp_tui.ui.transcript.lines import Lines
from acp_tui.ui.transcript.lines_view import LinesView
from acp_tui.ui.transcript.stack import Part, Stack
from acp_tui.ui.transcript.text_lines import TextLines
from acp_tui.wire.cells import ARROWS, MARKS, amount, duration, what
from acp_tui.wire.exchanges import Status
from acp_tui.wire.recording import Record
from acp_tui.wire.view import Group

_STYLES = {"error": "error", "warning": "warning", "info": "accent"}


class Detail(LinesView, can_focus=True):
    """The record under the cursor; `raw` shows its bytes instead of its JSON."""

    def __init__(self) -> None:
        super().__init__()
        self.raw = False
        self._group: Group | None = None
        self._known: tuple[object, ...] = ()

    def show_group(self, group: Group | None) -> None:
        """Show the first record of a row."""
        self._group = group
        self._known = _known(group)
        self.show(Stack(parts(group, self.raw) if group is not None else ()))

    def follow(self, group: Group | None) -> None:
        """Show it again if more is known of it by now: its answer, a finding, its last chunk."""
        if _known(group) != self._known:
            self.show_group(group)

    def toggle_raw(self) -> None:
        """Show the bytes, or the JSON again."""
        self.raw = not self.raw
        self.show_group(self._group)


def _known(group: Group | None) -> tuple[object, ...]:
    if group is None:
        return ()
    row = group.first
    return row.index, row.status, row.partner, len(row.findings), len(group)


def parts(group: Group, raw: bool) -> Iterator[Part]:
    """The detail of a row from top to bottom."""
    row = group.first
    yield Part(TextLines(_head(group), "table.header"))
    if (partner := _partner(group)) is not None:
        yield Part(TextLines(partner, "muted"))
    if len(group) > 1:
        what = "lines" if row.status is Status.UNREADABLE else "chunks"
        yield Part(TextLines(f"the first of {len(group):,} {what}; Enter unfolds them", "muted"))
    for finding in row.findings:
        mark = MARKS[finding.severity]
        where = f" at {finding.where}" if finding.path else ""
        told = f"{mark} {finding.rule.id}{where}: {finding.message}"
        yield Part(TextLines(reveal_escapes(told), _STYLES[finding.severity]))
        yield Part(TextLines(finding.rule.basis, "muted"), indent=2)
    record = row.whole
    yield from _bytes(record) if raw else _tree(record)


def _head(group: Group) -> str:
    row = group.first
    about = [
        f"#{row.number}" if row.number else "local",
        f"{row.time:.6f}s",
        f"{ARROWS[row.direction]} {what(group)}",
        "" if row.id is None else f"id {row.id!r}",
        f"{amount(group.size)} bytes",
        row.status.value,
    ]
    return "  ".join(part for part in about if part)


def _partner(group: Group) -> str | None:
    """The other end of the exchange, in words."""
    row = group.first
    if row.partner is None:
        return None
    other = "its request" if row.is_answer else "its answer"
    number = group.log[row.partner].number
    apart = "" if row.latency is None else f", {duration(row.latency)} apart"
    return f"{other} is #{number}{apart}; p goes there"


def _tree(record: Record) -> Iterator[Part]:
    """The JSON of a record, what stands under `_meta` apart; the bytes of what has none."""
    if not isinstance(record, Frame):
        yield Part(JsonLines(_facts(record), folded=False), gap=1)
        return
    value = jsonrpc.decode(record.raw)
    if isinstance(value, Malformed) or record.flaw is not None:
        why = value.reason if isinstance(value, Malformed) else record.flaw
        yield Part(TextLines(f"no message: {why}", "error"), gap=1)
        yield from _bytes(record)
        return
    metas: list[tuple[str, Any]] = []
    if b"meta" in record.raw:  # few have one, and to look through megabytes takes long
        value = _without_meta(value, "", metas)
    yield Part(JsonLines(value, folded=False), gap=1)
    for path, meta in metas:
        yield Part(TextLines(path, "accent"), gap=1)
        yield Part(JsonLines(meta, folded=False))


def _bytes(record: Record) -> Iterator[Part]:
    data = record.raw if isinstance(record, Frame) else _said(record)
    lines: Lines
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        yield Part(TextLines(f"not UTF-8 at byte {error.start}: {error.reason}", "error"), gap=1)
        lines = HexLines(data)
    else:
        lines = TextLines(reveal_escapes(text), "token.literal.string")
    yield Part(lines, gap=1)


def _said(record: LocalEvent) -> bytes:
    data = getattr(record, "data", None)
    if isinstance(data, bytes):
        return data
    return json.dumps(_facts(record), ensure_ascii=False).encode("utf-8", "backslashreplace")


def _facts(event: LocalEvent) -> dict[str, Any]:
    """A local event's fields, in the order of their definition."""
    facts = {"event": type(event).__name__}
    for name, value in event._asdict().items():
        facts[name] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return facts


DEEPEST = 200
"""How deep `_meta` is looked for."""


def _without_meta(value: Any, path: str, metas: list[tuple[str, Any]], depth: int = 0) -> Any:
    """A value without what stands under `_meta`, which goes to `metas` with its path."""
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
