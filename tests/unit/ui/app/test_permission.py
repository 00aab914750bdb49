import pytest
from textual import events

from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.protocol.events import EditLooked
from acp_tui.protocol.requests import PermissionOption
from acp_tui.session.commands import AnswerPermission, Cancel
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio


async def test_number_answers_by_the_agents_own_option() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == [AnswerPermission(50, "always")]


async def test_arrows_and_enter_answer_too() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("up", "enter")
        assert it.asked == [AnswerPermission(50, "no")]


async def test_a_click_answers() -> None:
    from acp_tui.ui.choices import Choices

    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.pilot.click(Choices, offset=(8, 2))
        assert it.asked == [AnswerPermission(50, "no")]


async def test_a_click_that_comes_too_early_answers_nothing() -> None:
    from acp_tui.ui.choices import Choices

    state, _ = states.asking()
    async with running(state) as it:
        await it.pilot.click(Choices, offset=(8, 0))
        await it.press("enter")
        assert it.asked == []


async def test_text_typed_ahead_answers_nothing() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("take 1")
        it.clock.now += 1.1
        states.ask(state, session, 50, "Delete everything")
        await it.changed()
        await it.press("1", "enter", "escape", "space")
        assert it.asked == []
        assert it.prompt == "take 1"
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_who_goes_on_typing_writes_on_and_answers_nothing() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("take")
        states.ask(state, session, 50, "Delete everything")
        await it.changed()
        for key in ("space", "1", "a", "enter", "2"):
            it.clock.now += 0.45
            await it.press(key)
        assert it.asked == []
        assert it.prompt == "take 1a2"
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]
        assert it.prompt == "take 1a2"


async def test_enter_answers_nothing_while_a_prompt_is_half_written() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("fix this")
        it.clock.now += 5
        states.ask(state, session, 50, "Delete everything")
        await it.changed()
        await it.wait_until_armed()
        await it.press("enter")
        assert it.asked == []
        await it.press("up", "enter")
        assert it.asked == [AnswerPermission(50, "no")]


async def test_esc_again_and_again_leads_out() -> None:
    state, session = states.asking()
    async with running(state) as it:
        for _ in range(2):
            assert it.asked == []
            it.clock.now += 0.3
            await it.press("escape")
        assert it.asked == [Cancel(session.session_id)]


async def test_a_key_that_waited_for_a_busy_app_counts_from_when_it_was_pressed() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        key = events.Key("1", "1")
        key.time -= 0.7
        it.app.post_message(key)
        await settled(it.pilot)
        assert it.asked == []


async def test_a_text_that_is_typed_at_a_question_answers_nothing() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        for key in (*"queue1a", "enter"):
            await it.press(key)
            it.clock.now += 0.45
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == [AnswerPermission(50, "always")]


async def test_keys_that_come_too_early_put_off_the_moment() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        for key in ("x", "1", "a", "enter", "1"):
            it.clock.now += 0.4
            await it.press(key)
        assert it.asked == []
        assert it.prompt == ""
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_questions_come_one_after_the_other_each_with_its_guard() -> None:
    state, session = states.asking_thrice()
    async with running(state) as it:
        assert "1 of 3" in it.screen
        assert "Run make table" in it.screen
        await it.wait_until_armed()
        await it.press("1")
        del session.permissions[0]
        await it.changed()
        assert "1 of 2" in it.screen
        assert "Fetch numbers" in it.screen
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_dialog_goes_when_nothing_waits_any_more() -> None:
    state, session = states.asking()
    async with running(state) as it:
        session.permissions.clear()
        await it.changed()
        assert it.app.screen is it.app.conversation
        assert it.app.focused is it.app.conversation.prompt


async def test_dialog_goes_though_the_help_was_over_it() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.press("f1")
        session.permissions.clear()
        await it.changed()
        await it.press("f1")
        await it.pilot.pause()
        assert it.app.screen is it.app.conversation


async def test_escape_cancels_the_turn() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("escape")
        assert it.asked == [Cancel(session.session_id)]


async def test_escape_outside_a_turn_cancels_the_question() -> None:
    state, session = states.asking()
    session.turn = None
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("escape")
        assert it.asked == [AnswerPermission(50, None)]


async def test_escape_outside_a_turn_cancels_all_that_the_session_asks() -> None:
    state, session = states.asking_thrice()
    session.turn = None
    async with running(state) as it:
        assert "Esc cancel all 3" in it.screen
        await it.wait_until_armed()
        await it.press("escape")
        assert it.asked == [AnswerPermission(number, None) for number in (50, 51, 52)]


async def test_question_shows_what_to_judge_by() -> None:
    state, _ = states.asking()
    async with running(state, (120, 40)) as it:
        assert "Gemini CLI asks for permission" in it.screen
        assert "Edit notes/g.txt" in it.screen
        assert f"{states.CWD}/notes/g.txt:12" in it.screen
        assert "line twelve and a half" in it.screen


async def test_file_access_shows_where_and_what() -> None:
    state, session = states.working()
    states.ask_access(session, 52)
    async with running(state, (120, 40)) as it:
        assert "Write a file outside the working directory?" in it.screen
        assert "/etc/engine.conf" in it.screen
        assert states.CWD in it.screen
        assert "speed = 2" in it.screen


async def test_files_that_have_changed_are_named_though_that_is_found_out_later() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        session.permissions[0].changed = ["/work/notes.md"]
        await it.changed()
        assert "⚠ /work/notes.md has changed on disk" in it.screen
        await it.press("1")
        assert it.asked == []  # who pressed it can't have read that
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_a_file_inside_that_has_changed_is_asked_about_as_that() -> None:
    state, session = states.working()
    permission = states.ask_access(session, 50)
    assert permission.access is not None
    permission.access = permission.access._replace(outside=False, changed=True)
    async with running(state) as it:
        await it.changed()
        assert "Write over a file that has changed?" in it.screen
        assert "outside" not in it.screen


