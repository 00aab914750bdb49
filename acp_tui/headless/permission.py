"""Permission requests without a UI: chooses options, and describes requests in lines."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import get_args

from acp_tui.edits.shown_changes import join_renames
from acp_tui.headless.preview import (
    describe_content,
    diff_lines,
    mark_line,
    marked_lines,
    whole_if_cut,
)
from acp_tui.host.session_names import for_subagent
from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.file_events import AccessAsked, FileOperation
from acp_tui.protocol.jsonrpc import as_json
from acp_tui.protocol.requests import PermissionOption, PermissionOptionKind
from acp_tui.state import edit_facts
from acp_tui.state.input_parts import input_parts, show_blanks
from acp_tui.state.open_questions import Permission
from acp_tui.state.request_facts import paths_outside, permission_facts
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subject import (
    ANNOUNCED,
    ANNOUNCED_KIND,
    ITS_COMMAND,
    NOT_SAID,
    OTHER_COMMAND,
    LeftOutParts,
    asked_about,
    commands_in_terminals,
    folder_words,
    left_out_of,
    names_what_is_written,
    own_and_announced,
    place_words,
)
from acp_tui.state.subject_parts import changed_since_asked
from acp_tui.text import count_blanks, one_line, whole_line

READING_KINDS = {"read", "search", "think"}
DERIVED = "  acp-tui made this diff, from what the agent sent and the file:"
NOBODY = "acp-tui, as nobody could be asked"
"""The author of an answer that neither a person nor a command-line option gave."""


class Policy(StrEnum):
    """The answers to permission requests, as `--permissions` sets them."""

    ASK = "ask"
    ALLOW = "allow"
    REJECT = "reject"
    ALLOW_READS = "allow-reads"


def pick_option(options: Sequence[PermissionOption], *kinds: str) -> PermissionOption | None:
    """Return the first option of the first of these kinds that has one; ids and names don't matter."""
    for kind in kinds:
        for option in options:
            if option.kind == kind:
                return option
    return None


def allowing_option(options: Sequence[PermissionOption]) -> PermissionOption | None:
    """Return an option that allows, once if possible, or None."""
    return pick_option(options, "allow_once", "allow_always")


def rejecting_option(options: Sequence[PermissionOption]) -> PermissionOption | None:
    """Return an option that rejects, once if possible, or None."""
    return pick_option(options, "reject_once", "reject_always")


def describe_kind(option: PermissionOption) -> str:
    """Describe an option's effect by its kind: its name is the agent's, and may be a lie."""
    known = option.kind in get_args(PermissionOptionKind)
    return option.kind.replace("_", " ") if known else "other"


def only_reads(state: State, permission: Permission) -> bool:
    """Return whether a request only reads, judging by its content as well as its kind, which may be
    a lie.
    """
    if permission.access is not None:
        return permission.access.operation is FileOperation.READ
    session = state.session(permission.session_id)
    facts = permission_facts(session, permission)
    kinds = {facts.kind, left_out_of(session, permission).kind or facts.kind}
    changes = facts.writes or facts.commands is not None
    return permission.kind_known and kinds <= READING_KINDS and not changes


def describe_request(state: State, permission: Permission) -> list[str]:
    """Describe a request in lines, for the user to decide."""
    place, access = place_words(state.peer), permission.access
    lines = _tool_call(state, permission) if access is None else _access(state, permission, access)
    return [*lines, *([f"  {place}"] if place else [])]


def _access(state: State, permission: Permission, access: AccessAsked) -> Iterator[str]:
    """Yield the lines of a request to the client itself; warnings come before long parts."""
    runs = access.operation is FileOperation.RUN
    asker = f"The agent{for_subagent(state, permission.session_id)}"
    yield f"{asker} wants to {access.operation}{'' if runs else ' this file'}:"
    if runs:
        yield from _command(access.path)
        yield f"  in {whole_line(access.folder)}"
    else:
        yield mark_line(whole_line(access.path))
    if access.outside and not runs:
        cwd = state.session(permission.session_id).cwd
        yield f"  outside its working directory {one_line(cwd or '')}"
    if access.changed:
        yield "  which has changed on disk since the agent last saw it"
    if access.rule:
        yield f"  ({ruling_words('asked', one_line(access.rule))})"
    if access.content is not None:
        yield from diff_lines(access.old_content, access.content)


