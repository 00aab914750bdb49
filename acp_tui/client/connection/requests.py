"""Sends requests to the agent, and exactly one response to each of its requests."""

from collections.abc import Mapping
from typing import Any

from acp_tui.client.connection.link import OUTBOX_LIMIT, ROOM, AgentLink
from acp_tui.client.files.encoding import has_surrogates
from acp_tui.client.launch import TraceIds
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.folders import Folders
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.json_decoder import LONGEST_LINE
from acp_tui.protocol.jsonrpc import (
    Error,
    ErrorCode,
    Failure,
    Id,
    Message,
    Notification,
    Request,
    Response,
)
from acp_tui.protocol.model import Model
from acp_tui.protocol.wire_events import Requested, WireEvent
from acp_tui.state.state import State

MOST_WAITING = 10_000
"""Most pending requests of the agent: each takes about 4 kB until it is answered."""
MOST_WAITING_BYTES = 256 * 1024 * 1024
"""Most bytes of the agent's pending requests in total."""

_ROOM_FOR_META = 64 * 1024
"""Bytes of a prompt's line that are reserved for everything but its params."""

OF_SUBAGENTS = ("session/status",)
"""Methods that the client may call for a subagent's session; only the agent itself controls it
otherwise.
"""


class Requests:
    """Sends requests and responses over the current `link`; without a link, sends nothing.

    `meta` is added to the `_meta` of every request, and a `traceparent` if there is a `trace`.
    Paths in `folders` are translated to the agent's names for them.
    """

    def __init__(
        self,
        state: State,
        meta: Mapping[str, Any],
        folders: Folders,
        trace: TraceIds | None = None,
    ) -> None:
        self.link: AgentLink | None = None
        self._state = state
        self._meta = meta
        self.trace = trace
        self._folders = folders
        self._connection = WireConnection(folders)
        self._ready: dict[int, Model | Error] = {}

    def begin(self, version: int) -> None:
        """Start using a protocol version with a new agent process, to which all old ids are
        unknown.
        """
        self._connection = WireConnection(self._folders, version)
        self._ready.clear()

    @property
    def is_congested(self) -> bool:
        """Whether too many bytes are pending for an agent that doesn't read."""
        return self.link is not None and self.link.waiting > OUTBOX_LIMIT

    def has_room(self) -> bool:
        """Return whether few enough bytes are pending to serve more file requests."""
        return self.link is not None and self.link.waiting < ROOM

    def receive(self, frame: Frame, message: Message | None) -> WireEvent:
        """Return the event for a frame from either side."""
        return self._connection.receive(frame, message)

    def with_id(self, id: Id) -> list[int]:
        """Return the frame numbers of the agent's pending requests with this id, oldest first."""
        return self._connection.with_id(id)

    def numbered(self, number: int) -> Requested | None:
        """Return the agent's pending request with this frame number, or None."""
        return self._connection.numbered(number)

    def waiting_frames(self) -> list[Frame]:
        """Return the pending requests of both sides as frames, oldest first."""
        waiting = [one for side in Direction for one in self._connection.pending(side)]
        return [
            Frame(one.direction, jsonrpc.encode(Request(one.id, one.method, one.raw)), one.at)
            for one in sorted(waiting, key=lambda one: one.number)
        ]

    def send(self, message: Request | Notification | Response | Failure) -> None:
        """Send a message if connected; never waits."""
        if self.link is not None:
            self.link.send(message)

    def send_line(self, raw: bytes, by: Origin) -> None:
        """Send a raw line if connected; never waits."""
        if self.link is not None:
            self.link.send_line(raw, by)

    def request(self, call: str, params: Model) -> None:
        """Send a request; `call` is the method's name in protocol version 1."""
        meta = self._meta if self.trace is None else {**self._meta, **self.trace.meta()}
        if meta:
            params = params.model_copy(update={"meta": {**meta, **(params.meta or {})}})
        self.send(self._connection.request(call, params))

    def refusal(self, call: str, params: Model) -> str | None:
        """Return the reason why a request can't be sent, or None."""
        peer = self._state.peer
        session = self._state.sessions.get(getattr(params, "session_id", ""))
        if peer.initialized is not None and not peer.offers(call):
            return f"{peer.name} doesn't offer {call}."
        system_prompt = getattr(params, "system_prompt", None)
        if system_prompt is not None and peer.initialized is not None:
            why = peer.refuses_prompt(system_prompt)
            if why is not None:
                return why
        if session is not None and session.subagent is not None and call not in OF_SUBAGENTS:
            return f"It is a subagent's session: only the agent may do {call} there."
        there = self._folders.there(params)
        folders = [
            getattr(there, "cwd", None),
            *(getattr(there, "additional_directories", None) or ()),
        ]
        unnamed = next((one for one in folders if one and has_surrogates(one)), None)
        if unnamed is not None:
            return f"The folder's name isn't UTF-8, and JSON can't hold it: {unnamed!r}. Rename it."
        if call == "session/prompt" or system_prompt is not None:
            size = len(jsonrpc.encode(Request(0, call, params.wire())))
            if size > LONGEST_LINE - _ROOM_FOR_META:
                what = "The prompt" if system_prompt is None else "The system prompt"
                return (
                    f"{what} is too long: {size:,} bytes, and a line has at most {LONGEST_LINE:,}."
                )
        return None

    def refuse_flood(self, request: Requested) -> bool:
        """Refuse a request if the pending ones are too many or too large; return whether it was
        refused.

        The error doesn't wait for responses to older requests with the same id: if it did, a flood
        of one id would fill the memory.
        """
        count, size = self._connection.pending_count, self._connection.waiting_size
        if count <= MOST_WAITING and size <= MOST_WAITING_BYTES:
            return False
        limit = f"{MOST_WAITING:,} requests, or {MOST_WAITING_BYTES // 2**20} MiB of them"
        message = f"Too many requests wait for an answer: the client keeps at most {limit}"
        self.send(Failure(request.id, Error(ErrorCode.INTERNAL_ERROR, message)))
        return True

    def answer(self, request: Requested, answer: Model | Error) -> None:
        """Answer a request from the agent, unless it is answered already.

        Requests that share an id are answered in the order in which they arrived, since only the
        order tells their responses apart: a response may have to wait for an older request's.
        """
        if self._connection.is_pending(request):
            self._ready[request.number] = answer
        self.send_ready(request.id)

    def send_ready(self, id: Id) -> None:
        """Send the ready responses to requests with this id, up to the oldest that isn't ready."""
        for number in self._connection.with_id(id):
            if number not in self._ready:
                return
            self._send_answer(id, self._ready.pop(number))

    def _send_answer(self, id: Id, answer: Model | Error) -> None:
        if self.is_congested:
            # An agent that requests files and never reads the responses must not fill our memory.
            message = "You don't read your input: too many of the client's bytes are waiting there"
            answer = Error(ErrorCode.INTERNAL_ERROR, message)
        if isinstance(answer, Error):
            self.send(Failure(id, answer))
        else:
            self.send(Response(id, answer.wire()))
