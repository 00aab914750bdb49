"""Translates a script's messages of version 1 to version 2. Standard library only."""

from typing import Any

from acp_tui.protocol.v2 import from_v1

Message = dict[str, Any]

NAMES = {"authenticate": "auth/login", "logout": "auth/logout", "session/load": "session/resume"}
"""What methods of version 1 are called in version 2."""


class AgentVersion2:
    """One connection in version 2; messages without an id get one."""

    def __init__(self) -> None:
        self._numbered = 0
        self._kind: Any = None
        """Of the last update: chunks of one kind in a row are one message."""

    def is_call(self, name: str | None, method: str) -> bool:
        """Return whether a method of version 1 is called by its name here."""
        return name is not None and name == NAMES.get(method)

    def prompted(self, request: Message) -> list[Message]:
        """Accept a prompt: it has an id, is part of the conversation, and the work begins."""
        id, params = self._new_id("prompt"), request["params"]
        session_id = params.get("sessionId")
        echo = {"sessionUpdate": "user_message", "messageId": id, "content": params.get("prompt")}
        return [
            {"id": request["id"], "result": {"messageId": id}},
            _session_update(session_id, echo),
            _session_update(session_id, {"sessionUpdate": "state_update", "state": "running"}),
        ]

    def said(self, message: Message) -> Message | None:
        """Return a call of the client; None if version 2 has no such call."""
        params = message["params"]
        if message["method"] == "session/request_permission":
            return {**message, "params": from_v1.permission_params(params)}
        update = from_v1.session_update(params["update"], self._message_id(params["update"]))
        return {**message, "params": {**params, "update": update}} if update else None

    def answer(self, request: Message, result: Message) -> Message:
        """Translate an answer. That to a prompt becomes a `state_update`: in version 2 this ends the turn."""
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
