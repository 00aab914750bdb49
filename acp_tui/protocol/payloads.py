"""Parses params and results as their types; describes what is invalid in the schema's words."""

from operator import is_
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acp_tui.protocol.dialects import V1, Dialect
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Notification, Request
from acp_tui.protocol.model import Model
from acp_tui.text import join_surrogates

Read = tuple[Model | None, str | None]
"""The object, or the reason why it is invalid."""

_WORDS = {
    "bool": "a boolean",
    "dict": "an object",
    "float": "a number",
    "int": "an integer",
    "list": "an array",
    "model": "an object",
    "string": "a string",
}
"""pydantic's names of types, as the schema calls them."""


def read_params(caller: Direction, call: Request | Notification, dialect: Dialect) -> Read:
    """Parse the params of a request or a notification, by its method in a dialect."""
    params = call.params
    method = dialect.methods(caller).get(call.method)
    if method is None:
        return None, f"unknown method {call.method}"
    model, fault = _read_model(method.params, {} if params is None else params)
    if model is not None:
        model.slim()
        return model, None
    assert fault is not None
    return None, _reason(dialect, caller, call._asdict(), "params", fault)


def read_result(asker: Direction, name: str, result: Any, dialect: Dialect = V1) -> Read:
    """Parse the result of a method; a result of an unknown method becomes None."""
    method = dialect.methods(asker).get(name)
    if method is None or method.result is None:
        return None, None
    # The documentation shows null for empty results, but the schema wants an object.
    model, fault = _read_model(method.result, {} if result is None else result)
    if fault is None:
        return model, None
    side = Direction.OUT if asker is Direction.IN else Direction.IN
    answer = {"id": 0, "result": result}
    return None, _reason(dialect, side, answer, "result", fault, name)


def _read_model(model: type[Model], value: Any) -> tuple[Model | None, ErrorDetails | None]:
    try:
        return model.model_validate(value), None
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
    mended = _with_whole_names(value)
    return (None, faults[0]) if mended is value else _read_model(model, mended)


def _with_whole_names(value: Any) -> Any:
    """Return a value without lone surrogates in field names, which pydantic's core rejects.

    It is the same object if there are none.
    """
    if isinstance(value, list):
        items = [_with_whole_names(one) for one in value]
        return value if all(map(is_, items, value)) else items
    if isinstance(value, dict):
        fields = {join_surrogates(name): _with_whole_names(one) for name, one in value.items()}
        same = fields.keys() == value.keys() and all(map(is_, fields.values(), value.values()))
        return value if same else fields
    return value


def _reason(
    dialect: Dialect,
    sender: Direction,
    message: dict[str, Any],
    part: str,
    fault: ErrorDetails,
    method: str | None = None,
) -> str:
    """Describe an error in the schema's words, or in pydantic's if the schema lacks the method."""
    from acp_tui.protocol import validation  # slow to load, and most agents don't need it
    from acp_tui.protocol.findings import format_path
    from acp_tui.protocol.schema_checks import describe_value

    reason = validation.why_unreadable(sender, message, method, dialect.version)
    if reason is not None:
        return reason
    kind = fault["type"]
    wanted = _WORDS.get(kind.partition("_")[0])
    words = f"must be {wanted}, but is" if wanted else "can't be"
    told = "is missing" if kind == "missing" else f"{words} {describe_value(fault['input'])}"
    return f"{format_path((part, *fault['loc']))}: {told}"
