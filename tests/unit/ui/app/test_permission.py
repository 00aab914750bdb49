import re
from collections.abc import Callable
from typing import Any

import pytest
from textual import events

from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.protocol.file_events import EditLooked
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.changes import Change
from acp_tui.state.commands import AnswerPermission, Cancel
from acp_tui.state.entries import EditFacts, diff_key
from acp_tui.state.question import WORD_GAP
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.testing.script import OPTIONS
from acp_tui.ui.question.permission.panel import PermissionPanel
from acp_tui.ui.toolkit.choices import Choices
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio


async def test_number_answers_by_the_agents_own_option() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("3")
        assert it.asked == [AnswerPermission(50, "no")]


async def test_what_allows_more_than_once_is_confirmed_by_the_same_number() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == []
        assert "2 again, or Enter: this allows more than this once" in it.screen
        await it.press("2", "2")  # a key that repeats itself confirms nothing
        assert (it.asked, it.prompt) == ([], "")
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == [AnswerPermission(50, "always")]


@pytest.mark.parametrize("asking", [states.asking, states.asking_untruly])
async def test_the_row_of_keys_names_the_way_to_the_changes_so_far(
    asking: Callable[[], tuple[State, Session]],
) -> None:
    state, _ = asking()
    async with running(state, (80, 24)) as it:
        await it.wait_until_armed()
        assert it.row_of_keys.endswith("Esc cancel the turn   F7 changes")
        await it.press("f7")
        assert "Review" in it.screen


async def test_enter_confirms_what_a_number_has_marked() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("2")
        assert "▌ 2  ✓ always" in it.screen
        await it.wait_until_armed()
        await it.press("enter")
        assert it.asked == [AnswerPermission(50, "always")]


async def test_arrows_and_enter_answer_too() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("up", "enter")
        assert it.asked == [AnswerPermission(50, "no")]


async def test_a_click_answers() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.pilot.click(Choices, offset=(8, 2))
        assert it.asked == [AnswerPermission(50, "no")]


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


async def test_what_a_larger_window_shows_has_to_be_read_before_it_is_allowed() -> None:
    talk = changing()
    session = talk.session
    talk.update(
        "tool_call_update",
        toolCallId="t",
        title="long",
        rawInput={"command": "\n".join(f"echo {at}" for at in range(12))},
    )
    async with running(talk.state, (80, 24)) as it:
        await it.wait_until_armed()
        await it.pilot.resize_terminal(40, 12)
        await settled(it.pilot)
        await it.pilot.resize_terminal(200, 60)
        await settled(it.pilot)
        assert "echo 11" in it.screen
        await it.press("1")
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(session.permissions[0].number, "yes")]


async def test_in_a_smaller_window_a_key_allows_nothing_that_is_out_of_view() -> None:
    talk = changing()
    talk.update(
        "tool_call_update",
        toolCallId="t",
        title="long",
        rawInput={"command": "\n".join(f"echo {at}" for at in range(12))},
    )
    async with running(talk.state, (200, 60)) as it:
        await it.wait_until_armed()
        assert "echo 11" in it.screen
        await it.pilot.resize_terminal(40, 10)
        await settled(it.pilot)
        assert "echo 11" not in it.screen
        await it.press("1")
        await it.press("enter")
        assert it.asked == []


async def test_a_click_that_comes_too_early_answers_nothing() -> None:
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
        await it.press("1", "enter", "space")
        assert it.asked == []
        assert it.prompt == "take 11 "
        await it.press("escape")
        assert it.prompt == ""
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


async def test_keys_that_come_too_early_put_off_the_moment() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        for key in ("enter", "up", "down", "enter"):
            it.clock.now += 0.4
            await it.press(key)
        assert it.asked == []
        assert it.prompt == ""
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


