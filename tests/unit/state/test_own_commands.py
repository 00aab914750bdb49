"""Commands of the person's own, in the transcript beside what the agent does."""

import pytest

from acp_tui.protocol.process_events import OwnCommandRan
from acp_tui.state.entries import TerminalEntry
from tests.unit.state.conversation import Conversation


@pytest.mark.parametrize(("code", "ended"), [(3, (3, None)), (-2, (None, "signal 2"))])
def test_a_command_of_the_person_stays_with_its_output(
    code: int, ended: tuple[int | None, str | None]
) -> None:
    talk = Conversation.opened()
    ran = OwnCommandRan(2.0, "s", "own-1", "make test", "/work", b"two\n", 4, code)
    talk.happened(ran)
    entry = talk.session.entries[-1]
    assert isinstance(entry, TerminalEntry)
    terminal = talk.state.terminals[entry.terminal_id]
    assert (terminal.by_person, terminal.command, terminal.output) == (True, "make test", b"two\n")
    assert terminal.dropped == 4
    assert (terminal.exit_code, terminal.signal) == ended


def test_a_tool_call_that_names_it_shows_it_no_other_way() -> None:
    talk = Conversation.opened()
    talk.happened(OwnCommandRan(2.0, "s", "own-1", "make test", "/work", b"two\n", 0, 0))
    talk.update(
        "tool_call",
        toolCallId="t",
        title="Mine",
        content=[{"type": "terminal", "terminalId": "own-1"}],
    )
    (entry, _) = talk.session.entries
    assert isinstance(entry, TerminalEntry)
    assert not entry.embedded
