import re

import pytest
from textual import events

from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.protocol.file_events import EditLooked
from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.changes import Change
from acp_tui.state.commands import AnswerPermission, Cancel
from acp_tui.state.entries import EditFacts, diff_key
from acp_tui.state.open_questions import Permission
from acp_tui.state.session import Session
from acp_tui.testing.script import OPTIONS
from acp_tui.ui.question.permission.panel import PermissionPanel
from acp_tui.ui.toolkit.choices import Choices
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio


async def ask_next(
    it: Running, session: Session, number: int, title: str = "Edit", **fields: object
) -> Permission:
    """Let the agent ask for something else, once it has its answer."""
    session.permissions.clear()
    permission = states.ask(it.state, session, number, title, **fields)
    await it.changed()
    return permission


async def test_a_number_arrows_and_enter_or_a_click_answer_by_the_agents_own_option() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("3")
        assert it.asked.pop() == AnswerPermission(50, "no")
        await ask_next(it, session, 51)
        await it.wait_until_armed()
        await it.press("up", "enter")
        assert it.asked.pop() == AnswerPermission(51, "no")
        await ask_next(it, session, 52)
        await it.wait_until_armed()
        await it.pilot.click(Choices, offset=(8, 2))
        assert it.asked.pop() == AnswerPermission(52, "no")
        await ask_next(it, session, 53)
        await it.wait_until_armed()
        await it.press_at_once(
            "1", "1", "enter"
        )  # keys too many answer nothing, and aren't written
        assert it.asked == [AnswerPermission(53, "yes")]
        assert it.prompt == ""


async def test_what_allows_more_than_once_is_confirmed_by_enter_or_the_same_number() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == []
        shown = it.screen
        assert "2 again, or Enter: this allows more than this once" in shown
        assert "▌ 2  ✓ always" in shown
        await it.wait_until_armed()
        await it.press("enter")
        assert it.asked.pop() == AnswerPermission(50, "always")
        await ask_next(it, session, 51)
        await it.wait_until_armed()
        await it.press("2")
        await it.press("2", "2")  # a key that repeats itself confirms nothing
        assert (it.asked, it.prompt) == ([], "")
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == [AnswerPermission(51, "always")]


async def test_the_row_of_keys_names_the_way_to_the_changes_so_far() -> None:
    state, session = states.asking_untruly()
    async with running(state, (80, 24)) as it:
        keys = "Esc cancel the turn   F7 changes"
        await it.wait_until_armed()
        assert it.row_of_keys.endswith(keys)
        diff = Diff(path=f"{states.CWD}/notes/g.txt", old_text=states.OLD, new_text=states.NEW)
        await ask_next(it, session, 51, "Edit notes/g.txt", content=[diff])
        await it.wait_until_armed()
        assert it.row_of_keys.endswith(keys)
        await it.press("f7")
        assert "Review" in it.screen


async def test_a_click_answers_nothing_where_the_answers_have_just_moved() -> None:
    async with running(states.asking()[0]) as it:
        await it.wait_until_armed()
        choices = it.app.conversation.query_one(Choices)
        row = choices.region.y
        await it.pilot.resize_terminal(80, 23)
        await settled(it.pilot)
        assert choices.region.y == row - 1
        reject = (8, choices.region.y + 2)
        await it.press_at_once(reject)
        assert it.asked == []
        await it.wait_until_armed()
        await it.press_at_once(reject)
        assert it.asked == [AnswerPermission(50, "no")]


async def test_a_window_of_another_size_allows_only_what_was_read_in_it() -> None:
    talk = changing()
    session = talk.session
    change(talk, "\n".join(f"echo {at}" for at in range(12)))
    async with running(talk.state, (40, 12)) as it:
        await it.wait_until_armed()
        assert "echo 11" not in it.screen
        await it.pilot.resize_terminal(120, 40)
        await settled(it.pilot)
        assert "echo 11" in it.screen
        await it.press("1")
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked.pop() == AnswerPermission(session.permissions.pop().number, "yes")
        asks(talk)
        change(talk, "\n".join(f"echo {at}" for at in range(12)))
        await it.changed()
        await it.wait_until_armed()
        assert "echo 11" in it.screen
        await it.pilot.resize_terminal(40, 10)
        await settled(it.pilot)
        assert "echo 11" not in it.screen
        await it.press("1")
        await it.press("enter")
        assert it.asked == []


