"""Prompts are sent by a person's act, or by the change that makes room for them."""

from pathlib import Path

import pytest

from acp_tui.protocol.content import TextContent
from acp_tui.state import commands
from acp_tui.state.changes import EntryAdded, TurnChanged
from acp_tui.state.commands import AnswerPermission, Cancel, SendPrompt
from acp_tui.state.peer import Phase
from acp_tui.ui.feature import ViewRefreshed
from tests.unit.ui.app import states
from tests.unit.ui.features.window import FakeWindow

pytestmark = pytest.mark.anyio


def sent(session_id: str, text: str) -> SendPrompt:
    return SendPrompt(session_id, (TextContent(text=text),))


def test_what_is_submitted_is_sent_at_once() -> None:
    state, session = states.opened()
    window = FakeWindow(state)
    window.feature.prompts.submit("tea")
    assert window.asked == [sent(session.session_id, "tea")]


async def test_what_waits_is_sent_by_the_change_that_ends_the_turn_and_never_by_drawing() -> None:
    state, session = states.working()
    window = FakeWindow(state)
    prompts, queue = window.feature.prompts, window.tabs.shown.queue
    prompts.submit("tea")
    assert queue.waiting == ["tea"]
    session.turn = None
    window.emit(ViewRefreshed())
    await window.finish()
    prompts.follow_tabs()
    assert window.asked == []
    window.changed(window.tabs.agent, [EntryAdded(session.session_id, 4)])
    assert window.asked == []
    window.changed(window.tabs.agent, [TurnChanged(session.session_id)])
    assert window.asked == [sent(session.session_id, "tea")]
    assert queue.waiting == []


def test_what_waits_for_an_agent_that_is_gone_is_sent_when_a_person_says_so() -> None:
    state, session = states.working()
    window = FakeWindow(state)
    window.feature.prompts.submit("tea")
    session.turn = None
    peer = state.peer
    peer.process.exit = states.ProcessExited(states.NOW, 1)
    assert peer.phase is Phase.EXITED
    window.changed(window.tabs.agent)
    peer.process.exit = None
    window.changed(window.tabs.agent)
    assert window.asked == []
    window.feature.prompts.submit("")
    assert window.asked == [sent(session.session_id, "tea")]


def test_what_can_not_be_sent_is_given_back() -> None:
    state, session = states.opened()
    state.peer.process.exit = states.ProcessExited(states.NOW, 1)
    window = FakeWindow(state)
    window.feature.prompts.submit("tea")
    assert window.prompt.text == "tea"
    assert window.said == ["not sent: the agent isn't running; Alt+A restarts it"]
    assert session.turn is None
    assert window.asked == []


def test_each_tab_has_a_draft_of_its_own() -> None:
    state, _ = states.opened()
    other = state.session("other")
    other.opened = True
    window = FakeWindow(state)
    window.feature.prompts.show_draft()
    first, second = window.tabs.visible
    here, there = (second, first) if window.tabs.shown is second else (first, second)
    window.editor.text = "tea"
    window.tabs.show(there)
    window.feature.prompts.follow_tabs()
    assert (here.draft, window.prompt.text) == ("tea", "")
    window.tabs.show(here)
    window.feature.prompts.follow_tabs()
    assert window.prompt.text == "tea"


@pytest.mark.parametrize("words", ["tea", "1"])
def test_what_is_put_aside_comes_back_when_nothing_is_asked_and_the_turn_is_over(
    words: str,
) -> None:
    state, session = states.asking()
    window = FakeWindow(state)
    window.editor.text = words
    window.feature.prompts.save_for_later()
    assert window.prompt.text == ""
    window.changed(window.tabs.agent)
    assert window.prompt.text == ""
    session.permissions.clear()
    window.changed(window.tabs.agent)
    assert window.prompt.text == ""  # the next question would find it
    session.turn = None
    window.changed(window.tabs.agent)
    assert window.prompt.text == words


def test_a_text_below_a_question_rejects_it_first() -> None:
    state, session = states.asking()
    window = FakeWindow(state)
    (question,) = window.tabs.questions()
    window.feature.prompts.submit("no: tea", question=question)
    assert window.asked == [AnswerPermission(50, "no")]
    session.permissions.clear()
    session.turn = None
    window.changed(window.tabs.agent)
    assert window.asked[1:] == [sent(session.session_id, "no: tea")]


async def test_what_mentions_a_file_that_can_not_be_read_is_given_back(tmp_path: Path) -> None:
    state, session = states.opened()
    session.cwd = str(tmp_path)
    (tmp_path / "tea").mkdir()
    (tmp_path / "tea" / "loop").symlink_to("loop")
    window = FakeWindow(state)
    window.feature.prompts.submit("read @tea/loop")
    window.feature.prompts.submit("then this")
    assert window.tabs.shown.queue.preparing
    await window.finish()
    assert window.asked[-1] == sent(session.session_id, "then this")


def test_the_queue_is_put_in_order_and_given_back() -> None:
    state, _ = states.working()
    window = FakeWindow(state)
    prompts, queue = window.feature.prompts, window.tabs.shown.queue
    for text in ("tea", "rye", "oat"):
        prompts.submit(text)
    prompts.reorder_queue(["oat", "tea", "rye"])
    prompts.unqueue_newest()
    assert (queue.waiting, window.prompt.text) == (["oat", "tea"], "rye")
    prompts.edit_queued(0)
    assert (queue.waiting, window.prompt.text) == (["tea"], "oat\n\nrye")
    assert window.prompt.has_focus
    prompts.unqueue_all(window.tabs.shown)
    assert (queue.waiting, window.prompt.text) == ([], "tea\n\noat\n\nrye")


def test_steering_says_what_becomes_of_the_turn() -> None:
    state, session = states.working()
    window = FakeWindow(state)
    window.feature.prompts.submit("tea", steer=True)
    assert window.asked == [commands.Steer(session.session_id, (TextContent(text="tea"),))]
    assert window.said == ["canceling the turn; this is sent next"]


def test_escape_cancels_the_turn_once_and_gives_back_what_waits() -> None:
    state, session = states.working()
    window = FakeWindow(state)
    window.feature.prompts.submit("tea")
    window.feature.turns.cancel()
    assert (window.asked, window.prompt.text) == ([Cancel(session.session_id)], "tea")
    assert session.turn is not None
    session.turn.cancelled = states.NOW
    window.feature.turns.cancel()
    assert window.asked == [Cancel(session.session_id)]
    assert window.said[-1] == "canceled; waiting for the agent to end the turn"


def test_a_request_without_which_there_is_no_session_is_cancelled_at_the_second_key() -> None:
    window = FakeWindow(states.initializing())
    window.feature.turns.cancel()
    assert (window.asked, window.said) == ([], ["Esc again cancels initialize"])
    window.feature.turns.cancel()
    assert window.asked == [commands.CancelRequest(1)]
