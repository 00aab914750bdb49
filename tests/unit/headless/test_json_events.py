"""What is told of where an agent is, as objects for programs."""

import pytest

from acp_tui.headless.json_events import event_object
from acp_tui.protocol.events import Event, NotSent
from acp_tui.protocol.process_events import Connecting, Disconnected, ProcessStarted
from acp_tui.state.state import State

PLACED = ProcessStarted(
    1.0, ("a",), "/tea", 7, "docker tea", "Files: here.", False, (("/a", "/b"),)
)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (ProcessStarted(1.0, ("a",), "/tea", 7), None),
        (
            PLACED,
            {
                "event": "place",
                "place": "docker tea",
                "served": "Files: here.",
                "cwd": "/tea",
                "elsewhere": False,
                "folders": [{"here": "/a", "there": "/b"}],
            },
        ),
        (
            Connecting(1.0, "wss://a/acp", "/tea"),
            {"event": "connecting", "url": "wss://a/acp", "cwd": "/tea"},
        ),
        (NotSent(1.0, 3, "HTTP 500"), {"event": "not_sent", "id": 3, "why": "HTTP 500"}),
        (
            Disconnected(1.0, "the connection was cut"),
            {"event": "disconnected", "why": "the connection was cut", "refused": False},
        ),
        (Disconnected(1.0, "acp-tui ended the connection", asked=True), None),
    ],
)
def test_where_an_agent_is_and_what_becomes_of_the_line_is_told(
    event: Event, told: dict[str, object] | None
) -> None:
    assert event_object(State(), event) == told
