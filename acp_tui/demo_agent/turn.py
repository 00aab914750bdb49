"""Sessions, turns and tool calls: what a scene can do, and how it is canceled."""

import re
from collections.abc import Callable
from typing import Any

from acp_tui.demo_agent.wire import Call, DemoClient, Message
from acp_tui.protocol.json_parts import is_supported

MODES = {
    "ask": ("Ask", "Asks before it changes a file"),
    "edit": ("Edit", "Changes files without asking"),
    "plan": ("Plan", "Looks and plans, changes nothing"),
}


class DemoSession:
    """A session. `remembered` is the user's answer for all edits: "always", "never", or None."""

    def __init__(self, id: str, cwd: str) -> None:
        self.id = id
        self.cwd = cwd.rstrip("/") or "/"
        self.mode = "ask"
        self.remembered: str | None = None
        self.turn: DemoTurn | None = None
        self.numbered = 0
        self.tokens = 0
        self.system_prompt: tuple[str, str] | None = None
        """The mode and the text of the client's system prompt."""
        self.history: list[dict[str, Any]] = []
        """The updates so far, for a replay; only version 2 can request one."""
        self.terminals: dict[str, Callable[[], None]] = {}
        """Functions that stop the running terminals, by id."""
        self.prompts: dict[str, str] = {}
        """In version 2, the message ids of prompts by idempotency key."""

    def number(self) -> int:
        """Return a number that is unique in this session."""
        self.numbered += 1
        return self.numbered

    def path(self, name: str) -> str:
        """Return the absolute path of a file in the session's folder."""
        return f"{self.cwd.rstrip('/')}/{name}"

    def modes(self) -> dict[str, Any]:
        """Return the modes in the form of `session/new`."""
        return {
            "currentModeId": self.mode,
            "availableModes": [
                {"id": id, "name": name, "description": description}
                for id, (name, description) in MODES.items()
            ],
        }

    def config_options(self) -> list[dict[str, Any]]:
        """Return the modes as the only config option, for version 2, which has no modes."""
        return [
            {
                "id": "mode",
                "name": "Mode",
                "category": "mode",
                "type": "select",
                "currentValue": self.mode,
                "options": [
                    {"value": id, "name": name, "description": description}
                    for id, (name, description) in MODES.items()
                ],
            }
        ]


def text_content(markdown: str) -> dict[str, Any]:
    """Return a text as tool call content."""
    return {"type": "content", "content": {"type": "text", "text": markdown}}


class DemoToolCall:
    """A tool call, announced when it is created; it ends with `complete`, `fail` or `end_failed`."""

    def __init__(
        self, send: Callable[..., None], id: str, title: str, kind: str, fields: dict[str, Any]
    ) -> None:
        self.id = id
        self.title = title
        self.kind = kind
        self.fields = fields
        self.ended = False
        self._send = send
        send("tool_call", toolCallId=id, title=title, kind=kind, status="pending", **fields)

    def update(self, **fields: Any) -> None:
        """Change some fields, which are named as on the wire."""
        self._send("tool_call_update", toolCallId=self.id, **fields)

    def start(self) -> None:
        """Report that the call is in progress."""
        self.update(status="in_progress")

    def complete(self, **fields: Any) -> None:
        """End the call successfully."""
        self.ended = True
        self.update(status="completed", **fields)

    def fail(self, reason: str, **fields: Any) -> None:
        """Fail the call, with the reason as its only content."""
        self.end_failed(content=[text_content(reason)], **fields)

    def end_failed(self, **fields: Any) -> None:
        """Fail the call; its content is unchanged."""
        self.ended = True
        self.update(status="failed", **fields)


CANCEL_TIMEOUT = 1.0
"""Seconds that the client has to answer pending requests after the turn was canceled."""

_PIECES = re.compile(r"(?:\S+\s+){1,3}|\S+\s*|\s+")
"""Up to three words, which are sent as one chunk, as a model streams them."""

Scene = Callable[["DemoTurn", str], None]


class Cancelled(Exception):  # noqa: N818  not an error
    """The client canceled the turn."""


