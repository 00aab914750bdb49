"""Adapts version 2 for checks: its results in the form of version 1, and the ends of its turns."""

from typing import Any

from acp_tui.check.messages import CheckTurn, Heard, Json
from acp_tui.check.probe import Probe

_AT_WORK = ("running", "requires_action")


def in_words_of_1(result: Json) -> Json:
    """Convert a result of `initialize` to the form of version 1."""
    capabilities = _object(result.get("capabilities"))
    session, methods = capabilities.get("session"), result.get("authMethods")
    offered: Json = {**capabilities, "auth": {**_object(capabilities.get("auth"))}}
    if isinstance(session, dict):
        own = {name: value for name, value in session.items() if name not in ("prompt", "mcp")}
        offered["loadSession"] = True
        offered["promptCapabilities"] = _object(session.get("prompt"))
        offered["mcpCapabilities"] = _object(session.get("mcp"))
        offered["sessionCapabilities"] = {"list": {}, "resume": {}, "close": {}, **own}
    if methods:
        offered["auth"]["logout"] = {}
    listed = [one for one in methods or () if isinstance(one, dict)]
    return {
        "protocolVersion": result.get("protocolVersion"),
        "agentInfo": result.get("info"),
        "agentCapabilities": offered,
        "authMethods": [{"id": one.get("methodId"), **one} for one in listed],
    }


def ended(probe: Probe, turn: CheckTurn) -> Heard | None:
    """Return the end of a turn in the form of version 1: the answer to its prompt, or the state
    that ends it. None while it goes on.
    """
    answer = probe.answered(turn.id)
    if probe.version == 1 or answer is None or answer.error is not None:
        return answer
    works = False
    for one in probe.updates("state_update"):
        if one.number < turn.prompt or one.session != turn.session:
            continue
        state, reason = one.update.get("state"), one.update.get("stopReason")
        works = works or state in _AT_WORK
        # Who never says that it works is found out by that, and not waited for.
        if state == "idle" and (works or (reason and one.number > answer.number)):
            result = {"stopReason": reason}
            return Heard(one.number, one.at, one.direction, {"id": turn.id, "result": result})
    return None


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