@pytest.mark.parametrize("at", ["prompt", "transcript"])
async def test_a_number_that_comes_too_early_is_written_and_answers_nothing(at: str) -> None:
    state, _ = states.asking()
    async with running(state) as it:
        if at == "transcript":
            await it.press("tab")
        await it.press("1")
        it.clock.now += 0.3
        await it.press("2")
        assert it.asked == []
        assert it.prompt == "12"
        await it.wait_until_armed()
        await it.press("enter")
        assert it.asked == []
        assert "Enter again rejects and sends this" in it.screen
        await it.press("escape")
        assert it.prompt == ""
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_a_key_too_many_answers_nothing_and_is_not_written() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press_at_once("1", "1", "enter")
        assert it.asked == [AnswerPermission(50, "yes")]
        assert it.prompt == ""


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


async def test_question_goes_when_nothing_waits_any_more() -> None:
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
        assert "Edit notes/g.txt:12  +2 −1" in it.screen
        assert "line twelve and a half" in it.screen


async def test_file_access_shows_where_and_what() -> None:
    state, session = states.working()
    states.ask_access(session, 52)
    async with running(state, (120, 40)) as it:
        assert "Write a file outside the working directory?" in it.screen
        assert "/etc/engine.conf" in it.screen
        assert states.CWD in it.screen
        assert "speed = 2" in it.screen


async def test_places_outside_the_sessions_folder_are_marked() -> None:
    state, session = states.working()
    inside = f"{states.CWD}/notes/g.txt"
    states.ask(state, session, 50, "Copy", raw_input={"file_path": "/etc/engine.conf"})
    async with running(state) as it:
        assert "⚠ outside the session's folder: /etc/engine.conf" in it.screen
        assert f"folder: {inside}" not in it.screen


async def test_a_place_outside_says_itself_that_it_was_not_compared() -> None:
    state, session = states.working()
    asked = states.ask(state, session, 50, "Write", raw_input={"file_path": "/etc/engine.conf"})
    assert asked.tool_call is not None
    entry = session.tool_call(asked.tool_call.tool_call_id)
    assert entry is not None
    remarks = [
        "/etc/engine.conf was not compared: it is outside the session's folder.",
        "/etc/other was not compared: it is outside the session's folder.",
    ]
    looks = [EditLooked(states.NOW, "s", "t", "", remark=one, warns=True) for one in remarks]
    entry.edits = EditFacts(2, observations=looks)
    async with running(state, (120, 40)) as it:
        assert "⚠ outside the session's folder, so not compared: /etc/engine.conf" in it.screen
        assert "⚠ /etc/other was not compared: it is outside" in it.screen
        assert "engine.conf was not compared" not in it.screen


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


async def test_files_that_have_changed_are_named_though_that_is_found_out_later() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        session.permissions[0].changed = ["/work/notes.md"]
        await it.changed()
        assert "⚠ /work/notes.md has changed on disk" in it.screen
        await it.press("1")
        assert it.asked == []  # who pressed it can't have read that
        assert "not allowed yet: this is new on the screen" in it.screen
        assert it.prompt == ""
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


async def test_what_the_agent_changes_while_it_waits_is_shown_and_no_key_at_once_answers() -> None:
    talk = Conversation.opened()
    talk.prompt()
    call = {"toolCallId": "t", "title": "Work", "kind": "execute", "rawInput": {"command": "ls"}}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    async with running(talk.state) as it:
        await it.wait_until_armed()
        assert "$ ls" in it.screen
        talk.update("tool_call_update", toolCallId="t", rawInput={"command": "rm x"})
        await it.changed()
        assert "⚠ The agent has changed this since it asked: command (was “ls”)" in it.screen
        assert "$ rm x" in it.screen
        await it.press("1")
        assert it.asked == []


FORGED = f"$ ls\n▌$ ls\n\u2028$ ls\n{'word ' * 40}$ ls"


@pytest.mark.parametrize("size", [(80, 50), (200, 60), (31, 60)])
async def test_only_the_command_that_would_run_has_a_bar(size: tuple[int, int]) -> None:
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
    async with running(talk.state, size=size) as it:
        await it.wait_until_armed()
        barred = [row.strip("│ ▁▂▃▄▅▆▇█") for row in it.rows() if row.startswith("│▌")]
        assert barred == ["▌$ rm -rf ~", "▌  echo"]


