"""A question stands below its conversation: which keys answer it, and what words do."""

import pytest

from acp_tui.protocol.content import Diff, TextContent
from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.commands import AnswerPermission, Cancel, SendPrompt
from acp_tui.state.entries import Role
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.lines.lines import BUDGET
from acp_tui.ui.question.permission.body import QuestionBody
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio

REJECTS = "Enter rejects and sends this"
AGAIN = "Enter again rejects and sends this"


def prompt(session: Session, text: str) -> SendPrompt:
    return SendPrompt(session.session_id, (TextContent(text=text),))


def reading(lines: int = 60) -> tuple[State, Session]:
    """A question after a long talk."""
    state, session = states.working()
    text = "\n\n".join(f"leaf {number}" for number in range(lines))
    session.entries.append(states.message(Role.AGENT, text))
    states.ask(state, session, 50, "Delete everything")
    return state, session


async def type_slowly(it: Running, text: str) -> None:
    for key in text:
        it.clock.now += 0.15
        await it.press("space" if key == " " else key)


async def ask_next(it: Running, session: Session, number: int) -> None:
    """Let the agent ask for something else, once it has its answer."""
    session.permissions.clear()
    states.ask(it.state, session, number, "Delete everything")
    await it.changed()


async def test_words_are_seen_and_an_enter_after_them_rejects_and_sends_them() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await type_slowly(it, "no don't")
        assert it.prompt == "no don't"
        shown = it.screen
        assert REJECTS in shown
        assert "▌ 1" not in shown
        it.clock.now += 1.2
        await it.press("enter")
        assert it.asked == [AnswerPermission(50, "no")]
        assert it.prompt == ""
        assert "queued: 1 prompt  no don't" in it.screen
        session.permissions.clear()
        session.turn = None
        await it.changed()
        assert it.asked[1:] == [prompt(session, "no don't")]


async def test_words_go_before_what_is_queued() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("later")
        await it.press("enter")
        states.ask(state, session, 50, "Delete everything")
        await it.changed()
        await it.wait_until_armed()
        await it.write("no")
        await it.press("enter")
        assert it.app.tabs.shown.queue.waiting == ["no", "later"]


async def test_keys_and_pastes_that_answer_nothing_are_written_however_late() -> None:
    from textual import events

    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        for key in ("j", "k", "q", "space", "7", "0"):
            it.clock.now += 100
            await it.press(key)
            assert it.prompt == ({"space": " "}.get(key, key))
            assert it.asked == [], key
            await it.press("backspace")
        await it.wait_until_armed()
        it.app.post_message(events.Paste("1\n2\n"))
        await it.changed()
        assert (it.asked, it.prompt) == ([], "1\n2\n")
        assert REJECTS in it.screen
        await it.press(*["backspace"] * 4)
        await it.wait_until_armed()
        await it.press("shift+tab")  # in another mode the agent may no longer ask
        assert (it.asked, it.prompt) == ([], "")


async def test_after_words_that_were_taken_back_enter_allows_nothing() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("n", "o", "backspace", "backspace")
        assert it.prompt == ""
        await it.wait_until_armed()
        await it.press("enter")
        assert it.asked == []
        await it.press("down", "enter")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_a_draft_is_no_answer_until_that_was_said_of_all_of_it() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("then test")
        it.clock.now += 5
        states.ask(state, session, 50, "Delete everything")
        await it.changed()
        await it.wait_until_armed()
        shown = it.screen
        assert REJECTS not in shown
        assert "Enter twice rejects and sends this" in shown
        await it.press("enter")
        assert it.asked == []
        assert it.prompt == "then test"
        assert AGAIN in it.screen
        await it.press("enter")  # too soon to have been read
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("x")
        assert AGAIN not in it.screen
        it.clock.now += 5
        await it.press("enter")
        assert it.asked == []
        assert AGAIN in it.screen
        await it.wait_until_armed()
        await it.press("enter")
        assert it.asked == [AnswerPermission(50, "no")]


async def test_words_begun_before_a_question_or_for_another_are_a_draft() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.write("go on")
        it.clock.now += 5
        await it.press("enter")
        assert it.asked == []
        assert AGAIN in it.screen
        await it.press("escape")
        await it.wait_until_armed()
        await it.write("no")
        assert REJECTS in it.screen
        await ask_next(it, session, 51)
        it.clock.now += 5
        await it.press("enter")
        assert it.asked == []
        assert AGAIN in it.screen


