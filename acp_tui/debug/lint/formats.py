"""Values that have a format: times and base64."""

import binascii
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from acp_tui.debug.exchanges import Reading, text_or_empty
from acp_tui.debug.lint.checker import Checker, entry, items
from acp_tui.debug.lint.peers import asked_call
from acp_tui.protocol.findings import JsonPath, ProtocolRule, Severity
from acp_tui.protocol.frames import Direction

NOT_A_TIME = ProtocolRule(
    "not-a-time",
    Severity.WARNING,
    "ISO 8601 timestamp of last activity",
).in_2("RFC 3339 timestamp of last activity.")
NOT_BASE64 = ProtocolRule(
    "content-not-base64",
    Severity.WARNING,
    "Base64-encoded media payload. … Base64-encoded bytes for a binary resource payload.",
)

_MEDIA = ("image", "audio")
_DAY = re.compile(r"\d{4}-(\d{2}|\d{3})")
"""A month, or the number of a day in its year: in ISO 8601, and not read by Python."""
_MESSAGES = ("user_message", "agent_message", "agent_thought")


class FormatChecker(Checker):
    """Checks that times are times, and that encoded data can be decoded."""

    ABOUT = (
        *_MESSAGES,
        *(f"{kind}_chunk" for kind in _MESSAGES),
        "tool_call",
        "tool_call_update",
        "session/request_permission",
        "session_info_update",
        "session/list",
    )
    RULES = (NOT_A_TIME, NOT_BASE64)

    def check_record(self, reading: Reading) -> None:
        if reading.direction is not Direction.IN:
            return
        if reading.kind == "session_info_update":
            self._time(reading.update, ("params", "update"), reading)
        elif reading.kind:
            self._content(reading.update, ("params", "update"), reading)
        elif reading.method == "session/list":
            for index, session in enumerate(items(reading.result.get("sessions"))):
                self._time(session, ("result", "sessions", index), reading)
        elif reading.is_request:
            self._content(asked_call(reading), ("params", "toolCall"), reading)

    def _time(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        value = holder.get("updatedAt")
        if isinstance(value, str) and not _is_time(value, self.peers.version):
            self.report(NOT_A_TIME, reading, f"{value[:40]!r} is no time", (*where, "updatedAt"))

    def _content(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        for path, block in _blocks(holder.get("content"), (*where, "content")):
            if block.get("type") in _MEDIA:
                self._base64(block, "data", path, reading)
            elif block.get("type") == "resource":
                self._base64(entry(block, "resource"), "blob", (*path, "resource"), reading)

    def _base64(self, holder: dict[str, Any], name: str, where: JsonPath, reading: Reading) -> None:
        data = text_or_empty(holder.get(name))
        try:
            binascii.a2b_base64("".join(data.split()), strict_mode=True)
        except ValueError as error:
            self.report(NOT_BASE64, reading, f"is no base64: {error}", (*where, name))


def _blocks(content: Any, where: JsonPath) -> Iterator[tuple[JsonPath, dict[str, Any]]]:
    """Yield the blocks of a message, or those in the content of a tool call."""
    if isinstance(content, dict):
        yield where, content
        return
    for index, one in enumerate(items(content)):
        if one.get("type") == "content":
            yield (*where, index, "content"), entry(one, "content")
        else:
            yield (*where, index), one


def _is_time(value: str, version: int) -> bool:
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return version == 1 and _DAY.fullmatch(value) is not None
    return version == 1 or time.tzinfo is not None
