"""Splits a permission question into comparable parts: what an answer would run, write or allow."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b

from acp_tui.protocol.content import ContentItem, Diff, FileChange, ShownContent, TextContent
from acp_tui.protocol.jsonrpc import as_json
from acp_tui.state import edit_facts
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.input_parts import InputParts, input_parts
from acp_tui.state.open_questions import Permission
from acp_tui.state.request_facts import paths_outside, permission_facts
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subject import (
    as_asked,
    asked_about,
    commands_in_terminals,
    commands_of,
    format_subject,
    left_out_of,
)
from acp_tui.text import begin_counted, one_line, quote_signs

Parts = tuple[tuple[str, str], ...]
"""Pairs of a name and a text. Equal parts mean that the user would read the same question."""

LINE = "line"
"""The name of the part that summarizes the question in one line."""
COMMAND = "command"
_FOUND = ("outside the folder", "changed on disk", "warning", "edit found")
"""Names of parts that the client found out itself, not the agent."""
_WHOLE = 2000
"""Longest text stored in a part; a longer one is stored as a digest."""
_QUOTED = 60
"""Characters of a part that a note quotes."""


def question_parts(state: State, permission: Permission) -> Parts:
    """Return everything that a question shows, and that an answer to it covers."""
    line = (LINE, format_subject(state, permission))
    access = permission.access
    if access is not None:
        content = [("content", access.content)] if access.content is not None else []
        parts = [(access.operation.value, access.path), ("folder", access.folder), *content]
        changed = [("changed on disk", access.path)] if access.changed else []
        return (line, *_whole(parts), *changed)
    session = state.session(permission.session_id)
    call = asked_about(session, permission)
    terminals = (("terminal", one) for one in commands_in_terminals(state, permission))
    left_out = left_out_of(session, permission)
    announced = [
        *(("announced command", one) for one in left_out.commands),
        *(("announced place", one) for one in left_out.places),
        *(("announced kind", one) for one in filter(None, [left_out.kind])),
    ]
    found = _found(session, permission, call)
    parts = [*_of_call(permission, call), *announced, *terminals, *found]
    return (line, *_whole(parts))


def summary_line(parts: Parts) -> str:
    """Return the one-line summary among a question's parts, or ""."""
    return next((text for name, text in parts if name == LINE), "")


def describe_differences(before: Parts, after: Parts) -> str:
    """Describe the differences between two states of a question; "" if there are none.

    A title that only repeats the command isn't listed in addition to it.
    """
    was, now = _by_name(before), _by_name(after)
    names = [one for one in dict.fromkeys([*was, *now]) if was.get(one) != now.get(one)]
    if COMMAND in names and was.get("title") == was.get(COMMAND):
        names = [one for one in names if one != "title"]
    return ", ".join(_difference(one, was.get(one, []), now.get(one, [])) for one in names)


def by_agent(parts: Parts) -> Parts:
    """Return the parts that the agent can change, without those that the client found out."""
    return tuple(part for part in parts if part[0] not in _FOUND)


def changed_since_asked(session: Session, permission: Permission) -> str:
    """Describe how the agent has changed a question since asking it; "" if it hasn't."""
    told = as_asked(session, permission)
    if told is None:
        return ""
    now = _of_call(permission, asked_about(session, permission))
    return describe_differences(_whole(_of_call(permission, told)), _whole(now))


def changed_since_allowed(allowed: Parts, call: ToolCallEntry) -> str:
    """Describe how a tool call differs from what was allowed; "" if it doesn't.

    Agents replace titles, inputs and contents with results, which doesn't change the action. So
    only commands count, and files that were not named when the call was allowed.
    """
    commands = [text for name, text in allowed if name == COMMAND]
    now = [_bounded(one) for one in commands_of(call)]
    if commands and now and now != commands:
        return _difference(COMMAND, commands, now)
    known = {name for name, _ in allowed} | {text for _, text in allowed}
    diffs = [name for name, _ in _of_content(call.content) if name.startswith("diff of ")]
    new = [one for one in diffs if one not in known and one.removeprefix("diff of ") not in known]
    return ", ".join(f"new {quote_signs(one_line(one))}" for one in new)


def _of_call(permission: Permission, call: ToolCallEntry) -> Iterator[tuple[str, str]]:
    """Yield the parts of a tool call."""
    told = _input(call)
    yield "title", call.title or permission.title
    yield "question", permission.title
    yield "description", permission.description
    yield "kind", call.kind
    yield from ((COMMAND, one) for one in commands_of(call))
    if told.folder is not None:
        yield "folder", told.folder
    yield from (("place", one.path) for one in call.locations)
    yield from _of_content(call.content)
    for value in (told.rest, told.asides):
        if value is not None:
            yield "input", as_json(value)


def _input(call: ToolCallEntry) -> InputParts:
    diffs = [item for item in call.content if isinstance(item, Diff)]
    return input_parts(call.kind, call.raw_input, diffs)


def _of_content(content: Iterable[ShownContent]) -> Iterator[tuple[str, str]]:
    for item in content:
        match item:
            case Diff(path=path, old_text=old, new_text=new):
                yield f"diff of {path}", as_json([old, new])
            case FileChange():
                yield "change of files", as_json([item.paths, item.patch])
            case ContentItem(content=TextContent(text=text)):
                yield "text", text
            case _:
                yield "content", as_json(item.wire())


def _found(
    session: Session, permission: Permission, call: ToolCallEntry
) -> Iterator[tuple[str, str]]:
    """Yield the parts that the client found out about the files."""
    outside_folder, changed, warning, derived = _FOUND
    for path in paths_outside(session, permission_facts(session, permission).paths):
        yield outside_folder, path
    yield from ((changed, path) for path in permission.changed)
    yield from ((warning, words) for words, _ in edit_facts.edit_remarks(call))
    for diff in edit_facts.derived_diffs(call):
        yield derived, as_json([diff.path, diff.old_text, diff.new_text])


def _whole(pairs: Iterable[tuple[str, str]]) -> Parts:
    return tuple((name, _bounded(text)) for name, text in pairs if text)


def _bounded(text: str) -> str:
    """Return a text, or the beginning and digest of a long one: equal only if the texts are equal."""
    return text if len(text) <= _WHOLE else _digest(text)


@lru_cache(maxsize=8)  # a question is compared at every key and update
def _digest(text: str) -> str:
    found = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{text[:_QUOTED]}… ({len(text):,} characters, blake2b {found})"


def _by_name(parts: Parts) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, text in parts:
        if name != LINE and text:
            found.setdefault(name, []).append(text)
    return found


def _difference(name: str, was: list[str], now: list[str]) -> str:
    shown = quote_signs(one_line(name))
    if not was:
        return f"new {shown}"
    if not now:
        return f"no {shown} anymore"
    if name.startswith("diff of ") or len(was) > 1:
        return f"another {shown}"
    text, rest = begin_counted(one_line(was[0]), _QUOTED)
    return f"{shown} (was “{quote_signs(text)}{'…' if rest else ''}”)"
