"""The agent's methods: sessions, turns, modes, system prompts and MCP servers."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from acp_tui.demo_agent.scenes import available_commands, hurried, scene_for
from acp_tui.demo_agent.turn import MODES, DemoSession, DemoTurn, Scene
from acp_tui.demo_agent.wire import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    DemoClient,
    Message,
    RpcError,
    encode,
)
from acp_tui.version import __version__

if TYPE_CHECKING:
    import subprocess

    from acp_tui.demo_agent.version_2 import DemoVersion2

HURRY = 8
"""How many times faster the scene is played if the prompt says "fast"."""


class DemoAgent:
    """Serves the client; each turn runs in a thread of its own."""

    def __init__(self, client: DemoClient, speed: float = 1.0) -> None:
        self.client = client
        self.speed = speed
        self.capabilities: Message | None = None
        self.sessions: dict[str, DemoSession] = {}
        self.version_2: DemoVersion2 | None = None
        """Version 2's methods, if the client speaks that version."""
        self._prompts: dict[str, DemoTurn] = {}
        self._requests: dict[str, Callable[[Any, Message], None]] = {
            "initialize": self.initialize,
            "authenticate": self.authenticate,
            "session/new": self.new_session,
            "session/prompt": self.prompt,
            "session/set_mode": self.set_mode,
        }

    def receive(self, line: bytes) -> None:
        """Handle a line from the client."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            self.client.fail(None, RpcError(PARSE_ERROR, f"not JSON: {error}"))
            return
        if not isinstance(message, dict):
            self.client.fail(None, RpcError(INVALID_REQUEST, "a message is a JSON object"))
        elif "method" not in message:
            self.client.answer(message)
        elif "id" in message:
            self._requested(message["id"], message["method"], message.get("params"))
        else:
            self._notified(message["method"], message.get("params"))

    def _requested(self, id: Any, method: Any, params: Any) -> None:
        try:
            answer = self._requests.get(method) if isinstance(method, str) else None
            if answer is None:
                raise RpcError(METHOD_NOT_FOUND, f"this agent has no method {method!r}")
            if self.capabilities is None and method != "initialize":
                raise RpcError(INVALID_REQUEST, f"{method} came before initialize")
            if not isinstance(params, dict):
                raise RpcError(INVALID_PARAMS, f"the params of {method} must be an object")
            answer(id, params)
        except RpcError as error:
            self.client.fail(id, error)

    def _notified(self, method: Any, params: Any) -> None:
        if not isinstance(params, dict):
            return
        if method == "session/cancel":
            id = str(params.get("sessionId"))
            session = self.sessions.get(id)
            turn = session.turn if session else None
            for one in () if session else [*self.sessions.values()]:
                if one.turn is not None:  # `id` may be a subagent's session
                    one.turn.stop_subagent(id)
        elif method == "$/cancel_request":
            turn = self._prompts.get(repr(params.get("requestId")))
        else:
            return
        if turn is not None:
            turn.cancel()

    def initialize(self, id: Any, params: Message) -> None:
        """Respond in the version that the client's params are shaped for."""
        version = params.get("protocolVersion")
        if not isinstance(version, int) or isinstance(version, bool):
            raise RpcError(INVALID_PARAMS, "protocolVersion must be an integer")
        if version >= 2 and ("info" in params or "capabilities" in params):
            # created only now, as importing its module takes time
            from acp_tui.demo_agent.version_2 import DemoVersion2

            self.version_2 = DemoVersion2(self)
            self._requests = self.version_2.requests
        capabilities = params.get("capabilities" if self.version_2 else "clientCapabilities")
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}
        result = {
            "protocolVersion": 1,
            "agentInfo": {"name": "acp-tui-demo", "title": "Demo agent", "version": __version__},
            "agentCapabilities": {
                "loadSession": False,
                "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
                "sessionCapabilities": {"systemPrompt": {"mode": {"override": {}}}},
            },
            "authMethods": [],
        }
        self.client.respond(id, self.version_2.initialized(result) if self.version_2 else result)

    def authenticate(self, _id: Any, _params: Message) -> None:
        """Fail: there is no method to sign in with."""
        raise RpcError(INVALID_PARAMS, "this agent offers no authMethods: no sign-in is needed")

    def new_session(self, id: Any, params: Message) -> None:
        """Open a session in `cwd`, and send its slash commands."""
        if not isinstance(params.get("mcpServers"), list):
            raise RpcError(INVALID_PARAMS, "mcpServers must be an array, if an empty one")
        session = self.opened(params)
        self.client.respond(id, {"sessionId": session.id, "modes": session.modes()})
        self.update(session, "available_commands_update", availableCommands=available_commands())

    def opened(self, params: Message) -> DemoSession:
        """Return a new session, connected to its MCP servers."""
        cwd = params.get("cwd")
        if not isinstance(cwd, str) or not PurePath(cwd).is_absolute():
            raise RpcError(INVALID_PARAMS, "cwd must be an absolute path", {"cwd": cwd})
        session = DemoSession(f"demo-{os.urandom(6).hex()}", cwd)
        self.store_system_prompt(session, params)
        self.sessions[session.id] = session
        if servers := params.get("mcpServers"):
            connect_to_servers(servers, cwd)
        return session

    def store_system_prompt(self, session: DemoSession, params: Message) -> None:
        """Store the system prompt in the params."""
        prompt = params.get("systemPrompt")
        if prompt is None:
            session.system_prompt = None
            return
        if not isinstance(prompt, dict) or prompt.get("mode") not in ("append", "override"):
            raise RpcError(INVALID_PARAMS, "the mode of systemPrompt is append or override")
        content = prompt.get("content")
        blocks = content if isinstance(content, list) else []
        found = [one.get("text") for one in blocks if isinstance(one, dict)]
        texts = [text for text in found if isinstance(text, str)]
        if not texts or len(texts) < len(blocks):
            raise RpcError(INVALID_PARAMS, "the content of systemPrompt is text, and not empty")
        session.system_prompt = (prompt["mode"], "\n\n".join(texts))

    def set_mode(self, id: Any, params: Message) -> None:
        """Switch a session's mode, and forget its "always" and "never" for edits."""
        session = self.session(params)
        mode = params.get("modeId")
        if not isinstance(mode, str) or mode not in MODES:
            raise RpcError(INVALID_PARAMS, f"no such mode: {mode!r}", {"modes": list(MODES)})
        session.mode = mode
        session.remembered = None
        self.client.respond(id, {})
        self.update(session, "current_mode_update", currentModeId=mode)

    def prompt(self, id: Any, params: Message) -> None:
        """Begin a turn, in a thread that responds to the request, or reports the end of the turn."""
        session = self.session(params)
        blocks = params.get("prompt")
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise RpcError(INVALID_PARAMS, "prompt must be an array of content blocks")
        if session.turn is not None:
            raise RpcError(INVALID_REQUEST, "a turn is running in this session: cancel it first")
        words = " ".join(
            str(block.get("text", "")) for block in blocks if block.get("type") == "text"
        )
        speed = self.speed * HURRY if hurried(words) else self.speed
        turn = DemoTurn(self.client, session, self.capabilities or {}, speed)
        session.turn = self._prompts[repr(id)] = turn
        if self.version_2:
            self.version_2.accept(id, session, blocks, params.get("idempotencyKey"))
        play = (id, turn, scene_for(blocks, words), words)
        threading.Thread(target=self._play_scene, args=play, daemon=True).start()

    def _play_scene(self, id: Any, turn: DemoTurn, scene: Scene, words: str) -> None:
        error, reason = None, ""
        try:
            reason = turn.play(scene, words)
        except RpcError as raised:
            error = raised
        except Exception as raised:
            error = RpcError(INTERNAL_ERROR, f"the demo agent has a bug: {raised!r}")
        self._prompts.pop(repr(id), None)
        turn.session.turn = None
        if self.version_2:
            self.version_2.end(turn.session, reason, error, turn.end_meta)
        elif error is None:
            meta = {"_meta": turn.end_meta} if turn.end_meta else {}
            self.client.respond(id, {"stopReason": reason, **meta})
        else:
            self.client.fail(id, error)

    def session(self, params: Message) -> DemoSession:
        """Return the session that the params name. Raises RpcError."""
        session = self.sessions.get(str(params.get("sessionId")))
        if session is None:
            raise RpcError(INVALID_PARAMS, f"no such session: {params.get('sessionId')!r}")
        return session

    def update(self, session: DemoSession, kind: str, /, **fields: Any) -> None:
        """Send a `session/update`."""
        self.client.notify(
            "session/update",
            {"sessionId": session.id, "update": {"sessionUpdate": kind, **fields}},
        )


_SERVER_TIMEOUT = 5.0
"""Seconds that an MCP server has to exit."""
_ASKED: tuple[Message, ...] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "acp-tui-demo", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)


def connect_to_servers(servers: list[Any], cwd: str) -> None:
    """List the tools of stdio MCP servers, each in a thread, so that no session waits for them."""
    for server in servers:
        if isinstance(server, dict) and isinstance(server.get("command"), str):
            threading.Thread(target=_connect_server, args=(server, cwd), daemon=True).start()


def _connect_server(server: Message, cwd: str) -> None:
    import subprocess  # imported here, as it takes time

    variables = {one["name"]: one["value"] for one in server.get("env") or ()}
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    argv = [server["command"], *server.get("args", ())]
    try:
        with subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=null, cwd=cwd, env={**os.environ, **variables}
        ) as process:
            _list_tools(process)
            try:
                process.wait(_SERVER_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
    except (OSError, ValueError):
        return  # there is no such program, or it doesn't speak MCP: the demo doesn't need it


def _list_tools(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    for message in _ASKED:
        process.stdin.write(encode(message))
        process.stdin.flush()
        while "id" in message and (line := process.stdout.readline()):
            if json.loads(line).get("id") == message["id"]:
                break
    process.stdin.close()
