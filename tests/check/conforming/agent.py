"""The agent's side of the protocol: which method does what, and in which state."""

import base64
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from session import MODELS, MODES, Message, Running, Session, found
from turn import Turn
from wire import RpcError, Wire

PARSE, INVALID, UNKNOWN, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
SIGN_IN, NOT_FOUND, WITHDRAWN = -32000, -32002, -32800
PAGE = 2
"""Sessions on a page of the list."""


class Agent:
    """Answers the client. A mutant overrides one of the methods.

    `store` is the folder that keeps the sessions.
    """

    TURN = Turn
    CAPABILITIES: ClassVar[Message] = {
        "loadSession": True,
        "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
        "mcpCapabilities": {"http": True, "sse": False},
        "sessionCapabilities": {
            "list": {},
            "delete": {},
            "resume": {},
            "close": {},
            "fork": {},
            "additionalDirectories": {},
            "systemPrompt": {},
            "options": {},
        },
        "auth": {"logout": {}},
    }

    def __init__(self, wire: Wire, store: Path) -> None:
        self.wire = wire
        self.store = store
        self.offered: Message | None = None
        """The client's capabilities, once there was an initialize."""
        self.signed_in = False
        self.sessions: dict[str, Session] = {}
        self._methods: dict[str, Callable[[Message], Message]] = {
            "initialize": self.initialize,
            "authenticate": self.authenticate,
            "logout": self.logout,
            "session/new": self.new,
            "session/options": self.offer,
            "session/load": self.load,
            "session/resume": self.resume,
            "session/fork": self.fork,
            "session/list": self.list,
            "session/delete": self.delete,
            "session/close": self.close,
            "session/set_mode": self.set_mode,
            "session/set_config_option": self.set_option,
        }

    # Messages

    def begin(self) -> None:
        """Do what is done before the first message."""

    def end(self) -> None:
        """Do what is done at the end of stdin."""

    def receive(self, line: bytes) -> None:
        """Take a line."""
        try:
            message = json.loads(line)
        except ValueError as error:
            self.fail(None, PARSE, str(error))
            return
        if not isinstance(message, dict):
            self.fail(None, INVALID, "a message is an object")
        elif "method" not in message:
            self.wire.take(message)
        elif "id" in message:
            self.requested(message["id"], message["method"], message.get("params", {}))
        else:
            self.notified(message["method"], message.get("params", {}))

    def requested(self, id: Any, method: str, params: Message) -> None:
        """Answer a request; a prompt is answered when its turn ends."""
        try:
            if method == "session/prompt":
                self.prompt(id, params)
            else:
                self.respond(id, method, self.result(method, params))
        except RpcError as error:
            self.fail(id, error.code, str(error))
        except (KeyError, TypeError, ValueError) as error:
            self.fail(id, PARAMS, f"wrong params: {error!r}")

    def result(self, method: str, params: Message) -> Message:
        """Do what a request asks for. Raises RpcError."""
        if method not in self._methods:
            raise RpcError(UNKNOWN, f"no method {method}")
        if self.offered is None and method != "initialize":
            raise RpcError(INVALID, "the first request is initialize")
        return self._methods[method](params)

    def notified(self, method: str, params: Message) -> None:
        """Heed a notification."""
        if method == "session/cancel":
            session = self.sessions.get(params.get("sessionId", ""))
            if session is not None:
                self.cancel(session)
        elif method == "$/cancel_request":
            for session in self.sessions.values():
                if session.running is not None and session.running.id == params.get("requestId"):
                    session.running.withdrawn = True
                    self.cancel(session)

    def respond(self, id: Any, method: str, result: Message) -> None:
        """Answer with a result."""
        self.wire.send({"id": id, "result": result})

    def fail(self, id: Any, code: int, words: str) -> None:
        """Answer with an error."""
        self.wire.send({"id": id, "error": {"code": code, "message": words}})

    def update(self, session: str, kind: str, /, **fields: Any) -> None:
        """Send an update."""
        update = {"sessionUpdate": kind, **fields}
        params = {"sessionId": session, "update": update}
        self.wire.send({"method": "session/update", "params": params})

    def offers(self, *names: str) -> bool:
        """Return whether the client offers something."""
        value: Any = self.offered
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value is not None and value is not False

    # Initialization

    def initialize(self, params: Message) -> Message:
        """Tell who this is."""
        if type(params["protocolVersion"]) is not int:
            raise RpcError(PARAMS, "protocolVersion is an integer")
        self.offered = params.get("clientCapabilities") or {}
        return {
            "protocolVersion": 1,
            "agentInfo": {"name": "conforming", "version": "1"},
            "agentCapabilities": self.CAPABILITIES,
            "authMethods": self.methods(),
        }

    def methods(self) -> list[Message]:
        """Return the ways to sign in."""
        return [{"id": "login", "name": "Sign in"}]

    def authenticate(self, params: Message) -> Message:
        """Sign in."""
        if params["methodId"] != "login":
            raise RpcError(PARAMS, "no such method")
        self.signed_in = True
        return {}

    def logout(self, _params: Message) -> Message:
        """Sign out."""
        self.signed_in = False
        return {}

    # Sessions

    def new(self, params: Message) -> Message:
        """Open a session."""
        return self.opened(self.made(params), params)

    def made(self, params: Message) -> Session:
        """Make a session. Raises RpcError."""
        if not Path(params["cwd"]).is_absolute():
            raise RpcError(PARAMS, "cwd is absolute")
        if not self.signed_in:
            raise RpcError(SIGN_IN, "sign in first")
        self.store_system_prompt(params.get("systemPrompt"))
        roots = params.get("additionalDirectories") or []
        session = Session(self.new_id(), params["cwd"], roots)
        self.begin_with(session, params.get("configOptions") or [])
        return session

    def offer(self, params: Message) -> Message:
        """Tell what a session could be set to, before there is one."""
        if not self.signed_in:
            raise RpcError(SIGN_IN, "sign in first")
        return self.state_of(Session("", params["cwd"]))

    def begin_with(self, session: Session, values: list[Message]) -> None:
        """Set the options that a session begins with; unknown ones are ignored."""
        session.options |= {
            one["configId"]: one["value"] for one in values if one["configId"] in session.options
        }

    def store_system_prompt(self, prompt: Message | None) -> None:
        """Read a system prompt. Raises RpcError."""
        if prompt is not None and prompt["mode"] != "append":
            raise RpcError(PARAMS, "the only mode of a system prompt is append")

    def opened(self, session: Session, params: Message) -> Message:
        """Have a session, and tell what it has."""
        self.sessions[session.id] = session
        for server in params.get("mcpServers") or []:
            self.connect(server)
        session.keep(self.store)
        self.after_opening(session)
        return {"sessionId": session.id, **self.state_of(session)}

    def after_opening(self, session: Session) -> None:
        """Do what is done for a new session."""

    def state_of(self, session: Session) -> Message:
        """Return what a session has that can be set."""
        return {"modes": session.modes(), "configOptions": self.options_of(session)}

    def options_of(self, session: Session) -> list[Message]:
        """Return a session's options."""
        booleans = self.offers("session", "configOptions", "boolean")
        return session.config(booleans=booleans)

    def new_id(self) -> str:
        """Return an id that no session has."""
        return os.urandom(8).hex()

    def connect(self, server: Message) -> None:
        """Connect to an MCP server."""
        from mcp import over_http, over_stdio

        (over_http if server.get("type") == "http" else over_stdio)(server)

    def load(self, params: Message) -> Message:
        """Open a session again, and tell what was said."""
        session = self.again(params)
        self.replay(session)
        return self.state_of(session)

    def resume(self, params: Message) -> Message:
        """Open a session again."""
        return self.state_of(self.again(params))

    def again(self, params: Message) -> Session:
        """Return a session that was kept. Raises RpcError."""
        if not self.signed_in:
            raise RpcError(SIGN_IN, "sign in first")
        session = found(self.store, params["sessionId"])
        if session is None:
            raise RpcError(NOT_FOUND, "no such session")
        session.cwd = params["cwd"]
        self.opened(session, params)
        return session

    def replay(self, session: Session) -> None:
        """Send all that was said."""
        for kind, text in session.said:
            self.update(session.id, kind, content={"type": "text", "text": text})

    def fork(self, params: Message) -> Message:
        """Open a session that begins as another one."""
        source = self.again(params)
        session = Session(self.new_id(), params["cwd"], [], list(source.said))
        return self.opened(session, params)

    def info(self, session: Session) -> Message:
        """Return what a list has of a session."""
        return {
            "sessionId": session.id,
            "cwd": session.cwd,
            "updatedAt": "2026-11-28T12:00:00Z",
        }

    def list(self, params: Message) -> Message:
        """List a page of the sessions, in an order that stays."""
        cwd, cursor = params.get("cwd"), params.get("cursor")
        kept = sorted(path.stem for path in self.store.glob("*.json"))
        sessions = [one for id in kept if (one := found(self.store, id)) is not None]
        fitting = [one for one in sessions if cwd in (None, one.cwd)]
        begin = 0 if cursor is None else self.place(cursor)
        page = fitting[begin : begin + PAGE]
        result: Message = {"sessions": [self.info(one) for one in page]}
        if len(fitting) > begin + PAGE:
            result["nextCursor"] = base64.b64encode(f"at {begin + PAGE}".encode()).decode()
        return result

    def place(self, cursor: str) -> int:
        """Return where a cursor points. Raises ValueError."""
        word, _, number = base64.b64decode(cursor, validate=True).decode().partition(" ")
        if word != "at":
            raise ValueError(cursor)
        return int(number)

    def delete(self, params: Message) -> Message:
        """Forget a session, if there is one."""
        if params["sessionId"].isalnum():
            self.store.joinpath(f"{params['sessionId']}.json").unlink(missing_ok=True)
        return {}

    def close(self, params: Message) -> Message:
        """End a session's work."""
        session = self.sessions.pop(params["sessionId"], None)
        if session is not None:
            self.cancel(session)
        return {}

    def set_mode(self, params: Message) -> Message:
        """Switch the mode."""
        session = self.session(params)
        if params["modeId"] not in MODES:
            raise RpcError(PARAMS, "no such mode")
        session.mode = params["modeId"]
        self.update(session.id, "current_mode_update", currentModeId=session.mode)
        return {}

    def set_option(self, params: Message) -> Message:
        """Set an option."""
        session = self.session(params)
        allowed: Any = {"model": MODELS, "brief": (True, False), "effort": ("low",)}
        if session.options["model"] == MODELS[0]:
            allowed["thrift"] = ("low",)
        if params["value"] not in allowed[params["configId"]]:
            raise RpcError(PARAMS, "no such value")
        session.options[params["configId"]] = params["value"]
        return {"configOptions": self.options_of(session)}

    # Turns

    def session(self, params: Message) -> Session:
        """Return the session that a request is about. Raises RpcError."""
        session = self.sessions.get(params["sessionId"])
        if session is None:
            raise RpcError(NOT_FOUND, "no such session")
        return session

    def prompt(self, id: Any, params: Message) -> None:
        """Begin a turn, in a thread of its own."""
        session = self.session(params)
        blocks = [self.block(one) for one in params["prompt"]]
        if session.running is not None:
            raise RpcError(INVALID, "a turn is running")
        session.running = Running(id)
        turn = self.TURN(self, session, session.running)
        threading.Thread(target=self.play, args=(turn, blocks), daemon=True).start()

    def block(self, block: Message) -> str:
        """Return what a block says. Raises KeyError."""
        kind = block["type"]
        if kind in ("image", "audio"):
            return f"[{len(base64.b64decode(block['data'], validate=True))} bytes]"
        if kind == "resource":
            return str(block["resource"].get("text", ""))
        return str({"text": block.get("text"), "resource_link": block.get("uri")}[kind])

    def play(self, turn: Turn, blocks: "list[str]") -> None:
        """Play a turn to its end."""
        try:
            reason = turn.play(blocks)
        except Exception as error:
            turn.session.running = None
            self.fail(turn.running.id, INTERNAL, f"a bug of the agent: {error!r}")
            return
        self.over(turn, reason)

    def over(self, turn: Turn, reason: str) -> None:
        """Answer the prompt."""
        turn.session.running = None
        turn.session.keep(self.store)
        if turn.running.withdrawn:
            self.fail(turn.running.id, WITHDRAWN, "withdrawn")
        else:
            self.respond(turn.running.id, "session/prompt", {"stopReason": reason})

    def cancel(self, session: Session) -> None:
        """End a session's turn."""
        if session.running is not None:
            session.running.cancelled.set()
            self.wire.wake()
