"""Entries as Markdown, for the clipboard and for exports."""

import json
from collections.abc import Iterator
from typing import Any

from acp_tui.edits.edits import describe_file_change as change_words
from acp_tui.edits.hunks import format_unified_diff
from acp_tui.edits.shown_changes import JoinedContent, Renamed, join_renames
from acp_tui.edits.steps import Steps, finish_steps
from acp_tui.protocol.content import (
    AudioContent,
    ContentItem,
    Diff,
    EmbeddedResource,
    FileChange,
    ImageContent,
    ResourceLink,
    SessionRef,
    TerminalRef,
    TextContent,
    UnknownContent,
)
from acp_tui.state.blocks import Other, TextRun
from acp_tui.state.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    PlanSnapshot,
    RawEntry,
    SubagentEntry,
    TerminalEntry,
    ToolCallEntry,
    TurnEndEntry,
)
from acp_tui.state.input_parts import command_line
from acp_tui.state.reducers.permissions import CANCELLED
from acp_tui.state.state import State, Terminal
from acp_tui.state.subagents import describe_subagent
from acp_tui.state.subject import call_headline
from acp_tui.state.subject_parts import summary_line
from acp_tui.text import clean_text, one_line, reveal_escapes
from acp_tui.ui.diff.header import format_binary_note, is_binary
from acp_tui.ui.markdown.blocks import close_fence
from acp_tui.ui.terminal.screen import TerminalScreen
from acp_tui.ui.terminal.stream import TerminalStream

LEAST_WIDE, MOST_WIDE = 120, 1000
"""Minimum and maximum columns of the screen on which a command's output is replayed to copy it."""
PRINTED_ROWS = 100_000


def entry_images(entry: Entry) -> Iterator[ImageContent]:
    """Yield the images in an entry."""
    match entry:
        case MessageEntry() | CompactionEntry():
            yield from (block for block in entry.blocks if isinstance(block, ImageContent))
        case ToolCallEntry():
            for item in entry.content:
                if isinstance(item, ContentItem) and isinstance(item.content, ImageContent):
                    yield item.content


def entry_markdown(entry: Entry, state: State) -> str:
    """Return an entry as Markdown, from its source rather than from its drawn lines."""
    return finish_steps(markdown_steps(entry, state))


def markdown_steps(entry: Entry, state: State) -> Steps[str]:
    """Return an entry as Markdown, in steps, as diffs may take a while. Escape sequences are
    removed or made visible, as on the screen.
    """
    return clean_text((yield from _markdown(entry, state)))


def _markdown(entry: Entry, state: State) -> Steps[str]:
    match entry:
        case ToolCallEntry():
            return (yield from _tool_call(entry, state))
        case MessageEntry() if entry.is_reworded:
            own, told = (
                "\n\n".join(map(_block, blocks)) for blocks in (entry.sent or [], entry.blocks)
            )
            quote = "\n".join(f"> {line}" for line in told.split("\n"))
            return f"{own}\n\n⚠ The agent says that this was written:\n\n{quote}"
        case MessageEntry() | CompactionEntry():
            return "\n\n".join(_block(block) for block in entry.blocks)
        case PlanSnapshot():
            plan = entry.versions[-1]
            return (
                "(cleared)"
                if not plan
                else "\n".join(
                    f"- [{'x' if one.status == 'completed' else ' '}] {one.content}" for one in plan
                )
            )
        case NoticeEntry():
            return f"**{entry.attributed_title}**\n\n{entry.description or ''}".rstrip()
        case TerminalEntry():
            return (yield from _terminal(entry.terminal_id, state))
        case SubagentEntry():
            return _subagent(entry.session_id, state)
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
    for item in join_renames(entry.content):
        text += "\n\n" + (yield from _item(item, state))
    raws = [
        f"{word}:\n\n{_json(value)}"
        for word, value in (("Input", entry.raw_input), ("Output", entry.raw_output))
        if value is not None
    ]
    return "\n\n".join([text, *raws, *entry.consent.rulings, *_decisions(entry)])


def _head(entry: ToolCallEntry) -> str:
    """Return the title, status and locations in one line."""
    places = [
        f"`{one_line(place.path)}{'' if place.line is None else f':{place.line}'}`"
        for place in entry.locations
    ]
    status = entry.new_words.get("status", entry.status)
    return " ".join([f"**{call_headline(entry)}** ({one_line(status)})", *places])