async def test_clicks_and_keys_that_come_too_early_answer_nothing_and_put_off_the_moment() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.pilot.click(Choices, offset=(8, 0))
        await it.press("enter")
        assert it.asked == []
        for key in ("enter", "up", "down", "enter"):
            it.clock.now += 0.4
            await it.press(key)
        assert it.asked == []
        assert it.prompt == ""
        await it.wait_until_armed()
        waited = events.Key("1", "1")  # for a busy app: it counts from when it was pressed
        waited.time -= 1.5
        it.app.post_message(waited)
        await settled(it.pilot)
        assert it.asked == []
        await it.press("backspace")
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_text_typed_ahead_goes_on_and_answers_nothing() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("take 1")
        it.clock.now += 1.1
        states.ask(state, session, 50, "Delete everything")
        await it.changed()
        await it.press("1", "enter", "space")
        assert it.asked == []
        assert it.prompt == "take 11 "
        await it.press("escape")
        assert it.prompt == ""
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked.pop() == AnswerPermission(50, "yes")
        session.permissions.clear()
        await it.changed()
        await it.press("ctrl+u", *"take")
        await ask_next(it, session, 51, "Delete everything")
        for key in ("space", "1", "a", "enter", "2"):
            it.clock.now += 0.45
            await it.press(key)
        assert it.asked == []
        assert it.prompt == "take 1a2"


async def test_esc_cancels_the_turn_or_outside_one_all_that_the_session_asks() -> None:
    state, session = states.asking()
    async with running(state) as it:
        for _ in range(2):  # again and again leads out, however early
            assert it.asked == []
            it.clock.now += 0.3
            await it.press("escape")
        assert it.asked.pop() == Cancel(session.session_id)
        await ask_next(it, session, 51)
        await it.wait_until_armed()
        await it.press("escape")
        assert it.asked.pop() == Cancel(session.session_id)
        session.turn = None
        await ask_next(it, session, 52)
        await it.wait_until_armed()
        await it.press("escape")
        assert it.asked.pop() == AnswerPermission(52, None)
        await ask_next(it, session, 53)
        for number in (54, 55):
            states.ask(state, session, number, "Fetch numbers")
        await it.changed()
        await it.wait_until_armed()
        assert "Esc cancel all 3" in it.screen
        await it.press("escape")
        assert it.asked == [AnswerPermission(number, None) for number in (53, 54, 55)]


async def test_a_number_that_comes_too_early_is_written_and_answers_nothing() -> None:
    state, session = states.asking()
    async with running(state) as it:
        for number, at in ((50, "prompt"), (51, "transcript")):
            if at == "transcript":
                await it.press("tab")
                await ask_next(it, session, number)
            assert it.app.focused is not None
            assert (it.app.focused is it.app.conversation.prompt) is (at == "prompt")
            await it.press("1")
            words = "1 came too early to answer: it is in the prompt; Esc saves it for later"
            assert words in it.screen, at
            it.clock.now += 0.3
            await it.press("2")
            assert it.asked == [], at
            assert it.prompt == "12", at
            await it.wait_until_armed()
            await it.press("enter")
            assert it.asked == [], at
            assert "Enter again rejects and sends this" in it.screen, at
            await it.press("escape")
            assert it.prompt == "", at
            await it.wait_until_armed()
            await it.press("1")
            assert it.asked.pop() == AnswerPermission(number, "yes"), at


