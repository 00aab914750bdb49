"""Requests, their ids and their responses."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any

from acp_tui.debug.exchanges import PendingRequest, Reading, Unanswered
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.events import NotSent, TimedOut
from acp_tui.protocol.findings import protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import (
    ErrorCode,
    Failure,
    Id,
    Malformed,
    Notification,
    Request,
    Response,
)
from acp_tui.protocol.process_events import Disconnected, ProcessExited

NULL_ID = protocol_rule("null-id")
ID_REUSE = protocol_rule("id-reuse")
SECOND_ANSWER = protocol_rule("second-answer")
ORPHAN = protocol_rule("orphan-answer")
TO_NOTIFICATION = protocol_rule("answer-to-notification")
REFUSED = protocol_rule("line-not-understood")
NULL_MEMBER = protocol_rule("result-and-error")
UNANSWERED = protocol_rule("unanswered")
LOST = protocol_rule("answer-lost")
TIMED_OUT = protocol_rule("timed-out")

CANCELED_PROMPT_TIMEOUT = 10.0
"""Seconds within which a canceled prompt should end."""
_OF_LINES = (ErrorCode.PARSE_ERROR, ErrorCode.INVALID_REQUEST)
_OF_PEOPLE = ("session/request_permission", "elicitation/create", "authenticate", "auth/login")
"""Requests that wait for a person, for as long as that takes."""
_PROMPT = "session/prompt"


class AnswerChecker(Checker):
    """Checks that each request gets exactly one answer, and nothing else is answered."""

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._unanswered: Unanswered | None = None
        self._start = -1
        """The index at which this agent process begins: older requests are not its own."""
        self._answered: dict[tuple[Direction | None, str, str], int] = {}
        """The index of the last answered request by direction, session and method ("" for any)."""
        self._notified: dict[Direction | None, str] = {}
        """The method of each side's last notification."""
        self._sent = ""
        """The method of the client's last message, or "an answer"."""
        self._sent_malformed = False
        self._cancelled: dict[str, float] = {}
        self._unsent: set[int] = set()
        """The indexes of requests that never reached the agent."""

    def check_record(self, reading: Reading) -> None:
        if self._start == -1:
            self._start = reading.index
        self._unanswered = reading.unanswered or self._unanswered
        match reading.message:
            case Request() if reading.request is not None:
                self._check_request(reading.request, reading)
            case Notification() as notification:
                self._notified[reading.direction] = notification.method
                if notification.method == "session/cancel":
                    self._cancelled[reading.session_id] = reading.record.at
            case Response() | Failure() as response:
                self._check_response(response, reading)
            case Malformed() if reading.direction is Direction.OUT:
                self._sent_malformed = True
            case None if isinstance(reading.record, TimedOut):
                what = (
                    ""
                    if reading.abandoned_request is None
                    else f" to {reading.abandoned_request.method}"
                )
                how = f"no answer{what} within {reading.record.seconds:g} s"
                self.report(TIMED_OUT, reading, how, ())
            case None if (
                isinstance(reading.record, NotSent) and reading.abandoned_request is not None
            ):
                self._unsent.add(reading.abandoned_request.index)
        if reading.direction is Direction.OUT:
            self._sent = reading.method or "an answer"

    def end(self) -> None:
        if self.peers.may_still_run or self._unanswered is None:
            return
        for request in self._unanswered.since(self._start):
            how = self._explain_unanswered(request)
            if request.index in self._unsent:
                continue
            if how is not None:
                self.report(UNANSWERED, request, f"{request.method} {how}", ("id",))
            elif self._is_lost(request) and (words := retry_words(request.method, request.params)):
                self.report(LOST, request, f"the connection ended before the answer: {words}", ())

    def _check_request(self, request: PendingRequest, reading: Reading) -> None:
        id = request.id
        if id is None or (isinstance(id, float) and not id.is_integer()):
            self.report(NULL_ID, reading, f"the id is {'null' if id is None else id}", ("id",))
        other = reading.duplicate_of
        if other is not None and other.index >= self._start:
            how = f"{other.method} with the same id {id!r} still waits"
            self.report(ID_REUSE, reading, how, ("id",))

    def _check_response(self, response: Response | Failure, reading: Reading) -> None:
        if "result" in reading.value and "error" in reading.value:
            other = "error" if isinstance(response, Response) else "result"
            is_null = reading.value[other] is None
            how = f"has {other}: null, too" if is_null else "has both; the error counts"
            self.report(NULL_MEMBER, reading, how, (other,))
        request = reading.answered_request
        if request is not None:
            self._note_answered(request)
        elif response.id is None:
            self._check_null_id(response, reading)
        elif reading.is_repeated_answer:
            self.report(SECOND_ANSWER, reading, f"id {response.id!r} has been answered", ("id",))
        else:
            twin = self._similar_request(response.id, reading)
            hint = "" if twin is None else f"; {twin.method} has {twin.id!r}, of another type"
            self.report(ORPHAN, reading, f"no request has the id {response.id!r}{hint}", ("id",))

    def _similar_request(self, id: Id, reading: Reading) -> PendingRequest | None:
        """Return the pending request whose id looks the same but has another type: 1 and "1"."""
        assert reading.unanswered is not None
        asker = Direction.OUT if reading.direction is Direction.IN else Direction.IN
        for other in _other_types(id):
            twin = reading.unanswered.oldest(asker, other)
            if twin is not None and twin.index >= self._start:
                return twin
        return None

    def _note_answered(self, request: PendingRequest) -> None:
        for method in (request.method, ""):
            series = (request.direction, request.session_id, method)
            self._answered[series] = max(request.index, self._answered.get(series, 0))

    def _check_null_id(self, response: Response | Failure, reading: Reading) -> None:
        """Check a response with a null id, which is for lines that couldn't be read."""
        other = Direction.OUT if reading.direction is Direction.IN else Direction.IN
        if isinstance(response, Failure) and response.error.code in _OF_LINES:
            if other is Direction.OUT and not self._sent_malformed:
                last = f"; the last before was {self._sent}" if self._sent else ""
                how = f"the agent could not read a line, though it got nothing but messages{last}"
                self.report(REFUSED, reading, how, ("error",))
        elif other in self._notified:
            how = f"the id is null: perhaps it answers {self._notified[other]}"
            self.report(TO_NOTIFICATION, reading, how, ("id",))
        else:
            self.report(ORPHAN, reading, "no request has the id null", ("id",))

    def _is_lost(self, request: PendingRequest) -> bool:
        """Return whether a connection of version 2 broke before the agent answered a request."""
        exited = self.peers.exit
        is_broken = isinstance(exited, Disconnected) and not exited.asked
        return is_broken and self.peers.version == 2 and request.direction is Direction.OUT

    def _explain_unanswered(self, request: PendingRequest) -> str | None:
        """Explain a missing answer; None if it is excused, or the cause is unknown."""
        exited = self.peers.exit
        if isinstance(exited, Disconnected) and not exited.asked:
            return None  # the connection may be at fault, not the agent
        if isinstance(exited, ProcessExited) and exited.from_outside and not exited.asked:
            return None  # a killed process can't answer
        if exited is not None and not exited.asked:
            by_client = request.direction is Direction.OUT
            return f"was not answered; {exited.words}" if by_client else None
        if self.peers.is_closed and request.direction is Direction.OUT:
            return "was not answered; the agent closed its output"
        if request.method in _OF_PEOPLE:
            return None
        is_prompt = request.method == _PROMPT  # a long turn is answered after later requests
        series = (request.direction, request.session_id, _PROMPT if is_prompt else "")
        if self._answered.get(series, 0) > request.index:
            return "was not answered, though later ones were"
        cancelled = self._cancelled.get(request.session_id)
        if exited is None or not is_prompt or cancelled is None:
            return None
        waited = exited.at - max(cancelled, request.at)
        return (
            f"was not answered within {waited:.0f} s of its cancel"
            if waited > CANCELED_PROMPT_TIMEOUT
            else None
        )


