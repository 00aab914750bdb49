"""How a message is written makes no difference to what is read in it, and to what is found."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import BYTE_ORDER_MARK
from acp_tui.protocol.validation import CUSTOM_FIELD, SALVAGED, SCHEMA, UNSTABLE, check_message
from tests.examples import some_of
from tests.properties.official import broken
from tests.properties.test_official import CALLS, MESSAGES, OFFICIAL, QUICK, read, receive, type_of

FORM = (SCHEMA, SALVAGED, CUSTOM_FIELD, UNSTABLE)
HALF = st.sampled_from(["\ud800", "\udfff", "a\ud83db", "\ude00\ud83d"])


def message_of(method: str, params: Any) -> dict[str, Any]:
    id = {} if CALLS[method].endswith("Notification") else {"id": 1}
    return {"jsonrpc": "2.0", **id, "method": method, "params": params}


def found_in(lines: list[bytes]) -> dict[str, list[tuple[str, str]]]:
    """What is wrong with lines of the agent's, all of it told at the first: where and how, by rule."""
    frames = [
        Frame(Direction.IN, raw, 1.0 + at, 1 + at, size=len(raw)) for at, raw in enumerate(lines)
    ]
    log = Log(frames, Linter())
    log.catch_up()
    log.finish()
    found: dict[str, list[tuple[str, str]]] = {}
    for one in log.findings:
        assert one.index == 0
        found.setdefault(one.rule.id, []).append((one.where, one.message))
    return found


@pytest.mark.parametrize("method", ["session/update", "session/request_permission"])
@settings(QUICK, max_examples=some_of(15))
@given(data=st.data(), indent=st.sampled_from([0, 1, 4]))
def test_a_message_on_several_lines_is_judged_as_on_one(
    method: str, data: st.DataObject, indent: int
) -> None:
    message = message_of(method, data.draw(broken(OFFICIAL.valid(CALLS[method]))))
    one = found_in([json.dumps(message).encode()])
    several = found_in(json.dumps(message, indent=indent).encode().split(b"\n"))
    assert several["embedded-newlines"]
    for rule in FORM:
        assert several.get(rule.id) == one.get(rule.id)


@settings(QUICK, max_examples=some_of(15))
@given(data=st.data())
def test_a_mark_before_a_message_is_all_that_it_adds(data: st.DataObject) -> None:
    value = data.draw(broken(OFFICIAL.valid(CALLS["session/update"])))
    raw = json.dumps(message_of("session/update", value)).encode()
    marked = found_in([BYTE_ORDER_MARK + raw])
    assert marked.pop("byte-order-mark")
    assert marked == found_in([raw])


def objects(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for one in value.values() if isinstance(value, dict) else value:
            yield from objects(one)


@pytest.mark.parametrize(("kind", "method"), MESSAGES)
@settings(QUICK, max_examples=some_of(5))
@given(data=st.data())
def test_half_a_character_in_any_name_loses_no_message(
    kind: str, method: str, data: st.DataObject
) -> None:
    value = copy.deepcopy(data.draw(OFFICIAL.valid(type_of(kind, method))))
    found = [one for one in objects(value) if isinstance(one, dict)]
    maps = [one.get("properties") for one in found]  # of a form: all in them are fields
    holders = [one for one in found if not any(one is other for other in maps)]
    data.draw(st.sampled_from(holders or [{}]))[data.draw(HALF)] = data.draw(HALF)
    model, problem = read(receive(kind, method, value))
    assert model is not None, problem


def with_points(value: Any) -> Any:
    """A value whose integers are written as 1.0."""
    if isinstance(value, dict):
        return {name: with_points(one) for name, one in value.items()}
    if isinstance(value, list):
        return [with_points(one) for one in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@pytest.mark.parametrize(("kind", "method"), MESSAGES)
@settings(QUICK, max_examples=some_of(5))
@given(data=st.data())
def test_whole_numbers_may_have_a_point(kind: str, method: str, data: st.DataObject) -> None:
    value = data.draw(OFFICIAL.valid(type_of(kind, method)))
    pointed = with_points(value)
    check = OFFICIAL.check(type_of(kind, method))
    assert check(pointed) == check(value)
    assert read(receive(kind, method, pointed))[0] == read(receive(kind, method, value))[0]


@pytest.mark.parametrize("name", ["args", "env"])
def test_null_for_what_has_a_default_is_told_of_and_taken(name: str) -> None:
    params = {"sessionId": "s", "command": "ls", name: None}
    (found,) = check_message(Direction.IN, message_of("terminal/create", params))
    assert (found.rule, found.path) == (SALVAGED, ("params", name))
    model, problem = read(receive("call", "terminal/create", params))
    assert (model is not None, problem) == (True, None)