async def test_questions_come_one_after_the_other_each_with_its_guard_and_go() -> None:
    state, session = states.asking_thrice()
    async with running(state) as it:
        shown = it.screen
        assert "1 of 3" in shown
        assert "Run make table" in shown
        await it.wait_until_armed()
        await it.press("1")
        del session.permissions[0]
        await it.changed()
        shown = it.screen
        assert "1 of 2" in shown
        assert "Fetch numbers" in shown
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]
        await it.press("f1")
        session.permissions.clear()
        await it.changed()
        await it.press("f1")
        await it.pilot.pause()
        assert it.app.screen is it.app.conversation  # though the help was over the question
        await ask_next(it, session, 53)
        assert it.app.conversation.question is not None
        session.permissions.clear()
        await it.changed()
        assert it.app.conversation.question is None
        assert it.app.screen is it.app.conversation
        assert it.app.focused is it.app.conversation.prompt


async def test_a_question_rings_once_and_shows_what_to_judge_by_above_its_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from acp_tui.ui.app import AcpApp

    rung: list[None] = []
    monkeypatch.setattr(AcpApp, "bell", lambda _: rung.append(None))
    state, _ = states.asking()
    async with running(state) as it:
        await it.changed()
        assert len(rung) == 1
        rows = it.rows()
        shown = "\n".join(rows)
        assert "Gemini CLI asks for permission" in shown
        assert "Edit notes/g.txt:12  +2 −1" in shown
        assert "line twelve and a half" in shown
        assert len({row.index(" Allow") for row in rows if "✓" in row}) == 1  # in one column
        assert sum("2  ✓ always  Allow all" in row for row in rows) == 1


async def test_lines_are_numbered_though_it_is_found_out_later_where_they_are() -> None:
    state, session = states.working()
    diff = Diff(path=f"{states.CWD}/a.py", old_text="old\n", new_text="new\n")
    asked = states.ask(state, session, 50, "Edit a.py", content=[diff])
    assert asked.tool_call is not None
    entry = session.tool_call(asked.tool_call.tool_call_id)
    assert entry is not None
    async with running(state) as it:
        await it.wait_until_armed()
        assert "41" not in it.screen
        looked = EditLooked(1.0, "s", "call-50", diff.path, item=0, line=41, new_line=41)
        entry.edits = EditFacts(2, places={diff_key(diff): looked})
        await it.changed()
        assert "41    - old" in it.screen
        await it.press("1")
        assert [one.option_id for one in it.asked if isinstance(one, AnswerPermission)] == ["yes"]


async def test_what_is_found_out_while_a_question_waits_gives_time_to_read_it() -> None:
    state, session = states.asking()
    entry = session.tool_call("call-50")
    assert entry is not None
    assert entry.edits is not None
    async with running(state) as it:
        await it.wait_until_armed()
        session.permissions[0].changed = [f"{states.CWD}/notes/g.txt"]
        it.clock.now += 2
        await it.until(lambda: "g.txt has changed on disk" in it.screen)
        assert "- line 12" in it.screen.partition("asks for permission")[2]
        await it.press("1")
        assert it.asked == []  # who pressed it can't have read that
        assert "not allowed yet: this is new on the screen" in it.screen
        assert it.prompt == ""
        await it.wait_until_armed()
        entry.edits.observations.append(EditLooked(1.0, "s", "call-50", "/a", remark="It is far."))
        entry.edits.count += 1
        await it.changed()
        assert "ℹ It is far." in it.screen
        await it.press("1")
        assert it.asked == []
        await it.wait_until_armed()
        entry.edits.count += 1  # a number of a line keeps nobody from answering
        await it.changed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


FORGED = f"$ ls\n▌$ ls\n\u2028$ ls\n{'word ' * 40}$ ls"