async def test_esc_puts_words_aside_until_nothing_is_asked_any_more() -> None:
    state, session = states.working()
    turn = session.turn
    async with running(state) as it:
        await it.write("then test")
        await ask_next(it, session, 50)
        await it.press("escape")
        assert it.prompt == ""
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("enter")
        assert it.asked == []
        await it.press("1")
        assert it.asked.pop() == AnswerPermission(50, "yes")
        session.permissions.clear()
        await it.changed()
        assert it.prompt == ""
        session.turn = None
        await it.changed()
        assert it.prompt == "then test"

        await it.press("ctrl+u")
        session.turn = turn
        await ask_next(it, session, 51)
        await it.wait_until_armed()
        await it.press("n", "o", "escape", "escape")
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("escape")  # again: it cancels the turn
        assert it.asked == [Cancel(session.session_id)]
        session.permissions.clear()
        session.turn = None
        await it.changed()
        assert it.prompt == "no"


async def test_where_nothing_rejects_once_words_cancel_the_turn() -> None:
    state, session = states.asking()
    session.permissions[0].options = [
        PermissionOption(option_id=kind, name=kind, kind=kind)
        for kind in ("allow_once", "reject_always")
    ]
    async with running(state) as it:
        await it.wait_until_armed()
        await it.write("no")
        assert "Enter cancels the turn and sends this" in it.screen
        await it.press("enter")
        assert it.asked == [Cancel(session.session_id)]
        assert it.app.tabs.shown.queue.waiting == ["no"]


async def test_the_conversation_keeps_a_third_of_the_rows_and_the_prompt_is_in_view() -> None:
    state, session = reading()
    text = "\n".join(f"asked {number}" for number in range(200))
    session.permissions[0].tool_call = session.permissions[0].tool_call.model_copy(  # type: ignore[union-attr]
        update={"raw_input": {"text": text.split("\n")}}
    )
    async with running(state) as it:
        for size in ((80, 24), (160, 45)):
            await it.pilot.resize_terminal(*size)
            await it.wait_until_armed()
            rows = it.rows()
            begin = next(at for at, row in enumerate(rows) if "asks for permission" in row)
            transcript = it.app.conversation.transcript
            assert transcript is not None
            assert transcript.size.height >= size[1] / 3
            assert transcript.region.bottom <= begin
            assert "leaf 59" in "".join(rows[:begin])
            assert "Write here to reject with words" in "".join(rows[begin:])


async def test_an_open_plan_yields_to_a_question_and_comes_back() -> None:
    state, session = states.working()
    session.plan.steps = [*session.plan.steps, *session.plan.steps]
    step = "Run the table again"
    async with running(state) as it:
        await it.press("f2")
        assert step in it.screen
        await ask_next(it, session, 50)
        transcript = it.app.conversation.transcript
        assert transcript is not None
        assert transcript.size.height >= 24 / 3
        assert step not in it.screen
        await it.pilot.resize_terminal(80, 60)
        await it.changed()
        assert step in it.screen
        assert transcript.size.height >= 60 / 3
        await it.pilot.resize_terminal(80, 24)
        session.permissions.clear()
        await it.changed()
        assert step in it.screen

        await it.press("f2")
        assert step not in it.screen
        await ask_next(it, session, 51)
        await it.press("f2")  # also one that is opened during the question
        assert transcript.size.height >= 24 / 3
        assert step not in it.screen
        session.permissions.clear()
        await it.changed()
        assert step in it.screen


async def test_the_conversation_is_read_while_the_question_waits() -> None:
    state, _ = reading()
    async with running(state) as it:
        await it.wait_until_armed()
        assert "leaf 59" in it.screen
        await it.press("pageup")
        assert "leaf 59" not in it.screen
        await it.press("pagedown")
        assert "leaf 59" in it.screen
        await it.press(*["ctrl+up"] * 5)
        assert "leaf 59" not in it.screen
        await it.press("alt+slash", *"leaf 7")
        await it.pilot.pause(0.2)
        assert "leaf 7" in it.screen
        await it.press("escape", "tab")
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_from_the_end_of_the_conversation_it_is_read_on_in_the_question() -> None:
    state, session = reading()
    lines = [f"asked {number}" for number in range(60)]
    permission = session.permissions[0]
    assert permission.tool_call is not None
    permission.tool_call = permission.tool_call.model_copy(update={"raw_input": lines})
    async with running(state) as it:
        await it.wait_until_armed()
        assert "asked 59" not in it.screen
        await it.press(*["pagedown"] * 20)
        assert "asked 59" in it.screen
        assert "leaf 59" in it.screen
        await it.press(*["pageup"] * 25)
        assert "Delete everything" in it.screen
        assert "leaf 59" not in it.screen