def _tool_call(state: State, permission: Permission) -> Iterator[str]:
    """Yield the lines about a tool call: warnings, the commands, their folder, the edits, other
    input.

    Nothing long precedes a warning, as it would scroll the warning out of view.
    """
    session = state.session(permission.session_id)
    call = asked_about(session, permission)
    parts = input_parts(call.kind, call.raw_input, edit_facts.shown_diffs(call))
    title = permission.title or call.title or call.tool_call_id
    yield f"The agent asks for permission{for_subagent(state, permission.session_id)}: {one_line(title)} [{call.kind}]"
    yield from _remarks(state, permission)
    for words, warns in edit_facts.edit_remarks(call):
        yield f"  {'⚠' if warns else 'ℹ'} {one_line(words)}"
    yield from _own_words(permission, title, call.title)
    for command in parts.commands:
        yield from _command(command)
    if parts.folder is not None:
        yield f"  {folder_words(parts.folder)}"
        yield from whole_if_cut(parts.folder)
    yield from _announced(left_out_of(session, permission))
    for command in commands_in_terminals(state, permission):
        yield f"  {OTHER_COMMAND if parts.commands else ITS_COMMAND}"
        yield from _command(command)
    yield from (mark_line(whole_line(location.path)) for location in call.locations)
    yield from _content(session, permission)
    for item in join_renames(edit_facts.derived_diffs(call)):
        yield DERIVED
        yield from describe_content(item)
    for value in (parts.rest, parts.asides):
        if value is not None:
            yield mark_line(as_json(show_blanks(value)))


def _announced(left_out: LeftOutParts) -> Iterator[str]:
    """Yield the announced parts that the request leaves out. Each path is marked by our words,
    which the request's own paths, listed after them, don't have.
    """
    if left_out.kind:
        yield f"  ⚠ {ANNOUNCED_KIND} {left_out.kind}"
    for place in left_out.places:
        yield f"  ⚠ {ANNOUNCED} {one_line(place)}"
        yield from whole_if_cut(place)
    if left_out.commands:
        yield f"  ⚠ {ANNOUNCED}"
    for command in left_out.commands:
        yield from _command(command)


def _content(session: Session, permission: Permission) -> Iterator[str]:
    """Yield the content of a request, and the content that was announced before it."""
    own, announced = own_and_announced(session, permission)
    for item in join_renames(own):
        yield from describe_content(item)
    if announced:
        yield f"  {ANNOUNCED}"
    for item in join_renames(announced):
        yield from describe_content(item)


def _remarks(state: State, permission: Permission) -> Iterator[str]:
    """Yield warnings about changes, missing facts, and paths outside the folder; and the rule that
    asks.
    """
    session = state.session(permission.session_id)
    if not permission.kind_known:
        yield "  ⚠ What this would do is not in a form that acp-tui knows."
    if altered := changed_since_asked(session, permission):
        yield f"  ⚠ The agent has changed this since it asked: {altered}"
    if not names_what_is_written(asked_about(session, permission)):
        yield f"  ⚠ {NOT_SAID}"
    for path in paths_outside(session, permission_facts(session, permission).paths):
        yield f"  ⚠ outside the session's folder: {one_line(path)}"
    for path in permission.changed:
        yield f"  ⚠ {one_line(path)} has changed on disk since the agent last read or wrote it."
    if permission.rule:
        yield f"  ({ruling_words('asked', one_line(permission.rule))})"


def _own_words(permission: Permission, title: str, call_title: str) -> Iterator[str]:
    """Yield the whole title if it was cut above, the call's title if it differs, and the
    description.
    """
    yield from whole_if_cut(title)
    if permission.title and call_title not in ("", permission.title):
        yield mark_line(whole_line(call_title))
    yield from marked_lines(permission.description)


def _command(command: str) -> list[str]:
    """Format a command on lines of its own, so that it can't pass for part of another."""
    first, *more = count_blanks(command).split("\n")
    return [f"  $ {first}", *map(mark_line, more)]
