"""Describes the subject of a permission question: its tool call, completed with announced parts."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath, PurePosixPath
from typing import Any, NamedTuple

from acp_tui.edits.tool_input import (
    MATTERS,
    find_edited_files,
    find_objects,
    find_paths,
    find_urls,
    is_edit,
    rank_key,
)
from acp_tui.protocol.content import (
    ContentItem,
    Diff,
    FileChange,
    ShownContent,
    TerminalRef,
    TextContent,
)
from acp_tui.state.entries import ToolCallEntry, known_kind
from acp_tui.state.input_parts import command_line, covers_words, input_parts
from acp_tui.state.open_questions import Permission
from acp_tui.state.peer import Peer
from acp_tui.state.session import Session
from acp_tui.state.state import State, terminal_key
from acp_tui.text import clean_line, one_line, path_of_url, quote_signs

OTHER_COMMAND = "⚠ The terminal that it names runs another command:"
ANNOUNCED = "Announced before, left out of this request:"
ANNOUNCED_KIND = "Announced before as another kind of tool:"
NOT_SAID = "The agent doesn't say what it would write."
ITS_COMMAND = "The terminal that it names runs:"
_LONGEST_PATCH = 1_000_000
"""Most characters of a patch that are searched for file names, at each key of an open question."""
_NAMED_IN_PATCH = re.compile(
    r"^(?:\+\+\+ (?:b/)?|--- (?:a/)?|(?:rename|copy) (?:from|to) )([^\t\n]+)", re.MULTILINE
)
_SAID = ("title", "name", "kind", "locations", "raw_input")
_MOST_TOLD = 3
"""Commands or files that are named; the rest is only counted."""


def asked_about(session: Session, permission: Permission) -> ToolCallEntry:
    """Return the tool call of a request, completed with what was announced before.

    If the agent has changed the call since, return its current state.
    """
    return _with_announced(_own(session, permission), permission)


def own_and_announced(
    session: Session, permission: Permission
) -> tuple[Sequence[ShownContent], Sequence[ShownContent]]:
    """Return the content of a request, and the announced changes that it omits."""
    entry = _own(session, permission)
    return entry.content, _left_out(entry, permission)


class LeftOutParts(NamedTuple):
    """Parts that were announced but are missing in the request; `places` are paths and URLs.

    `kind` is "" if the request has the same, or the announced kind was "other".
    """

    commands: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    kind: str = ""


def left_out_of(session: Session, permission: Permission) -> LeftOutParts:
    """Return the announced commands, paths, URLs and kind that a request omits.

    A command equals a shell that only runs it, and a relative path equals its absolute path.
    """
    before = permission.announced
    if before is None:
        return LeftOutParts()
    call = asked_about(session, permission)
    shown = commands_of(call)
    # The titles of a call with an input only describe it, so they aren't compared.
    announced = _commands(before) if call.raw_input else commands_of(before)
    commands = [
        command
        for command in announced
        if not any(covers_words(one, command) or covers_words(command, one) for one in shown)
    ]
    named = {_whole_place(session, one) for one in _places(call)}
    places = [one for one in _places(before) if _whole_place(session, one) not in named]
    kind = "" if before.kind in ("other", call.kind) else before.kind
    return LeftOutParts(tuple(commands), tuple(dict.fromkeys(places)), kind)


def commands_of(entry: ToolCallEntry) -> tuple[str, ...]:
    """Return the commands of a tool call; its title counts as one if there is no input."""
    found = _commands(entry)
    if found or entry.kind != "execute" or entry.raw_input or not entry.title:
        return found
    return (entry.title,)


def _places(entry: ToolCallEntry) -> list[str]:
    """Return the paths and URLs that a tool call names, except in its texts."""
    changed = (path for item in entry.content for path in files_of(item))
    located = (one.path for one in entry.locations)
    raw = entry.raw_input
    return [one for one in (*located, *changed, *find_paths(raw), *find_urls(raw)) if one]


def _whole_place(session: Session, place: str) -> str:
    """Return a URL, or the absolute path. `..` is kept: the folder before it may be a link."""
    name = path_of_url(place)
    return name if "://" in name else str(PurePosixPath(session.cwd or "", name))


def _own(session: Session, permission: Permission) -> ToolCallEntry:
    """Return the tool call of a request, without what was only announced."""
    update, told = permission.tool_call, permission.described_call
    assert update is not None
    known = session.call_of(permission.call)
    is_same = known is not None and told is not None and known.at == told.at
    if known is not None and told is not None and is_same and _act(known) != _act(told):
        return replace(known)
    return _overlaid(known or ToolCallEntry(update.tool_call_id, permission.at), permission)


def as_asked(session: Session, permission: Permission) -> ToolCallEntry | None:
    """Return the tool call of a request as it was when the agent asked.

    None if that is unknown, or if the session was loaded since.
    """
    told = permission.described_call
    known = session.call_of(permission.call)
    if told is None or known is None or known.at != told.at:
        return None
    return _with_announced(_overlaid(told, permission), permission)


def _overlaid(known: ToolCallEntry, permission: Permission) -> ToolCallEntry:
    """Return a tool call with the request's fields."""
    update = permission.tool_call
    assert update is not None
    entry = replace(known)
    said = {name: getattr(update, name) for name in _SAID} | {"content": update.shown}
    for name, value in said.items():
        if value is not None and value != "":
            setattr(entry, name, value)
    entry.kind = known_kind(entry.kind)
    return entry


