"""The fields that a filter can ask for, and the units of those that are numbers."""

WORD_FIELDS = {
    "method": "the method, of a response the one that it answers",
    "kind": "what a session/update updates, or a local event's name",
    "sdk": "a message of the agent's SDK, by its type: assistant, system.init, *",
    "dir": "in, out or local",
    "by": "hand, breakpoint or fault: what had its hands in it",
    "id": "the id of a request or a response",
    "session": "the session's id",
    "status": "ok, error, pending, unanswered, timeout, failed, completed",
    "text": "anywhere in the frame or event",
    "finding": "error, warning, info or a rule's id",
    "toolCallId": "of a tool call, wherever it stands",
    "messageId": "of a message, wherever it stands",
    "terminalId": "of a terminal, wherever it stands",
}
PATH_ROOTS = ("params", "result", "error")
"""Where the paths of fields begin."""
NUMBER_FIELDS = {
    "size": "bytes on the wire; k, M, G",
    "latency": "between a request and its answer; ms, s, m",
    "time": "since the start; ms, s, m",
    "delta": "since what came before; ms, s, m",
}
_UNITS = {
    "size": {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9},
    "latency": {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0},
}


def is_path(field: str) -> bool:
    """Return whether a field is a path into the message."""
    root, dot, _ = field.partition(".")
    return bool(dot) and root in PATH_ROOTS


def units(field: str) -> dict[str, float]:
    """Return the units of a field, each with its factor."""
    if is_path(field):
        return {"": 1.0}
    return _UNITS["size"] if field == "size" else _UNITS["latency"]