def changing() -> Conversation:
    """An agent that asks about `ls`, and may change that."""
    talk = Conversation.opened()
    talk.prompt()
    call = {"toolCallId": "t", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    return talk


def change(talk: Conversation, command: str = "rm -rf ~") -> list[Change]:
    return talk.update(
        "tool_call_update", toolCallId="t", title=command, rawInput={"command": command}
    )


async def test_a_key_at_once_after_a_change_allows_nothing_and_says_what_has_changed() -> None:
    talk = changing()
    async with running(talk.state) as it:
        await it.wait_until_armed()
        change(talk)  # the app hasn't heard of it
        await it.press("1")
        assert it.asked == []
        assert "not allowed, because it has changed: command (was “ls”)" in it.screen
        assert "$ rm -rf ~" in it.screen
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(talk.session.permissions[0].number, "yes")]
        assert ("command", "rm -rf ~") in it.in_view[0]


async def test_a_change_is_painted_when_the_agent_makes_it() -> None:
    talk = changing()
    async with running(talk.state) as it:
        await it.wait_until_armed()
        for agent in it.app.tabs.agents:
            it.app.changed(agent, change(talk))
        await settled(it.pilot)
        assert "$ rm -rf ~" in it.screen
        assert "one moment …" in it.screen


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


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("2 spaces", "2 spaces"),
        ("1\N{NO-BREAK SPACE}", "1"),
        ("1\N{ZERO WIDTH JOINER}", "1\N{ZERO WIDTH JOINER}"),
        ("1\ufe0f\N{COMBINING ENCLOSING KEYCAP}", "1\ufe0f\N{COMBINING ENCLOSING KEYCAP}"),
        ("1\N{COMBINING ACUTE ACCENT}", "1\N{COMBINING ACUTE ACCENT}"),
        ("\N{FULLWIDTH DIGIT ONE}", "\N{FULLWIDTH DIGIT ONE}"),
        ("\N{SUPERSCRIPT ONE}", "\N{SUPERSCRIPT ONE}"),
        ("12", "12"),
    ],
)
async def test_words_that_begin_with_a_number_are_written_and_answer_nothing(
    monkeypatch: pytest.MonkeyPatch, typed: str, written: str
) -> None:
    monkeypatch.setattr("acp_tui.state.question.WORD_GAP", WORD_GAP)
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        it.clock.now += 5
        await it.press_at_once(*typed)
        it.clock.now += 5
        await it.pilot.pause(WORD_GAP + 0.1)
        assert (it.asked, it.prompt) == ([], written)


async def test_a_number_alone_answers_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.state.question.WORD_GAP", WORD_GAP)
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == []
        it.clock.now += WORD_GAP
        await it.until(lambda: bool(it.asked))
        assert it.asked == [AnswerPermission(50, "yes")]


@pytest.mark.parametrize("known", ["/work", "/work/sub"])
async def test_a_folder_that_was_known_before_is_no_change(known: str) -> None:
    talk = Conversation.opened()
    talk.prompt()
    folder = {"cwd": known}
    place = [{"path": known}]
    talk.update(
        "tool_call", toolCallId="t", title="bash", kind="execute", rawInput=folder, locations=place
    )
    raw = {"command": "make"}
    call = {"toolCallId": "t", "title": "make", "kind": "execute", "rawInput": raw, "locations": []}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    talk.update("tool_call_update", toolCallId="t", rawInput=raw | folder, locations=place)
    async with running(talk.state) as it:
        assert f"execute in {known}" in it.screen
        assert f"· {known}" not in it.screen
        assert "has changed this" not in it.screen


async def test_a_diff_that_was_announced_is_shown_where_the_question_has_none() -> None:
    talk = Conversation.opened()
    talk.prompt()
    diff = {"type": "diff", "path": "/work/tea.txt", "oldText": "green\n", "newText": "black\n"}
    talk.update("tool_call", toolCallId="t", title="Edit", kind="edit", content=[diff])
    words = {"type": "content", "content": {"type": "text", "text": "Brews tea."}}
    call = {"toolCallId": "t", "title": "Edit", "kind": "edit", "content": [words]}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    async with running(talk.state, (120, 40)) as it:
        for shown in ("Brews tea.", "- green", "+ black"):
            assert shown in it.screen.partition("asks for permission")[2]