async def test_numbers_and_esc_answer_from_the_transcript_too_and_a_text_does_not() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.press("tab")
        await it.wait_until_armed()
        assert "Tab answer" in it.screen
        await it.press("1")
        assert it.asked.pop() == AnswerPermission(50, "yes")
        await ask_next(it, session, 51)
        await it.wait_until_armed()
        assert it.app.focused is it.app.conversation.transcript
        await it.press(*"run", "space", "1")
        assert it.asked == []
        await it.press("enter")
        assert AnswerPermission(51, "yes") not in it.asked
        it.asked.clear()
        session.turn = None
        await ask_next(it, session, 52)
        await it.press("tab", "escape")
        assert it.asked[-1] == AnswerPermission(52, None)


async def test_how_long_a_question_waits_is_shown() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        assert "asks for permission  one moment …" in it.screen
        await it.wait_until_armed()
        assert "asks for permission  waiting 4s" in it.screen
        it.clock.now += 122
        await it.changed()
        assert "asks for permission  waiting 2m 06s" in it.screen


async def test_a_question_comes_whole_and_nothing_moves_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Frames with a moved prompt or half a question only delay the question. On a slow machine its content may
    come in pieces, but not its answers.
    """
    state, session = states.working()
    session.entries.append(states.message(Role.AGENT, "said before"))
    diff = Diff(path=f"{states.CWD}/notes/g.txt", old_text=states.OLD, new_text=states.NEW)
    async with running(state) as it:
        frames: list[str] = []
        before = it.screen.index("Keep typing")
        monkeypatch.setattr(it.app, "_display", lambda *_: frames.append(it.screen))
        for number, slice_of_layout in enumerate((BUDGET, 0)):
            monkeypatch.setattr("acp_tui.ui.lines.lines_view.BUDGET", slice_of_layout)
            session.permissions.clear()
            await it.changed()
            assert it.screen.find("Keep typing") == before
            frames.clear()
            states.ask(state, session, number, "Delete everything", content=[diff])
            await it.changed()
            moved = [screen for screen in frames if screen.find("Keep typing") != before]
            assert moved
            for screen in moved:
                assert "Delete everything" in screen
                assert "3  ✗ once    Reject" in screen
                assert "Write here to reject with words" in screen


async def test_a_question_laid_out_in_pieces_is_fitted_only_to_its_whole_height(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fitted to a piece, the layout began again, so that on a busy machine the question took half a minute."""
    monkeypatch.setattr("acp_tui.ui.lines.lines_view.BUDGET", 0)
    heights: list[int] = []
    fit = QuestionBody.fit

    def note_height(body: QuestionBody, most: int) -> bool:
        heights.append(body.height)
        # A question that is fitted forever would never be at rest.
        return len(heights) < 50 and fit(body, most)

    monkeypatch.setattr(QuestionBody, "fit", note_height)
    state, session = states.working()
    diff = Diff(path=f"{states.CWD}/notes/g.txt", old_text=states.OLD, new_text=states.NEW)
    async with running(state, (80, 20)) as it:
        states.ask(state, session, 50, "Delete everything", content=[diff])
        await it.changed()
        assert "Delete everything" in it.screen
        whole, *fitted = heights
        assert whole > fitted[0]  # without empty rows, and fewer lines before the change
        assert fitted == [fitted[0]] * len(fitted)


async def test_a_question_on_a_low_screen_has_its_frame_from_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its first frame was as high as the whole question, and the prompt covered the rest."""
    state, session = states.working()
    session.entries.append(states.message(Role.AGENT, "said before"))
    async with running(state, (40, 12)) as it:
        frames: list[str] = []
        monkeypatch.setattr(it.app, "_display", lambda *_: frames.append(it.screen))
        states.ask(state, session, 50, "Delete everything")
        await it.changed()
        asked = [screen for screen in frames if "asks for permission" in screen]
        assert asked
        for screen in asked:
            assert "2  ✓ always" in screen
            assert "╰─" in screen
