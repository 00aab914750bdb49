"""Converts an agent's messages from version 1 to version 2.

Our agents are written once, for version 1, and speak both: these are their updates, requests and
results. Unknown fields are kept. Uses only a small part of the standard library.
"""

from collections.abc import Callable, Iterable
from typing import Any

from acp_tui.protocol.kinds import CHUNKS

Json = dict[str, Any]

PLAN = "plan"
"""The id for version 1's single plan."""
_UNSAID = ("list", "resume", "close", "load")
"""Capabilities that every version 2 agent with sessions has."""


def initialize_result(result: Json) -> Json:
    """Convert the result of `initialize`."""
    given = dict(result)
    new: Json = {"protocolVersion": 2}
    if "agentInfo" in given:
        new["info"] = given.pop("agentInfo")
    new["capabilities"] = _capabilities(given.pop("agentCapabilities", {}))
    methods = given.pop("authMethods", None)
    if methods:
        new["authMethods"] = [_auth_method(one) for one in methods]
    given.pop("protocolVersion", None)
    return {**new, **given}


def _capabilities(given: Json) -> Json:
    named = {**given.get("sessionCapabilities", {})}
    session = {name: value for name, value in named.items() if name not in _UNSAID}
    session["prompt"] = _markers(given.get("promptCapabilities", {}))
    session["mcp"] = {"stdio": {}, **_markers(given.get("mcpCapabilities", {}), but="sse")}
    capabilities: Json = {"session": session}
    auth = {name: value for name, value in given.get("auth", {}).items() if name != "logout"}
    if auth:
        capabilities["auth"] = auth
    return capabilities


def _markers(flags: Json, but: str = "") -> Json:
    """Convert boolean capabilities to objects; false ones are omitted."""
    return {name: {} for name, value in flags.items() if value is True and name != but}


def _auth_method(method: Json) -> Json:
    given = dict(method)
    new: Json = {"type": given.pop("type", "agent"), "methodId": given.pop("id")}
    if "env" in given:
        new["env"] = [{"name": name, "value": value} for name, value in given.pop("env").items()]
    return {**new, **given}


def session_result(result: Json) -> Json:
    """Convert the result that opens a session; modes are dropped, as version 2 has none."""
    given = {name: value for name, value in result.items() if name not in ("modes", "models")}
    if isinstance(given.get("configOptions"), list):
        given["configOptions"] = config_options(given["configOptions"])
    return given


def config_options(options: Iterable[Json]) -> list[Json]:
    """Convert a session's config options."""
    return [{**_renamed(one, "id", "configId"), **_choices(one.get("options"))} for one in options]


def _choices(options: Any) -> Json:
    if not isinstance(options, list):
        return {}
    return {"options": [_renamed(one, "group", "groupId") for one in options]}


def _renamed(value: Json, old: str, new: str) -> Json:
    return {new if name == old else name: one for name, one in value.items()}


def slash_commands(available: Iterable[Json]) -> list[Json]:
    """Convert slash commands; in version 2, a command and its input have a type."""
    return [{"type": "command", **one, **_command_input(one.get("input"))} for one in available]


def _command_input(given: Json | None) -> Json:
    return {"input": {"type": "text", **given}} if given else {}


def permission_params(params: Json) -> Json:
    """Convert the params of `session/request_permission`; the title is that of the tool call."""
    given = dict(params)
    call = given.pop("toolCall")
    subject = {"type": "tool_call", "toolCall": _tool_call(call)}
    return {"title": call.get("title") or "Go on?", "subject": subject, **given}


def session_update(update: Json, message_id: str) -> Json | None:
    """Convert an update, or return None if version 2 has no such kind.

    `message_id` is for a chunk without one.
    """
    kind = update.get("sessionUpdate")
    change = _UPDATES.get(kind) if isinstance(kind, str) else None
    if kind == "current_mode_update":
        return None
    if change is not None:
        return change(update)
    if kind in CHUNKS:
        return {**update, "messageId": update.get("messageId") or message_id}
    if isinstance(kind, str) and kind.startswith("async_task_"):
        return {**update, "sessionUpdate": f"_{kind}"}  # outside the protocol, for JetBrains AIR
    return update


def _tool_call(update: Json) -> Json:
    """Convert a tool call; drop null fields, which version 1 ignores but version 2 clears."""
    given = {name: value for name, value in update.items() if value is not None}
    if "sessionUpdate" in given:
        given["sessionUpdate"] = "tool_call_update"
    if isinstance(given.get("content"), list):
        given["content"] = [_content(one) for one in given["content"]]
    return given


def _content(one: Json) -> Json:
    if one.get("type") != "diff":
        return one
    given = dict(one)
    path, old, new = given.pop("path"), given.pop("oldText", None), given.pop("newText")
    operation = "add" if old is None else "modify"
    changes = [{"operation": operation, "path": path, "fileType": "text"}]
    patch = {"format": "git_patch", "text": git_patch(path, old, new)}
    return {**given, "changes": changes, "patch": patch}


def _plan_update(update: Json) -> Json:
    given = dict(update)
    plan = {"type": "items", "planId": PLAN, "entries": given.pop("entries")}
    return {**given, "sessionUpdate": "plan_update", "plan": plan}


def _commands(update: Json) -> Json:
    return {**update, "availableCommands": slash_commands(update["availableCommands"])}


def _config_options(update: Json) -> Json:
    return {**update, "configOptions": config_options(update["configOptions"])}


_UPDATES: dict[str, Callable[[Json], Json]] = {
    "tool_call": _tool_call,
    "tool_call_update": _tool_call,
    "plan": _plan_update,
    "available_commands_update": _commands,
    "config_option_update": _config_options,
}


def git_patch(path: str, old: str | None, new: str) -> str:
    """Format a change as git does, but with the absolute path; `old` is None for a new file."""
    import difflib  # imported here because it is slow to load

    name = _quoted(path)
    head = f"diff --git {name} {name}\n" + ("new file mode 100644\n" if old is None else "")
    before = "/dev/null" if old is None else name
    hunks = difflib.unified_diff(_lines(old or ""), _lines(new), before, name, lineterm="\n")
    return head + "".join(line if line.endswith("\n") else f"{line}{_NO_NEWLINE}" for line in hunks)


_NO_NEWLINE = "\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Split a text into lines as git does: only `\\n` ends one."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def _quoted(path: str) -> str:
    """Format a path as git does: in quotes, if it has unusual bytes."""
    data = path.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in data):
        return path
    return '"' + "".join(_escaped(byte) for byte in data) + '"'


def _escaped(byte: int) -> str:
    if byte in b'"\\':
        return f"\\{chr(byte)}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
