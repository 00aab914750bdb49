"""The client's terminals: created, used, shown and released by the agent."""

from typing import Any

from acp_tui.debug.exchanges import PendingRequest, Reading, Status
from acp_tui.debug.lint.checker import IN_FLIGHT, Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import JsonPath, protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import is_supported, object_at, objects_at, text_at
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES
from acp_tui.protocol.process_events import TerminalExited

UNRELEASED = protocol_rule("terminal-unreleased")
UNKNOWN = protocol_rule("terminal-unknown")
NOT_MADE = protocol_rule("terminal-not-made")

_METHODS = (
    "terminal/create",
    "terminal/output",
    "terminal/wait_for_exit",
    "terminal/kill",
    "terminal/release",
)
_SHOWN_BY_AGENT = ("terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit")
"""Keys of `_meta` with which an agent reports a terminal that it runs itself."""


class TerminalChecker(Checker):
    """Checks that each terminal is released, and that only existing ones are used or shown."""

    VERSIONS = (1,)
    ABOUT = (*TOOL_CALL_UPDATES, *_METHODS, "session/prompt", "")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._open: dict[str, PendingRequest] = {}
        self._over: dict[str, float] = {}
        """The times from which the agent could know that a terminal's command has ended."""
        self._reported: set[str] = set()
        """The terminals that were reported as unreleased."""
        self._shown: set[str] = set()
        """The terminals that a tool call has shown, or that were reported as unknown."""

    def check_record(self, reading: Reading) -> None:
        if reading.kind:
            if reading.direction is Direction.IN:
                self._check_embedded(reading)
        elif reading.method == "terminal/create":
            terminal = text_at(reading.result, "terminalId")
            if reading.status is Status.OK and terminal and reading.answered_request is not None:
                self._open[terminal] = reading.answered_request
        elif reading.method == "session/prompt":
            self._check_turn_end(reading)
        elif reading.method:
            if reading.is_request:
                self._check_use(reading)
            elif reading.answered_request is not None and _is_over(reading):
                over = text_at(reading.answered_request.params, "terminalId")
                self._over.setdefault(over, reading.record.at)
        elif isinstance(reading.record, TerminalExited):
            self._note_exit(reading.record)

    def end(self) -> None:
        for terminal, request in list(self._open.items()):
            in_turn = self.peers.running[request.session_id]  # the log ended in mid-turn
            if not in_turn and not self.peers.may_still_run:
                self._report_unreleased(terminal, request)

    def _check_turn_end(self, reading: Reading) -> None:
        """Report terminals that a turn left unreleased though their commands have ended.

        After a cancel, the agent may still be cleaning up.
        """
        if reading.answered_request is None or reading.result.get("stopReason") == "cancelled":
            return
        for terminal, request in list(self._open.items()):
            since = self._over.get(terminal, reading.record.at)
            if request.session_id == reading.session_id and reading.record.at - since >= IN_FLIGHT:
                self._report_unreleased(terminal, request)

    def _report_unreleased(self, terminal: str, request: PendingRequest) -> None:
        if terminal in self._over and terminal not in self._reported:
            self._reported.add(terminal)
            how = f"{terminal!r} was never released, and its command has ended"
            self.report(UNRELEASED, request, how, ())

    def _note_exit(self, exited: TerminalExited) -> None:
        """Record that a command has ended.

        The agent can't know it yet if the client killed the command, or no turn is running.
        """
        request = self._open.get(exited.terminal_id)
        if request is not None and exited.signal is None and self.peers.running[request.session_id]:
            self._over.setdefault(exited.terminal_id, exited.at)

    def _check_use(self, reading: Reading) -> None:
        terminal = text_at(reading.params, "terminalId")
        if reading.direction is Direction.IN and terminal not in self._open:
            how = f"there is no terminal {terminal!r}, or it is gone"
            self.report(UNKNOWN, reading, how, ("params", "terminalId"))
        if reading.method == "terminal/release":
            self._open.pop(terminal, None)

    def _check_embedded(self, reading: Reading) -> None:
        content = reading.update.get("content")
        if not content or not self.peers.running[self.peers.session]:
            return  # a replay shows terminals that are long gone
        self._shown |= _agent_terminals(object_at(reading.update, "_meta"), reading.update)
        for index, one in enumerate(objects_at(content)):
            terminal = text_at(one, "terminalId")
            if one.get("type") == "terminal" and terminal not in self._shown:
                self._shown.add(terminal)
                if terminal not in self._open and not self._client_shows_own():
                    path: JsonPath = ("params", "update", "content", index, "terminalId")
                    how = f"there is no terminal {terminal!r}, or it is gone"
                    self.report(NOT_MADE, reading, how, path)

    def _client_shows_own(self) -> bool:
        """Return whether the client shows terminals that the agent runs itself."""
        return is_supported(self.peers.client, "_meta", "terminal_output")


def _is_over(reading: Reading) -> bool:
    if reading.method == "terminal/output":
        return isinstance(reading.result.get("exitStatus"), dict)
    waited = reading.method in ("terminal/wait_for_exit", "terminal/kill")
    return waited and reading.status is Status.OK


def _agent_terminals(meta: dict[str, Any], update: dict[str, Any]) -> set[str]:
    """Return the ids of the agent's own terminals that an update's `_meta` names."""
    parts = [object_at(meta, name) for name in _SHOWN_BY_AGENT if name in meta]
    return {text_at(part, "terminal_id") or text_at(update, "toolCallId") for part in parts}
