"""Formats what a person reads without a UI: a tool call's content in lines and pages, and a write, a command or a
failure on one line.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import PurePath

from acp_tui.edits.edits import describe_file_change
from acp_tui.edits.hunks import find_hunks, format_hunks, split_lines
from acp_tui.edits.line_diff import (
    BOM,
    compare_lines,
    describe_line_end_changes,
    ignores_line_ends,
    is_dos,
)
from acp_tui.edits.shown_changes import JoinedContent, Renamed
from acp_tui.edits.steps import finish_steps
from acp_tui.headless.rows import MARK, MOST_EMPTY
from acp_tui.protocol.content import (
    AudioContent,
    ContentBlock,
    ContentItem,
    Diff,
    EmbeddedResource,
    FileChange,
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
from acp_tui.text import count_blanks, is_blank, one_line, whole_line

PAGE = 100
"""Rows of a question that are printed at once."""
ROW = 70
"""Characters that count as a row of a terminal."""
_LONGEST_PIECE = 40 * ROW
"""Characters of a line that are printed without a break."""


def describe_content(item: JoinedContent) -> list[str]:
    """Describe a piece of content in lines of a question."""
    match item:
        case Renamed(source=source, diff=diff):
            before, after = diff.old_text, diff.new_text
            return [
                mark_line(f"{whole_line(source)} → {whole_line(diff.path)} (renamed)"),
                *(diff_lines(before, after) if before != after else ()),
            ]
        case Diff(path=path, old_text=old, new_text=new):
            return [mark_line(whole_line(path)), *diff_lines(old, new)]
        case FileChange(patch=patch):
            paths = [line for path in item.paths for line in whole_if_cut(path)]
            return [mark_line(describe_file_change(item)), *paths, *marked_lines(patch or "")]
        case ContentItem(content=TextContent(text=text)):
            return marked_lines(text)
        case ContentItem(content=content):
            return [mark_line(f"[{content.type}]")]
    return []


def diff_lines(old: str | None, new: str) -> list[str]:
    """Make a unified diff of a file; `old` is None for a new one."""
    note = describe_line_end_changes(old, new)
    any_ends = ignores_line_ends(old, new) or (is_dos(old or "") and is_dos(new))
    before, after = _lines(old or "", any_ends), _lines(new, any_ends)
    shown = [f"  {note}"] if note else []
    # Blanks are counted first: the signs for thousands of carriage returns would fill the screen.
    shown += [
        mark_line(count_blanks(line).replace("\r", "␍"))
        for line in _without_empty(_differences(before, after))
    ]
    if old and new and old.endswith("\n") != new.endswith("\n"):
        change = "removed" if old.endswith("\n") else "added"
        shown.append(f"  the last newline is {change}")
    return shown or ["  (nothing changes)"]


def _lines(text: str, any_ends: bool) -> list[str]:
    """Return lines to compare, each with a newline; with `any_ends` without carriage returns and BOM."""
    lines = text.removesuffix("\n").split("\n") if text else []
    if any_ends:
        lines = [line.removesuffix("\r") for line in lines]
        lines[:1] = [line.removeprefix(BOM) for line in lines[:1]]
    return [f"{line}\n" for line in lines]


def _without_empty(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines with a sign each; long runs of empty ones are counted instead."""
    for (sign, empty), run in groupby(lines, lambda line: (line[:1], is_blank(line[1:]))):
        found = list(run)
        many = empty and len(found) > MOST_EMPTY
        yield from [f"{sign}⋯ {len(found):,} empty lines"] if many else found


def _differences(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the lines of a unified diff, without the line numbers of its hunks."""
    for hunk in format_hunks(before, after, finish_steps(find_hunks(before, after))):
        yield from (
            "@@" if line.startswith("@@ ") else line for line in hunk.removesuffix("\n").split("\n")
        )


def marked_lines(text: str) -> list[str]:
    """Return the lines of a text of the agent, each of them marked."""
    return [mark_line(line) for line in count_blanks(text).splitlines()]


def whole_if_cut(text: str) -> list[str]:
    """Return the whole text in a marked line, if `one_line` would cut it; else nothing."""
    whole = whole_line(text)
    return [] if one_line(text) == whole else [mark_line(whole)]


def mark_line(line: str) -> str:
    """Mark a line of a question as the agent's."""
    return f"  {MARK}{line}"


def split_pages(lines: Iterable[str]) -> list[list[str]]:
    """Split the lines of a question into pages. Nothing is left out: a long line continues in the next."""
    pages: list[list[str]] = [[]]
    room = PAGE
    for piece in (piece for line in lines for piece in _pieces(line)):
        if room < count_rows(piece):
            pages.append([])
            room = PAGE
        pages[-1].append(piece)
        room -= count_rows(piece)
    return pages


def count_rows(line: str) -> int:
    """Estimate how many rows of a terminal a line needs."""
    return 1 + len(line) // ROW


def _pieces(line: str) -> Iterator[str]:
    yield line[:_LONGEST_PIECE]
    for at in range(_LONGEST_PIECE, len(line), _LONGEST_PIECE):
        yield mark_line(f"…{line[at : at + _LONGEST_PIECE]}")


MOST_OF_A_REASON = 300
"""Characters that are shown of the reason why a tool call failed."""
_FENCES = ("```", "~~~")


def describe_write(state: State, event: FileWritten) -> str:
    """Describe a write in one line: the file's name in the session's folder, and its line counts."""
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
    told = write_remark(event)
    return " ".join(parts) + (f": {told}" if told else "")


def describe_command(terminal: Terminal, event: TerminalExited) -> str:
    """Describe a command in one line: its words, and its exit code or signal."""
    how = event.signal or event.exit_code
    return f"ran {' '.join([terminal.command, *terminal.args])}: {how}"


def describe_block(content: ContentBlock) -> str:
    """Describe content that can't be printed, in one line; a link or a resource with its address."""
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
    """Count the lines added and removed; `old` is None for a new file."""
    before, after = split_lines(old or ""), split_lines(new)
    if ignores_line_ends(old, new):
        before, after = ([one.rstrip("\r\n") for one in side] for side in (before, after))
    blocks = finish_steps(compare_lines(before, after))
    return blocks.added, blocks.removed


def why_failed(state: State, entry: ToolCallEntry) -> str:
    """Return the first line of a failed call's output, without code fences, as the reason; "" if there is none.

    Of a terminal's output it is the last line.
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
    words = words or next(filter(None, (_last_words(state, item) for item in entry.content)), "")
    return f": {words[:MOST_OF_A_REASON]}" if words else ""


def _last_words(state: State, item: ShownContent) -> str:
    """Return the last line of a terminal's output; "" for other content."""
    terminal = state.terminals.get(item.terminal_id) if isinstance(item, TerminalRef) else None
    output = terminal.output.decode("utf-8", "replace") if terminal is not None else ""
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")