class DemoTurn:
    """Plays a scene in a thread of its own; with a `speed` of 0, without pauses."""

    def __init__(
        self, client: DemoClient, session: DemoSession, capabilities: Message, speed: float
    ) -> None:
        self.client = client
        self.session = session
        self.capabilities = capabilities
        self.speed = speed
        self.cancelled = False
        self.end_meta: Message = {}
        """The `_meta` of the turn's end."""
        self.stopped: set[str] = set()
        """The session ids of subagents that the client canceled."""
        self._open_calls: list[Call] = []
        self._open_tools: list[DemoToolCall] = []

    def play(self, scene: Scene, words: str) -> str:
        """Play a scene to its end; return the stop reason."""
        try:
            scene(self, words)
        except Cancelled:
            return "cancelled"
        finally:
            self._tidy_up()
        return "end_turn"

    def cancel(self) -> None:
        """Stop the scene at its next step; safe to call from any thread."""
        self.cancelled = True
        self.client.wake()

    def stop_subagent(self, session_id: str) -> None:
        """Stop one subagent; the others continue. Safe to call from any thread."""
        self.stopped.add(session_id)
        self.client.wake()

    def wait_for_stop(self, session_id: str, seconds: float) -> bool:
        """Wait until a subagent is canceled alone; return whether it was within that time."""
        shortened = seconds / self.speed if self.speed else 0.0
        self.client.wait(lambda: self.cancelled or session_id in self.stopped, shortened)
        if self.cancelled:
            raise Cancelled
        return session_id in self.stopped

    def pause(self, seconds: float) -> None:
        """Sleep. Raises Cancelled as soon as the turn is canceled."""
        shortened = seconds / self.speed if self.speed else 0.0
        if self.client.wait(lambda: self.cancelled, shortened):
            raise Cancelled

    def update(self, kind: str, /, **fields: Any) -> None:
        """Send a `session/update` of this session."""
        self.client.notify("session/update", self.notification(kind, **fields))

    def notification(self, kind: str, /, **fields: Any) -> Message:
        """Return the params of a `session/update` of this session."""
        return {"sessionId": self.session.id, "update": {"sessionUpdate": kind, **fields}}

    def say(self, markdown: str) -> None:
        """Stream a message, a few words at a time."""
        self._stream("agent_message_chunk", markdown)

    def think(self, text: str) -> None:
        """Stream a thought, a few words at a time."""
        self._stream("agent_thought_chunk", text)

    def _stream(self, kind: str, text: str) -> None:
        message_id = self.message_id()
        self.session.tokens += len(text) // 4
        for piece in _PIECES.findall(text):
            self.update(kind, content={"type": "text", "text": piece}, messageId=message_id)
            self.pause(0.055)

    def message_id(self) -> str:
        return f"{self.session.id}-message-{self.session.number()}"

    def plan(self, *entries: tuple[str, str, str]) -> None:
        """Send the whole plan: content, priority and status of each entry."""
        self.update(
            "plan",
            entries=[
                {"content": content, "priority": priority, "status": status}
                for content, priority, status in entries
            ],
        )

    def tool(self, title: str, kind: str, **fields: Any) -> DemoToolCall:
        """Announce a tool call; if it hasn't ended when the turn ends, it is marked as failed."""
        tool = DemoToolCall(self.update, f"call-{self.session.number()}", title, kind, fields)
        self._open_tools.append(tool)
        return tool

    def call(self, method: str, **params: Any) -> Message:
        """Send a request to the client, and wait for its result. Raises Cancelled, or RpcError for
        an error.
        """
        asks = self.client.version == 2 and method == "session/request_permission"
        if asks:
            self.update("state_update", state="requires_action")
        call = self.client.request(method, {"sessionId": self.session.id, **params})
        self.client.wait(lambda: call.answered or self.cancelled)
        if self.cancelled:
            self._open_calls.append(call)
            raise Cancelled
        if asks:
            self.update("state_update", state="running")
        return call.outcome()

    def call_cleanup(self, method: str, **params: Any) -> None:
        """Send a request that cleans up, even after a cancellation; the response doesn't matter."""
        call = self.client.request(method, {"sessionId": self.session.id, **params})
        self.client.wait(lambda: call.answered, CANCEL_TIMEOUT)

    def offers(self, *names: str) -> bool:
        """Return whether the client advertised a capability, given by its path."""
        return is_supported(self.capabilities, *names)

    def _tidy_up(self) -> None:
        for tool in self._open_tools:
            if not tool.ended and self.client.version == 2:
                tool.update(status="cancelled")
            elif not tool.ended:
                tool.fail("Stopped before its end.")
        for call in self._open_calls:
            if not self.client.wait(lambda call=call: call.answered, CANCEL_TIMEOUT):  # type: ignore[misc]
                self.client.notify("$/cancel_request", {"requestId": call.id})
            elif call.method == "terminal/create" and isinstance(call.result, dict):
                self.call_cleanup("terminal/release", terminalId=call.result.get("terminalId"))