HOOK = {"type": "diff", "path": "/work/.git/hooks/pre-commit", "newText": "rm -rf ~\n"}
LONG = {"type": "diff", "path": "/work/a.txt", "newText": "x\n" * 30}


async def test_a_diff_that_was_announced_of_another_file_is_shown_as_that() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="t", title="Edit", kind="edit", content=[HOOK])
    small = {"type": "diff", "path": "/work/a.txt", "newText": "x\n"}
    call = {"toolCallId": "t", "title": "Edit", "kind": "edit", "content": [small]}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    async with running(talk.state, (120, 40)) as it:
        _, _, announced = it.screen.partition("Announced before, left out of this request:")
        assert ".git/hooks/pre-commit" in announced
        assert "+ rm -rf ~" in announced


async def test_the_kind_that_was_announced_is_shown_where_the_question_has_another() -> None:
    talk = Conversation.opened()
    talk.prompt()
    place = {"title": "Look", "locations": [{"path": "/work/a.txt"}]}
    talk.update("tool_call", toolCallId="t", kind="delete", **place)
    call = {"toolCallId": "t", "kind": "read", **place}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    async with running(talk.state, (120, 40)) as it:
        question = it.screen.partition("asks for permission")[2]
        assert "⚠ Announced before as another kind of tool: delete" in question
        assert "left out of this request" not in question


async def test_a_command_that_was_announced_is_shown_where_the_question_names_another() -> None:
    talk = Conversation.opened()
    talk.prompt()
    rm = {"title": "rm -rf ~", "kind": "execute", "rawInput": {"command": "rm -rf ~"}}
    talk.update("tool_call", toolCallId="t", **rm)
    ls = {"toolCallId": "t", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}
    talk.asks("session/request_permission", toolCall=ls, options=OPTIONS)
    async with running(talk.state, (120, 40)) as it:
        question = it.screen.partition("asks for permission")[2]
        assert "$ ls" in question
        _, _, announced = question.partition("Announced before, left out of this request:")
        assert "$ rm -rf ~" in announced


@pytest.mark.parametrize(
    ("kind", "before", "asked"),
    [
        ("edit", {"locations": [{"path": "/home/me/.bashrc"}]}, {"locations": [{"path": "a"}]}),
        ("fetch", {"rawInput": {"url": "https://evil.test/"}}, {"rawInput": {"url": "https://a"}}),
    ],
)
async def test_a_place_that_was_announced_is_shown_where_the_question_names_another(
    kind: str, before: dict[str, Any], asked: dict[str, Any]
) -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="t", title="Work", kind=kind, **before)
    call = {"toolCallId": "t", "kind": kind, **asked}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    async with running(talk.state, (120, 40)) as it:
        question = it.screen.partition("asks for permission")[2]
        _, _, announced = question.partition("Announced before, left out of this request:")
        assert ("/home/me/.bashrc" if kind == "edit" else "https://evil.test/") in announced


@pytest.mark.parametrize("locations", [[], ["/work/a.txt", *(f"/work/{n}" for n in range(20))]])
async def test_all_files_of_a_change_are_named_above_it(locations: list[str]) -> None:
    talk = Conversation.opened()
    talk.prompt()
    call = {
        "toolCallId": "t",
        "title": "Edit",
        "kind": "edit",
        "content": [LONG, *(LONG | {"path": f"/work/b{n}.txt"} for n in range(9)), HOOK],
        "locations": [{"path": one} for one in locations],
    }
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    async with running(talk.state, (80, 50)) as it:
        head, _, _ = it.screen.partition("new file")
        assert ".git/hooks/pre-commit" in head
        assert ("and 20 more: at the end" in head) is bool(locations)


