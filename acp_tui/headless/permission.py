"""Who answers permission requests when there is no UI."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import get_args

from acp_tui.headless.preview import cut, describe_content, diff_lines, marked
from acp_tui.protocol.events import FileOperation
from acp_tui.protocol.jsonrpc import as_json
from acp_tui.protocol.requests import PermissionOption, PermissionOptionKind
from acp_tui.session import edit_facts
from acp_tui.session.input_parts import counted, input_parts
from acp_tui.session.renames import with_renames
from acp_tui.session.request_facts import outside, permission_facts
from acp_tui.session.state import Permission, Session, State
from acp_tui.session.subject import (
    ANNOUNCED,
    ITS_COMMAND,
    NOT_SAID,
    OTHER_COMMAND,
    asked_about,
    commands_in_terminals,
    folder_words,
    names_what_is_written,
    one_line,
    own_and_announced,
    place_words,
)
from acp_tui.session.subject_parts import changed_since_asked
from acp_tui.text import count_blanks

READING_KINDS = {"read", "search", "think"}
DERIVED = "  acp-tui made this diff, from the input and the file:"
NOBODY = "acp-tui, as nobody could be asked"
"""Who gives an answer that no person and no option gave."""


class Policy(StrEnum):
    """What is done with permission requests."""

    ASK = "ask"
    ALLOW = "allow"
    REJECT = "reject"
    ALLOW_READS = "allow-reads"


def pick(options: Sequence[PermissionOption], *kinds: str) -> PermissionOption | None:
    """Choose the first option of the first of these kinds; ids and names mean nothing."""
    for kind in kinds:
        for option in options:
            if option.kind == kind:
                return option
    return None


def allowed(options: Sequence[PermissionOption]) -> PermissionOption | None:
    """Choose the option that allows, once if possible."""
    return pick(options, "allow_once", "allow_always")


def rejected(options: Sequence[PermissionOption]) -> PermissionOption | None:
    """Choose the option that rejects, once if possible."""
    return pick(options, "reject_once", "reject_always")


def kind_words(option: PermissionOption) -> str:
    """Return what an option does, in words of ours."""
    known = option.kind in get_args(PermissionOptionKind)
    return option.kind.replace("_", " ") if known else "other"


def only_reads(state: State, permission: Permission) -> bool:
    """Whether what is asked for changes nothing."""
    if permission.access is not None:
        return permission.access.operation is FileOperation.READ
    session = state.session(permission.session_id)
    return permission.known and asked_about(session, permission).kind in READING_KINDS


def describe(state: State, permission: Permission) -> list[str]:
    """Describe what is asked for, in lines to judge by."""
    place = place_words(state.peer)
    return [*_described(state, permission), *([f"  {place}"] if place else [])]


def _described(state: State, permission: Permission) -> list[str]:
    access = permission.access
    if access is not None and access.rule:
        lines = [f"The agent wants to {access.operation}:"]
        if access.operation is FileOperation.RUN:
            lines += [*_command(access.path), f"  in {one_line(access.folder)}"]
        else:
            lines.append(marked(one_line(access.path)))
        lines.append(f"  (asked, by {one_line(access.rule)})")
        diff = [] if access.content is None else diff_lines(access.old_content, access.content)
        return [*lines, *diff]
    if access is not None:
        lines = [f"The agent wants to {access.operation} this file:", marked(one_line(access.path))]
        if access.outside:
            cwd = state.session(permission.session_id).cwd
            lines.append(f"  outside its working directory {one_line(cwd or '')}")
        if access.changed:
            lines.append("  which has changed on disk since the agent last saw it")
        return (
            lines
            if access.content is None
            else [*lines, *diff_lines(access.old_content, access.content)]
        )
    return list(_tool_call(state, permission))


def _tool_call(state: State, permission: Permission) -> Iterator[str]:
    """What is run, and where, before what is written, before what else the tool gets."""
    call = asked_about(state.session(permission.session_id), permission)
    told = input_parts(call.kind, call.raw_input, edit_facts.shown_diffs(call))
    title = one_line(permission.title or call.title or call.tool_call_id)
    yield f"The agent asks for permission: {title} [{call.kind}]"
    yield from _own_words(permission, call.title)
    for command in told.commands:
        yield from _command(command)
    if told.folder is not None:
        yield f"  {folder_words(told.folder)}"
    for command in commands_in_terminals(state, permission):
        yield f"  {OTHER_COMMAND if told.commands else ITS_COMMAND}"
        yield from _command(command)
    yield from _remarks(state, permission)
    yield from (marked(one_line(location.path)) for location in call.locations)
    for words, warns in edit_facts.remarks(call):
        yield f"  {'⚠' if warns else 'ℹ'} {one_line(words)}"
    yield from _content(state.session(permission.session_id), permission)
    for item in with_renames(edit_facts.derived(call)):
        yield DERIVED
        yield from describe_content(item)
    for value in (told.rest, told.asides):
        if value is not None:
            yield from cut([as_json(counted(value))])


def _content(session: Session, permission: Permission) -> Iterator[str]:
    """What a request shows of what it would do, and what was announced of that."""
    own, announced = own_and_announced(session, permission)
    for item in with_renames(own):
        yield from describe_content(item)
    if announced:
        yield f"  {ANNOUNCED}"
    for item in with_renames(announced):
        yield from describe_content(item)


def _remarks(state: State, permission: Permission) -> Iterator[str]:
    """What has changed, what isn't said, which places are outside, and the rule that wants it asked."""
    session = state.session(permission.session_id)
    if altered := changed_since_asked(session, permission):
        yield f"  ⚠ The agent has changed this since it asked: {altered}"
    if not names_what_is_written(asked_about(session, permission)):
        yield f"  ⚠ {NOT_SAID}"
    for path in outside(session, permission_facts(session, permission).paths):
        yield f"  ⚠ outside the session's folder: {one_line(path)}"
    if permission.rule:
        yield f"  (asked, by {one_line(permission.rule)})"


def _own_words(permission: Permission, title: str) -> Iterator[str]:
    """What a question says of itself, beside the title of its tool call."""
    if permission.title and title not in ("", permission.title):
        yield marked(one_line(title))
    if permission.description:
        yield from cut(count_blanks(permission.description).splitlines())
    if not permission.known:
        yield "  ⚠ What this would do is not in a form that acp-tui knows."


def _command(command: str) -> list[str]:
    """A command in lines of its own, so that none looks like a word of another."""
    first, *more = count_blanks(command).split("\n")
    return [f"  $ {first}", *map(marked, more)]