def _decisions(entry: ToolCallEntry) -> list[str]:
    by = {at: f" by {who}" for at, who in entry.consent.answered_by.items()}
    return [
        "The question was canceled."
        if one == CANCELLED
        else f"Answered{by.get(at, '')}: {one}{_changed_since(entry, at)}"
        for at, one in enumerate(entry.consent.decisions)
    ]


def _changed_since(entry: ToolCallEntry, at: int) -> str:
    if at not in entry.consent.changed_since:
        return ""
    changed = entry.consent.changed_since[at]
    return f". That was for: {summary_line(entry.consent.allowed[at])}. The agent has changed it since: {changed}"


def _item(item: JoinedContent, state: State) -> Steps[str]:
    match item:
        case ContentItem(content=TextContent(text=text)):
            return (yield from close_fence(clean_text(text)))
        case ContentItem(content=content):
            assert not isinstance(content, TextContent)
            return _block(content)
        case Diff() if is_binary(item):
            return f"`{one_line(item.path)}`: {format_binary_note(item)}"
        case Renamed(source=source, diff=diff):
            words = f"`{one_line(source)}` → `{one_line(diff.path)}`: renamed"
            changes = "" if diff.old_text == diff.new_text else (yield from _item(diff, state))
            return f"{words}\n\n{changes}".rstrip()
        case Diff():
            return _fenced(reveal_escapes((yield from format_unified_diff(item))), "diff")
        case FileChange(patch=patch):
            words = change_words(item)
            return words if patch is None else f"{words}\n\n{_fenced(reveal_escapes(patch))}"
        case TerminalRef():
            return (yield from _terminal(item.terminal_id, state))
        case SessionRef():
            return _subagent(item.session_id, state)
        case UnknownContent():
            return _json(item.wire())


def _subagent(session_id: str, state: State) -> str:
    first, _, words = describe_subagent(state, session_id).partition("\n")
    return f"**{one_line(first)}**\n\n{words}".rstrip()


def _terminal(terminal_id: str, state: State) -> Steps[str]:
    terminal = state.terminals.get(terminal_id)
    if terminal is None:
        return f"(terminal {terminal_id})"
    printed = yield from _printed(terminal)
    ended = terminal.signal or terminal.exit_code
    end = "" if ended is None else f"\n\nexit: {ended}"
    command = reveal_escapes(command_line(terminal))
    heading = f"$ {command}\n" if command or not terminal.display else ""
    if terminal.by_person:
        heading = f"You ran: {command}\n"
    return _fenced(f"{heading}{printed}", "console") + end


def _printed(terminal: Terminal) -> Steps[str]:
    """Return the text of a screen on which the command's whole output was replayed."""
    stored, note = terminal.output, ""
    if terminal.dropped:  # so that a cut escape sequence isn't printed as text
        half = stored.find(b"\n") + 1
        stored = stored[half:]
        note = f"⋯ not kept, too much: {terminal.dropped + half:,} bytes\n"
    output = note + stored.decode("utf-8", "replace")
    width = max(map(len, output.split("\n")))
    screen = TerminalScreen(min(max(width, LEAST_WIDE), MOST_WIDE), PRINTED_ROWS)
    yield from TerminalStream(screen).play(output)
    lines = [*screen.scrollback, *screen.rows()]
    return "\n".join("".join(text for text, _ in line) for line in lines)


def _turn_end(entry: TurnEndEntry) -> str:
    if entry.error is not None:
        error = entry.error
        details = _fenced(reveal_escapes(error.explanation)) if error.explanation else ""
        details = details or ("" if error.data is None else _json(error.data))
        canceled = "canceled; the agent answered with an error" if entry.canceled else ""
        return "\n\n".join(
            filter(None, (canceled, f"Error {error.code}: {error.message}", details))
        )
    if entry.canceled and entry.stop_reason not in (None, "cancelled"):
        return f"canceled; the agent answered {entry.stop_reason}"
    if entry.failure is not None:
        failed = f"The turn failed: {entry.failure}"
        return f"canceled; {failed}" if entry.canceled else failed
    if entry.silent and entry.stop_reason == "end_turn":
        return "The agent ended the turn without saying anything."
    return entry.lost or entry.stop_reason or ""


def _json(value: Any) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return _fenced(reveal_escapes(text), "json")


def _fenced(text: str, language: str = "") -> str:
    """Return a fenced code block that the text can't close, not even after it is cleaned."""
    text = clean_text(text)
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
