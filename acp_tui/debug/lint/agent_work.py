"""Work in version 2: tool calls, terminals and background work, announced, canceled and listed."""

import binascii
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.answers import CANCELED_PROMPT_TIMEOUT
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers, asked_call
from acp_tui.protocol.findings import JsonPath, protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import is_supported, object_at, objects_at, text_at
from acp_tui.protocol.process_events import Disconnected, ProcessExited
from acp_tui.state.entries import FINISHED

NOT_BASE64 = protocol_rule("terminal-not-base64")
CHUNK_OF_NOTHING = protocol_rule("chunk-of-nothing")
NEVER_TOLD = protocol_rule("terminal-never-told")
CANCEL_NOT_OFFERED = protocol_rule("cancel-not-offered")
STILL_OFFERED = protocol_rule("cancel-still-offered")
NOT_CONFIRMED = protocol_rule("cancel-not-confirmed")

_CANCELS = {"tool_call/cancel": "toolCallId", "terminal/cancel": "terminalId"}
_IDS = {
    "tool_call_update": "toolCallId",
    "tool_call_content_chunk": "toolCallId",
    "terminal_update": "terminalId",
    "terminal_output_chunk": "terminalId",
}
_Key = tuple[str, str, str]
"""The session, the name of the id's field, and the id."""


@dataclass
class _Entity:
    """A tool call or a terminal, with its last update."""

    last: Reading
    is_over: bool = False
    cancelable: bool = False
    reported: bool = False
    """Whether it was reported that this one still offers to be canceled."""