@pytest.mark.parametrize(
    ("fields", "is_said"),
    [
        ({}, True),
        ({"rawInput": {"file_path": "/work/a.txt"}}, True),
        ({"rawInput": {"file_path": "/work/a.txt", "content": "x"}}, False),
        ({"rawInput": {"recipe": ["x"]}}, False),
    ],
)
async def test_an_edit_of_which_nothing_is_known_says_so(
    fields: dict[str, object], is_said: bool
) -> None:
    talk = Conversation.opened()
    talk.prompt()
    call = {"toolCallId": "t", "title": "Edit a.txt", "kind": "edit", **fields}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    async with running(talk.state) as it:
        assert ("⚠ The agent doesn't say what it would write." in it.screen) is is_said


async def test_a_file_inside_that_has_changed_is_asked_about_as_that() -> None:
    state, session = states.working()
    permission = states.ask_access(session, 50)
    assert permission.access is not None
    permission.access = permission.access._replace(outside=False, changed=True)
    async with running(state) as it:
        await it.changed()
        assert "Overwrite a file that has changed?" in it.screen
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
    async with running(state, (80, 40)) as it:
        places = [it.screen.index(words) for words in ("$ rm -rf tea", "black", '{"sugar": 2}')]
        assert places == sorted(places)


async def test_a_moved_file_is_one_file_seen_from_the_sessions_folder() -> None:
    state, session = states.working()
    text = "".join(f"line {number}\n" for number in range(12))
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


@pytest.mark.parametrize(
    ("size", "lines", "options", "left_out"),
    [
        ((80, 24), 1, 3, False),
        ((80, 24), 12, 3, False),
        ((80, 23), 12, 3, True),
        ((80, 23), 2, 4, True),
        ((80, 22), 12, 4, True),
        ((80, 20), 12, 4, True),
        ((80, 18), 12, 4, True),
        ((160, 23), 12, 4, True),
        ((200, 60), 12, 4, False),
    ],
)
async def test_the_first_changed_line_is_in_view(
    size: tuple[int, int], lines: int, options: int, left_out: bool
) -> None:
    """Empty rows are given up for it, and then what is unchanged above it."""
    state, session = states.working()
    before = "".join(f"line {number}\n" for number in range(lines))
    diff = Diff(path=f"{states.CWD}/g.txt", old_text=f"{before}old\n", new_text=f"{before}new\n")
    permission = states.ask(state, session, 50, "Edit g.txt", content=[diff])
    names = ["Yes", "Yes, always", "No", "Never"][:options]
    permission.options = [
        PermissionOption(option_id=name, name=name, kind="allow_once") for name in names
    ]
    async with running(state, size) as it:
        await it.wait_until_armed()
        question = it.screen.partition("asks for permission")[2]
        assert "- old" in question
        assert "+ new" in question
        assert all(name in question for name in names)
        assert (f"line {max(0, lines - 3)}" not in question) is left_out
        await it.pilot.resize_terminal(100, 60)
        await it.changed()
        question = it.screen.partition("asks for permission")[2]
        assert f"line {max(0, lines - 3)}" in question


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
        for _ in range(5):
            await it.press("pagedown")
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


async def test_a_diff_that_is_found_later_has_its_change_in_view() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        session.permissions[0].changed = [f"{states.CWD}/notes/g.txt"]
        it.clock.now += 2
        await it.until(lambda: "has changed on disk" in it.screen)
        assert "- line 12" in it.screen.partition("asks for permission")[2]


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


async def test_bell_rings_once_for_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    from acp_tui.ui.app import AcpApp

    rung: list[None] = []
    monkeypatch.setattr(AcpApp, "bell", lambda _: rung.append(None))
    state, _ = states.asking()
    async with running(state) as it:
        await it.changed()
        assert len(rung) == 1


async def test_options_that_are_not_in_view_are_marked_before_they_are_chosen() -> None:
    state, _ = states.asking()
    async with running(state, (30, 8)) as it:
        await it.wait_until_armed()
        assert "Edit notes/g.txt" in it.screen
        assert "1  ✓ once    Allow" in it.screen
        assert "Reject, and" not in it.screen
        await it.press("3")
        assert it.asked == []
        assert "▌ 3  ✗ once    Reject" in it.screen
        assert "Edit notes/g.txt" in it.screen
        await it.wait_until_armed()
        await it.press("3")
        assert it.asked == [AnswerPermission(50, "no")]


