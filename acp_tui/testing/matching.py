"""Compares what the client sent with what a step expects. Standard library only."""

from typing import Any


def called(message: Any) -> str | None:
    """The method of a request or notification."""
    return message.get("method") if isinstance(message, dict) else None


def answers(message: Any, id: Any) -> bool:
    """Whether a message answers a request, with the id's own type."""
    if not isinstance(message, dict) or "method" in message or "id" not in message:
        return False
    return message["id"] == id and type(message["id"]) is type(id)


def differs(expected: Any, got: Any, where: str) -> str | None:
    """How `got` lacks what is expected; objects may have more fields than expected."""
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            return f"{where} is {got!r}, not an object"
        for name, value in expected.items():
            if name not in got:
                return f"{where} has no {name}"
            if difference := differs(value, got[name], f"{where}.{name}"):
                return difference
        return None
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = enumerate(zip(expected, got, strict=True))
        found = (differs(one, other, f"{where}[{at}]") for at, (one, other) in pairs)
        return next((difference for difference in found if difference), None)
    if type(expected) is type(got) and expected == got:
        return None
    return f"{where} is {got!r}, expected {expected!r}"