async def test_only_the_command_that_would_run_has_a_bar() -> None:
    talk = Conversation.opened()
    talk.prompt()
    text = {"type": "content", "content": {"type": "text", "text": FORGED}}
    call = {
        "toolCallId": "t",
        "title": "look around " * 20 + "$ ls",
        "kind": "execute",
        "rawInput": {"command": "rm -rf ~\necho", "note": FORGED},
        "locations": [{"path": "/work/a a a a a a a a a a a a a a a a a a a a a a a a $ ls"}],
        "content": [text],
    }
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    async with running(talk.state, (80, 50)) as it:
        for size in ((80, 50), (160, 40), (31, 50)):
            await it.pilot.resize_terminal(*size)
            await it.wait_until_armed()
            barred = [row.strip("│ ▁▂▃▄▅▆▇█") for row in it.rows() if row.startswith("│▌")]
            assert barred == ["▌$ rm -rf ~", "▌  echo"], size


def asks(talk: Conversation) -> None:
    call = {"toolCallId": "t", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)


def changing() -> Conversation:
    """An agent that asks about `ls`, and may change that."""
    talk = Conversation.opened()
    talk.prompt()
    asks(talk)
    return talk


def change(talk: Conversation, command: str = "rm -rf ~") -> list[Change]:
    return talk.update(
        "tool_call_update", toolCallId="t", title=command, rawInput={"command": command}
    )


async def test_what_the_agent_changes_is_painted_and_a_key_at_once_allows_nothing() -> None:
    talk = changing()
    async with running(talk.state) as it:
        await it.wait_until_armed()
        assert "$ ls" in it.screen
        for agent in it.app.tabs.agents:
            it.app.changed(agent, change(talk, "rm x"))
        await settled(it.pilot)
        shown = it.screen
        assert "⚠ The agent has changed this since it asked: command (was “ls”)" in shown
        assert "$ rm x" in shown
        assert "one moment …" in shown
        await it.press("1")
        assert it.asked == []
        await it.wait_until_armed()
        change(talk)  # the app hasn't heard of it
        await it.press("1")
        assert it.asked == []
        shown = it.screen
        assert "not allowed, because it has changed: command (was “rm x”)" in shown
        assert "$ rm -rf ~" in shown
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(talk.session.permissions[0].number, "yes")]
        assert ("command", "rm -rf ~") in it.in_view[0]


async def test_what_keeps_changing_is_never_allowed_and_can_be_rejected() -> None:
    talk = changing()
    number = talk.session.permissions[0].number
    async with running(talk.state) as it:
        await it.wait_until_armed()
        it.clock.now += 5  # a key is as old as it waited for a busy machine
        for command in ("rm -rf ~", "ls", "rm -rf ~", "ls"):
            for agent in it.app.tabs.agents:
                it.app.changed(agent, change(talk, command))
            it.clock.now += 0.05
            await it.press("1")
            await it.press("enter")
        assert it.asked == []
        assert "the agent keeps changing this" in it.screen
        it.clock.now += 0.6
        await it.press("3")
        assert it.asked == [AnswerPermission(number, "no")]