@pytest.mark.parametrize(
    "names",
    [[f"Way {at}" for at in range(25)], [f"Way {at} " + "on and on " * 25 for at in range(4)]],
)
async def test_many_options_and_long_ones_scroll_and_leave_the_subject_a_third(
    names: list[str],
) -> None:
    state, session = states.asking()
    options = [PermissionOption(option_id=name, name=name, kind="allow_once") for name in names]
    session.permissions[0].options = options
    async with running(state) as it:
        await it.wait_until_armed()
        rows = list(it.rows())
        begin = next(at for at, row in enumerate(rows) if "asks for permission" in row)
        first = next(at for at, row in enumerate(rows) if "▌" in row and "Way 0" in row)
        end = next(at for at, row in enumerate(rows) if row.startswith("╰"))
        assert first - begin - 1 >= (end - begin - 1) / 3
        assert begin >= 8
        assert "more rows of answers" in it.screen
        assert f"Way {len(names) - 1}" not in it.screen
        await it.press("up")
        assert f"Way {len(names) - 1}" in it.screen
        while "Enter read on" in it.screen:
            await it.press("enter")
        it.clock.now += 1  # to read what Enter has shown
        await it.press("enter")
        assert it.asked == [AnswerPermission(50, names[-1])]


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


@pytest.mark.parametrize(
    ("kinds", "marked"),
    [
        (["allow_always", "reject_once", "allow_once"], 2),
        (["allow_always", "reject_always", "reject_once"], 2),
        (["allow_always", "reject_always", ""], None),
    ],
)
async def test_what_is_marked_first_is_never_an_always(
    kinds: list[str], marked: int | None
) -> None:
    state, session = states.asking()
    session.permissions[0].options = [
        PermissionOption(option_id=str(at), name=f"Way {at}", kind=kind)
        for at, kind in enumerate(kinds)
    ]
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("enter")
        assert it.asked == ([AnswerPermission(50, str(marked))] if marked is not None else [])


async def test_options_that_have_no_room_cannot_be_chosen() -> None:
    state, _ = states.asking()
    async with running(state, (30, 4)) as it:
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == []


async def test_a_title_that_is_only_the_act_and_a_long_path_takes_no_rows_of_its_own() -> None:
    path = "/work/" + "a_long_name_of_a_folder/" * 4 + "tea.py"
    talk = Conversation.opened()
    talk.prompt()
    diff = {"type": "diff", "path": path, "oldText": "coffee", "newText": "tea"}
    call = {"toolCallId": "t", "title": f"Edit {path}", "kind": "edit", "content": [diff]}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    asks = {"toolCall": {**call, "locations": [{"path": path}]}, "options": options}
    talk.asks("session/request_permission", **asks)
    async with running(talk.state, (80, 24)) as it:
        asked = it.screen.partition("asks for permission")[2]
        assert "Edit" not in asked
        assert "whole title" not in asked
        assert "+ tea" in asked
        assert "PgDn" not in asked


async def test_long_title_and_long_options_leave_room_for_what_is_asked() -> None:
    state, session = states.working()
    asked = states.ask(state, session, 50, "x" * 500, raw_input={"command": "rm -rf tea"})
    name = "Allow " + "long " * 20 + "end of the name"
    asked.options = [PermissionOption(option_id="a", name=name, kind="allow_once")]
    async with running(state) as it:
        assert "$ rm -rf tea" in it.screen
        assert "the whole title: at the end" in it.screen
        assert "end of the name" in it.screen


@pytest.mark.parametrize("kind", ["allow_once", "allow_always", "reject_always"])
async def test_of_an_answer_on_several_rows_each_word_can_be_read(kind: str) -> None:
    state, session = states.working()
    words = [f"w{number:02}" for number in range(40)]
    asked = states.ask(state, session, 50, "Edit")
    asked.options = [PermissionOption(option_id="a", name=" ".join(words), kind=kind)]
    for width in range(78, 83):
        async with running(state, (width, 24)) as it:
            assert re.findall(r"w\d\d", it.screen) == words


