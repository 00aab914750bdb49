"""Values of fields: times, base64, paths, line numbers, distinct ids and reserved names."""

import binascii
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import PureWindowsPath
from typing import Any

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.checker import Checker
from acp_tui.debug.lint.peers import asked_call
from acp_tui.protocol.findings import JsonPath, ProtocolRule, protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import list_at, object_at, objects_at, text_at, value_at
from acp_tui.protocol.kinds import CHUNKS, OPENING_METHODS, TOOL_CALL_UPDATES
from acp_tui.protocol.known_forms import is_well_formed_value, newer_form_note
from acp_tui.protocol.schema import Edition, load_schema

NOT_A_TIME = protocol_rule("not-a-time")
NOT_BASE64 = protocol_rule("content-not-base64")

_MEDIA = ("image", "audio")
_DAY = re.compile(r"\d{4}-(\d{2}|\d{3})")
"""A month, or a day of the year: valid in ISO 8601, but Python doesn't parse them."""
_LEAP_SECOND = re.compile(r":60(?=[.,Z+-]|$)")
_END_OF_DAY = re.compile(r"(?<=T)24(?=:?00(:?00([.,]0+)?)?([Z+-]|$))")
"""Like `_LEAP_SECOND`, a form of time that Python doesn't parse; RFC 3339 has only leap seconds."""
_MESSAGES = ("user_message", "agent_message", "agent_thought")