async def test_a_number_alone_answers_after_a_moment_and_never_what_begins_with_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gap = 0.15
    monkeypatch.setattr("acp_tui.state.question.WORD_GAP", gap)
    state, _ = states.asking()
    async with running(state) as it:
        for typed, written in (
            ("2 spaces", "2 spaces"),
            ("1\N{NO-BREAK SPACE}", "1"),
            ("1\N{ZERO WIDTH JOINER}", "1\N{ZERO WIDTH JOINER}"),
            ("1\ufe0f\N{COMBINING ENCLOSING KEYCAP}", "1\ufe0f\N{COMBINING ENCLOSING KEYCAP}"),
            ("1\N{COMBINING ACUTE ACCENT}", "1\N{COMBINING ACUTE ACCENT}"),
            ("\N{FULLWIDTH DIGIT ONE}", "\N{FULLWIDTH DIGIT ONE}"),
            ("\N{SUPERSCRIPT ONE}", "\N{SUPERSCRIPT ONE}"),
            ("12", "12"),
        ):
            await it.wait_until_armed()
            it.clock.now += 5
            await it.press_at_once(*typed)
            it.clock.now += 5
            await it.pilot.pause(gap + 0.1)
            assert (it.asked, it.prompt) == ([], written), ascii(typed)
            it.app.conversation.prompt.clear()
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == []
        it.clock.now += gap
        await it.until(lambda: bool(it.asked))
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_the_first_changed_line_is_in_view() -> None:
    """Empty rows are given up for it, and then what is unchanged above it."""
    state, session = states.working()
    whole = {(80, 24): False}
    narrow = {(80, 22): True, (80, 20): True, (80, 18): True, (160, 23): True, (120, 40): False}
    cases = [
        (1, 3, whole),
        (12, 3, whole | {(80, 23): True}),
        (2, 4, {(80, 23): True}),
        (12, 4, narrow),
    ]
    async with running(state) as it:
        for number, (lines, options, sizes) in enumerate(cases, 50):
            before = "".join(f"line {number}\n" for number in range(lines))
            new = f"{before}new\n"
            diff = Diff(path=f"{states.CWD}/g.txt", old_text=f"{before}old\n", new_text=new)
            session.permissions.clear()
            permission = states.ask(state, session, number, "Edit g.txt", content=[diff])
            names = ["Yes", "Yes, always", "No", "Never"][:options]
            permission.options = [
                PermissionOption(option_id=name, name=name, kind="allow_once") for name in names
            ]
            await it.changed()
            for size, left_out in sizes.items():
                await it.pilot.resize_terminal(*size)
                question = it.screen.partition("asks for permission")[2]
                case = lines, options, size
                assert "- old" in question, case
                assert "+ new" in question, case
                assert all(name in question for name in names), case
                assert (f"line {max(0, lines - 3)}" not in question) is left_out, case


async def test_a_number_allows_no_input_whose_end_is_out_of_view() -> None:
    state, session = states.working()
    rows = {f"k{number}": number for number in range(30)} | {"z": "rm -rf ~"}
    states.ask(state, session, 50, "Call a tool", raw_input=rows)
    async with running(state, (80, 24)) as it:
        await it.wait_until_armed()
        assert "rm -rf ~" not in it.screen
        await it.press("1")
        it.clock.now += 1
        assert it.asked == []
        assert "of the input below" in it.screen
        await it.press(*["pagedown"] * 5)
        assert "rm -rf ~" in it.screen
        it.clock.now += 1
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_no_row_is_empty_while_an_input_is_out_of_view() -> None:
    state, session = states.working()
    text = ContentItem(content=TextContent(text="Two cups, no milk."))
    permission = states.ask(state, session, 50, "Pour", content=[text], raw_input={"cups": 2})
    names = ["Yes", "Yes, always", "No", "Never"]
    permission.options = [
        PermissionOption(option_id=name, name=name, kind="allow_once") for name in names
    ]
    async with running(state, (80, 23)) as it:
        await it.wait_until_armed()
        question = it.screen.partition("asks for permission")[2]
        assert '"cups": 2' in question
        assert "PgDn" not in question
        assert all(name in question for name in names)
        await it.pilot.resize_terminal(80, 40)
        await it.changed()
        rows = [row.strip("│ ") for row in it.rows()]
        assert rows[rows.index("Two cups, no milk.") - 1] == ""


async def test_answers_that_share_a_row_are_chosen_by_keys_and_clicks() -> None:
    state, session = states.working()
    diff = Diff(path=f"{states.CWD}/g.txt", old_text=states.OLD, new_text=states.NEW)
    permission = states.ask(state, session, 50, "Edit g.txt", content=[diff])
    permission.options = [
        PermissionOption(option_id=name, name=name, kind="allow_once") for name in "abc"
    ]
    async with running(state, (80, 18)) as it:
        await it.wait_until_armed()
        assert sum(" 1  ✓ a" in row and " 3  ✓ c" in row for row in it.rows()) == 1
        await it.press("down", "down")
        assert sum("▌ 3  ✓ c" in row for row in it.rows()) == 1
        await it.pilot.resize_terminal(80, 60)
        await it.changed()
        assert not any(" 1  ✓ a" in row and " 3  ✓ c" in row for row in it.rows())
        await it.pilot.resize_terminal(80, 18)
        await it.changed()
        await it.wait_until_armed()
        await it.pilot.click(Choices, offset=(50, 0))
        await it.until(lambda: bool(it.asked))
        assert it.asked == [AnswerPermission(50, "c")]


