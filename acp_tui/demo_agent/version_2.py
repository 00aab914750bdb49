"""Version 2 of the protocol: methods that differ from version 1, and new ones."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from acp_tui.demo_agent.scenes import available_commands
from acp_tui.demo_agent.turn import MODES, DemoSession
from acp_tui.demo_agent.wire import INVALID_PARAMS, Message, RpcError
from acp_tui.protocol.v2 import from_v1

if TYPE_CHECKING:
    from acp_tui.demo_agent.agent import DemoAgent

NOT_FOUND = -32002
_LASTING = ("message", "chunk", "tool_call", "thought", "terminal", "plan")
"""Words in the kinds of updates that belong to the conversation, and are replayed."""


class DemoVersion2:
    """Serves a client that sent version 2's `initialize`."""

    def __init__(self, agent: "DemoAgent") -> None:
        self.agent = agent
        self.client = agent.client
        self.client.version = 2
        self.client.translate = self.translate
        self.requests: dict[str, Callable[[Any, Message], None]] = {
            "initialize": agent.initialize,
            "auth/login": agent.authenticate,
            "session/new": self.new_session,
            "session/options": self.session_options,
            "session/resume": self.resume,
            "session/list": self.list_sessions,
            "session/close": self.close,
            "session/prompt": self.prompt,
            "session/set_config_option": self.set_config_option,
            "terminal/cancel": self.cancel_terminal,
        }

    def initialized(self, result: Message) -> Message:
        """Return the result of `initialize`; session options are only advertised to clients that
        want unstable features.
        """
        new = from_v1.initialize_result(result)
        meta = self.agent.capabilities.get("_meta") if self.agent.capabilities else None
        if isinstance(meta, dict) and meta.get("unstable"):
            new["capabilities"]["session"]["options"] = {}
        return new

    def translate(self, method: str, params: Message) -> Message | None:
        """Convert version 1's params to version 2's form, and store updates for a later replay."""
        if method == "session/request_permission":
            return from_v1.permission_params(params)
        if method != "session/update":
            return params
        update = from_v1.session_update(params["update"], "")
        if update is None:
            return None
        session = self.agent.sessions.get(params["sessionId"])
        if session is not None and any(word in update["sessionUpdate"] for word in _LASTING):
            session.history.append(update)
        return {**params, "update": update}

    def new_session(self, id: Any, params: Message) -> None:
        """Open a session; the response has its options and commands."""
        session = self.agent.opened(params)
        for value in params.get("configOptions") or ():
            if value.get("configId") == "mode" and value.get("value") in MODES:
                session.mode = value["value"]
        self.client.respond(id, {"sessionId": session.id, **self._offers(session)})

    def session_options(self, id: Any, params: Message) -> None:
        """Respond with the options of a session, or of a new one."""
        session_id, cwd = params.get("sessionId"), str(params.get("cwd"))
        session = DemoSession("", cwd) if session_id is None else self._find_session(params)
        self.client.respond(id, self._offers(session))

    def resume(self, id: Any, params: Message) -> None:
        """Resume a session of this process, and replay its conversation if the client requests
        that.
        """
        session = self._find_session(params)
        self.agent.store_system_prompt(session, params)
        replay = params.get("replayFrom")
        if isinstance(replay, dict) and replay.get("type") == "start":
            for update in session.history:
                self._send_update(session, update)
            self._send_update(session, {"sessionUpdate": "replay_complete"})
        state = "idle" if session.turn is None else "running"
        self._send_update(session, {"sessionUpdate": "state_update", "state": state})
        self.client.respond(id, self._offers(session))

    def list_sessions(self, id: Any, params: Message) -> None:
        """List the sessions of this process."""
        cwd = params.get("cwd")
        found = [one for one in self.agent.sessions.values() if cwd in (None, one.cwd)]
        sessions = [{"sessionId": one.id, "cwd": one.cwd} for one in found]
        self.client.respond(id, {"sessions": sessions})

    def close(self, id: Any, params: Message) -> None:
        """Cancel what a session does; it can be resumed."""
        session = self._find_session(params)
        if session.turn is not None:
            session.turn.cancel()
        self.client.respond(id, {})

    def set_config_option(self, id: Any, params: Message) -> None:
        """Set the only option, the mode."""
        session = self._find_session(params)
        mode = params.get("value")
        if params.get("configId") != "mode" or mode not in MODES:
            raise RpcError(INVALID_PARAMS, f"no such mode: {mode!r}", {"modes": [*MODES]})
        session.mode, session.remembered = str(mode), None
        options = from_v1.config_options(session.config_options())
        self.client.respond(id, {"configOptions": options})

    def cancel_terminal(self, id: Any, params: Message) -> None:
        """Kill the process of a terminal."""
        stop = self._find_session(params).terminals.get(str(params.get("terminalId")))
        if stop is None:
            raise RpcError(INVALID_PARAMS, "no such terminal is running")
        stop()
        self.client.respond(id, {})

    def prompt(self, id: Any, params: Message) -> None:
        """Begin a turn; a prompt that is sent again gets the same response as before."""
        message_id = self._find_session(params).prompts.get(str(params.get("idempotencyKey")))
        if message_id is None:
            self.agent.prompt(id, params)
        else:
            self.client.respond(id, {"messageId": message_id})

    def accept(self, id: Any, session: DemoSession, blocks: list[Message], key: Any) -> None:
        """Accept a prompt: respond, echo it, and report that the work begins."""
        message_id = f"{session.id}-prompt-{session.number()}"
        if isinstance(key, str):
            session.prompts[key] = message_id
        self.client.respond(id, {"messageId": message_id})
        self.agent.update(session, "user_message", messageId=message_id, content=blocks)
        self.agent.update(session, "state_update", state="running")

    def end(self, session: DemoSession, reason: str, error: RpcError | None, meta: Message) -> None:
        """Report that a turn has ended, and why."""
        why: Message = {"stopReason": reason, **({"_meta": meta} if meta else {})}
        if error is not None:
            why = {"stopReason": "error", "error": error.wire()}
        self.agent.update(session, "state_update", state="idle", **why)

    def _offers(self, session: DemoSession) -> Message:
        options = from_v1.config_options(session.config_options())
        commands = from_v1.slash_commands(available_commands())
        return {"configOptions": options, "availableCommands": commands}

    def _find_session(self, params: Message) -> DemoSession:
        try:
            return self.agent.session(params)
        except RpcError as error:
            unknown = {"sessionId": params.get("sessionId")}
            raise RpcError(NOT_FOUND, error.message, unknown) from None

    def _send_update(self, session: DemoSession, update: Message) -> None:
        params = {"sessionId": session.id, "update": update}
        self.client.send({"method": "session/update", "params": params})
