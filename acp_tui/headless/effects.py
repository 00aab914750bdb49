"""One-line descriptions of what an agent did: writes, commands, content that can't be printed,
failures.
"""

from pathlib import PurePath

from acp_tui.edits.hunks import split_lines
from acp_tui.edits.line_diff import compare_lines, describe_line_end_changes, ignores_line_ends
from acp_tui.edits.steps import finish_steps
from acp_tui.protocol.content import (
    AudioContent,
    ContentBlock,
    ContentItem,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    ShownContent,
    TerminalRef,
    TextContent,
    decoded_size,
)
from acp_tui.protocol.file_events import FileWritten
from acp_tui.protocol.jsonrpc import as_json
from acp_tui.protocol.process_events import TerminalExited
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.reducers.file_writes import write_remark
from acp_tui.state.state import State, Terminal

LONGEST_REASON = 300
"""Longest reason for a failed tool call, in characters."""
_FENCES = ("```", "~~~")


def describe_write(state: State, event: FileWritten) -> str:
    """Describe a write in one line: the path, relative to the session's folder, and the line
    counts.
    """
    path, folder = PurePath(event.path), state.session(event.session_id).cwd
    is_inside = bool(folder) and path.is_relative_to(folder)
    parts = ["wrote", str(path.relative_to(folder)) if is_inside else event.path]
    if event.text is not None:
        added, removed = line_counts(event.old_text, event.text)
        parts += [f"{sign}{count}" for sign, count in (("+", added), ("−", removed)) if count]
        if note := describe_line_end_changes(event.old_text, event.text):
            parts.append(f"({note})")
    if event.created:
        parts.append("(new)")
    remark = write_remark(event)
    return " ".join(parts) + (f": {remark}" if remark else "")


def describe_command(terminal: Terminal, event: TerminalExited) -> str:
    """Describe a command in one line: its arguments, and its exit code or signal."""
    how = event.signal or event.exit_code
    return f"ran {' '.join([terminal.command, *terminal.args])}: {how}"


def describe_block(content: ContentBlock) -> str:
    """Describe content that can't be printed in one line; a link or a resource with its URI."""
    match content:
        case ImageContent() | AudioContent():
            place = f" {content.uri}" if isinstance(content, ImageContent) and content.uri else ""
            size = decoded_size(content.data)
            return f"[{content.type}{place}: {content.mime_type}, {size:,} bytes]"
        case ResourceLink():
            return f"[resource_link {content.title or content.name}: {content.uri}]"
        case EmbeddedResource(resource=resource) if resource.text is not None:
            kind = resource.mime_type or "text"
            return f"[resource {resource.uri}: {kind}, {len(resource.text):,} characters]"
        case EmbeddedResource(resource=resource):
            kind = resource.mime_type or "binary"
            size = decoded_size(resource.blob or "")
            return f"[resource {resource.uri}: {kind}, {size:,} bytes]"
        case _:
            return f"[content of the unknown type {content.type!r}]"


def line_counts(old: str | None, new: str) -> tuple[int, int]:
    """Count the added and removed lines; `old` is None for a new file."""
    before, after = split_lines(old or ""), split_lines(new)
    if ignores_line_ends(old, new):
        before, after = ([one.rstrip("\r\n") for one in side] for side in (before, after))
    blocks = finish_steps(compare_lines(before, after))
    return blocks.added, blocks.removed


def failure_reason(state: State, entry: ToolCallEntry) -> str:
    """Return the reason why a tool call failed, or "".

    It is the first line of the call's output, without code fences, or the last line of its
    terminal's output.
    """
    if entry.status != "failed":
        return ""
    texts = [
        item.content.text
        for item in entry.content
        if isinstance(item, ContentItem) and isinstance(item.content, TextContent)
    ]
    if entry.raw_output is not None:
        raw = entry.raw_output
        texts.append(raw if isinstance(raw, str) else as_json(raw))
    lines = (line.strip() for text in texts for line in text.splitlines())
    words = next((line for line in lines if line and not line.startswith(_FENCES)), "")
    words = words or next(
        filter(None, (_last_output_line(state, item) for item in entry.content)), ""
    )
    return f": {words[:LONGEST_REASON]}" if words else ""


def _last_output_line(state: State, item: ShownContent) -> str:
    """Return the last line of a terminal's output; "" for other content."""
    terminal = state.terminals.get(item.terminal_id) if isinstance(item, TerminalRef) else None
    output = terminal.output.decode("utf-8", "replace") if terminal is not None else ""
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")