async def test_where_a_change_has_no_room_nothing_is_given_up_for_it() -> None:
    state, session = states.working()
    diff = Diff(path=f"{states.CWD}/g.txt", old_text=states.OLD, new_text=states.NEW)
    command = "\n".join(f"echo {number}" for number in range(12))
    states.ask(state, session, 50, "Edit g.txt", content=[diff], raw_input={"command": command})
    async with running(state) as it:
        await it.wait_until_armed()
        seen = ""
        while "PgDn" in it.screen:
            seen += it.screen.partition("asks for permission")[2]
            await it.press("pagedown")
        assert "⋯ 8 unchanged lines" in seen


async def test_agents_text_stays_in_its_place() -> None:
    state, session = states.working()
    said = ContentItem(content=TextContent(text="\x1b[2J[bold]ok[/bold]"))
    permission = states.ask(state, session, 50, "a\x1b]0;owned\x07b\u202ec", content=[said])
    permission.options = [
        permission.options[0].model_copy(update={"name": "Yes\n 2  ✗ No" + "x" * 200})
    ]
    async with running(state) as it:
        assert "\x1b" not in it.screen
        assert "\u202e" not in it.screen
        assert "[bold]ok[/bold]" in it.screen
        assert sum("✗" in row for row in it.rows()) == 1
        assert sum("1  ✓ “Yes ⏎ 2 ✗" in row for row in it.rows()) == 1


async def test_the_options_are_seen_under_a_long_question_in_a_small_terminal() -> None:
    state, session = states.working()
    said = ContentItem(content=TextContent(text="\n".join(map(str, range(500)))))
    states.ask(state, session, 50, "Read a lot", content=[said])
    async with running(state) as it:
        assert "Reject, and tell the agent why" in it.screen
        assert re.search(r"PgDn \d+ more rows of the text below", it.screen)
        assert "Esc cancel" in it.screen
        await it.wait_until_armed()
        before = it.screen
        await it.press("pagedown")
        await it.until(lambda: it.screen != before)


async def test_options_that_are_not_in_view_are_marked_before_they_are_chosen() -> None:
    state, session = states.asking()
    async with running(state, (30, 8)) as it:
        await it.wait_until_armed()
        shown = it.screen
        assert "Edit notes/g.txt" in shown
        assert "1  ✓ once    Allow" in shown
        assert "Reject, and" not in shown
        await it.press("3")
        assert it.asked == []
        shown = it.screen
        assert "▌ 3  ✗ once    Reject" in shown
        assert "Edit notes/g.txt" in shown
        await it.wait_until_armed()
        await it.press("3")
        assert it.asked.pop() == AnswerPermission(50, "no")
        await it.pilot.resize_terminal(30, 4)
        await ask_next(it, session, 51)
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == []  # there is no room for it


async def test_many_options_and_long_ones_scroll_and_leave_the_subject_a_third() -> None:
    state, session = states.asking()
    many = [f"Way {at}" for at in range(25)]
    long = [f"Way {at} " + "on and on " * 25 for at in range(4)]
    diff = Diff(path=f"{states.CWD}/notes/g.txt", old_text=states.OLD, new_text=states.NEW)
    async with running(state) as it:
        for number, names in ((60, many), (61, long)):
            session.permissions.clear()
            asked = states.ask(state, session, number, "Edit notes/g.txt", content=[diff])
            asked.options = [
                PermissionOption(option_id=name, name=name, kind="allow_once") for name in names
            ]
            await it.changed()
            await it.wait_until_armed()
            rows = it.rows()
            begin = next(at for at, row in enumerate(rows) if "asks for permission" in row)
            first = next(at for at, row in enumerate(rows) if "▌" in row and "Way 0" in row)
            end = next(at for at, row in enumerate(rows) if row.startswith("╰"))
            assert first - begin - 1 >= (end - begin - 1) / 3
            assert begin >= 8
            assert any("more rows of answers" in row for row in rows)
            assert not any(f"Way {len(names) - 1}" in row for row in rows)
            await it.press("up")
            assert f"Way {len(names) - 1}" in it.screen
            while "Enter read on" in it.screen:
                await it.press("enter")
            it.clock.now += 1  # to read what Enter has shown
            await it.press("enter")
            assert it.asked.pop() == AnswerPermission(number, names[-1])


