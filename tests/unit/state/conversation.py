"""A conversation as the fold sees it: frames of both sides, and what happens beside them."""

import json
from typing import Any

from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.events import Event, LocalEvent
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.process_events import ProcessStarted
from acp_tui.state.changes import Change
from acp_tui.state.fold import apply_event
from acp_tui.state.session import Session
from acp_tui.state.state import State

STARTED = ProcessStarted(0.0, ("/bin/agent", "--acp"), "/work", 7)
INITIALIZED = {"protocolVersion": 1, "agentInfo": {"name": "a", "version": "1", "title": "Agent"}}

INITIALIZE_2 = {"protocolVersion": 2, "info": {"name": "c", "version": "1"}, "capabilities": {}}
INITIALIZED_2 = {
    "protocolVersion": 2,
    "info": {"name": "a", "version": "1", "title": "Agent"},
    "capabilities": {"session": {}},
}


class Conversation:
    """`at` is the number of the step, so that times tell the order."""

    def __init__(self) -> None:
        self.connection = WireConnection()
        self.state = State()
        self.number = 0
        self.id = 0

    @classmethod
    def opened(cls, session_id: str = "s", **setup: Any) -> "Conversation":
        """A conversation with one session, ready for a prompt."""
        talk = cls()
        talk.happened(STARTED)
        talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
        talk.call("session/new", {"cwd": "/work"}, result={"sessionId": session_id, **setup})
        return talk

    @classmethod
    def opened_in_2(cls, session_id: str = "s", **setup: Any) -> "Conversation":
        """A conversation in version 2 with one session, ready for a prompt."""
        talk = cls()
        talk.happened(STARTED)
        talk.call("initialize", INITIALIZE_2, result=INITIALIZED_2)
        params = {"cwd": "/work", "mcpServers": []}
        talk.call("session/new", params, result={"sessionId": session_id, **setup})
        return talk

    @property
    def session(self) -> Session:
        return self.state.sessions["s"]

    def frame(self, direction: Direction, body: dict[str, Any]) -> list[Change]:
        return self.frame_bytes(json.dumps(body).encode(), direction)

    def by_hand(self, **body: Any) -> list[Change]:
        """What a person sends as it is."""
        return self.frame_bytes(json.dumps(body).encode(), Direction.OUT, Origin.HAND)

    def frame_bytes(
        self, raw: bytes, direction: Direction = Direction.IN, by: Origin | None = None
    ) -> list[Change]:
        """Any line, be it a message or not."""
        self.number += 1
        frame = Frame(direction, raw, float(self.number), self.number, by=by)
        return self._fold(self.connection.receive(frame))

    def happened(self, event: LocalEvent) -> list[Change]:
        if isinstance(event, ProcessStarted):
            self.connection = WireConnection()
        return self._fold(event)

    def _fold(self, event: Event) -> list[Change]:
        return apply_event(self.state, event)

    def call(self, method: str, params: dict[str, Any], **answer: Any) -> int:
        """Call the agent; it answers at once if an answer is given. Gives the id."""
        self.id += 1
        self.frame(Direction.OUT, {"id": self.id, "method": method, "params": params})
        if answer:
            self.answer(self.id, **answer)
        return self.id

    def answer(self, id: int, **answer: Any) -> list[Change]:
        return self.frame(Direction.IN, {"id": id, **answer})

    def prompt(self, text: str = "Hello") -> int:
        prompt = [{"type": "text", "text": text}]
        return self.call("session/prompt", {"sessionId": "s", "prompt": prompt})

    def cancel(self) -> list[Change]:
        return self.frame(Direction.OUT, {"method": "session/cancel", "params": {"sessionId": "s"}})

    def update(self, kind: str, /, session_id: str = "s", **fields: Any) -> list[Change]:
        params = {"sessionId": session_id, "update": {"sessionUpdate": kind, **fields}}
        return self.frame(Direction.IN, {"method": "session/update", "params": params})

    def say(self, text: str, kind: str = "agent_message_chunk", **fields: Any) -> list[Change]:
        return self.update(kind, content={"type": "text", "text": text}, **fields)

    def asks(self, method: str, answer: dict[str, Any] | None = None, **params: Any) -> int:
        """Have the agent call us; we answer at once if an answer is given. Gives the frame."""
        id = f"agent-{self.number}"
        body = {"id": id, "method": method, "params": {"sessionId": "s", **params}}
        self.frame(Direction.IN, body)
        number = self.number
        if answer is not None:
            self.frame(Direction.OUT, {"id": id, **answer})
        return number

    def settle(self, number: int, **answer: Any) -> list[Change]:
        """Answer the agent's request of this frame."""
        request = next(one for one in self.connection.pending(Direction.IN) if one.number == number)
        return self.frame(Direction.OUT, {"id": request.id, **answer})
