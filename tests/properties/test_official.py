"""What agents may send, made from the official schema, against the types that read it."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_tui.protocol.connection import Connection
from acp_tui.protocol.events import Event, Notified, Requested, Responded
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.protocol.model import Model
from acp_tui.session.fold import apply
from acp_tui.session.state import State
from tests.properties.official import Official, broken

OFFICIAL = Official()
CALLS = OFFICIAL.types("client", "Request", "Notification")
ANSWERS = OFFICIAL.types("agent", "Response")
MESSAGES = [("call", method) for method in CALLS] + [("answer", method) for method in ANSWERS]
QUICK = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def type_of(kind: str, method: str) -> str:
    return CALLS[method] if kind == "call" else ANSWERS[method]


def receive(kind: str, method: str, value: Any) -> Event:
    """Let the value come over the wire, and the fold take it."""
    connection, state = Connection(), State()
    bodies: list[tuple[Direction, dict[str, Any]]]
    if kind == "call":
        notified = CALLS[method].endswith("Notification")
        body = {"method": method, "params": value}
        bodies = [(Direction.IN, body if notified else {"id": 1, **body})]
    else:
        params = {"sessionId": "s", "cwd": "/", "methodId": "m", "mcpServers": [], "prompt": []}
        params |= {"modeId": "m", "configId": "c", "value": "v"}
        request = {"id": 1, "method": method, "params": params}
        bodies = [(Direction.OUT, request), (Direction.IN, {"id": 1, "result": value})]
    for number, (direction, body) in enumerate(bodies, 1):
        raw = json.dumps({"jsonrpc": "2.0", **body}).encode()
        event = connection.receive(Frame(direction, raw, float(number), number))
        apply(state, event)
    return event


def read(event: Event) -> tuple[Model | None, str | None]:
    """What was read of the value, and what the matter was if nothing was."""
    if isinstance(event, Responded):
        return event.result, event.problem
    assert isinstance(event, Requested | Notified)
    return event.params, event.problem


def test_every_stable_method_has_its_type() -> None:
    assert CALLS.keys() <= CLIENT_METHODS.keys()
    assert ANSWERS.keys() <= AGENT_METHODS.keys()


@pytest.mark.parametrize(("kind", "method"), MESSAGES)
@QUICK
@given(data=st.data())
def test_a_valid_message_is_read_and_keeps_its_data(
    kind: str, method: str, data: st.DataObject
) -> None:
    value = data.draw(OFFICIAL.valid(type_of(kind, method)))
    model, problem = read(receive(kind, method, value))
    assert model is not None, problem
    dumped = model.serializer().to_python(model, mode="json", by_alias=True, exclude_unset=True)
    assert dumped == value


@pytest.mark.parametrize(("kind", "method"), MESSAGES)
@QUICK
@given(data=st.data())
def test_a_broken_message_is_salvaged_or_refused_with_a_reason(
    kind: str, method: str, data: st.DataObject
) -> None:
    name = type_of(kind, method)
    value = data.draw(broken(OFFICIAL.valid(name)))
    model, problem = read(receive(kind, method, value))
    assert (model is None) == (problem is not None)
    if value is not None and OFFICIAL.salvageable(name, value):
        assert model is not None, problem