class FormatChecker(Checker):
    """Checks that times are valid, and base64 can be decoded."""

    ABOUT = (
        *_MESSAGES,
        *(f"{kind}_chunk" for kind in _MESSAGES),
        "tool_call",
        "tool_call_update",
        "session/request_permission",
        "session_info_update",
        "session/list",
    )

    def check_record(self, reading: Reading) -> None:
        if reading.direction is not Direction.IN:
            return
        if reading.kind == "session_info_update":
            self._check_time(reading.update, ("params", "update"), reading)
        elif reading.kind:
            self._check_content(reading.update, ("params", "update"), reading)
        elif reading.method == "session/list":
            for index, session in enumerate(objects_at(reading.result, "sessions")):
                self._check_time(session, ("result", "sessions", index), reading)
        elif reading.is_request:
            self._check_content(asked_call(reading), ("params", "toolCall"), reading)

    def _check_time(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        value = holder.get("updatedAt")
        if isinstance(value, str) and not _is_time(value, self.peers.version):
            self.report(NOT_A_TIME, reading, f"{value[:40]!r} is no time", (*where, "updatedAt"))

    def _check_content(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        for path, block in _blocks(holder.get("content"), (*where, "content")):
            if block.get("type") in _MEDIA:
                self._check_base64(block, "data", path, reading)
            elif block.get("type") == "resource":
                self._check_base64(
                    object_at(block, "resource"), "blob", (*path, "resource"), reading
                )

    def _check_base64(
        self, holder: dict[str, Any], name: str, where: JsonPath, reading: Reading
    ) -> None:
        data = "".join(text_at(holder, name).split())
        try:
            binascii.a2b_base64(data, strict_mode=True)
            problem = "excess padding" if len(data) % 4 else ""  # which Python accepts
        except ValueError as error:
            problem = str(error)
        if problem:
            self.report(NOT_BASE64, reading, f"is no base64: {problem}", (*where, name))


def _blocks(content: Any, where: JsonPath) -> Iterator[tuple[JsonPath, dict[str, Any]]]:
    """Yield the blocks of a message, or those in the content of a tool call."""
    if isinstance(content, dict):
        yield where, content
        return
    for index, one in enumerate(objects_at(content)):
        if one.get("type") == "content":
            yield (*where, index, "content"), object_at(one, "content")
        else:
            yield (*where, index), one


def _is_time(value: str, version: int) -> bool:
    read = _LEAP_SECOND.sub(":59", value.upper())
    if version == 1:
        read = _END_OF_DAY.sub("00", read)
    try:
        time = datetime.fromisoformat(read)
    except ValueError:
        return version == 1 and _DAY.fullmatch(value) is not None
    return version == 1 or time.tzinfo is not None


RELATIVE = protocol_rule("relative-path")
LINE_ZERO = protocol_rule("line-zero")

_WITH_CWD = (*OPENING_METHODS, "terminal/create")


class PathChecker(Checker):
    """Checks that paths are absolute and lines count from 1."""

    ABOUT = (
        "fs/read_text_file",
        "fs/write_text_file",
        *_WITH_CWD,
        *TOOL_CALL_UPDATES,
        "tool_call_content_chunk",
        "terminal_update",
        "session/request_permission",
        "session/list",
    )

    def check_record(self, reading: Reading) -> None:
        if reading.method.startswith("fs/") or reading.method in _WITH_CWD:
            params = reading.params
            for name in ("path", "cwd"):
                if isinstance(params.get(name), str):
                    self._check_path(params[name], ("params", name), reading)
            self._check_roots(params, ("params",), reading)
            self._check_line(params.get("line"), ("params", "line"), reading)
        elif reading.kind == "terminal_update":
            self._check_cwd(reading.update, ("params", "update"), reading)
        elif reading.kind:
            self._check_tool_call(reading.update, ("params", "update"), reading)
        elif reading.method == "session/request_permission" and reading.is_request:
            self._check_permission(reading)
        elif reading.method == "session/list":
            for index, session in enumerate(objects_at(reading.result, "sessions")):
                where = ("result", "sessions", index)
                self._check_cwd(session, where, reading)
                self._check_roots(session, where, reading)

    def _check_roots(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        for index, root in enumerate(list_at(holder, "additionalDirectories")):
            if isinstance(root, str):
                self._check_path(root, (*where, "additionalDirectories", index), reading)

    def _check_permission(self, reading: Reading) -> None:
        self._check_tool_call(
            object_at(reading.params, "toolCall"), ("params", "toolCall"), reading
        )
        subject = object_at(reading.params, "subject")
        where = ("params", "subject")
        self._check_cwd(subject, where, reading)
        self._check_tool_call(object_at(subject, "toolCall"), (*where, "toolCall"), reading)

    def _check_cwd(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        if isinstance(cwd := holder.get("cwd"), str):
            self._check_path(cwd, (*where, "cwd"), reading)

    def _check_tool_call(self, update: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        for path, value in _places(update):
            if path[-1] == "line":
                self._check_line(value, (*where, *path), reading)
            elif isinstance(value, str):
                self._check_path(value, (*where, *path), reading)

    def _check_path(self, path: str, where: JsonPath, reading: Reading) -> None:
        if not (path.startswith("/") or PureWindowsPath(path).is_absolute()):
            self.report(RELATIVE, reading, f"{path[:100]!r} is relative", where)

    def _check_line(self, line: Any, where: JsonPath, reading: Reading) -> None:
        if isinstance(line, int) and line < 1:
            self.report(LINE_ZERO, reading, f"the line is {line}", where)


def _places(update: dict[str, Any]) -> Iterator[tuple[JsonPath, Any]]:
    for index, location in enumerate(objects_at(update, "locations")):
        yield ("locations", index, "path"), location.get("path")
        yield ("locations", index, "line"), location.get("line")
    content = update.get("content")
    if isinstance(content, dict):  # a chunk has one item, not a list
        yield from _of_diff(content, ("content",))
    for index, one in enumerate(objects_at(content)):
        yield from _of_diff(one, ("content", index))


def _of_diff(content: dict[str, Any], where: JsonPath) -> Iterator[tuple[JsonPath, Any]]:
    """Yield the paths of a diff; in version 2 they are in its changes."""
    if content.get("type") != "diff":
        return
    yield (*where, "path"), content.get("path")
    for index, change in enumerate(objects_at(content, "changes")):
        for name in ("path", "oldPath"):
            yield (*where, "changes", index, name), change.get(name)


SAME_ID = protocol_rule("duplicate-id")
SAME_COMMAND = protocol_rule("duplicate-command")
COMMAND_NAME = protocol_rule("command-name")


class DuplicateChecker(Checker):
    """Checks that the entries of a list are distinct."""

    ABOUT = (
        "initialize",
        *OPENING_METHODS,
        "session/list",
        "session/set_config_option",
        "config_option_update",
        "available_commands_update",
    )

    def check_record(self, reading: Reading) -> None:
        if reading.direction is not Direction.IN:
            return
        if reading.kind == "available_commands_update":
            self._check_commands(reading.update, ("params", "update"), reading)
        elif reading.kind == "config_option_update":
            self._check_options(reading.update, ("params", "update"), reading)
        elif reading.status is Status.OK and reading.result:
            self._check_result(reading)

    def _check_result(self, reading: Reading) -> None:
        result = reading.result
        method = "id" if self.peers.version == 1 else "methodId"
        self._check_unique(result.get("authMethods"), method, ("result", "authMethods"), reading)
        modes = value_at(result, "modes", "availableModes")
        self._check_unique(modes, "id", ("result", "modes", "availableModes"), reading)
        if reading.method == "session/list":
            self._check_unique(result.get("sessions"), "sessionId", ("result", "sessions"), reading)
        self._check_options(result, ("result",), reading)
        self._check_commands(result, ("result",), reading)

    def _check_commands(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        path: JsonPath = (*where, "availableCommands")
        commands = holder.get("availableCommands")
        self._check_unique(commands, "name", path, reading, SAME_COMMAND)
        for index, command in enumerate(objects_at(commands)):
            name = text_at(command, "name")
            is_wrong = self.peers.version == 2 and name.split() != [name]
            if is_wrong or name.startswith("/"):
                self.report(COMMAND_NAME, reading, f"the name is {name!r}", (*path, index, "name"))

    def _check_options(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        path: JsonPath = (*where, "configOptions")
        options = holder.get("configOptions")
        name = "id" if self.peers.version == 1 else "configId"
        self._check_unique(options, name, path, reading)
        for index, option in enumerate(objects_at(options)):
            values = [
                value
                for one in objects_at(option, "options")
                for value in (objects_at(one["options"]) if "options" in one else [one])
            ]
            self._check_unique(values, "value", (*path, index, "options"), reading)

    def _check_unique(
        self,
        listed: Any,
        name: str,
        where: JsonPath,
        reading: Reading,
        rule: ProtocolRule = SAME_ID,
    ) -> None:
        seen: set[str] = set()
        for one in objects_at(listed):
            id = text_at(one, name)
            if id and id in seen:
                self.report(rule, reading, f"two have the {name} {id!r}", where)
            seen.add(id)


RESERVED = protocol_rule("reserved-value")

_Place = tuple[JsonPath, str, Any]
"""A path, the schema definition of its values, and the value there."""


class ReservedChecker(Checker):
    """Checks that each value is one of the protocol's, or marked as an extension."""

    VERSIONS = (2,)

    def check_record(self, reading: Reading) -> None:
        if reading.kind:
            places = _of_update(reading.update)
        elif reading.method == "session/request_permission" and reading.is_request:
            places = _of_permission(reading.params)
        else:
            return
        for path, name, value in places:
            if not isinstance(value, str) or value.startswith("_") or value in _known(name):
                continue
            if self.peers.is_between_others and is_well_formed_value(value):
                rule, where, how = newer_form_note(("params", *path), f"{path[-1]} {value!r}")
                self.report(rule, reading, how, where)
            else:
                how = f"{value!r} is no value of version 2"
                self.report(RESERVED, reading, how, ("params", *path))


def _of_update(update: dict[str, Any]) -> Iterator[_Place]:
    kind = update.get("sessionUpdate")
    yield ("update", "sessionUpdate"), "SessionUpdate", kind
    if kind == "state_update":
        yield ("update", "state"), "StateUpdate", update.get("state")
        yield ("update", "stopReason"), "IdleStateUpdate", update.get("stopReason")
    elif kind == "tool_call_update":
        yield ("update", "status"), "ToolCallStatus", update.get("status")
        yield ("update", "kind"), "ToolKind", update.get("kind")
        for index, one in enumerate(objects_at(update, "content")):
            yield ("update", "content", index, "type"), "ToolCallContent", one.get("type")
    elif kind in CHUNKS:
        block = object_at(update, "content")
        yield ("update", "content", "type"), "ContentBlock", block.get("type")


def _of_permission(params: dict[str, Any]) -> Iterator[_Place]:
    subject = object_at(params, "subject")
    yield ("subject", "type"), "RequestPermissionSubject", subject.get("type")
    for index, option in enumerate(objects_at(params, "options")):
        yield ("options", index, "kind"), "PermissionOptionKind", option.get("kind")


@cache
def _known(name: str) -> frozenset[str]:
    """Return all values that the schema names in a union."""
    branches = load_schema(Edition.UNSTABLE_2)["$defs"][name]["anyOf"]
    constants = (one for branch in branches for one in _constants(branch))
    return frozenset(constants)


def _constants(branch: dict[str, Any]) -> Iterator[str]:
    for holder in (branch, *branch.get("properties", {}).values()):
        if isinstance(holder.get("const"), str):
            yield holder["const"]
