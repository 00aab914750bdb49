"""Permissions: the request, the response, and what happens in between."""

from acp_tui.protocol.findings import ProtocolRule, Severity
from acp_tui.protocol.frames import Direction
from acp_tui.wire.exchanges import Reading, text
from acp_tui.wire.lint.checker import Checker, Report, entry, items
from acp_tui.wire.lint.peers import TOOL_CALL, Peers
from acp_tui.wire.unanswered import Asked

UNANNOUNCED = ProtocolRule(
    "permission-unannounced",
    Severity.INFO,
    "When the language model requests a tool invocation, the Agent SHOULD report it to the Client",
)
NO_OPTIONS = ProtocolRule(
    "permission-without-options",
    Severity.WARNING,
    "Available permission options for the user to choose from. … Unique identifier for this "
    "permission option.",
)
NOT_OFFERED = ProtocolRule(
    "permission-answer", Severity.WARNING, "The user selected one of the provided options."
)
REJECTED_RAN = ProtocolRule(
    "rejected-but-completed",
    Severity.WARNING,
    "Reject this operation only this time. … The tool call completed successfully.",
)
TOO_SOON = ProtocolRule(
    "ran-before-permission",
    Severity.WARNING,
    "The tool call hasn't started running yet because the input is either streaming or we're "
    "awaiting approval.",
)

_STATUS = ("params", "update", "status")


class PermissionChecker(Checker):
    """Whether permissions can be answered, and what they are asked for waits for the answer."""

    ABOUT = (*TOOL_CALL, "session/request_permission", "$/cancel_request")
    RULES = (UNANNOUNCED, NO_OPTIONS, NOT_OFFERED, REJECTED_RAN, TOO_SOON)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._waiting: dict[int, tuple[str, str, Asked]] = {}
        """Of each open question the session and the tool call, by the index of the request."""
        self._rejected: set[tuple[str, str]] = set()

    def look(self, reading: Reading) -> None:
        if reading.kind:
            if self._waiting or self._rejected:
                self._update(reading)
        elif reading.method == "session/request_permission":
            if reading.request is not None and reading.direction is Direction.IN:
                self._asked(reading, reading.request, self.peers.session)
            elif reading.asked is not None:
                self._answered(reading, reading.asked)
        elif reading.direction is Direction.IN:
            self._withdrawn(reading)

    def reopened(self, session: str) -> None:
        self._rejected = {one for one in self._rejected if one[0] != session}

    def _asked(self, reading: Reading, request: Asked, session: str) -> None:
        options = items(reading.params.get("options"))
        ids = [text(option.get("optionId")) for option in options]
        path = ("params", "options")
        if not options:
            self.report(NO_OPTIONS, reading, "there are no options", path)
        elif len(set(ids)) < len(ids):
            self.report(NO_OPTIONS, reading, f"two options have one id: {', '.join(ids)}", path)
        id = _call(reading)
        status = self.peers.calls.get(session, {}).get(id)
        where = ("params", "toolCall", "toolCallId")
        if status is None and session:
            self.report(UNANNOUNCED, reading, f"no tool_call has the id {id!r}", where)
        elif status == "completed":
            self.report(TOO_SOON, reading, f"{id!r} is completed already", where)
        self._waiting[reading.index] = session, id, request

    def _answered(self, reading: Reading, asked: Asked) -> None:
        session, id, _ = self._waiting.pop(asked.index, ("", "", asked))
        outcome = entry(reading.result, "outcome")
        chosen = outcome.get("optionId")
        options = items(asked.params.get("options"))
        kinds = {text(one.get("optionId")): text(one.get("kind")) for one in options}
        if outcome.get("outcome") == "selected" and chosen not in kinds:
            path = ("result", "outcome", "optionId")
            self.report(NOT_OFFERED, reading, f"{chosen!r} was not offered", path)
        if kinds.get(text(chosen), "").startswith("reject"):
            self._rejected.add((session, id))
        else:
            self._rejected.discard((session, id))

    def _withdrawn(self, reading: Reading) -> None:
        """Note that the agent takes a question back."""
        withdrawn = reading.params.get("requestId")
        for index, (*_, asked) in list(self._waiting.items()):
            if asked.id == withdrawn:
                del self._waiting[index]

    def _update(self, reading: Reading) -> None:
        session, id = self.peers.session, text(reading.update.get("toolCallId"))
        status = text(reading.update.get("status"))
        if status == "completed" and (session, id) in self._rejected:
            self._rejected.discard((session, id))
            self.report(REJECTED_RAN, reading, f"{id!r} was rejected, is now completed", _STATUS)
        before = self.peers.calls.get(session, {}).get(id)
        runs = status == "completed" or (status == "in_progress" and before != status)
        for index, (*about, _) in list(self._waiting.items()) if runs else ():
            if about == [session, id]:
                del self._waiting[index]
                how = f"{id!r} is {status}, and its permission has no answer yet"
                self.report(TOO_SOON, reading, how, _STATUS)


def _call(reading: Reading) -> str:
    return text(entry(reading.params, "toolCall").get("toolCallId"))
