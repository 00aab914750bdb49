"""What is copied: an entry as Markdown, a code block, the text that is selected."""

import json
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from textual.selection import Selection

from acp_tui.protocol.content import (
    AudioContent,
    ContentItem,
    Diff,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TerminalRef,
    TextContent,
    UnknownContent,
)
from acp_tui.session.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    Other,
    PlanSnapshot,
    RawEntry,
    TerminalEntry,
    TextRun,
    ToolCallEntry,
    TurnEndEntry,
)
from acp_tui.session.permissions import CANCELLED
from acp_tui.session.renames import Item, Renamed, with_renames
from acp_tui.session.state import State, Terminal
from acp_tui.ui.transcript.command import command_line
from acp_tui.ui.transcript.diff import binary_note, is_binary
from acp_tui.ui.transcript.document import Document, Place
from acp_tui.ui.transcript.enclosed import enclosed
from acp_tui.ui.transcript.entry_view import EntryView
from acp_tui.ui.transcript.line_diff import Steps, finish
from acp_tui.ui.transcript.markdown.code import CodeRow
from acp_tui.ui.transcript.painter import GUTTER
from acp_tui.ui.transcript.stack import Shortened, Stack
from acp_tui.ui.transcript.terminal_screen import TerminalScreen
from acp_tui.ui.transcript.terminal_stream import TerminalStream
from acp_tui.ui.transcript.unified import unified

LEAST_WIDE, MOST_WIDE = 120, 1000
"""How wide the screen is that a command's output is played on to be copied: as its lines need."""
PRINTED_ROWS = 100_000
LINES_AT_ONCE = 32
"""How many lines are taken between two steps."""
LOOKED_AT = 5000
"""How many lines of an entry are looked at for code blocks."""


@runtime_checkable
class HasCode(Protocol):
    def code_block_at(self, y: int) -> str | None: ...

    def code_row_at(self, y: int) -> CodeRow | None: ...


def _with_code(lines: object, y: int, indent: int = 0) -> tuple[HasCode, int, int] | None:
    """The lines within some lines that can tell of code in line `y`, `y` there, and the indent."""
    if isinstance(lines, HasCode):
        return lines, y, indent
    if isinstance(lines, Shortened):
        is_hint = lines.hidden > 0 and y == lines.limit
        return None if is_hint else _with_code(lines.lines, y, indent)
    found = lines.find(y) if isinstance(lines, Stack) else None
    return _with_code(found[0].lines, found[1], indent + found[0].indent) if found else None


def code_block_at(lines: object, y: int) -> str | None:
    """The source of the code block that line `y` of some lines belongs to."""
    found = _with_code(lines, y)
    return found[0].code_block_at(found[1]) if found else None


def code_row_at(lines: object, y: int) -> CodeRow | None:
    """What line `y` of some lines has of code, as `plain` gives it."""
    found = _with_code(lines, y)
    row = found[0].code_row_at(found[1]) if found else None
    if row is None or found is None:
        return None
    indent = found[2]
    return CodeRow(row.margin + indent, row.start + indent, row.end + indent, *row[3:])


def code_blocks(view: EntryView[Any], first: int) -> tuple[list[str], int]:
    """The code blocks of an entry, and which of them is the first from line `first` on."""
    blocks: list[str] = []
    y = number = 0
    before = None
    while y < min(view.height, LOOKED_AT):
        block = code_block_at(view, y)
        if block is not None and block != before:
            blocks.append(block)
            y += max(0, block.count("\n") - 1)  # no line of code takes less than a row
        if block is not None and y < first:
            number = len(blocks)
        before = block
        y += 1
    return blocks, number if number < len(blocks) else 0


def selected_source(document: Document, selection: Selection) -> str:
    """The source of the selected lines, as Markdown; lines are taken whole."""
    first, last = _selected_lines(document, selection)
    pieces = []
    for index in document.between(first, last):
        top = document.offset(Place(index, 0))
        end = min(last - top, document.view(index).height - 1)
        pieces.append(document.view(index).source(max(0, first - top), end))
    return "\n\n".join(piece for piece in pieces if piece)


def _selected_lines(document: Document, selection: Selection) -> tuple[int, int]:
    last = document.height - 1
    start, end = selection
    return start.y if start else 0, min(end.y if end else last, last)


def selected_text(document: Document, selection: Selection) -> str:
    """The text of the selected lines, without gutter; of code, without what is drawn around it."""
    return finish(selected_text_steps(document, selection))


def selected_text_steps(document: Document, selection: Selection) -> Steps[str]:
    """As `selected_text`, in steps: many lines may have to be drawn for it."""
    start, end = selection
    first_line, last_line = _selected_lines(document, selection)
    lines: list[str] = []
    for y in range(first_line, last_line + 1):
        if y % LINES_AT_ONCE == 0:
            yield
        if y >= document.height:  # it became shorter meanwhile
            break
        place = document.locate(y)
        left = max(0, start.x - GUTTER) if start is not None and y == first_line else 0
        right = max(0, end.x - GUTTER) if end is not None and y == end.y else None
        view = document.view(place.entry)
        code = code_row_at(view, place.line) if 0 <= place.line < view.height else None
        if code is not None and code.label and first_line < last_line:
            continue
        line = _written(document.plain(place), code, left, right)
        if lines and code is not None and code.continued:
            lines[-1] += line
        else:
            lines.append(line)
    return "\n".join(line.rstrip() for line in lines)