def _with_announced(entry: ToolCallEntry, permission: Permission) -> ToolCallEntry:
    """Return a tool call completed with its announcement: a question never shows less than that."""
    before = permission.announced
    if before is None:
        return entry
    entry.content = [*entry.content, *_left_out(entry, permission)]
    if not entry.locations:
        entry.locations = before.locations
    if isinstance(before.raw_input, dict) and isinstance(entry.raw_input, dict):
        entry.raw_input = {**before.raw_input, **entry.raw_input}
    return entry


def _left_out(entry: ToolCallEntry, permission: Permission) -> list[ShownContent]:
    """Return the announced changes of files that the requested call doesn't itself change."""
    announced = permission.announced.content if permission.announced is not None else []
    own = {path for item in entry.content for path in files_of(item)}
    return [
        item
        for item in announced
        if isinstance(item, Diff | FileChange)
        and item not in entry.content
        # A change without a file name is never covered.
        and not own.issuperset(files_of(item) or [""])
    ]


def files_of(item: ShownContent) -> list[str]:
    """Return the files that a content item changes, including those that only a patch names."""
    match item:
        case Diff(path=path):
            return [path]
        case FileChange(patch=patch):
            return [*item.paths, *_named_in_patch(patch or "")]
    return []


def _named_in_patch(text: str) -> list[str]:
    found = _NAMED_IN_PATCH.findall(text[:_LONGEST_PATCH])
    return [name for name in found if name != "/dev/null"]


def _act(entry: ToolCallEntry) -> tuple[Any, ...]:
    return entry.title, entry.kind, entry.raw_input, entry.locations, entry.content


def format_subject(state: State, permission: Permission) -> str:
    """Format what a question is about: `execute: git status --short`, `edit: /work/tea.txt`."""
    if permission.access is not None:
        return f"{permission.access.operation} {one_line(permission.access.path)}"
    session = state.session(permission.session_id)
    entry = asked_about(session, permission)
    changed = [item.path for item in entry.content if isinstance(item, Diff | FileChange)]
    entry.title = entry.title or permission.title
    places = [*(one.path for one in entry.locations), *changed, *find_paths(entry.raw_input)]
    details = _commands(entry) or tuple(dict.fromkeys(filter(None, places)))
    if not details:
        line = call_title(entry) if entry.kind == "other" else f"{entry.kind}: {call_title(entry)}"
    else:
        line = f"{call_title(entry) if entry.kind == 'other' else entry.kind}: {_listed(details)}"
    left_out = left_out_of(session, permission)
    announced = (*filter(None, [left_out.kind]), *left_out.commands, *left_out.places)
    return f"{line} (announced before: {_listed(announced)})" if announced else line


def folder_words(folder: str) -> str:
    """Format the folder that a command would run in, as the agent named it."""
    return f"in {one_line(folder)}" if folder.strip() else "in a folder without a name"


