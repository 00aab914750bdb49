"""Content blocks as lines: text as Markdown, others as one descriptive line (ACP: Content)."""

from collections.abc import Sequence
from typing import Any

from acp_tui.formatting import counted, size
from acp_tui.protocol.content import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    decoded_size,
)
from acp_tui.state.blocks import Block, Other, TextRun
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import TextLines
from acp_tui.ui.lines.visible import readable_address
from acp_tui.ui.markdown.document import MarkdownDocument

PIECE = 128 * 1024
"""Characters added at a time: cleaning them takes a few milliseconds."""


MOST_SHOWN = 8_000_000
"""Characters shown of one text; the log and the copied text have all of it."""


class StreamedText(Stack):
    """Markdown that grows with a text run; `keep_lines` is for tool output, which isn't prose."""

    def __init__(self, *, keep_lines: bool = False) -> None:
        super().__init__()
        self._keep_lines = keep_lines
        self._reset()

    def _reset(self) -> None:
        self.document = MarkdownDocument(keep_lines=self._keep_lines)
        self._shown = self._omitted = 0
        self._finished = False
        self.replace([StackPart(self.document)])

    def update(self, run: TextRun, complete: bool, resting: bool) -> bool:
        """Append new text; start over if the text grows after its end. Return False if more is
        left.

        While `resting`, unfinished Markdown at the end is shown as text: more is possible, but not
        expected soon.
        """
        self.document.set_resting(resting)
        shown = min(run.length, MOST_SHOWN)
        if self._shown < shown:
            if self._finished:
                self._reset()
            piece = run.since(self._shown, min(PIECE, shown - self._shown))
            self._shown += len(piece)
            self.document.append(piece)
            self.touch(0)
        if self._shown < shown:
            return False
        if run.length - shown != self._omitted:
            self._omitted = run.length - shown
            note = f"… {self._omitted:,} more characters are not shown"
            self.replace([StackPart(self.document), StackPart(TextLines(note, "muted"), gap=1)])
        if complete and not self._finished:
            self._finished = True
            self.document.finish()
            self.touch(0)
        return True


class ResentText(StreamedText):
    """A text that each update repeats as a whole, usually longer."""

    def __init__(self, text: str) -> None:
        super().__init__(keep_lines=True)
        self.run = TextRun([text])

    def become(self, text: str | None) -> bool:
        """Grow to a longer text; return False if it doesn't begin with the current one."""
        if text is None or not text.startswith(self.run.text):
            return False
        self.run.append(text[self.run.length :])
        return True


class ContentBlocks(Stack):
    """The blocks of a message. Only the last one can grow; the others are read once."""

    def __init__(self, *, full: bool = False) -> None:
        super().__init__()
        self._blocks: list[Block] = []
        self._full = full

    def update(self, blocks: Sequence[Block], complete: bool, resting: bool) -> bool:
        """Add new blocks and text; return False if any is left for the next call."""
        if self._blocks and (not blocks or self._blocks[0] is not blocks[0]):
            self._blocks = []
            self.replace([])
        at = max(0, len(self._blocks) - 1)
        while at < len(blocks):
            if at == len(self._blocks):
                self._add_block(blocks[at])
            if not self._grow(at, blocks[at], complete or at < len(blocks) - 1, resting):
                return False
            at += 1
        return True

    def _add_block(self, block: Block) -> None:
        lines = StreamedText() if isinstance(block, TextRun) else block_lines(block, self._full)
        self._blocks.append(block)
        self.add(StackPart(lines, gap=1 if self.parts else 0))

    def _grow(self, at: int, block: Block, complete: bool, resting: bool) -> bool:
        lines = self.parts[at].lines
        if not isinstance(lines, StreamedText) or not isinstance(block, TextRun):
            return True
        self.touch(at)
        return lines.update(block, complete, resting)


def has_folded_text(blocks: Sequence[Block | TextContent]) -> bool:
    """Return whether any block is an embedded text, which is shown only in full."""
    return any(isinstance(one, EmbeddedResource) and one.resource.text for one in blocks)


def block_lines(block: Other, full: bool = False) -> LineColumn:
    """Return content other than text as one line; in full, with an embedded text below."""
    match block:
        case ImageContent():
            words = f"image ({block.mime_type}, {size(decoded_size(block.data))})"
            return TextLines(words, "link", {"open": True}, mark="▣ ")
        case AudioContent():
            return _described(
                "♪", f"audio ({block.mime_type}, {size(decoded_size(block.data))})", None
            )
        case ResourceLink():
            name = block.title or block.name
            length = f" ({size(block.size)})" if block.size is not None else ""
            where = readable_address(block.uri)
            description = f"{where}{length}" if where.endswith(name) else f"{name}{length} {where}"
            return _described("↗", description, block.uri)
        case EmbeddedResource():
            return _embedded(block, full)
        case _:
            return _described("?", f"content of the unknown type {block.type!r}", None)


def _described(icon: str, text: str, uri: str | None) -> TextLines:
    meta: dict[str, Any] | None = {"link": uri} if uri else None
    return TextLines(text, "link" if uri else "image", meta, mark=f"{icon} ")


def _embedded(block: EmbeddedResource, full: bool) -> LineColumn:
    resource = block.resource
    if resource.text is None:
        length = size(decoded_size(resource.blob or ""))
        return _described(
            "▤",
            f"{readable_address(resource.uri)} ({resource.mime_type or 'binary'}, {length})",
            None,
        )
    length = counted(resource.text.count("\n") + 1, "line")
    text = f"{'▾' if full else '▸'} ▤ {readable_address(resource.uri)} ({resource.mime_type or 'text'}, {length})"
    head = TextLines(text, "image", {"toggle": True})
    return Stack([StackPart(head), StackPart(TextLines(resource.text), indent=2)]) if full else head
