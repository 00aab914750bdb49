"""The full text of entries, including folded parts, for the search."""

from collections.abc import Iterator
from typing import Any

from acp_tui.edits.edits import describe_file_change
from acp_tui.protocol.content import (
    ContentItem,
    Diff,
    EmbeddedResource,
    FileChange,
    ResourceLink,
    SessionRef,
    ShownContent,
    TerminalRef,
    TextContent,
    UnknownContent,
)
from acp_tui.state.blocks import Block, TextRun
from acp_tui.state.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    PlanSnapshot,
    RawEntry,
    TerminalEntry,
    ToolCallEntry,
)
from acp_tui.state.state import State
from acp_tui.state.subagents import describe_subagent
from acp_tui.state.subject_parts import summary_line
from acp_tui.ui.terminal.screen import MOST_UNREAD, SCROLLBACK


def full_text(entry: Entry, state: State) -> Iterator[str]:
    """Yield the texts that can be folded; titles always stay visible, so they are left out."""
    match entry:
        case MessageEntry() | CompactionEntry():
            if isinstance(entry, MessageEntry) and entry.is_reworded:
                for block in entry.sent or []:
                    yield from _block(block)
            for block in entry.blocks:
                yield from _block(block)
        case ToolCallEntry():
            yield from (place.path for place in entry.locations)
            for item in entry.content:
                yield from _item(item, state)
            yield from _strings(
                [entry.raw_input, entry.raw_output, entry.consent.rulings, entry.consent.decisions]
            )
            yield from (
                summary_line(entry.consent.allowed[at]) for at in entry.consent.changed_since
            )
            yield from entry.consent.changed_since.values()
        case PlanSnapshot():
            yield from (one.content for plan in entry.versions for one in plan)
        case TerminalEntry():
            yield from _terminal(entry.terminal_id, state)
        case RawEntry():
            yield from _strings(entry.raw)


def _block(block: Block | TextContent) -> Iterator[str]:
    match block:
        case TextRun(text=text) | TextContent(text=text):
            yield text
        case EmbeddedResource():
            yield block.resource.uri
            yield block.resource.text or ""
        case ResourceLink():
            yield f"{block.title or block.name} {block.uri}"


def _item(item: ShownContent, state: State) -> Iterator[str]:
    match item:
        case ContentItem():
            yield from _block(item.content)
        case Diff():
            yield from (item.path, item.old_text or "", item.new_text)
        case FileChange():
            yield describe_file_change(item)
            yield item.patch or ""
        case TerminalRef():
            yield from _terminal(item.terminal_id, state)
        case SessionRef():
            yield describe_subagent(state, item.session_id)
        case UnknownContent():
            yield from _strings(item.wire())


def _terminal(terminal_id: str, state: State) -> Iterator[str]:
    terminal = state.terminals.get(terminal_id)
    if terminal is not None:
        yield " ".join([terminal.command, *terminal.args])
        shown = terminal.output[-MOST_UNREAD:].split(b"\n")[-SCROLLBACK:]
        yield b"\n".join(shown).decode("utf-8", "replace")


def _strings(value: Any) -> Iterator[str]:
    """Yield all keys, strings and numbers in a JSON value; iteratively, as it may nest deeply."""
    stack = [value]
    while stack:
        match stack.pop():
            case dict() as fields:
                stack += [*reversed(fields.values())]
                yield from fields
            case list() as items:
                stack += reversed(items)
            case None:
                pass
            case scalar:
                yield str(scalar)
