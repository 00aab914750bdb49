"""The last prompt is sent again by a key, and only where it can be sent at once."""

import pytest

from acp_tui.protocol.content import TextContent
from acp_tui.state.authentication import Program
from acp_tui.state.blocks import TextRun
from acp_tui.state.commands import SendPrompt
from acp_tui.state.entries import MessageEntry, Role
from acp_tui.ui.differences import DifferencesScreen
from tests.unit.debug.scenes import Wire
from tests.unit.ui.app import states
from tests.unit.ui.features.window import FakeWindow

pytestmark = pytest.mark.anyio


async def never(_: Program) -> int:
    raise AssertionError


def told(window: FakeWindow) -> str:
    return window.said[-1]


def test_the_last_prompt_is_sent_again_with_what_it_mentions() -> None:
    state, session = states.opened()
    window = FakeWindow(state)
    window.feature.prompts.submit("tea")
    window.feature.prompts.submit("")
    window.feature.reruns.send()
    assert window.asked == [SendPrompt(session.session_id, (TextContent(text="tea"),))] * 2


async def test_what_only_the_transcript_has_is_written_for_the_person_to_send() -> None:
    state, session = states.opened()
    words = TextRun(["!touch /tmp/x; see @~/.netrc"])
    session.entries.append(MessageEntry(Role.USER, states.NOW, blocks=[words]))
    window = FakeWindow(state)
    window.tabs.agent.run_program = never
    window.feature.reruns.send()
    assert window.prompt.text == " !touch /tmp/x; see \\@~/.netrc"
    assert told(window) == "this was not sent from here: read it, and Enter sends it"
    window.feature.reruns.send()
    assert window.prompt.text == " !touch /tmp/x; see \\@~/.netrc"
    assert told(window) == "not sent again: the prompt isn't empty"
    assert (window.asked, window.spawned) == ([], [])


def test_what_was_sent_is_no_command_when_it_is_sent_again() -> None:
    state, session = states.opened()
    window = FakeWindow(state)
    window.tabs.agent.run_program = never
    window.tabs.shown.sent = "!reboot"
    window.feature.reruns.send()
    assert window.asked == [SendPrompt(session.session_id, (TextContent(text="!reboot"),))]
    assert window.spawned == []


def test_nothing_is_sent_again_into_a_turn_or_a_question_or_to_who_is_gone() -> None:
    working, _ = states.working()
    asking, session = states.asking()
    session.turn = None
    died, _ = states.died()
    new, _ = states.opened()
    for state, why in (
        (working, "a turn is running; Esc cancels it"),
        (asking, "a question waits for you"),
        (died, "the agent isn't running; Alt+A restarts it"),
        (new, "no prompt was sent in this session"),
    ):
        window = FakeWindow(state)
        window.feature.reruns.send()
        assert window.asked == []
        assert window.prompt.text == ""
        assert told(window) == f"not sent again: {why}"


async def test_what_differs_from_the_run_before_is_shown() -> None:
    state, session = states.opened()
    window = FakeWindow(state)
    wire = Wire()
    for id, said in ((1, "One"), (2, "Two")):
        params = {"sessionId": session.session_id, "prompt": [{"type": "text", "text": "hi"}]}
        wire.out(id=id, method="session/prompt", params=params)
        wire.chunk(said, session=session.session_id).got(id=id, result={"stopReason": "end_turn"})
        window.tabs.agent.records = wire.records
        window.feature.reruns.compare()
        await window.finish()
        if id == 1:
            assert told(window).startswith("this prompt was sent only once here")
    screen = window.screens[-1]
    assert isinstance(screen, DifferencesScreen)
    rows = [row.strip() for row in screen._text.plain.splitlines()]
    assert rows[:2] == [
        "changed ← agent_message_chunk Two  (#2 → #5)",
        'content.text: "One" → "Two"',
    ]


def test_a_turn_that_runs_is_not_compared() -> None:
    state, _ = states.working()
    window = FakeWindow(state)
    window.feature.reruns.compare()
    assert window.spawned == []
    assert "before the turn has ended" in told(window)
