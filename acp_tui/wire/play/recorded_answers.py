"""What the recorded client answered, for an agent that may ask other things, or in another order."""

from dataclasses import dataclass
from typing import Any

from acp_tui.protocol.jsonrpc import Failure, Id, Request, Response
from acp_tui.wire.compare.counterparts import Counterparts

PERMISSION = "session/request_permission"
_KEYS = ("path", "command", "terminalId")
"""Params that say what a request is about."""


@dataclass(slots=True)
class Exchange:
    """A request of the recorded agent's, and its answer."""

    request: Request
    answer: Response | Failure
    kind: str = ""
    """The kind of the tool call that a permission is about."""
    used: bool = False


class RecordedAnswers:
    """Finds the answer to a request; each is given once, but what is read may be read again."""

    def __init__(self, exchanges: list[Exchange], counterparts: Counterparts) -> None:
        self._exchanges = exchanges
        self._counterparts = counterparts

    def to(self, request: Request, kind: str = "") -> Response | Failure | None:
        """Return the answer with the id of the request; None if nothing like it was recorded."""
        alike = [one for one in self._exchanges if self._is_like(one, request, kind)]
        unused = [one for one in alike if not one.used]
        if request.method == PERMISSION:
            alike = []  # what was allowed once is not allowed twice
        chosen = next(iter(unused or alike[-1:]), None)
        if chosen is None:
            return None
        chosen.used = True
        answer = chosen.answer
        if request.method == PERMISSION and isinstance(answer, Response):
            return _permission(request, chosen)
        return answer._replace(id=request.id)

    def _is_like(self, one: Exchange, request: Request, kind: str) -> bool:
        if one.request.method != request.method:
            return False
        before, after = params_of(one.request), params_of(request)
        if request.method == PERMISSION:
            return self._is_same_tool(one, after, kind)
        return all(
            self._counterparts.translate(str(before.get(key))) == str(after.get(key))
            for key in _KEYS
        )

    def _is_same_tool(self, one: Exchange, after: dict[str, Any], kind: str) -> bool:
        """Whether a permission is about the same kind of tool; without kinds, about the same title."""
        before, call = object_in(params_of(one.request), "toolCall"), object_in(after, "toolCall")
        if one.kind or kind:
            return one.kind == kind
        title, other = before.get("title"), call.get("title")
        return isinstance(title, str) and self._counterparts.translate(title) == other


def rejection(request: Request) -> Response:
    """Reject once what was never decided; where that can't be, cancel."""
    options = _options(request)
    for kind in ("reject_once", "reject_always"):
        for option in options:
            if option.get("kind") == kind:
                return _selected(request.id, option)
    return Response(request.id, {"outcome": {"outcome": "cancelled"}})


def _permission(request: Request, recorded: Exchange) -> Response:
    """Choose the option of the kind that was chosen: ids are each agent's own."""
    outcome = (
        object_in(recorded.answer.result, "outcome")
        if isinstance(recorded.answer, Response)
        else {}
    )
    if outcome.get("outcome") != "selected":
        return Response(request.id, {"outcome": {"outcome": "cancelled"}})
    chosen = outcome.get("optionId")
    kinds = [one.get("kind") for one in _options(recorded.request) if one.get("optionId") == chosen]
    for option in _options(request):
        if kinds and option.get("kind") == kinds[0]:
            return _selected(request.id, option)
    return rejection(request)


def _selected(id: Id, option: dict[str, Any]) -> Response:
    return Response(id, {"outcome": {"outcome": "selected", "optionId": option.get("optionId")}})


def _options(request: Request) -> list[dict[str, Any]]:
    options = params_of(request).get("options")
    return [one for one in options if isinstance(one, dict)] if isinstance(options, list) else []


def params_of(request: Request) -> dict[str, Any]:
    """The params of a request, if they are an object."""
    return request.params if isinstance(request.params, dict) else {}


def object_in(value: Any, key: str) -> dict[str, Any]:
    """The object under a key, if there is one."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}
