"""Lines, ids and answers."""

from acp_tui.deep_json import DEEPEST
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import ProcessExited, TimedOut
from acp_tui.protocol.findings import Rule, Severity
from acp_tui.protocol.frames import Direction, Flaw, Frame
from acp_tui.protocol.jsonrpc import Failure, Id, Malformed, Request, Response, Upper
from acp_tui.wire.exchanges import Reading
from acp_tui.wire.lint.checker import Checker, Report
from acp_tui.wire.lint.peers import Peers

NOISE = Rule(
    "stdout-noise",
    Severity.ERROR,
    "The agent MUST NOT write anything to its stdout that is not a valid ACP message.",
)
NOT_A_MESSAGE = Rule(
    "not-a-message",
    Severity.ERROR,
    "Messages are JSON-RPC 2.0 requests, notifications and responses; a response has either a "
    "result or an error.",
)
BATCH = Rule("batch", Severity.ERROR, "ACP does not use JSON-RPC batches.")
NOT_UTF8 = Rule("not-utf8", Severity.ERROR, "JSON-RPC messages MUST be UTF-8 encoded.")
UNFINISHED = Rule(
    "unfinished-line",
    Severity.ERROR,
    "Messages are delimited by newlines (\\n): the output ended in the middle of a line.",
)
OVERSIZED = Rule(
    "oversized-line", Severity.WARNING, "The line is longer than the client takes; it was skipped."
)
TOO_DEEP = Rule(
    "nested-too-deep",
    Severity.WARNING,
    f"The client reads JSON nested up to {DEEPEST:,} levels: of this message only who is called, by "
    "which id; a request gets an error.",
)
NULL_ID = Rule(
    "null-id", Severity.WARNING, "The id SHOULD NOT be null, and numbers SHOULD NOT have fractions."
)
ID_REUSE = Rule(
    "id-reuse",
    Severity.ERROR,
    "The id correlates the two: an id is not used again while its request waits for the answer.",
)
SECOND_ANSWER = Rule(
    "second-answer", Severity.ERROR, "A request is answered by exactly one response."
)
ORPHAN = Rule(
    "orphan-answer",
    Severity.ERROR,
    "The id MUST be the same as the id of the request that the response answers.",
)
UNANSWERED = Rule("unanswered", Severity.WARNING, "A request MUST be answered by a response.")
TIMED_OUT = Rule("timed-out", Severity.WARNING, "The request had no answer in time.")
DIED = Rule("agent-exited", Severity.ERROR, "The client ends the connection, not the agent.")


class Messages(Checker):
    """Whether each line is a message, and each request has its one answer."""

    RULES = (
        NOISE,
        NOT_A_MESSAGE,
        BATCH,
        NOT_UTF8,
        UNFINISHED,
        OVERSIZED,
        TOO_DEEP,
        NULL_ID,
        ID_REUSE,
        SECOND_ANSWER,
        ORPHAN,
        UNANSWERED,
        TIMED_OUT,
        DIED,
    )

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._waiting: dict[int, Reading] = {}
        self._latest: dict[tuple[Direction | None, Id], Reading] = {}

    def look(self, reading: Reading) -> None:
        match reading.record:
            case Frame() as frame:
                self._frame(frame, reading)
            case ProcessExited(asked=False) as gone:
                how = gone.signal or f"code {gone.code}"
                self.report(DIED, reading, f"the agent's process ended by itself, with {how}", ())
            case TimedOut() as late:
                self.report(TIMED_OUT, reading, f"no answer within {late.seconds:g} s", ())

    def end(self) -> None:
        for request in self._waiting.values():
            self.report(UNANSWERED, request, f"{request.method} was never answered", ("id",))

    def _frame(self, frame: Frame, reading: Reading) -> None:
        if frame.flaw is Flaw.OVERSIZED:
            self.report(OVERSIZED, reading, f"{frame.size:,} bytes", ())
            return
        if not frame.raw.isascii() and not _is_utf8(frame.raw):
            self.report(NOT_UTF8, reading, "the line has bytes that are no UTF-8", ())
        if isinstance(reading.value, Upper):
            self.report(TOO_DEEP, reading, jsonrpc.TOO_DEEP, ())
        match reading.message:
            case Malformed() as malformed:
                self._malformed(malformed, frame, reading)
            case Request() as request:
                self._request(request, reading)
            case Response() | Failure() as response:
                self._response(response, reading)

    def _malformed(self, malformed: Malformed, frame: Frame, reading: Reading) -> None:
        excerpt = frame.raw[:60].decode("utf-8", "replace")
        if frame.flaw is Flaw.UNFINISHED:
            self.report(UNFINISHED, reading, f"the last line has no end: {excerpt}", ())
        elif isinstance(reading.value, Malformed) and frame.direction is Direction.IN:
            self.report(NOISE, reading, f"{malformed.reason}: {excerpt}", ())
        elif isinstance(reading.value, list):
            self.report(BATCH, reading, f"an array of {len(reading.value)}", ())
        else:
            self.report(NOT_A_MESSAGE, reading, malformed.reason, ())

    def _request(self, request: Request, reading: Reading) -> None:
        id = request.id
        if id is None or (isinstance(id, float) and not id.is_integer()):
            self.report(NULL_ID, reading, f"the id is {'null' if id is None else id}", ("id",))
        other = self._latest.get((reading.direction, id))
        if other is not None and other.index in self._waiting:
            how = f"{other.method} with the same id {id!r} still waits"
            self.report(ID_REUSE, reading, how, ("id",))
        self._latest[reading.direction, id] = reading
        self._waiting[reading.index] = reading

    def _response(self, response: Response | Failure, reading: Reading) -> None:
        if reading.asked is not None:
            asked = self._waiting.pop(reading.asked.index, None)
            if asked is not None and self._latest.get((asked.direction, response.id)) is asked:
                del self._latest[asked.direction, response.id]
            return
        if response.id is None:
            return  # how JSON-RPC says that a line could not be read
        if reading.again:
            self.report(SECOND_ANSWER, reading, f"id {response.id!r} has been answered", ("id",))
            return
        twin = next((one for one in self._waiting.values() if _looks_alike(one, response)), None)
        hint = "" if twin is None else f"; {twin.method} has {_id(twin)!r}, of another type"
        self.report(ORPHAN, reading, f"no request has the id {response.id!r}{hint}", ("id",))


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _id(reading: Reading) -> object:
    return reading.message.id if isinstance(reading.message, Request) else None


def _looks_alike(request: Reading, response: Response | Failure) -> bool:
    return str(_id(request)) == str(response.id) and request.direction is not None
