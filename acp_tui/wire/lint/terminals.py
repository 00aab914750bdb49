"""The client's terminals: made, used and released by the agent."""

from acp_tui.protocol.findings import Rule, Severity
from acp_tui.protocol.frames import Direction
from acp_tui.wire.exchanges import Reading, Status, text
from acp_tui.wire.lint.checker import Checker, Report
from acp_tui.wire.lint.peers import Peers

UNRELEASED = Rule(
    "terminal-unreleased",
    Severity.ERROR,
    "The Agent MUST release the terminal using terminal/release when it's no longer needed.",
)
UNKNOWN = Rule(
    "terminal-unknown",
    Severity.ERROR,
    "After release, the terminal ID becomes invalid for all other terminal/* methods.",
)


class Terminals(Checker):
    """Whether each terminal is released, and none is used that there isn't."""

    RULES = (UNRELEASED, UNKNOWN)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._open: dict[str, Reading] = {}
        self._running: dict[str, int] = {}

    def look(self, reading: Reading) -> None:
        if reading.method == "session/prompt":
            change = 1 if reading.is_request else -1 if reading.asked is not None else 0
            session = reading.session_id
            self._running[session] = self._running.get(session, 0) + change
        elif reading.method == "terminal/create":
            terminal = text(reading.result.get("terminalId"))
            if reading.status is Status.OK and terminal and reading.asked is not None:
                self._open[terminal] = reading.asked
        elif reading.method.startswith("terminal/") and reading.is_request:
            self._used(reading)

    def end(self) -> None:
        for terminal, made in self._open.items():
            if self._running.get(made.session_id, 0) <= 0:  # else the end came in mid-turn
                self.report(UNRELEASED, made, f"{terminal!r} was never released", ())

    def _used(self, reading: Reading) -> None:
        terminal = text(reading.params.get("terminalId"))
        if reading.direction is Direction.IN and terminal not in self._open:
            how = f"there is no terminal {terminal!r}, or none any more"
            self.report(UNKNOWN, reading, how, ("params", "terminalId"))
        if reading.method == "terminal/release":
            self._open.pop(terminal, None)