async def test_a_diff_that_is_not_true_is_told_of_above_it_with_the_one_that_is() -> None:
    state, _ = states.asking_untruly()
    async with running(state, (100, 60)) as it:
        _, question = it.screen.split("asks for permission")
        rows = [row.strip(" │") for row in question.splitlines()]
        warning = rows.index("⚠ notes/g.txt doesn't have the text that the diff removes.")
        untrue = rows.index("- line zwölf")
        label = rows.index("acp-tui made this diff, from what the agent sent and the file:")
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
        entry.edits.observations.append(EditLooked(1.0, "s", "call-50", "/a", remark="It is far."))
        entry.edits.count += 1
        await it.changed()
        assert "ℹ It is far." in it.screen
        await it.press("1")
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [AnswerPermission(50, "yes")]


def _asked(title: str, path: str, line: int | None, *before: ContentItem) -> State:
    state, session = states.working()
    diff = Diff(path=path, old_text="one\n", new_text="two\n" * 1000)
    permission = states.ask(state, session, 50, title, content=[*before, diff])
    assert permission.tool_call is not None
    where = {"locations": [ToolCallLocation(path=path, line=line)]}
    permission.tool_call = permission.tool_call.model_copy(update=where)
    return state


@pytest.mark.parametrize(
    ("title", "name", "line"),
    [
        ("Edit notes.py", "notes.py", 10**60),
        ("編集編集編集編集編集編集 some_notes.py", "some_notes.py", None),
        ("Edit notes.py", "n.py  +0 −0", None),
    ],
)
async def test_a_file_whose_name_others_could_hide_or_blur_has_a_row_of_its_own(
    title: str, name: str, line: int | None
) -> None:
    path = f"{states.CWD}/{name}"
    async with running(_asked(title, path, line), size=(60, 24)) as it:
        rows = "".join(row.strip(" │") for row in it.rows()).replace(" ", "")
        assert path.replace(" ", "") in rows


@pytest.mark.parametrize("title", [f"{states.CWD}/notes.py", "notes.py"])
async def test_a_title_that_only_names_the_file_is_not_repeated_above_its_diff(title: str) -> None:
    async with running(_asked(title, f"{states.CWD}/notes.py", None), size=(80, 24)) as it:
        _, _, question = it.screen.partition("asks for permission")
        assert question.count("notes.py") == 1
        assert "edit · notes.py" in question


async def test_nothing_of_the_agent_stands_above_what_is_asked_for() -> None:
    words = ContentItem(content=TextContent(text="Only looks.\n" * 30))
    path = f"{states.CWD}/notes.py"
    async with running(_asked("Edit notes.py", path, None, words)) as it:
        _, _, question = it.screen.partition("asks for permission")
        assert question.index("Edit notes.py") < question.index("Only looks.")


async def test_what_enter_chooses_is_in_view_from_the_first() -> None:
    state, session = states.asking()
    session.permissions[0].options = [
        PermissionOption(option_id="all", name="All " + "word " * 60, kind="allow_always"),
        PermissionOption(option_id="once", name="Once " + "word " * 60, kind="allow_once"),
    ]
    async with running(state, size=(80, 18)) as it:
        assert "▌ 2  ✓ once    Once" in it.screen


async def test_the_words_of_the_answers_stand_in_one_column() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        columns = {row.index(" Allow") for row in it.rows() if "✓" in row}
        assert len(columns) == 1
        assert sum("2  ✓ always  Allow all" in row for row in it.rows()) == 1


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


async def test_a_place_that_the_title_names_whole_has_no_row_of_its_own() -> None:
    for title, rows in (("Write /etc/engine.conf", 2), ("Write the engine's settings", 2)):
        state, session = states.working()
        permission = states.ask(state, session, 50, title)
        assert permission.tool_call is not None
        where = {"locations": [ToolCallLocation(path="/etc/engine.conf")]}
        permission.tool_call = permission.tool_call.model_copy(update=where)
        async with running(state, (120, 40)) as it:
            await it.until(lambda: "outside the session's folder" in it.screen)
            asked = it.screen.partition("asks for permission")[2]
            assert asked.count("/etc/engine.conf") == rows
