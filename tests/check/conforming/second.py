"""The same agent in version 2: its turns end by a state, its tools and messages come as patches."""

import time
from typing import Any, ClassVar

from agent import PARAMS, Agent
from session import Message, Session
from turn import STEPS, Turn
from wire import Cancelled, RpcError

VERSION = 2
UNSUPPORTED = -32022
_NAMES = {"auth/login": "authenticate", "auth/logout": "logout"}
_CONTENT = ("text", "image", "audio", "resource", "resource_link")
_TRANSPORTS = ("stdio", "http")


class Turn2(Turn):
    """Tells of tools as version 2 has it, and uses nothing of the client's."""

    def tool(self, kind: str, title: str, **fields: Any) -> str:
        id = self.new_tool_id()
        self.tool_update(id, title=title, kind=kind, status="pending", **fields)
        return id

    def tool_update(self, id: str, **fields: Any) -> None:
        content = [self.changed(one) for one in fields.pop("content", ())]
        super().tool_update(id, **fields, **({"content": content} if content else {}))

    def changed(self, content: Message) -> Message:
        """Return content as version 2 has it."""
        if content["type"] != "diff":
            return content
        return {"type": "diff", "changes": [{"operation": "add", "path": content["path"]}]}

    def may_announce(self) -> bool:
        return True

    def do_plan(self) -> None:
        for done in range(len(STEPS) + 1):
            plan = {"type": "items", "planId": "plan", "entries": self.entries(done)}
            self.agent.update(self.session.id, "plan_update", plan=plan)

    def allowed(self, tool: str) -> bool:
        self.agent.state(self.session, "requires_action")
        subject = {"type": "tool_call", "toolCall": {"toolCallId": tool}}
        answer = self.ask(
            "session/request_permission", title="May I?", subject=subject, options=self.options()
        )
        if answer.get("outcome", {}).get("outcome") == "cancelled" and self.cancelled.wait(1):
            raise Cancelled
        self.agent.state(self.session, "running")
        return bool(answer.get("outcome", {}).get("optionId") == "yes")


class Agent2(Agent):
    """Says what the agent says in version 2."""

    TURN = Turn2
    SESSION: ClassVar[Message] = {
        "prompt": {"image": {}, "audio": {}, "embeddedContext": {}},
        "mcp": {"stdio": {}, "http": {}},
        "delete": {},
        "additionalDirectories": {},
        "systemPrompt": {},
    }
    asked_version = 0

    def requested(self, id: Any, method: str, params: Message) -> None:
        super().requested(id, _NAMES.get(method, method), params)

    def fail(self, id: Any, code: int, words: str) -> None:
        error: Message = {"code": code, "message": words}
        if code == UNSUPPORTED:
            error["data"] = self.unsupported()
        self.wire.send({"id": id, "error": error})

    def unsupported(self) -> Message:
        """Return what is told of versions."""
        return {"requested": self.asked_version, "supported": [VERSION]}

    def initialize(self, params: Message) -> Message:
        self.asked_version = params["protocolVersion"]
        if self.asked_version < VERSION:
            raise RpcError(UNSUPPORTED, "no such version")
        self.offered = params.get("capabilities") or {}
        return {
            "protocolVersion": VERSION,
            "info": {"name": "conforming", "version": "1"},
            "capabilities": {"session": self.SESSION},
            "authMethods": [{"methodId": "login", "type": "agent", "name": "Sign in"}],
        }

    def state(self, session: Session, state: str, **fields: Any) -> None:
        """Tell what a session does."""
        self.update(session.id, "state_update", state=state, background=[], **fields)

    def state_of(self, session: Session) -> Message:
        return {"configOptions": self.options_of(session)}

    def options_of(self, session: Session) -> list[Message]:
        return [{"configId": one.pop("id"), **one} for one in session.config(booleans=False)]

    def made(self, params: Message) -> Session:
        self.check_servers(params)
        return super().made(params)

    def check_servers(self, params: Message) -> None:
        """Refuse servers that can't be reached. Raises RpcError."""
        for server in params.get("mcpServers") or []:
            if server["type"] not in _TRANSPORTS:
                raise RpcError(PARAMS, "no such transport")

    def resume(self, params: Message) -> Message:
        begin = params.get("replayFrom")
        if begin is not None and begin["type"] != "start":
            raise RpcError(PARAMS, "no such cursor")
        session = self.again(params)
        if begin is not None:
            self.replay(session)
        self.synchronize(session)
        return self.state_of(session)

    def synchronize(self, session: Session) -> None:
        """Tell what a resumed session does."""
        self.state(session, "idle")

    def replay(self, session: Session) -> None:
        for number, (kind, text) in enumerate(session.said):
            content = {"type": "text", "text": text}
            self.update(session.id, kind, messageId=f"m{number}", content=content)
        self.end_replay(session)

    def end_replay(self, session: Session) -> None:
        """Tell that all of the history was sent."""
        self.update(session.id, "replay_complete")

    def prompt(self, id: Any, params: Message) -> None:
        session, key = self.session(params), params.get("idempotencyKey")
        if key is not None and key in session.keys:
            self.respond(id, "session/prompt", {"messageId": session.keys[key]})
            return
        if session.running is None:
            session.key = key
        super().prompt(id, params)

    def block(self, block: Message) -> str:
        if block["type"] not in _CONTENT:
            raise RpcError(PARAMS, "no such content")
        return super().block(block)

    def play(self, turn: Turn, blocks: "list[str]") -> None:
        """Take the prompt, then play its turn to its end."""
        self.accept(turn, f"u-{turn.message}", blocks)
        self.state(turn.session, "running")
        super().play(turn, blocks)

    def accept(self, turn: Turn, id: str, blocks: "list[str]") -> None:
        """Answer a prompt, and echo it."""
        turn.session.keys[turn.session.key] = id
        self.respond(turn.running.id, "session/prompt", {"messageId": id})
        content = [{"type": "text", "text": " ".join(blocks)}]
        self.update(turn.session.id, "user_message", messageId=id, content=content)

    def over(self, turn: Turn, reason: str) -> None:
        turn.session.keep(self.store)
        self.state(turn.session, "idle", stopReason=reason)
        turn.session.running = None

    def close(self, params: Message) -> Message:
        session = self.sessions.get(params["sessionId"])
        if session is not None:
            self.cancel(session)
            while session.running is not None:
                time.sleep(0.01)
        self.sessions.pop(params["sessionId"], None)
        return {}