class EntityChecker(Checker):
    """Checks that tool calls and terminals are announced, and canceled only if they offer that."""

    VERSIONS = (2,)
    ABOUT = (*_IDS, *_CANCELS, "state_update", "session/request_permission")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._known: dict[_Key, _Entity] = {}
        self._shown: dict[_Key, tuple[Reading, JsonPath]] = {}
        """The terminals shown before any update about them: the record, and the path in it."""
        self._canceled: dict[_Key, Reading] = {}
        """The responses to cancels that no update has confirmed yet."""

    def check_record(self, reading: Reading) -> None:
        if reading.method in _CANCELS:
            self._check_cancel(reading, _CANCELS[reading.method])
        elif reading.direction is not Direction.IN:
            return
        elif reading.kind == "state_update":
            if reading.update.get("state") == "idle":
                self._report_missing(self.peers.session)
        elif reading.kind:
            self._check_update(reading, self.peers.session)
        elif reading.is_request and (call := asked_call(reading)).get("toolCallId"):
            key = self.peers.session, "toolCallId", text_at(call, "toolCallId")
            self._apply_update(key, call, reading)

    def reopened(self, session: str) -> None:
        for known in (self._known, self._shown, self._canceled):
            for key in [one for one in known if one[0] == session]:
                del known[key]

    def end(self) -> None:
        exited = self.peers.exit
        if not isinstance(exited, ProcessExited | Disconnected) or not exited.asked:
            return
        for (_, _, id), answer in self._canceled.items():
            if (waited := exited.at - answer.record.at) > CANCELED_PROMPT_TIMEOUT:
                how = f"{id!r} did not end within {waited:.0f} s of its cancel"
                self.report(NOT_CONFIRMED, answer, how, ())

    def _check_update(self, reading: Reading, session: str) -> None:
        update, name = reading.update, _IDS[reading.kind]
        key = session, name, text_at(update, name)
        if reading.kind.endswith("_update"):
            self._apply_update(key, update, reading)
            self._check_base64(object_at(update, "output"), ("params", "update", "output"), reading)
        elif key not in self._known and self.peers.is_whole and session:
            self._known[key] = _Entity(reading)
            self.report(
                CHUNK_OF_NOTHING, reading, f"there is no {key[2]!r}", ("params", "update", name)
            )
        if reading.kind == "terminal_output_chunk":
            self._check_base64(update, ("params", "update"), reading)
        for where, terminal in _terminals(update.get("content")):
            shown = session, "terminalId", terminal
            if shown not in self._known:
                self._shown.setdefault(shown, (reading, ("params", "update", *where)))

    def _apply_update(self, key: _Key, update: dict[str, Any], reading: Reading) -> None:
        """Apply an update of a tool call or a terminal."""
        one = self._known.setdefault(key, _Entity(reading))
        one.last = reading
        self._shown.pop(key, None)
        if "capabilities" in update:
            one.cancelable = is_supported(update, "capabilities", "cancel")
        if "exitStatus" in update:
            one.is_over = update["exitStatus"] is not None
        if "status" in update:
            one.is_over = update["status"] in FINISHED
        if one.is_over:
            self._canceled.pop(key, None)

    def _check_base64(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        data = text_at(holder, "data")
        try:
            binascii.a2b_base64(data, strict_mode=True)
        except ValueError as error:
            self.report(NOT_BASE64, reading, str(error), (*where, "data"))

    def _check_cancel(self, reading: Reading, name: str) -> None:
        if reading.answered_request is not None:
            key = reading.session_id, name, text_at(reading.answered_request.params, name)
            one = self._known.get(key)
            if reading.status is Status.OK and one is not None and not one.is_over:
                self._canceled[key] = reading
        elif reading.is_request and self.peers.is_whole:
            id = text_at(reading.params, name)
            one = self._known.get((reading.session_id, name, id))
            if one is None or not one.cancelable:
                why = "is not there" if one is None else "can't be canceled"
                self.report(CANCEL_NOT_OFFERED, reading, f"{id!r} {why}", ("params", name))

    def _report_missing(self, session: str) -> None:
        """Report updates that are still missing when the session becomes idle."""
        for key, one in self._known.items():
            if key[0] == session and one.is_over and one.cancelable and not one.reported:
                one.reported = True
                how = f"{key[2]!r} is over, and still offers to be canceled"
                self.report(STILL_OFFERED, one.last, how, ("params", "update", "capabilities"))
        for key in [one for one in self._shown if one[0] == session]:
            reading, where = self._shown.pop(key)
            how = f"no terminal_update has told of {key[2]!r}"
            self.report(NEVER_TOLD, reading, how, where)


def _terminals(content: Any) -> Iterator[tuple[JsonPath, str]]:
    """Yield the terminals in a tool call's content, or in a chunk of it."""
    if isinstance(content, dict) and content.get("type") == "terminal":
        yield ("content", "terminalId"), text_at(content, "terminalId")
    for index, one in enumerate(objects_at(content)):
        if one.get("type") == "terminal":
            yield ("content", index, "terminalId"), text_at(one, "terminalId")


UNANNOUNCED = protocol_rule("background-unannounced")
REMOVED = protocol_rule("background-removed")
TWICE = protocol_rule("background-twice")
LEFT_OUT = protocol_rule("background-left-out")

_WHERE = ("params", "update", "background")
_ID_FIELDS = {"tool_call": "toolCallId", "terminal": "terminalId"}


class _Item(NamedTuple):
    kind: str
    id: str


class BackgroundChecker(Checker):
    """Checks that the list of background tasks is complete and accurate."""

    VERSIONS = (2,)
    ABOUT = ("state_update", "terminal_update", "session/resume", "session/new", "session/fork")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._listed: dict[str, set[_Item]] = {}
        """The background work in each session's last list; no entry if it sends none."""
        self._terminals: dict[tuple[str, str], bool] = {}
        """The terminals that were announced, and whether they have exited."""
        self._whole_sessions: set[str] = set()
        """The sessions that the log has from their beginning."""

    def check_record(self, reading: Reading) -> None:
        session = self.peers.session
        if reading.kind == "terminal_update":
            self._note_terminal(reading.update, session)
        elif reading.kind == "state_update":
            self._check_list(reading, session)
        elif not reading.is_request and reading.method != "session/resume":
            self._whole_sessions.add(reading.session_id)

    def reopened(self, session: str) -> None:
        self._listed.pop(session, None)
        self._whole_sessions.discard(session)

    def _note_terminal(self, update: dict[str, Any], session: str) -> None:
        key = session, text_at(update, "terminalId")
        before = self._terminals.get(key, False)
        has_exited = "exitStatus" in update and update["exitStatus"] is not None
        self._terminals[key] = has_exited if "exitStatus" in update else before

    def _check_list(self, reading: Reading, session: str) -> None:
        before = self._listed.get(session)
        background = reading.update.get("background")
        if not isinstance(background, list):
            if before is not None:
                del self._listed[session]
                self.report(LEFT_OUT, reading, "background was there before", _WHERE)
            return
        listed = Counter(
            _item(one) for one in objects_at(background) if one.get("type") in _ID_FIELDS
        )
        for item, times in listed.items():
            if times > 1:
                self.report(TWICE, reading, f"{item.kind} {item.id!r} is listed twice", _WHERE)
            if session in self._whole_sessions and self._is_over(item, session) is None:
                how = f"there was no {item.kind} {item.id!r} before"
                self.report(UNANNOUNCED, reading, how, _WHERE)
        for item in (before or set()) - listed.keys():
            if self._is_over(item, session) is False:
                how = f"{item.kind} {item.id!r} is not over, but no longer listed"
                self.report(REMOVED, reading, how, _WHERE)
        self._listed[session] = set(listed)

    def _is_over(self, item: _Item, session: str) -> bool | None:
        """Return whether a piece of work has ended; None if it was never announced."""
        if item.kind == "terminal":
            return self._terminals.get((session, item.id))
        status = self.peers.calls.get(session, {}).get(item.id)
        return None if status is None else status in FINISHED


def _item(one: dict[str, Any]) -> _Item:
    kind = text_at(one, "type")
    return _Item(kind, text_at(one, _ID_FIELDS[kind]))
