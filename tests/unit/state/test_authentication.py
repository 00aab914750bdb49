"""Which program signs in, if any does."""

from typing import Any

import pytest

from acp_tui.protocol.initialization import AuthMethod
from acp_tui.state.authentication import Program, sign_in_method, sign_in_program
from acp_tui.state.peer import Peer
from tests.unit.state.conversation import INITIALIZED, STARTED, Conversation

PEER = Peer(argv=("agent", "--acp"), cwd="/work")


def method(**fields: Any) -> AuthMethod:
    return AuthMethod.model_validate({"id": "m", "name": "M", **fields})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"type": "agent"}, None),
        ({"type": "smoke-signal"}, None),
        ({"_meta": {"terminal-auth": True}}, None),
        ({"_meta": {"terminal-auth": {"command": 3}}}, None),
        ({"type": "terminal"}, Program(("agent", "--acp"), "/work")),
        (
            {"type": "terminal", "args": ["login"], "env": {"A": "b"}},
            Program(("agent", "--acp", "login"), "/work", {"A": "b"}),
        ),
        (
            {"_meta": {"terminal-auth": {"command": "x", "args": ["y", 3], "env": {"A": 1}}}},
            Program(("x", "y", "3"), "/work", {"A": "1"}, named_by_agent=True),
        ),
        (
            {"_meta": {"terminal-auth": {"command": "x", "args": "y", "env": []}}},
            Program(("x",), "/work", {}, named_by_agent=True),
        ),
        (
            {"type": "terminal", "args": ["a"], "_meta": {"terminal-auth": {"command": "x"}}},
            Program(("agent", "--acp", "a"), "/work"),
        ),
    ],
)
def test_what_is_to_be_run(fields: dict[str, Any], expected: Program | None) -> None:
    found = sign_in_program(PEER, method(**fields))
    assert found == (expected and expected._replace(of_agent=True))


def test_signing_in_without_having_to_leaves_no_trace() -> None:
    talk = Conversation.opened()
    talk.call("authenticate", {"methodId": "key"}, result={})
    assert talk.state.peer.sign_in is None


def test_methods_come_with_the_refusal_or_with_initialize() -> None:
    talk = Conversation()
    talk.happened(STARTED)
    assert sign_in_method(talk.state.peer, "key") is None
    offered = [{"id": "key", "name": "Key"}]
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED | {"authMethods": offered})
    assert sign_in_method(talk.state.peer, "key") is not None
    data = {"authMethods": [{"id": "other", "name": "Other"}]}
    refusal = {"code": -32000, "message": "sign in", "data": data}
    talk.call("session/new", {"cwd": "/"}, error=refusal)
    assert sign_in_method(talk.state.peer, "other") is not None
    assert sign_in_method(talk.state.peer, "third") is None
