"""Who answers permission requests when there is no UI."""

import os
import sys
from enum import StrEnum

import anyio

from acp_tui.protocol.events import FileOperation
from acp_tui.protocol.requests import PermissionOption
from acp_tui.session.state import Permission, State
from acp_tui.text import clean_line

READING_KINDS = {"read", "search", "think"}
_LONGEST_ANSWER = 4096


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
        return f"{permission.access.operation} {clean_line(permission.access.path)}"
    assert permission.tool_call is not None
    tool_call = state.session(permission.session_id).tool_call(permission.tool_call.tool_call_id)
    title = tool_call.title if tool_call is not None else ""
    return clean_line(title or permission.tool_call.tool_call_id)


def describe(state: State, permission: Permission) -> list[str]:
    """What is asked for, in lines to judge by."""
    access = permission.access
    if access is not None:
        session = state.session(permission.session_id)
        return [
            f"The agent wants to {access.operation} outside its working directory:",
            f"  {clean_line(access.path)}",
            f"  (its directory is {clean_line(session.cwd)})",
        ]
    assert permission.tool_call is not None
    tool_call = state.session(permission.session_id).tool_call(permission.tool_call.tool_call_id)
    if tool_call is None:
        return ["The agent asks for permission"]
    lines = [f"The agent asks for permission: {clean_line(tool_call.title)} [{tool_call.kind}]"]
    lines += [f"  {clean_line(location.path)}" for location in tool_call.locations]
    if tool_call.raw_input is not None:
        lines.append(f"  {clean_line(str(tool_call.raw_input))[:500]}")
    return lines


async def ask(state: State, permission: Permission) -> PermissionOption | None:
    """Ask the person at the terminal; None when the input ended instead of an answer."""
    options = permission.options
    menu = [f"  {number}) {clean_line(option.name)}" for number, option in enumerate(options, 1)]
    print(*describe(state, permission), *menu, sep="\n", file=sys.stderr)  # noqa: T201
    while True:
        print(f"Your answer [1-{len(options)}]: ", end="", file=sys.stderr, flush=True)  # noqa: T201
        await anyio.wait_readable(sys.stdin)  # a thread in readline() could never be left
        line = os.read(sys.stdin.fileno(), _LONGEST_ANSWER).decode("utf-8", "replace").strip()
        if not line:
            return None
        if line.isdecimal() and 1 <= int(line) <= len(options):
            return options[int(line) - 1]
