"""Translates a script's messages of version 1 to version 2. Standard library only."""

from typing import Any

from acp_tui.protocol.v2 import from_v1

Message = dict[str, Any]

NAMES = {"authenticate": "auth/login", "logout": "auth/logout", "session/load": "session/resume"}
"""Methods of version 1 with their names in version 2."""


class AgentVersion2:
    """Translates one connection to version 2; messages without an id get one."""

    def __init__(self) -> None:
        self._numbered = 0
        self._kind: Any = None
        """The kind of the last update: consecutive chunks of one kind belong to one message."""

    def is_call(self, name: str | None, method: str) -> bool:
        """Return whether `name` is version 2's name of a method of version 1 that was renamed."""
        return name is not None and name == NAMES.get(method)

    def accept_prompt(self, request: Message) -> list[Message]:
        """Return the messages that accept a prompt: its response with an id, its echo, and the
        state `running`.
        """
        id, params = self._new_id("prompt"), request["params"]
        session_id = params.get("sessionId")
        echo = {"sessionUpdate": "user_message", "messageId": id, "content": params.get("prompt")}
        return [
            {"id": request["id"], "result": {"messageId": id}},
            _session_update(session_id, echo),
            _session_update(session_id, {"sessionUpdate": "state_update", "state": "running"}),
        ]

    def translate(self, message: Message) -> Message | None:
        """Translate a request or update of the agent's; return None if version 2 has no equivalent."""
        params = message["params"]
        if message["method"] == "session/request_permission":
            return {**message, "params": from_v1.permission_params(params)}
        update = from_v1.session_update(params["update"], self._message_id(params["update"]))
        return {**message, "params": {**params, "update": update}} if update else None

    def answer(self, request: Message, result: Message) -> Message:
        """Translate a response. The response to a prompt becomes a `state_update`, which ends the
        turn in version 2.
        """
        match request["method"]:
            case "initialize":
                result = from_v1.initialize_result(result)
            case "session/prompt":
                state = {"sessionUpdate": "state_update", "state": "idle", **result}
                return _session_update(request["params"].get("sessionId"), state)
            case _:
                result = from_v1.session_result(result)
        return {"id": request["id"], "result": result}

    def _message_id(self, update: Message) -> str:
        kind = update.get("sessionUpdate")
        if kind != self._kind:
            self._kind, self._numbered = kind, self._numbered + 1
        return f"message-{self._numbered}"

    def _new_id(self, name: str) -> str:
        self._kind, self._numbered = None, self._numbered + 1
        return f"{name}-{self._numbered}"


def _session_update(session_id: Any, update: Message) -> Message:
    return {"method": "session/update", "params": {"sessionId": session_id, "update": update}}
