"""What a turn without a UI prints of messages that an agent sends whole, or changes."""

import pytest

from acp_tui.headless.report import TextReport
from acp_tui.protocol.events import Event
from acp_tui.state.changes import Change
from acp_tui.state.fold import apply_event
from tests.unit.state.conversation import Conversation

pytestmark = pytest.mark.anyio


def whole(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


class Printed(Conversation):
    """A conversation that is reported."""

    def __init__(self) -> None:
        super().__init__()
        self.report = TextReport()

    def _fold(self, event: Event) -> list[Change]:
        changes = apply_event(self.state, event)
        self.report.event(self.state, event, changes)
        return changes


async def test_a_whole_message_is_printed_once(capfd: pytest.CaptureFixture[str]) -> None:
    talk = Printed.opened_in_2()
    assert isinstance(talk, Printed)
    talk.say("One", messageId="a")
    talk.update("agent_message", messageId="a", content=whole("One and more\n"))
    talk.update("agent_message", messageId="a", content=whole("One and more\n"))
    talk.update("agent_message", messageId="b", content=whole("Two\n"))
    talk.update("agent_message", messageId="b", content=whole("Three\n"))
    await talk.report.output.written()
    out, err = capfd.readouterr()
    assert out == "One and more\nTwo\nThree\n"
    assert err.count("the agent changed what it said") == 1
