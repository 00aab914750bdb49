"""The parts that a question is made of: words, and what its tool call shows and gets."""

from collections.abc import Iterator
from typing import Any

from acp_tui.edits.edits import describe_file_change as change_words
from acp_tui.edits.renames import Item, Renamed
from acp_tui.protocol.content import (
    ContentItem,
    Diff,
    EmbeddedResource,
    FileChange,
    ResourceLink,
    TextContent,
    UnknownContent,
)
from acp_tui.state import edit_facts
from acp_tui.state.entries import ToolCallEntry
from acp_tui.text import judged, one_line
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import NOTHING, Around
from acp_tui.ui.diff.rows import start_at
from acp_tui.ui.json.json_lines import JsonLines
from acp_tui.ui.lines.paths import readable
from acp_tui.ui.lines.stack import Named, StackPart
from acp_tui.ui.lines.text_lines import TextLines

IN = 2
"""Cells that an agent's own words are set in: what they imitate begins at the edge."""
LONGEST_INPUT = 100_000
"""How many characters of a text in an input are shown."""


def content(item: Item, call: ToolCallEntry, cwd: str | None, around: Around) -> Iterator[Named]:
    """What a tool call shows of what it would do; `around` is what stands beside a diff."""
    match item:
        case Diff():
            start = start_at(edit_facts.place_of(call, item), item)
            lines = DiffLines(item, cwd=cwd, start=start, judged=True, around=around)
            yield Named(StackPart(lines, gap=1 if around is NOTHING else 0), "diff")
        case Renamed():
            lines = DiffLines(item.diff, source=item.source, cwd=cwd, judged=True)
            yield Named(StackPart(lines, gap=1), "diff")
        case FileChange():
            yield Named(StackPart(text(change_words(item), "strong"), gap=1), "change")
            if item.patch is not None:
                yield Named(StackPart(text(item.patch), indent=IN), "diff")
        case ContentItem(content=TextContent(text=words)):
            yield Named(words_of(words, gap=1), "text")
        case ContentItem(content=EmbeddedResource(resource=resource)):
            yield Named(words_of(one_line(readable(resource.uri)), "muted", gap=1))
            yield Named(words_of(resource.text or f"[{resource.mime_type or 'binary'}]"), "text")
        case ContentItem(content=ResourceLink() as link):
            words = one_line(f"{link.title or link.name} {readable(link.uri)}")
            yield Named(words_of(words, "muted", gap=1))
        case ContentItem(content=other):
            yield said(f"[{other.type}]", gap=1)
        case UnknownContent():
            yield Named(
                StackPart(JsonLines(item.wire(), folded=False, longest=LONGEST_INPUT), gap=1),
                "text",
            )


def input_rest(rest: Any, asides: Any) -> Iterator[Named]:
    """What else the tool gets; notes beside that are folded."""
    if rest is not None:
        yield said("input", gap=1)
        lines = JsonLines(rest, folded=False, brief=True, longest=LONGEST_INPUT)
        yield Named(StackPart(lines, indent=2), "input")
    if asides is not None:
        yield said("notes", gap=1)
        yield Named(StackPart(JsonLines(asides), indent=2))


def said(words: str, style: str = "muted", gap: int = 0) -> Named:
    """Words beside what is to be judged."""
    return Named(StackPart(text(words, style), gap=gap))


def words_of(words: str, style: str = "text", gap: int = 0) -> StackPart:
    """An agent's own words: they begin where no row of ours does."""
    return StackPart(text(words, style), indent=IN, gap=gap)


def text(words: str, style: str = "text", *, mark: str = "") -> TextLines:
    """Words to judge by: nothing of them may hide in an escape sequence, or far below or aside."""
    return TextLines(judged(words), style, mark=mark)
