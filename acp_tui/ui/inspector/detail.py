"""All of one record: what is wrong with it, its JSON, and its bytes."""

import json
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any

from textual import events
from textual.actions import SkipAction
from textual.message import Message
from textual.strip import Strip

from acp_tui.formatting import exact_duration, narrow_size
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.text import reveal_escapes
from acp_tui.ui import bindings
from acp_tui.ui.inspector.hex_lines import HexLines
from acp_tui.ui.json.json_tree import JsonTree
from acp_tui.ui.lines.highlights import Highlight, highlighted
from acp_tui.ui.lines.lines import Lines
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Part, Stack
from acp_tui.ui.lines.text_lines import Span, TextLines, draw
from acp_tui.wire.columns import ARROWS, MARKS, summary
from acp_tui.wire.exchanges import Status
from acp_tui.wire.recording import Record
from acp_tui.wire.view import Group

_STYLES = {"error": "error", "warning": "warning", "info": "accent"}


class Detail(LinesView, can_focus=True):
    """The record under the cursor; `raw` shows its bytes instead of its JSON.

    With the focus it has a line of its own, from which JSON is folded and text is looked for.
    """

    BINDINGS = bindings.DETAIL  # type: ignore[assignment]

    class Focused(Message):
        """The focus came, or went."""

    def __init__(self) -> None:
        super().__init__()
        self.raw = False
        self._line = 0
        self._wanted = ""
        self._group: Group | None = None
        self._known: tuple[object, ...] = ()
        self._stack = Stack()

    def show_group(self, group: Group | None) -> None:
        """Show the first record of a row."""
        if group is None or self._group is None or group.first.index != self._group.first.index:
            self._wanted = ""
        self._group = group
        self._known = _known(group)
        self._line = 0
        self._stack = Stack(parts(group, self.raw) if group is not None else ())
        self.show(self._stack)

    def follow(self, group: Group | None) -> None:
        """Show it again if more is known of it by now: its answer, a finding, its last chunk."""
        if _known(group) != self._known:
            self.show_group(group)

    def toggle_raw(self) -> None:
        """Show the bytes, or the JSON again."""
        self.raw = not self.raw
        self.show_group(self._group)

    def on_focus(self) -> None:
        self.refresh()
        self.post_message(self.Focused())

    def on_blur(self) -> None:
        self.refresh()
        self.post_message(self.Focused())

    def render_line(self, y: int) -> Strip:
        strip, palette = super().render_line(y), self._colors()
        line = self.scroll_offset.y + y
        if self._wanted and line < self._stack.height:
            found = self._found_in(line)
            style = palette["search.match"]
            strip = highlighted(strip, (Highlight(start, end, style) for start, end in found))
        at = self.has_focus and line == self._line
        mark = draw([Span("❯" if at else " ", "cursor")], palette).apply_style(self.rich_style)
        return Strip.join([mark, strip.crop(0, strip.cell_length - 1)])

    def _columns(self, width: int) -> int:
        return super()._columns(width - 1)  # the first is for the mark

    # The line that one is at

    def action_move(self, step: int) -> None:
        """Go up or down by lines."""
        self._go(self._line + step)

    def action_pages(self, step: int) -> None:
        """Go up or down by pages."""
        self._go(self._line + step * max(1, self.size.height - 1))

    def action_first(self) -> None:
        """Go to the first line."""
        self._go(0)

    def action_last(self) -> None:
        """Go to the last line."""
        self._go(self._stack.height - 1)

    def _go(self, line: int) -> None:
        self._line = max(0, min(line, self._stack.height - 1))
        top = self.scroll_offset.y
        if not top <= self._line < top + self.size.height:
            beyond = self._line - self.size.height + 1
            y = self._line if self._line < top else beyond
            self.scroll_to(y=y, animate=False, force=True, immediate=True)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Go to the line that is clicked; a second click folds or unfolds."""
        line = event.y + self.scroll_offset.y
        if line == self._line:
            self.action_toggle_fold()
        else:
            self._go(line)

    # Folding

    def action_toggle_fold(self) -> None:
        """Fold the object or list that the line opens, or unfold it again."""
        found = self._tree()
        if found is not None and found[0].toggle(found[1]):
            self.show_again()

    def action_fold_line(self) -> None:
        """Fold what the line opens, else what it is in."""
        found = self._tree()
        if found is not None:
            tree, y = found
            self._line += tree.fold(y) - y
            self.show_again()
            self._go(self._line)

    def action_unfold_line(self) -> None:
        """Unfold what the line opens."""
        found = self._tree()
        if found is not None:
            found[0].unfold(found[1])
            self.show_again()

    def _tree(self) -> tuple[JsonTree, int] | None:
        """The JSON that the line is of, and which of its lines it is."""
        if self._line >= self._stack.height:
            return None
        found = self._stack.find(self._line)
        if found is None or not isinstance(found[0].lines, JsonTree):
            return None
        return found[0].lines, found[1]

    def show_again(self) -> None:
        """Lay out anew what was folded."""
        self._stack.touch(0)
        super().show_again()

    # Looking for text

    def find(self, text: str) -> int:
        """Mark a text wherever it stands, and go to the first place; how many lines have it."""
        self._wanted = text.casefold()
        if self._wanted:
            for part in self._stack.parts:
                if isinstance(part.lines, JsonTree):
                    part.lines.unfold_all()
            self.show_again()
        lines = self._lines_with_it()
        if lines:
            self._go(next((line for line in lines if line >= self._line), lines[0]))
        self.refresh()
        return len(lines)

    def action_next_match(self, step: int) -> None:
        """Go to the next line with the text that was looked for, or the one before."""
        lines = self._lines_with_it()
        if not lines:
            raise SkipAction
        after = [line for line in lines if (line - self._line) * step > 0]
        self._go((after or lines)[0 if step > 0 else -1])

    def _lines_with_it(self) -> list[int]:
        if not self._wanted:
            return []
        return [line for line in range(self._stack.height) if self._found_in(line)]

    def _found_in(self, line: int) -> list[tuple[int, int]]:
        """Where the text stands in a line."""
        text = self._stack.plain(line).casefold()
        found, at = [], text.find(self._wanted)
        while at != -1:
            found.append((at, at + len(self._wanted)))
            at = text.find(self._wanted, at + len(self._wanted))
        return found

    @property
    def is_searched(self) -> bool:
        """Whether a text is marked."""
        return bool(self._wanted)


def _known(group: Group | None) -> tuple[object, ...]:
    if group is None:
        return ()
    row = group.first
    return row.index, row.status, row.partner, len(row.findings), len(group)


def parts(group: Group, raw: bool) -> Iterator[Part]:
    """The detail of a row from top to bottom."""
    row = group.first
    yield Part(TextLines(_head(group), "table.header"))
    yield Part(TextLines(_measures(group), "muted"))
    yield Part(TextLines(_relation(group), "muted"))  # none, too: JSON stays in its rows then
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
    number = f"#{row.number}" if row.number else "local"
    return f"{number}  {row.time:.6f}s  {ARROWS[row.direction]} {summary(group)}"


def _measures(group: Group) -> str:
    row = group.first
    known = [
        "" if row.id is None else f"id {row.id!r}",
        f"{narrow_size(group.size if row.spread is None else row.whole_size)} bytes",
        row.status.value,
    ]
    return "  ".join(one for one in known if one)


def _relation(group: Group) -> str:
    """The other end of the exchange in words, and what else is in the row."""
    row, told = group.first, []
    if row.partner is not None:
        other = "its request" if row.is_answer else "its answer"
        apart = "" if row.latency is None else f", {exact_duration(row.latency)} apart"
        told.append(f"{other} is #{group.log[row.partner].number}{apart} (p)")
    if len(group) > 1:
        what = "lines" if row.status is Status.UNREADABLE else "chunks"
        told.append(f"the first of {len(group):,} {what}; Enter unfolds them")
    return "\n".join(told)


def _tree(record: Record) -> Iterator[Part]:
    """The JSON of a record, what stands under `_meta` apart; the bytes of what has none."""
    if not isinstance(record, Frame):
        yield Part(JsonTree(_facts(record)), gap=1)
        return
    value = jsonrpc.outline(record.raw)
    if isinstance(value, Malformed) or record.flaw is not None:
        why = value.reason if isinstance(value, Malformed) else record.flaw
        yield Part(TextLines(f"no message: {why}", "error"), gap=1)
        yield from _bytes(record)
        return
    metas: list[tuple[str, Any]] = []
    if b"meta" in record.raw:  # few have one, and to look through megabytes takes long
        value = _without_meta(value, "", metas)
    yield Part(JsonTree(value), gap=1)
    for path, meta in metas:
        yield Part(TextLines(path, "accent"), gap=1)
        yield Part(JsonTree(meta))


MOST_BYTES = 1024 * 1024
"""How many bytes of a record are shown."""


def _bytes(record: Record) -> Iterator[Part]:
    data = record.raw if isinstance(record, Frame) else _said(record)
    left_out = max(0, len(data) - MOST_BYTES)
    data = data[:MOST_BYTES]
    lines: Lines
    try:
        text = getincrementaldecoder("utf-8")().decode(data, final=not left_out)
    except UnicodeDecodeError as error:
        yield Part(TextLines(f"not UTF-8 at byte {error.start}: {error.reason}", "error"), gap=1)
        lines = HexLines(data)
    else:
        lines = TextLines(reveal_escapes(text), "token.literal.string")
    yield Part(lines, gap=1)
    if left_out:
        yield Part(TextLines(f"… {left_out:,} bytes more are not shown", "muted"), gap=1)


def _said(record: LocalEvent) -> bytes:
    data = getattr(record, "data", None)
    if isinstance(data, bytes):
        return data
    return json.dumps(_facts(record), ensure_ascii=False).encode("utf-8", "backslashreplace")


def _facts(event: LocalEvent) -> dict[str, Any]:
    """A local event's fields, in the order of their definition."""
    facts: dict[str, Any] = {"event": type(event).__name__}
    for name, value in event._asdict().items():
        plain = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        facts[name] = list(plain) if isinstance(plain, tuple) else plain
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
