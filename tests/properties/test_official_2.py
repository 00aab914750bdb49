"""What agents may send in version 2, made from its schemas: read and folded, and nothing is lost."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.dialects import dialect_of
from acp_tui.protocol.events import Event
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.schema import Edition
from acp_tui.state.fold import apply_event, replay_events
from acp_tui.state.state import State
from tests.examples import some_of
from tests.properties.official import Official, broken
from tests.properties.test_official import given_in, read

EDITIONS = {edition: Official(edition) for edition in (Edition.STABLE_2, Edition.UNSTABLE_2)}
V2 = dialect_of(2)
REFUSED = {"mcp/message"}
"""Calls that get an error: no MCP server is given over ACP."""
PUT = {"initialize"}
"""Results that are put into version 1's form before they are read."""
MESSAGES = [
    (edition, kind, method)
    for edition, official in EDITIONS.items()
    for kind, side, kinds in (
        ("call", "client", ("Request", "Notification")),
        ("answer", "agent", ("Response",)),
    )
    for method in official.types(side, *kinds)
    if method not in REFUSED and not method.startswith("proxy/")
]
PARAMS: dict[str, Any] = {
    "sessionId": "s",
    "cwd": "/",
    "methodId": "m",
    "mcpServers": [],
    "prompt": [],
    "configId": "c",
    "type": "id",
    "value": "v",
    "toolCallId": "t",
    "terminalId": "t",
    "providerId": "p",
    "apiType": "a",
    "baseUrl": "b",
    "title": "t",
}
HELLO: tuple[tuple[Direction, dict[str, Any]], ...] = (
    (
        Direction.OUT,
        {
            "id": 0,
            "method": "initialize",
            "params": {"protocolVersion": 2, "info": {"name": "a", "version": "1"}},
        },
    ),
    (
        Direction.IN,
        {
            "id": 0,
            "result": {
                "protocolVersion": 2,
                "info": {"name": "a", "version": "1"},
                "capabilities": {"session": {}},
            },
        },
    ),
)
QUICK = settings(
    max_examples=some_of(10),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def type_of(edition: Edition, kind: str, method: str) -> str:
    official = EDITIONS[edition]
    if kind == "call":
        return official.types("client", "Request", "Notification")[method]
    return official.types("agent", "Response")[method]


def receive(name: str, kind: str, method: str, value: Any) -> Event:
    """Let the value come over a wire that speaks version 2, and the fold take it, twice the same."""
    bodies = list(HELLO) if method != "initialize" else []
    if kind == "call":
        body = {"method": method, "params": value}
        sent = body if name.endswith("Notification") else {"id": 1, **body}
        bodies.append((Direction.IN, sent))
    else:
        params = HELLO[0][1]["params"] if method == "initialize" else PARAMS
        bodies.append((Direction.OUT, {"id": 1, "method": method, "params": params}))
        bodies.append((Direction.IN, {"id": 1, "result": value}))
    connection, state, events = WireConnection(), State(), []
    for number, (direction, body) in enumerate(bodies, 1):
        raw = json.dumps({"jsonrpc": "2.0", **body}).encode()
        events.append(connection.receive(Frame(direction, raw, float(number), number)))
        apply_event(state, events[-1])
    assert replay_events(events) == state
    return events[-1]


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_method_has_its_type(edition: Edition) -> None:
    official = EDITIONS[edition]
    known = REFUSED | V2.client_methods.keys()
    assert official.types("client", "Request", "Notification").keys() <= known
    answered = official.types("agent", "Response").keys() - {"proxy/initialize", "proxy/successor"}
    assert answered <= REFUSED | V2.agent_methods.keys()


@pytest.mark.parametrize(("edition", "kind", "method"), MESSAGES)
@QUICK
@given(data=st.data())
def test_a_valid_message_is_folded_and_keeps_its_data(
    edition: Edition, kind: str, method: str, data: st.DataObject
) -> None:
    name = type_of(edition, kind, method)
    value = data.draw(EDITIONS[edition].valid(name))
    model, problem = read(receive(name, kind, method, value))
    assert model is not None, problem
    if method not in PUT:
        assert given_in(model) == value


@pytest.mark.parametrize(("edition", "kind", "method"), MESSAGES)
@QUICK
@given(data=st.data())
def test_a_broken_message_is_salvaged_or_refused_with_a_reason(
    edition: Edition, kind: str, method: str, data: st.DataObject
) -> None:
    name = type_of(edition, kind, method)
    value = data.draw(broken(EDITIONS[edition].valid(name)))
    model, problem = read(receive(name, kind, method, value))
    assert (model is None) == (problem is not None)
