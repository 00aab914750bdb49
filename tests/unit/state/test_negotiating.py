"""An agent that is asked in a version that it may not know: it isn't gone before it was asked in another."""

from typing import Any

import pytest

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.events import Event, TimedOut
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.initialization import GivenInitializeParams, Implementation, InitializeParams
from acp_tui.protocol.jsonrpc import Error, Failure, Message, Response
from acp_tui.protocol.process_events import Disconnected, Negotiating, ProcessExited, StdoutClosed
from acp_tui.state.fold import apply_event
from acp_tui.state.peer import Peer, Phase
from acp_tui.state.state import State
from tests.unit.state.conversation import STARTED

IN_1 = {"protocolVersion": 1, "agentCapabilities": {}}


class Start:
    """One start of an agent that is asked in version 2."""

    def __init__(self, *, negotiating: bool = True) -> None:
        self.state = State()
        self._connection = WireConnection(version=2)
        self._number = 0
        self.happened(STARTED)
        if negotiating:
            self.happened(Negotiating(1.0, 2))
        info = Implementation(name="c", version="1")
        self.put(
            Direction.OUT,
            self._connection.request("initialize", InitializeParams(client_info=info)),
        )

    @property
    def peer(self) -> Peer:
        return self.state.peer

    def happened(self, event: Event) -> None:
        apply_event(self.state, event)

    def put(self, direction: Direction, message: Message) -> None:
        assert not isinstance(message, jsonrpc.Malformed)
        self._number += 1
        frame = Frame(direction, jsonrpc.encode(message), 2.0, self._number)
        self.happened(self._connection.receive(frame))


FAILURES: list[tuple[Any, str]] = [
    (ProcessExited(3.0, 3), "the agent exited with code 3"),
    (Disconnected(3.0, "the line broke"), "disconnected: the line broke"),
    (StdoutClosed(3.0), "the agent closed its output but still runs"),
    (TimedOut(3.0, 0, 5.0), "no answer to initialize within 5 s"),
    (Failure(0, Error(-32600, "no")), "initialize failed: no"),
    (Response(0, IN_1), "the agent speaks ACP version 1, and was asked for version 2"),
]


@pytest.mark.parametrize(("failure", "why"), FAILURES, ids=lambda one: type(one).__name__)
def test_what_fails_in_one_version_is_no_end_while_there_is_another(failure: Any, why: str) -> None:
    start = Start()
    if isinstance(failure, Response | Failure):
        start.put(Direction.IN, failure)
    else:
        start.happened(failure)
    assert start.peer.fallback is not None
    assert start.peer.fallback.startswith(why)
    start.happened(ProcessExited(4.0, None, "SIGTERM", asked=True))
    assert start.peer.fallback.startswith(why)
    assert start.peer.phase is Phase.INITIALIZING
    assert (start.peer.unreachable_reason, start.peer.trouble) == (None, None)
    start.happened(STARTED)
    start.happened(ProcessExited(5.0, 1))
    assert start.peer.phase is Phase.EXITED


def test_an_agent_that_is_ended_by_us_has_not_failed() -> None:
    start = Start()
    start.happened(ProcessExited(3.0, 0, asked=True))
    assert start.peer.fallback == ""


def test_who_refuses_us_would_do_so_in_any_version() -> None:
    start = Start()
    start.happened(Disconnected(3.0, "other credentials are wanted", refused=True))
    assert start.peer.fallback is None
    assert start.peer.phase is Phase.EXITED


def test_who_misreads_us_may_know_the_other_version() -> None:
    start = Start()
    start.happened(Disconnected(3.0, "HTTP 400 Bad Request", refused=True, misread=True))
    assert start.peer.fallback == "disconnected: HTTP 400 Bad Request"
    assert start.peer.phase is Phase.INITIALIZING


@pytest.mark.parametrize(("failure", "why"), FAILURES[4:], ids=lambda one: type(one).__name__)
def test_where_one_version_only_is_wanted_the_way_to_the_other_is_named(
    failure: Any, why: str
) -> None:
    start = Start(negotiating=False)
    start.put(Direction.IN, failure)
    assert (start.peer.trouble or "").startswith(why)
    assert "--protocol auto" in (start.peer.trouble or "")
    assert start.peer.phase is Phase.FAILED


def test_what_another_client_says_is_sent_as_it_is() -> None:
    given = {"protocolVersion": 2, "info": {"name": "other", "version": "1"}}
    sent = WireConnection(version=2).request("initialize", GivenInitializeParams(given=given))
    assert sent.params == given