async def test_a_question_that_only_names_its_tool_call_shows_what_is_known_of_it() -> None:
    state, session = states.working()
    permission = states.ask(state, session, 50, "Run make table")
    session.tool_call("call-50").raw_input = {"command": "make table"}  # type: ignore[union-attr]
    assert permission.tool_call is not None
    permission.tool_call = permission.tool_call.model_copy(update={"title": None})
    async with running(state) as it:
        assert "Run make table" in it.screen
        assert "$ make table" in it.screen


async def test_what_is_run_is_shown_above_the_diff_and_what_else_a_tool_gets_below() -> None:
    """A diff tells what the agent says; what it does may be more."""
    state, session = states.working()
    diff = Diff(path=f"{session.cwd}/tea.txt", old_text="green\n", new_text="black\n")
    raw = {"sugar": 2, "command": "rm -rf tea"}
    states.ask(state, session, 50, "Edit", content=[diff], raw_input=raw)
    async with running(state) as it:
        places = [it.screen.index(words) for words in ("$ rm -rf tea", "black", '{"sugar": 2}')]
        assert places == sorted(places)


async def test_a_moved_file_is_one_file_seen_from_the_sessions_folder() -> None:
    state, session = states.working()
    text = "".join(f"line {number}\n" for number in range(30))
    states.ask(
        state,
        session,
        50,
        "Move notes",
        content=[
            Diff(path=f"{session.cwd}/old.txt", old_text=text, new_text=""),
            Diff(path=f"{session.cwd}/new.txt", new_text=text),
        ],
    )
    async with running(state, (120, 40)) as it:
        assert "│ old.txt → new.txt  renamed" in it.screen
        assert "deleted" not in it.screen


async def test_agents_text_stays_in_its_place() -> None:
    state, session = states.working()
    said = ContentItem(content=TextContent(text="\x1b[2J[bold]ok[/bold]"))
    permission = states.ask(state, session, 50, "a\x1b]0;owned\x07b\u202ec", content=[said])
    permission.options = [
        permission.options[0].model_copy(update={"name": "Yes\n 2  ✖ No" + "x" * 200})
    ]
    async with running(state) as it:
        assert "\x1b" not in it.screen
        assert "\u202e" not in it.screen
        assert "[bold]ok[/bold]" in it.screen
        assert sum("✖" in row for row in it.rows()) == 1
        assert sum("1  ✔ Yes ⏎ 2 ✖" in row for row in it.rows()) == 1


async def test_the_options_are_seen_under_a_long_question_in_a_small_terminal() -> None:
    state, session = states.working()
    said = ContentItem(content=TextContent(text="\n".join(map(str, range(500)))))
    states.ask(state, session, 50, "Read a lot", content=[said])
    async with running(state) as it:
        assert "Reject, and tell the agent why" in it.screen
        assert "PgDn 487 more rows of the text below" in it.screen
        assert "Esc cancel" in it.screen
        await it.wait_until_armed()
        before = it.screen
        await it.press("pagedown")
        await it.pilot.pause(0.1)
        assert it.screen != before


async def test_bell_rings_once_for_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    from acp_tui.ui.app import AcpApp

    rung: list[None] = []
    monkeypatch.setattr(AcpApp, "bell", lambda _: rung.append(None))
    state, _ = states.asking()
    async with running(state) as it:
        await it.changed()
        assert len(rung) == 1


async def test_options_stay_in_view_in_a_small_terminal() -> None:
    state, _ = states.asking()
    async with running(state, (30, 8)) as it:
        await it.wait_until_armed()
        for option in states.OPTIONS:
            assert option.name[:14] in it.screen
        assert "Edit notes/g.txt" in it.screen
        await it.press("2")
        assert it.asked == [AnswerPermission(50, "always")]


async def test_options_that_have_no_room_cannot_be_chosen() -> None:
    state, _ = states.asking()
    async with running(state, (30, 4)) as it:
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == []


async def test_long_title_and_long_options_leave_room_for_what_is_asked() -> None:
    state, session = states.working()
    asked = states.ask(state, session, 50, "x" * 500, raw_input={"command": "rm -rf tea"})
    name = "Allow " + "long " * 20 + "end of the name"
    asked.options = [PermissionOption(option_id="a", name=name, kind="allow_once")]
    async with running(state) as it:
        assert "$ rm -rf tea" in it.screen
        assert "the whole title: at the end" in it.screen
        assert "end of the name" in it.screen


async def test_a_diff_that_is_not_true_is_told_of_above_it_with_the_one_that_is() -> None:
    state, _ = states.asking_untruly()
    async with running(state, (100, 40)) as it:
        rows = [row.strip(" │") for row in it.screen.splitlines()]
        warning = rows.index("⚠ notes/g.txt doesn't hold the text that the diff takes away.")
        untrue = rows.index("- line zwölf")
        label = rows.index("acp-tui made this diff, of the input and the file:")
        assert warning < untrue < label < rows.index("12 + rm -rf")


async def test_what_is_found_while_a_question_waits_gives_time_to_read_it() -> None:
    state, session = states.asking()
    entry = session.tool_call("call-50")
    assert entry is not None
    assert entry.edits is not None
    async with running(state) as it:
        await it.wait_until_armed()
        entry.edits.count += 1  # a number of a line keeps nobody from answering
        await it.changed()
        entry.edits.looks.append(EditLooked(1.0, "s", "call-50", "/a", remark="It is far."))
        entry.edits.count += 1
        await it.changed()
        assert "ℹ It is far." in it.screen
        await it.press("1")
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]
