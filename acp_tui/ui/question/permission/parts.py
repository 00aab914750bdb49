"""The parts of a permission question: the row above its only diff, texts, and the content and input
of its tool call.
"""

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from acp_tui.edits.edits import describe_file_change as change_words
from acp_tui.edits.shown_changes import JoinedContent, Renamed
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
from acp_tui.text import judged_text, one_line
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import NO_PARTS, HeaderParts
from acp_tui.ui.diff.rows import start_at
from acp_tui.ui.json.json_lines import JsonLines
from acp_tui.ui.lines.cells import width_of
from acp_tui.ui.lines.stack import Named, StackPart
from acp_tui.ui.lines.text_lines import TextLines
from acp_tui.ui.lines.visible import readable_address, shown_path

IN = 2
"""Cells by which an agent's own text is indented, so that it can't imitate our rows, which begin at
the edge.
"""
LONGEST_INPUT = 100_000
"""Most characters of a text in an input that are shown."""


def content_parts(
    item: JoinedContent, call: ToolCallEntry, cwd: str | None, around: HeaderParts
) -> Iterator[Named]:
    """Yield a content item of a tool call; `around` is the text around the path in a diff's header."""
    match item:
        case Diff():
            place = edit_facts.place_of_diff(call, item)
            start = start_at(place, item, is_compared=edit_facts.could_compare_file(call, item))
            lines = DiffLines(item, cwd=cwd, start=start, judged=True, around=around)
            yield Named(StackPart(lines, gap=1 if around is NO_PARTS else 0), "diff")
        case Renamed():
            lines = DiffLines(item.diff, source=item.source, cwd=cwd, judged=True)
            yield Named(StackPart(lines, gap=1), "diff")
        case FileChange():
            yield Named(StackPart(judged_words(change_words(item), "strong"), gap=1), "change")
            if item.patch is not None:
                yield Named(StackPart(judged_words(item.patch), indent=IN), "diff")
        case ContentItem(content=TextContent(text=words)):
            yield Named(agent_words(words, gap=1), "text")
        case ContentItem(content=EmbeddedResource(resource=resource)):
            yield Named(agent_words(one_line(readable_address(resource.uri)), "muted", gap=1))
            yield Named(agent_words(resource.text or f"[{resource.mime_type or 'binary'}]"), "text")
        case ContentItem(content=ResourceLink() as link):
            words = one_line(f"{link.title or link.name} {readable_address(link.uri)}")
            yield Named(agent_words(words, "muted", gap=1))
        case ContentItem(content=other):
            yield own_words(f"[{other.type}]", gap=1)
        case UnknownContent():
            yield Named(
                StackPart(JsonLines(item.wire(), folded=False, longest=LONGEST_INPUT), gap=1),
                "text",
            )


def other_input(rest: Any, asides: Any) -> Iterator[Named]:
    """Yield the rest of a tool's input; notes are folded."""
    if rest is not None:
        yield own_words("input", gap=1)
        lines = JsonLines(rest, folded=False, brief=True, longest=LONGEST_INPUT)
        yield Named(StackPart(lines, indent=2), "input")
    if asides is not None:
        yield own_words("notes", gap=1)
        yield Named(StackPart(JsonLines(asides), indent=2))


def own_words(words: str, style: str = "muted", gap: int = 0) -> Named:
    """Return text by acp-tui itself, which isn't part of what the user judges."""
    return Named(StackPart(judged_words(words, style), gap=gap))


def agent_words(words: str, style: str = "text", gap: int = 0) -> StackPart:
    """Return text by the agent, indented so that it can't be mistaken for ours."""
    return StackPart(judged_words(words, style), indent=IN, gap=gap)


def judged_words(words: str, style: str = "text", *, mark: str = "") -> TextLines:
    """Return text to judge a request by, with nothing hidden in escape sequences, far below, or far
    to the right.
    """
    return TextLines(judged_text(words), style, mark=mark)


SHORT_PATH = 40
"""Characters from which a path may not fit above its diff."""
STATE = 26
"""Cells for a header's facts about a diff: `  new file  +1,000,000 −0`."""
_ACT = re.compile(r"(\w{1,12}) `?([^`\n]+)`?")
"""A title that is only a word and a path."""


class Heading(NamedTuple):
    """The text around the path of a diff, and whether it includes all of the title."""

    around: HeaderParts
    has_title: bool


def diff_heading(call: ToolCallEntry, cwd: str | None, width: int) -> Heading | None:
    """Return the text around the path of a tool call's only diff.

    None if the paths need rows of their own: the call names other ones, the path isn't in the
    session's folder or would be cut in a row of `width` cells, or other content comes first: nothing
    of the agent's may be above the path.
    """
    diffs = [item for item in call.content if isinstance(item, Diff)]
    if any(isinstance(item, FileChange) for item in call.content):
        return None
    if len(diffs) != 1 or diffs[0] is not call.content[0] or len(call.locations) > 1:
        return None
    path = diffs[0].path
    shown = shown_path(path, cwd)
    if shown == path or not _is_clear(shown) or any(one.path != path for one in call.locations):
        return None
    line = call.locations[0].line if call.locations else None
    names = {path, shown, PurePath(path).name}
    act = _act(call.title, names)
    if act:
        kind = "" if act.casefold() == call.kind else call.kind
        found = Heading(HeaderParts(act, line, kind), has_title=True)
    else:
        found = Heading(HeaderParts(f"{call.kind} ·", line), has_title=call.title in names)
    row = f"{found.around.act} {shown}:{line}  {found.around.end}"
    return found if width_of(row) + STATE <= width else None


def names_only_its_place(call: ToolCallEntry) -> bool:
    """Return whether a title is only the kind of a tool call and its only path."""
    diffs = {item.path for item in call.content if isinstance(item, Diff)}
    places = {one.path for one in call.locations} | diffs
    return len(places) == 1 and _act(call.title, places).casefold() == call.kind


def names_place(title: str, place: str, width: int) -> bool:
    """Return whether a title is only a word and a path, and fits in a row of `width` cells."""
    return bool(_act(title, {place})) and place.isprintable() and width_of(title) <= width


def _is_clear(path: str) -> bool:
    """Return whether a path is readable amid other words: short, inside the folder, and without
    blanks that seem to end it.
    """
    parts = PurePath(path).parts
    inside = ".." not in parts and not path.startswith("~")
    return inside and width_of(path) <= SHORT_PATH and path == " ".join(path.split())


def _act(title: str, names: set[str]) -> str:
    """Return the verb of a title that is only a verb and the file; "" for other titles."""
    found = _ACT.fullmatch(title)
    return found[1] if found is not None and found[2] in names else ""