async def test_of_ten_and_more_a_number_is_typed_and_enter_chooses() -> None:
    state, session = states.asking()
    options = [
        PermissionOption(option_id=f"o{at}", name=f"Way {at}", kind="reject_once")
        for at in range(1, 26)
    ]
    session.permissions[0].options = options
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("1")
        assert "▌  1  ✗ Way 1" in it.screen
        await it.press("2")
        assert "▌ 12  ✗ Way 12" in it.screen
        await it.press("7")
        assert "▌  7  ✗ Way 7" in it.screen
        await it.press("2", "0")
        assert it.asked == []
        assert it.prompt == ""
        await it.wait_until_armed()
        await it.press("enter")
        assert it.asked == [AnswerPermission(50, "o20")]


async def test_long_title_and_long_options_leave_room_for_what_is_asked() -> None:
    state, session = states.working()
    asked = states.ask(state, session, 50, "x" * 500, raw_input={"command": "rm -rf tea"})
    name = "Allow " + "long " * 20 + "end of the name"
    asked.options = [PermissionOption(option_id="a", name=name, kind="allow_once")]
    async with running(state) as it:
        assert "$ rm -rf tea" in it.screen
        assert "the whole title: at the end" in it.screen
        assert "end of the name" in it.screen


async def test_of_an_answer_on_several_rows_each_word_can_be_read() -> None:
    state, session = states.working()
    asked = states.ask(state, session, 50, "Edit")
    kinds = {"a": "allow_once", "b": "allow_always", "c": "reject_always"}
    words = [f"{name}{number:02}" for name in kinds for number in range(40)]
    asked.options = [
        PermissionOption(
            option_id=name, name=" ".join(word for word in words if word[0] == name), kind=kind
        )
        for name, kind in kinds.items()
    ]
    async with running(state, (77, 40)) as it:
        for width in range(78, 83):
            await it.pilot.resize_terminal(width, 40)
            assert re.findall(r"\b[abc]\d\d\b", it.screen) == words, width


async def test_what_enter_chooses_is_in_view_from_the_first() -> None:
    state, session = states.asking()
    session.permissions[0].options = [
        PermissionOption(option_id="all", name="All " + "word " * 60, kind="allow_always"),
        PermissionOption(option_id="once", name="Once " + "word " * 60, kind="allow_once"),
    ]
    async with running(state, size=(80, 18)) as it:
        assert "▌ 2  ✓ once    Once" in it.screen


async def test_the_row_of_the_plan_is_left_to_a_question_on_a_low_screen() -> None:
    state, session = states.asking()
    assert session.plan.steps
    async with running(state, (80, 24)) as it:
        assert "Plan ━" not in it.screen
        await it.press("f2")
        assert "Plan ━" in it.screen
        session.permissions.clear()
        await it.press("f2")
        await it.changed()
        assert "Plan ━" in it.screen


async def test_the_answers_and_their_numbers_are_there_from_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are in the panel that was mounted in advance, however slow the layout is."""
    monkeypatch.setattr("acp_tui.ui.lines.lines_view.BUDGET", 0)
    state, session = states.working()
    async with running(state) as it:
        await it.until(lambda: bool(it.app.conversation.query(PermissionPanel)))
        states.ask(state, session, 50, "Edit g.txt")
        it.app.refresh_view()
        question = it.app.conversation.question
        assert question is not None
        assert question.answers()[0] == ("1-3", "answer")
        assert question.in_view().answers == {0, 1, 2}
