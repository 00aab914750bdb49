"""Work in the background in version 2: announced, and listed for as long as it goes on."""

from collections import Counter
from typing import Any, NamedTuple

from acp_tui.debug.exchanges import Reading, text_or_empty
from acp_tui.debug.lint.checker import Checker, Report, items
from acp_tui.debug.lint.peers import Peers
from acp_tui.debug.lint.tool_calls import FINAL
from acp_tui.protocol.findings import ProtocolRule, Severity

UNANNOUNCED = ProtocolRule(
    "background-unannounced",
    Severity.ERROR,
    "The Agent MUST announce each item before the first snapshot that lists it",
    versions=(2,),
)
REMOVED = ProtocolRule(
    "background-removed",
    Severity.ERROR,
    "MUST report a terminal's exitStatus or a tool call's final status before the "
    "snapshot that removes it.",
    versions=(2,),
)
TWICE = ProtocolRule(
    "background-twice", Severity.WARNING, "Each piece of work is listed once", versions=(2,)
)
LEFT_OUT = ProtocolRule(
    "background-left-out",
    Severity.ERROR,
    "An Agent that reports background work MUST include it on every state update for the session.",
    versions=(2,),
)

_WHERE = ("params", "update", "background")
_IDS = {"tool_call": "toolCallId", "terminal": "terminalId"}


class _Item(NamedTuple):
    kind: str
    id: str


class BackgroundChecker(Checker):
    """Checks that the list of background tasks is complete and accurate."""

    VERSIONS = (2,)
    ABOUT = ("state_update", "terminal_update", "session/resume", "session/new", "session/fork")
    RULES = (UNANNOUNCED, REMOVED, TWICE, LEFT_OUT)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._listed: dict[str, set[_Item]] = {}
        """What each session listed last, if it lists anything."""
        self._terminals: dict[tuple[str, str], bool] = {}
        """The terminals that were announced, and whether they have exited."""
        self._begun: set[str] = set()
        """The sessions that the log has from their beginning."""

    def check_record(self, reading: Reading) -> None:
        session = self.peers.session
        if reading.kind == "terminal_update":
            self._terminal(reading.update, session)
        elif reading.kind == "state_update":
            self._state(reading, session)
        elif not reading.is_request and reading.method != "session/resume":
            self._begun.add(reading.session_id)

    def reopened(self, session: str) -> None:
        self._listed.pop(session, None)
        self._begun.discard(session)

    def _terminal(self, update: dict[str, Any], session: str) -> None:
        key = session, text_or_empty(update.get("terminalId"))
        before = self._terminals.get(key, False)
        has_exited = "exitStatus" in update and update["exitStatus"] is not None
        self._terminals[key] = has_exited if "exitStatus" in update else before

    def _state(self, reading: Reading, session: str) -> None:
        before = self._listed.get(session)
        background = reading.update.get("background")
        if not isinstance(background, list):
            if before is not None:
                del self._listed[session]
                self.report(LEFT_OUT, reading, "background was there before", _WHERE)
            return
        listed = Counter(_item(one) for one in items(background) if one.get("type") in _IDS)
        for item, times in listed.items():
            if times > 1:
                self.report(TWICE, reading, f"{item.kind} {item.id!r} is listed twice", _WHERE)
            if session in self._begun and self._is_over(item, session) is None:
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
        return None if status is None else status in FINAL


def _item(one: dict[str, Any]) -> _Item:
    kind = text_or_empty(one.get("type"))
    return _Item(kind, text_or_empty(one.get(_IDS[kind])))
