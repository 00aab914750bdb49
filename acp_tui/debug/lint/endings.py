"""Ends of sessions: closed during a turn, or deleted."""

from acp_tui.debug.exchanges import Reading, Status, text_or_empty
from acp_tui.debug.lint.checker import IN_FLIGHT, Checker, Report, items
from acp_tui.debug.lint.peers import OPENING, Peers
from acp_tui.protocol.findings import ProtocolRule, Severity
from acp_tui.protocol.jsonrpc import Failure

CLOSE_UNHEEDED = ProtocolRule(
    "close-not-cancelled",
    Severity.ERROR,
    "The Agent MUST cancel any ongoing work for that session as if session/cancel had been "
    "called, then free the resources associated with the session.",
).in_2(
    "When closing cancels active foreground work, the Agent MUST send the final updates for that work "
    'and the idle state_update with stopReason: "cancelled" before responding successfully to '
    "session/close."
)
LISTED = ProtocolRule(
    "deleted-but-listed",
    Severity.WARNING,
    "a deleted session is in no later list of sessions.",
    guess=True,
)


class EndingChecker(Checker):
    """Checks that a turn ends with its session, and a deleted session stays deleted."""

    ABOUT = ("session/prompt", "session/close", "session/delete", "session/list", *OPENING)
    RULES = (CLOSE_UNHEEDED, LISTED)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._closed_in: dict[int, Reading] = {}
        """The turns that ran when their session was closed, by the index of the prompt."""
        self._running: dict[int, Reading] = {}
        self._deleted: dict[str, int] = {}
        """The sessions that were deleted, and when: the index of the answer."""

    def check_record(self, reading: Reading) -> None:
        match reading.method:
            case "session/prompt" if self.peers.version == 1:
                self._prompt(reading)
            case "session/close" if reading.is_request:
                for index, prompt in self._running.items():
                    if prompt.session_id == reading.session_id:
                        self._closed_in[index] = reading
            case "session/delete" if reading.asked is not None and reading.status is Status.OK:
                self._deleted[reading.session_id] = reading.index
            case "session/new" | "session/load" | "session/resume" | "session/fork":
                self._deleted.pop(reading.session_id, None)
            case "session/list":
                self._list(reading)

    def _prompt(self, reading: Reading) -> None:
        if reading.is_request:
            self._running[reading.index] = reading
        elif reading.asked is not None:
            self._running.pop(reading.asked.index, None)
            closed = self._closed_in.pop(reading.asked.index, None)
            reason = reading.result.get("stopReason")
            failed = isinstance(reading.message, Failure)
            if closed is None or reason == "cancelled":
                return
            if failed or reading.record.at - closed.record.at >= IN_FLIGHT:
                how = "answered with an error" if failed else f"the stop reason is {reason!r}"
                self.report(CLOSE_UNHEEDED, reading, how, ("error",) if failed else ("result",))

    def _list(self, reading: Reading) -> None:
        asked = reading.asked.index if reading.asked is not None else 0
        for index, session in enumerate(items(reading.result.get("sessions"))):
            id = text_or_empty(session.get("sessionId"))
            if self._deleted.get(id, asked) < asked:
                where = ("result", "sessions", index, "sessionId")
                self.report(LISTED, reading, f"{id!r} was deleted before", where)
