"""What a client does: each command of a person's, and what follows from each answer."""

from typing import get_args

import pytest

from acp_tui.client.client import Client
from acp_tui.client.core import Core
from acp_tui.client.launch import Launch
from acp_tui.protocol.methods import AGENT_METHODS
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.state.commands import Command

pytestmark = pytest.mark.anyio

ANSWERED_BY_STATE = {
    "auth/status",
    "logout",
    "providers/list",
    "session/archive",
    "session/close",
    "session/delete",
    "session/set_mode",
    "session/set_model",
    "session/set_title",
    "session/status",
}
"""The methods whose answers are state, and nothing else follows from them."""


def core() -> Core:
    return Client(
        Launch(("agent",), "/work"), tap=lambda _: None, make_gatekeeper=Interceptor
    )._core


async def test_each_command_of_a_person_is_done() -> None:
    assert set(core().commands) == set(get_args(Command))


async def test_something_follows_from_each_answer_or_it_is_known_that_nothing_does() -> None:
    requests = {method.name for method in AGENT_METHODS.values() if method.result is not None}
    assert set(core().responses) == requests - ANSWERED_BY_STATE
    assert requests > ANSWERED_BY_STATE
