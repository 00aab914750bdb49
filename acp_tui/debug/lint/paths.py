"""Paths and lines."""

from collections.abc import Iterator
from pathlib import PureWindowsPath
from typing import Any

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, entry, items
from acp_tui.debug.lint.peers import OPENING, TOOL_CALL
from acp_tui.protocol.findings import JsonPath, ProtocolRule, Severity

RELATIVE = ProtocolRule(
    "relative-path", Severity.ERROR, "All file paths in the protocol MUST be absolute."
).in_2(
    "An absolute filesystem path used by the protocol. … Absolute path for the operation. … The working "
    "directory for this session. Must be an absolute path.",
    Severity.WARNING,
)
LINE_ZERO = ProtocolRule(
    "line-zero",
    Severity.WARNING,
    "Line number to start reading from (1-based). … Optional 1-based line number within the file.",
).in_2("Optional 1-based line number within the file. … 0 is invalid.")

_WITH_CWD = (*OPENING, "terminal/create")


class PathChecker(Checker):
    """Checks that paths are absolute and lines count from 1."""

    ABOUT = (
        "fs/read_text_file",
        "fs/write_text_file",
        *_WITH_CWD,
        *TOOL_CALL,
        "tool_call_content_chunk",
        "terminal_update",
        "session/request_permission",
        "session/list",
    )
    RULES = (RELATIVE, LINE_ZERO)

    def check_record(self, reading: Reading) -> None:
        if reading.method.startswith("fs/") or reading.method in _WITH_CWD:
            params = reading.params
            for name in ("path", "cwd"):
                if isinstance(params.get(name), str):
                    self._check_path(params[name], ("params", name), reading)
            self._roots(params, ("params",), reading)
            self._check_line(params.get("line"), ("params", "line"), reading)
        elif reading.kind == "terminal_update":
            self._cwd(reading.update, ("params", "update"), reading)
        elif reading.kind:
            self._tool_call(reading.update, ("params", "update"), reading)
        elif reading.method == "session/request_permission" and reading.is_request:
            self._permission(reading)
        elif reading.method == "session/list":
            for index, session in enumerate(items(reading.result.get("sessions"))):
                where = ("result", "sessions", index)
                self._cwd(session, where, reading)
                self._roots(session, where, reading)

    def _roots(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        roots = holder.get("additionalDirectories")
        for index, root in enumerate(roots if isinstance(roots, list) else ()):
            if isinstance(root, str):
                self._check_path(root, (*where, "additionalDirectories", index), reading)

    def _permission(self, reading: Reading) -> None:
        self._tool_call(entry(reading.params, "toolCall"), ("params", "toolCall"), reading)
        subject = entry(reading.params, "subject")
        where = ("params", "subject")
        self._cwd(subject, where, reading)
        self._tool_call(entry(subject, "toolCall"), (*where, "toolCall"), reading)

    def _cwd(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        if isinstance(cwd := holder.get("cwd"), str):
            self._check_path(cwd, (*where, "cwd"), reading)

    def _tool_call(self, update: dict[str, Any], where: JsonPath, reading: Reading) -> None:
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
    for index, location in enumerate(items(update.get("locations"))):
        yield ("locations", index, "path"), location.get("path")
        yield ("locations", index, "line"), location.get("line")
    content = update.get("content")
    if isinstance(content, dict):  # of a chunk, which brings one
        yield from _of_diff(content, ("content",))
    for index, one in enumerate(items(content)):
        yield from _of_diff(one, ("content", index))


def _of_diff(content: dict[str, Any], where: JsonPath) -> Iterator[tuple[JsonPath, Any]]:
    """The paths of a diff; version 2 has them in its changes."""
    if content.get("type") != "diff":
        return
    yield (*where, "path"), content.get("path")
    for index, change in enumerate(items(content.get("changes"))):
        for name in ("path", "oldPath"):
            yield (*where, "changes", index, name), change.get(name)
