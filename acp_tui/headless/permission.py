"""Who answers permission requests when there is no UI."""

from collections.abc import Callable
from enum import StrEnum

from acp_tui.headless.keyboard import attention, typed
from acp_tui.headless.preview import bounded, changed, cut, shown
from acp_tui.protocol.events import FileOperation
from acp_tui.protocol.jsonrpc import as_json
from acp_tui.protocol.requests import PermissionOption
from acp_tui.session.renames import with_renames
from acp_tui.session.state import Permission, State
from acp_tui.text import clean_line, reveal_escapes

READING_KINDS = {"read", "search", "think"}
_MOST_LINES = 150


class Policy(StrEnum):
    """What is done with permission requests."""

    ASK = "ask"
    ALLOW = "allow"
    REJECT = "reject"
    ALLOW_READS = "allow-reads"


def pick(options: list[PermissionOption], *kinds: str) -> PermissionOption | None:
    """The first option of the first of these kinds that is offered; ids and names say nothing."""
    for kind in kinds:
        for option in options:
            if option.kind == kind:
                return option
    return None


def allowed(permission: Permission) -> PermissionOption | None:
    """The option that allows, once if possible."""
    return pick(permission.options, "allow_once", "allow_always")


def rejected(permission: Permission) -> PermissionOption | None:
    """The option that rejects, once if possible."""
    return pick(permission.options, "reject_once", "reject_always")


def only_reads(state: State, permission: Permission) -> bool:
    """Whether what is asked for changes nothing."""
    if permission.access is not None:
        return permission.access.operation is FileOperation.READ
    assert permission.tool_call is not None
    session = state.session(permission.session_id)
    tool_call = session.tool_call(permission.tool_call.tool_call_id)
    return tool_call is not None and tool_call.kind in READING_KINDS


def subject(state: State, permission: Permission) -> str:
    """What is asked for, in a few words."""
    if permission.access is not None:
        return f"{permission.access.operation} {clean_line(reveal_escapes(permission.access.path))}"
    assert permission.tool_call is not None
    tool_call = state.session(permission.session_id).tool_call(permission.tool_call.tool_call_id)
    title = tool_call.title if tool_call is not None else ""
    return clean_line(reveal_escapes(title) or permission.tool_call.tool_call_id)


def describe(state: State, permission: Permission) -> list[str]:
    """What is asked for, in lines to judge by."""
    access = permission.access
    if access is not None and access.rule:
        lines = [
            f"The agent wants to {access.operation}:",
            f"  {access.path}",
            f"  (asked, by {access.rule})",
        ]
        diff = [] if access.content is None else changed(access.old_content, access.content)
        return [*lines, *diff]
    if access is not None:
        lines = [f"The agent wants to {access.operation} this file:", f"  {access.path}"]
        if access.outside:
            cwd = state.session(permission.session_id).cwd
            lines.append(f"  outside its working directory {cwd}")
        if access.changed:
            lines.append("  which has changed on disk since the agent knew it")
        return (
            lines
            if access.content is None
            else [*lines, *changed(access.old_content, access.content)]
        )
    assert permission.tool_call is not None
    tool_call = state.session(permission.session_id).tool_call(permission.tool_call.tool_call_id)
    if tool_call is None:
        return ["The agent asks for permission"]
    lines = [f"The agent asks for permission: {tool_call.title} [{tool_call.kind}]"]
    if permission.rule:
        lines.append(f"  (asked, by {permission.rule})")
    lines += [f"  {location.path}" for location in tool_call.locations]
    if tool_call.raw_input is not None:
        lines += cut([as_json(tool_call.raw_input)])
    for item in with_renames(tool_call.content):
        lines += shown(item)
    return lines


async def ask(
    state: State, permission: Permission, say: Callable[[str], None]
) -> PermissionOption | None:
    """Ask the person at the terminal; None when the input ended instead of an answer."""
    options = permission.options
    menu = [  # a name may say anything; what counts is the kind
        f"  {number}) [{option.kind.replace('_', ' ')}] {option.name}"
        for number, option in enumerate(options, 1)
    ]
    lines = describe(state, permission)
    for line in [*bounded(lines[:_MOST_LINES], len(lines)), *menu]:
        say(reveal_escapes(line))
    await attention()
    while True:
        answer = await typed(f"Your answer [1-{len(options)}]: ")
        if not answer:
            return None
        if answer.isdecimal() and 1 <= int(answer) <= len(options):
            return options[int(answer) - 1]
        say(f"A number from 1 to {len(options)}, please; Enter alone gives no answer.")
