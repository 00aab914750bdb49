"""A question in words and lines: who asks, what for, and what to judge it by."""

import re
from collections.abc import Iterable

from acp_tui.protocol.content import ContentItem, Diff, TerminalRef, TextContent
from acp_tui.protocol.events import FileOperation
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.renames import Item, Renamed, with_renames
from acp_tui.session.state import Permission, State
from acp_tui.text import clean_line, reveal_escapes
from acp_tui.ui.choices import Choice
from acp_tui.ui.sessions.names import session_name
from acp_tui.ui.transcript.diff import DiffLines
from acp_tui.ui.transcript.json_lines import JsonLines
from acp_tui.ui.transcript.lines import Lines
from acp_tui.ui.transcript.stack import Part, Shortened, Stack
from acp_tui.ui.transcript.text_lines import TextLines
from acp_tui.ui.words import cropped

_BLANK = re.compile(r"(?:[^\S\n]*\n){5,}|[^\S\n]{40,}")
NAME = 40
"""How much of a session's name is told."""
TITLE_ROWS = 2
TITLE = 40
"""Characters from which on a title may take more rows than are shown first."""
LOCATIONS = 8
"""How many locations are named before the rest is counted."""

_KINDS = {
    "allow_once": ("✔", "$success"),
    "allow_always": ("✔✔", "$success"),
    "reject_once": ("✖", "$error"),
    "reject_always": ("✖✖", "$error"),
}


def asker(agent: str, state: State, permission: Permission) -> str:
    """Who asks, and what is asked in one line. `agent` is its name for people."""
    if permission.access is not None:
        verb = permission.access.operation.value
        asked = f"{verb.capitalize()} a file outside the working directory?"
        if permission.access.operation is FileOperation.RUN:
            asked = "Run a command?"
        elif not permission.access.outside:
            changed = permission.access.changed
            asked = (
                "Write over a file that has changed?" if changed else f"{verb.capitalize()} a file?"
            )
    else:
        asked = f"{agent} asks for permission"
    return asked + _where(state, permission)


def _where(state: State, permission: Permission) -> str:
    """The name of the session, if there are several."""
    if len(state.open_sessions()) < 2:
        return ""
    return f" in {cropped(session_name(state.session(permission.session_id)), NAME)}"


def choices(options: Iterable[PermissionOption]) -> list[Choice]:
    """The options in their own order, marked by their kind."""
    return [
        Choice(
            reveal_escapes(option.name or option.option_id),
            *_KINDS.get(option.kind, ("•", "$foreground")),
        )
        for option in options
    ]


def body(state: State, permission: Permission) -> Stack:
    """What to judge by."""
    parts = _access(state, permission) if permission.access else _tool_call(state, permission)
    return Stack(parts)


def _access(state: State, permission: Permission) -> list[Part]:
    access = permission.access
    assert access is not None
    cwd = state.session(permission.session_id).cwd or state.peer.cwd
    agent = clean_line(state.peer.name)
    runs = access.operation is FileOperation.RUN
    wants = f"{agent} wants to {access.operation.value} this {'command' if runs else 'file'}:"
    parts = [
        Part(_text(wants, "muted")),
        Part(_text(access.path, "strong"), indent=2),
    ]
    if permission.rule:
        parts.append(Part(_text(f"Asked, by {permission.rule}", "muted")))
    if runs:
        parts.append(Part(_text(f"in {access.folder}", "muted")))
    elif access.outside:
        parts.append(Part(_text("It is outside the session's working directory:", "muted")))
        parts.append(Part(_text(cwd, "text"), indent=2))
    if access.changed:
        words = "⚠ It has changed on disk since the agent last read or wrote it."
        parts.append(Part(_text(words, "warning")))
    if access.content is not None:
        diff = Diff(path=access.path, old_text=access.old_content, new_text=access.content)
        parts.append(Part(DiffLines(diff, cwd=cwd), gap=1))
    return parts


def _tool_call(state: State, permission: Permission) -> list[Part]:
    """What the request itself says, filled up with what was known of the tool call before."""
    update = permission.tool_call
    assert update is not None
    session = state.session(permission.session_id)
    known = session.tool_call(update.tool_call_id) or ToolCallEntry(update.tool_call_id, 0)
    title = update.title or known.title or update.tool_call_id
    kind = update.kind or known.kind
    content = known.content if update.content is None else update.content
    locations = known.locations if update.locations is None else update.locations
    raw_input = known.raw_input if update.raw_input is None else update.raw_input
    parts = [
        Part(_Title(_text(title, "strong"), TITLE_ROWS)),
        Part(_text(f"{kind}{_places(locations)}", "muted")),
    ]
    if permission.rule:
        parts.append(Part(_text(f"Asked, by {permission.rule}", "muted")))
    for path in permission.changed:
        words = f"⚠ {clean_line(reveal_escapes(path))} has changed on disk since the agent read it."
        parts.append(Part(_text(words, "warning")))
    items = [_content(item, session.cwd) for item in with_renames(content)]
    shown = [lines for lines in items if lines is not None]
    if raw_input is not None:
        said = JsonLines(raw_input, folded=False, brief=True)
        shown.append(Stack([Part(_text("input", "muted")), Part(said, indent=2)]))
    if len(title) > TITLE:
        shown.append(Stack([Part(_text("The whole title:", "muted")), Part(_text(title))]))
    return parts + [Part(lines, gap=1) for lines in shown]


class _Title(Shortened):
    """The first rows of a title; a long one stands below what there is to judge by, too."""

    def _hint(self) -> str:
        return "… (the whole title: at the end)"


def _places(locations: list[ToolCallLocation]) -> str:
    named = [
        f"{place.path}:{place.line}" if place.line is not None else place.path
        for place in locations[:LOCATIONS]
    ]
    if len(locations) > LOCATIONS:
        named.append(f"and {len(locations) - LOCATIONS} more")
    between = " · " if len(named) == 1 else "\n"
    return "".join(f"{between}{clean_line(reveal_escapes(place))}" for place in named)


def _content(item: Item, cwd: str | None) -> Lines | None:
    match item:
        case Diff():
            return DiffLines(item, cwd=cwd)
        case Renamed():
            return DiffLines(item.diff, source=item.source, cwd=cwd)
        case ContentItem(content=TextContent(text=text)):
            return _text(text)
        case ContentItem(content=other):
            return _text(f"[{other.type}]", "muted")
        case TerminalRef():
            return None
    return JsonLines(item.wire(), folded=False)


def _text(text: str, style: str = "text") -> TextLines:
    """Words to judge by: nothing of them may hide in an escape sequence, or far below or aside."""
    return TextLines(_BLANK.sub(_counted, reveal_escapes(text)), style)


def _counted(blank: re.Match[str]) -> str:
    lines = blank[0].count("\n")
    return f"\n⋯ {lines - 1:,} empty lines\n" if lines else f" ⋯ {len(blank[0]):,} spaces ⋯ "