def _written(line: str, code: CodeRow | None, left: int, right: int | None) -> str:
    """A part of a drawn line, without what is drawn around code."""
    if code is None or code.label:
        return line[left:right]
    end = code.end if right is None else min(code.end, right)
    return line[left : min(code.margin, end)] + line[max(left, code.start) : end]


def images(entry: Entry) -> Iterator[ImageContent]:
    """The images in an entry."""
    match entry:
        case MessageEntry() | CompactionEntry():
            yield from (block for block in entry.blocks if isinstance(block, ImageContent))
        case ToolCallEntry():
            for item in entry.content:
                if isinstance(item, ContentItem) and isinstance(item.content, ImageContent):
                    yield item.content


def markdown(entry: Entry, state: State) -> str:
    """An entry as Markdown: the source, not what is drawn of it."""
    return finish(markdown_steps(entry, state))


def markdown_steps(entry: Entry, state: State) -> Steps[str]:
    """As `markdown`, in steps: diffs may take a while."""
    match entry:
        case ToolCallEntry():
            return (yield from _tool_call(entry, state))
        case MessageEntry() | CompactionEntry():
            return "\n\n".join(_block(block) for block in entry.blocks)
        case PlanSnapshot():
            plan = entry.versions[-1]
            return "\n".join(f"- [{_check(one.status)}] {one.content}" for one in plan)
        case NoticeEntry():
            return f"**{entry.title}**\n\n{entry.description or ''}".rstrip()
        case TerminalEntry():
            return (yield from _terminal(entry.terminal_id, state))
        case TurnEndEntry():
            return _turn_end(entry)
        case RawEntry():
            return f"{entry.what}\n\n{_json(entry.raw)}"


def _block(block: TextRun | Other) -> str:
    match block:
        case TextRun():
            return block.text
        case ImageContent():
            return f"![image]({block.uri or block.mime_type})"
        case AudioContent():
            return f"(audio, {block.mime_type})"
        case ResourceLink():
            return f"[{block.title or block.name}]({block.uri})"
        case EmbeddedResource():
            text = block.resource.text
            return f"{block.resource.uri}\n\n{_fenced(text)}" if text else block.resource.uri
        case UnknownContent():
            return _json(block.wire())


def _tool_call(entry: ToolCallEntry, state: State) -> Steps[str]:
    text = _head(entry)
    for item in with_renames(entry.content):
        text += "\n\n" + (yield from _item(item, state))
    return "\n\n".join([text, *_raws(entry), *entry.rulings, *map(_decision, entry.decisions)])


def _head(entry: ToolCallEntry) -> str:
    """Title, status and where: one line."""
    title = entry.title or entry.name or entry.tool_call_id
    places = [
        f"`{place.path}{'' if place.line is None else f':{place.line}'}`"
        for place in entry.locations
    ]
    return " ".join([f"**{title}** ({entry.status})", *places])


def _raws(entry: ToolCallEntry) -> list[str]:
    raws = (("Input", entry.raw_input), ("Output", entry.raw_output))
    return [f"{word}:\n\n{_json(value)}" for word, value in raws if value is not None]


def _decision(decision: str) -> str:
    return "The question was cancelled." if decision == CANCELLED else f"Answered: {decision}"


def _item(item: Item, state: State) -> Steps[str]:
    match item:
        case ContentItem(content=TextContent(text=text)):
            return (yield from enclosed(text))
        case ContentItem(content=content):
            assert not isinstance(content, TextContent)
            return _block(content)
        case Diff() if is_binary(item):
            return f"`{item.path}`: {binary_note(item)}"
        case Renamed(source=source, diff=diff):
            words = f"`{source}` → `{diff.path}`: renamed"
            changes = "" if diff.old_text == diff.new_text else (yield from _item(diff, state))
            return f"{words}\n\n{changes}".rstrip()
        case Diff():
            return _fenced((yield from unified(item)), "diff")
        case TerminalRef():
            return (yield from _terminal(item.terminal_id, state))
        case UnknownContent():
            return _json(item.wire())


def _terminal(terminal_id: str, state: State) -> Steps[str]:
    terminal = state.terminals.get(terminal_id)
    if terminal is None:
        return f"(terminal {terminal_id})"
    printed = yield from _printed(terminal)
    ended = terminal.signal or terminal.exit_code
    end = "" if ended is None else f"\n\nexit: {ended}"
    return _fenced(f"$ {command_line(terminal)}\n{printed}", "console") + end


def _printed(terminal: Terminal) -> Steps[str]:
    """What stands on a screen after all that a command printed, as text."""
    output = terminal.output.decode("utf-8", "replace")
    width = max(map(len, output.split("\n")))
    screen = TerminalScreen(min(max(width, LEAST_WIDE), MOST_WIDE), PRINTED_ROWS)
    yield from TerminalStream(screen).play(output)
    lines = [*screen.scrollback, *screen.rows()]
    return "\n".join("".join(text for text, _ in line) for line in lines)


def _turn_end(entry: TurnEndEntry) -> str:
    if entry.error is not None:
        data = "" if entry.error.data is None else f"\n\n{_json(entry.error.data)}"
        return f"Error {entry.error.code}: {entry.error.message}{data}"
    return entry.lost or entry.stop_reason or ""


def _check(status: str) -> str:
    return "x" if status == "completed" else " "


def _json(value: Any) -> str:
    return _fenced(json.dumps(value, indent=2, ensure_ascii=False, default=str), "json")


def _fenced(text: str, language: str = "") -> str:
    """A code fence that the text can't close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
