"""The last prompt is sent again by a key, and only where it can be sent at once."""

import pytest

from acp_tui.protocol.content import TextContent
from acp_tui.session.commands import Prompt
from acp_tui.session.entries import Role
from acp_tui.session.state import State
from acp_tui.ui.dialogs.differences import DifferencesScreen
from tests.unit.ui.app import states
from tests.unit.ui.controllers.window import FakeWindow
from tests.unit.wire.scenes import Wire

pytestmark = pytest.mark.anyio


def told(window: FakeWindow) -> str:
    return window.said[-1]


def test_the_last_prompt_is_sent_again_with_what_it_mentions() -> None:
    state, session = states.opened()
    window = FakeWindow(state)
    window.controllers.prompts.submit("tea")
    window.controllers.prompts.submit("")
    window.controllers.reruns.send()
    assert window.asked == [Prompt(session.session_id, (TextContent(text="tea"),))] * 2


def test_of_a_session_from_before_it_is_the_newest_prompt_in_the_transcript() -> None:
    state, session = states.talked()
    session.turn = None
    window = FakeWindow(state)
    window.controllers.reruns.send()
    (prompt,) = window.asked
    assert isinstance(prompt, Prompt)
    assert prompt.prompt == (TextContent(text=first_prompt(state)),)


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
        window.controllers.reruns.send()
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
        window.controllers.reruns.compare()
        await window.finish()
        if id == 1:
            assert told(window).startswith("this prompt was sent only once here")
    screen = window.screens[-1]
    assert isinstance(screen, DifferencesScreen)
    rows = [row.plain.strip() for row in screen.lines]
    assert rows[:2] == [
        "changed ← agent_message_chunk Two  (#2 → #5)",
        'content.text: "One" → "Two"',
    ]


def test_a_turn_that_runs_is_not_compared() -> None:
    state, _ = states.working()
    window = FakeWindow(state)
    window.controllers.reruns.compare()
    assert window.spawned == []
    assert "before the turn has ended" in told(window)


def first_prompt(state: State) -> str:
    (session,) = state.sessions.values()
    texts = [one.text for one in session.entries if getattr(one, "role", None) is Role.USER]
    return str(texts[-1])