def names_what_is_written(call: ToolCallEntry) -> bool:
    """Return whether an edit shows its content: a diff, a text, or an input that may be content.

    A path alone isn't content, nor is a command to an editor.
    """
    if call.kind != "edit" or any(not _is_blank(item) for item in call.content):
        return True
    raw = call.raw_input
    if not isinstance(raw, dict):
        return bool(raw)
    return any(
        rank_key(key) in MATTERS and not is_edit(call.kind, value) and _may_be_written(value)
        for body in find_objects(raw)
        for key, value in body.items()
    )


def _is_blank(item: ShownContent) -> bool:
    match item:
        case ContentItem(content=TextContent(text=text)):
            return not text.strip()
    return False


def _may_be_written(value: Any) -> bool:
    """Return whether a value of an input may be content; an object needs a key for content."""
    if isinstance(value, dict):
        return any(rank_key(key) in MATTERS for key in value)
    return (
        bool(value.strip()) if isinstance(value, str) else isinstance(value, list) and bool(value)
    )


def commands_in_terminals(state: State, permission: Permission) -> list[str]:
    """Return the commands of the terminals that a question names but doesn't show.

    A terminal in a tool call's `_meta` is skipped: it is known only from the call's own claims.
    """
    session = state.session(permission.session_id)
    call = asked_about(session, permission)
    shown = [item.terminal_id for item in call.content if isinstance(item, TerminalRef)]
    every = state.terminals
    found = [
        every.get(terminal_key(session.session_id, one)) or every.get(one)
        for one in filter(None, [permission.terminal, *shown])
    ]
    told = [one for one in found if one is not None and one.command and not one.in_meta]
    lines = dict.fromkeys(map(command_line, told))
    return [line for line in lines if not any(covers_words(one, line) for one in _commands(call))]


def call_headline(entry: ToolCallEntry) -> str:
    """Return a tool call's title, followed by its commands or files if the title doesn't name them."""
    title, commands = call_title(entry), _commands(entry)
    details = commands or _only_in_input(entry)
    bare = entry.title.strip(" `\n")
    if all(
        title_contains(title, one_line(detail)) or covers_words(detail, bare) for detail in details
    ):
        return title
    return f"{title}: {_listed(details)}"


def call_title(entry: ToolCallEntry) -> str:
    """Return a tool call's title on one line, or else its name or id."""
    return quote_signs(one_line(entry.title or entry.name or entry.tool_call_id))


def place_words(peer: Peer) -> str:
    """Return where an agent runs, and what is available there; "" if it runs locally."""
    return (
        clean_line(f"In {peer.process.place}. {peer.process.served}") if peer.process.place else ""
    )


def _commands(entry: ToolCallEntry) -> tuple[str, ...]:
    return input_parts(entry.kind, entry.raw_input).commands


def _only_in_input(entry: ToolCallEntry) -> tuple[str, ...]:
    """Return the paths in a tool call's input that its title doesn't name.

    Return none if the call has locations or diffs, which are shown instead.
    """
    if entry.locations or any(isinstance(item, Diff | FileChange) for item in entry.content):
        return ()
    title, named = call_title(entry), dict.fromkeys(find_paths(entry.raw_input))
    return tuple(path for path in named if not title_contains(title, one_line(PurePath(path).name)))


def _listed(details: Sequence[str]) -> str:
    told = " · ".join(map(one_line, details[:_MOST_TOLD]))
    more = len(details) - _MOST_TOLD
    return f"{told} and {more:,} more" if more > 0 else told


def title_contains(title: str, detail: str) -> bool:
    """Return whether a title contains a detail as whole words."""
    return re.search(rf"(?<!\w){re.escape(detail)}(?!\w)", title) is not None


def is_compared(state: State, permission: Permission) -> bool:
    """Return whether a tool call's edits were compared with the files on disk.

    True if it names no files, or if the agent's files are on another machine.
    """
    if permission.tool_call is None or state.peer.process.elsewhere:
        return True
    call = asked_about(state.session(permission.session_id), permission)
    has_diff = any(isinstance(item, Diff) for item in call.content)
    return call.edits is not None or not (has_diff or any(find_edited_files(call.raw_input)))
