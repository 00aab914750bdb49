"""What agents may send, made from the official schema, against the types that read it."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.events import Event
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.protocol.model import Model
from acp_tui.protocol.schema import Edition
from acp_tui.protocol.validation import SALVAGED, SCHEMA, check_message
from acp_tui.protocol.wire_events import Notified, Requested, Responded
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State
from tests.examples import some_of
from tests.properties.official import Official, broken, with_one_broken_field

OFFICIAL = Official()
CALLS = OFFICIAL.types("client", "Request", "Notification")
ANSWERS = OFFICIAL.types("agent", "Response")
MESSAGES = [("call", method) for method in CALLS] + [("answer", method) for method in ANSWERS]
QUICK = settings(
    max_examples=some_of(20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


EDITIONS = {edition: Official(edition) for edition in Edition}
VERSIONS = {edition: int(edition.removesuffix(".unstable")[1:]) for edition in Edition}
"""The version of the protocol that each schema is of."""
TYPES = {
    (VERSIONS[edition], side, kind, method, official.asked(name)): (edition, side, kind, method)
    for edition, official in EDITIONS.items()
    for side in ("client", "agent")
    for kind in ("Request", "Notification", "Response")
    for method, name in official.types(side, kind).items()
    if official.has_fields(name)
}.values()
"""What is sent, once where both editions of a version ask the same of it."""


def type_of(kind: str, method: str) -> str:
    return CALLS[method] if kind == "call" else ANSWERS[method]


def receive(kind: str, method: str, value: Any) -> Event:
    """Let the value come over the wire, and the fold take it."""
    connection, state = WireConnection(), State()
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
        apply_event(state, event)
    return event


def read(event: Event) -> tuple[Model | None, str | None]:
    """What was read of the value, and what the matter was if nothing was."""
    if isinstance(event, Responded):
        return event.result, event.problem
    assert isinstance(event, Requested | Notified)
    return event.params, event.problem


def given_in(value: Any) -> Any:
    """What was read, without the defaults of what was not given."""
    if isinstance(value, Model):
        extra = value.model_extra or {}
        known = value.model_fields_set - extra.keys()
        fields = {value.wire_name(name): getattr(value, name) for name in known}
        return given_in(fields | extra)
    if isinstance(value, dict):
        return {name: given_in(one) for name, one in value.items()}
    return [given_in(one) for one in value] if isinstance(value, list) else value


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
    assert given_in(model) == value


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


def asked(side: str, kind: str, method: str, value: Any) -> list[Any]:
    """The message that brings a value to the other side, as the checks want it."""
    of_client = side == "client"
    if kind == "Response":
        direction = Direction.OUT if of_client else Direction.IN
        return [direction, {"jsonrpc": "2.0", "id": 1, "result": value}, method]
    body = {"jsonrpc": "2.0", "method": method, "params": value}
    id = {"id": 1} if kind == "Request" else {}
    return [Direction.IN if of_client else Direction.OUT, {**body, **id}]


@pytest.mark.parametrize(("edition", "side", "kind", "method"), TYPES)
@settings(QUICK, max_examples=some_of(4))
@given(data=st.data())
def test_nothing_is_wrong_with_the_form_of_a_valid_message(
    edition: Edition, side: str, kind: str, method: str, data: st.DataObject
) -> None:
    official = EDITIONS[edition]
    value = data.draw(official.valid(official.types(side, kind)[method]))
    found = check_message(*asked(side, kind, method, value), version=VERSIONS[edition])
    assert [one for one in found if one.rule in (SCHEMA, SALVAGED)] == []


@pytest.mark.parametrize(("edition", "side", "kind", "method"), TYPES)
@settings(QUICK, max_examples=some_of(6))
@given(data=st.data())
def test_one_broken_field_is_what_is_found(
    edition: Edition, side: str, kind: str, method: str, data: st.DataObject
) -> None:
    official = EDITIONS[edition]
    name = official.types(side, kind)[method]
    value, path = data.draw(with_one_broken_field(official, name))
    found = check_message(*asked(side, kind, method, value), version=VERSIONS[edition])
    places = [one.path for one in found if one.rule in (SCHEMA, SALVAGED)]
    assert places
    part = "result" if kind == "Response" else "params"
    assert all(place[: len(path) + 1] == (part, *path) for place in places), found