def _other_types(id: Id) -> Iterator[Id]:
    """Yield the ids of other types that look the same as this one, such as 1 and "1"."""
    if not isinstance(id, str):
        yield str(id)
        return
    for number in (int, float):
        with suppress(ValueError):
            if str(number(id)) == id:
                yield number(id)


class RetryClass(StrEnum):
    """Whether a request can be sent again, and how."""

    AS_IS = "as it is"
    WITH_KEY = "with its key"
    NEVER = "not"


RETRY_CLASSES = {
    "session/prompt": RetryClass.WITH_KEY,
    **dict.fromkeys(("session/new", "session/fork", "auth/login"), RetryClass.NEVER),
    **dict.fromkeys(
        (
            "initialize",
            "auth/logout",
            "auth/status",
            "providers/disable",
            "providers/list",
            "providers/set",
            "session/archive",
            "session/close",
            "session/delete",
            "session/list",
            "session/options",
            "session/resume",
            "session/set_config_option",
            "session/set_title",
            "session/status",
            "session/unarchive",
            "terminal/cancel",
            "tool_call/cancel",
        ),
        RetryClass.AS_IS,
    ),
}
"""Whether each request of version 2 can be sent again. Only the class of `session/prompt` is from
RFD v2 Idempotency Keys. The others are guesses, based on what a second request would do.
"""


def retry_words(method: str, params: Mapping[str, Any]) -> str:
    """Describe whether a request can be sent again; "" for an unknown method."""
    match RETRY_CLASSES.get(method):
        case RetryClass.AS_IS:
            return f"{method} is safe to send again as it is (a guess)"
        case RetryClass.WITH_KEY if params.get("idempotencyKey"):
            return f"{method} is safe to send again with its idempotencyKey"
        case RetryClass.WITH_KEY:
            return f"{method} is not safe to send again: it has no idempotencyKey"
        case RetryClass.NEVER:
            return f"{method} is not safe to send again: it may have been done (a guess)"
    return ""
