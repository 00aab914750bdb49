"""Permissions: the request, the response, and what happens in between."""

from acp_tui.debug.exchanges import PendingRequest, Reading
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers, asked_call
from acp_tui.protocol.findings import JsonPath, protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import object_at, objects_at, text_at
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES

UNANNOUNCED = protocol_rule("permission-unannounced")
NO_OPTIONS = protocol_rule("permission-without-options")
NOT_OFFERED = protocol_rule("permission-answer")
UNKNOWN_OUTCOME = protocol_rule("permission-outcome")
TOO_SOON = protocol_rule("ran-before-permission")

_STATUS = ("params", "update", "status")


class PermissionChecker(Checker):
    """Checks that permissions can be answered, and that the agent waits for the answer."""

    ABOUT = (*TOOL_CALL_UPDATES, "session/request_permission", "$/cancel_request")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._waiting: dict[int, tuple[str, str, PendingRequest]] = {}
        """The session and the tool call of each open question, by the index of the request."""

    def check_record(self, reading: Reading) -> None:
        if reading.kind:
            if self._waiting:
                self._check_update(reading)
        elif reading.method == "session/request_permission":
            if reading.request is not None and reading.direction is Direction.IN:
                self._check_options(reading, reading.request, self.peers.session)
            elif reading.answered_request is not None:
                self._check_answer(reading, reading.answered_request)
        elif reading.direction is Direction.IN:
            self._drop_question(reading)

    def _check_options(self, reading: Reading, request: PendingRequest, session: str) -> None:
        options = objects_at(reading.params, "options")
        ids = [text_at(option, "optionId") for option in options]
        path = ("params", "options")
        if not options:
            self.report(NO_OPTIONS, reading, "there are no options", path)
        elif len(set(ids)) < len(ids):
            self.report(NO_OPTIONS, reading, f"two options have one id: {', '.join(ids)}", path)
        id = text_at(asked_call(reading), "toolCallId")
        status = self.peers.calls.get(session, {}).get(id)
        where = ("params", "toolCall", "toolCallId")
        if status is None and session and session not in self.peers.partly_known:
            self.report(UNANNOUNCED, reading, f"no tool_call has the id {id!r}", where)
        elif status == "completed":
            self.report(TOO_SOON, reading, f"{id!r} is completed already", _call_path(reading))
        self._waiting[reading.index] = session, id, request

    def _check_answer(self, reading: Reading, request: PendingRequest) -> None:
        self._waiting.pop(request.index, None)
        outcome = object_at(reading.result, "outcome")
        chosen = outcome.get("optionId")
        offered = [text_at(one, "optionId") for one in objects_at(request.params, "options")]
        made = outcome.get("outcome")
        if made == "selected" and chosen not in offered:
            path = ("result", "outcome", "optionId")
            self.report(NOT_OFFERED, reading, f"{chosen!r} was not offered", path)
        elif isinstance(made, str) and not made.startswith(("selected", "cancelled", "_")):
            where = ("result", "outcome", "outcome")
            self.report(UNKNOWN_OUTCOME, reading, f"there is no outcome {made!r}", where)

    def _drop_question(self, reading: Reading) -> None:
        """Forget a question that the agent withdraws."""
        withdrawn = reading.params.get("requestId")
        for index, (*_, request) in list(self._waiting.items()):
            if request.id == withdrawn:
                del self._waiting[index]

    def _check_update(self, reading: Reading) -> None:
        session, id = self.peers.session, text_at(reading.update, "toolCallId")
        status = text_at(reading.update, "status")
        before = self.peers.calls.get(session, {}).get(id)
        runs = status == "completed" or (status == "in_progress" and before != status)
        for index, (*about, _) in list(self._waiting.items()) if runs else ():
            if about == [session, id]:
                del self._waiting[index]
                how = f"{id!r} is {status}, and its permission has no answer yet"
                self.report(TOO_SOON, reading, how, _STATUS)


def _call_path(reading: Reading) -> JsonPath:
    """Return the path of the tool call in a permission request."""
    if "toolCall" in reading.params:
        return ("params", "toolCall", "toolCallId")
    return ("params", "subject")
