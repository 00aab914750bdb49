"""Subagents: a line of each in its parent's transcript, a tab, and their questions."""

from typing import Any

import pytest

from acp_tui.host.session_names import for_subagent
from acp_tui.protocol.frames import Direction
from acp_tui.state import commands
from acp_tui.state.session import FileWrite
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio

OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def with_child(**more: Any) -> Conversation:
    talk = Conversation.opened()
    talk.prompt()
    working = {"title": "Taster", "state": {"state": "running"}, **more}
    talk.update("subagent_update", sessionId="c", **working)
    return talk


def ask(talk: Conversation, session_id: str = "c") -> int:
    call = {"toolCallId": "t", "title": "Taste the soup"}
    return talk.asks(
        "session/request_permission", sessionId=session_id, toolCall=call, options=OPTIONS
    )


def cancel_question(talk: Conversation, number: int) -> None:
    talk.settle(number, result={"outcome": {"outcome": "cancelled"}})


def show(it: Running, session_id: str) -> None:
    """Go to the tab of a session; another may have the same number."""
    it.app.tabs.show(next(one for one in it.app.tabs.visible if one.session_id == session_id))


async def test_a_line_has_what_a_subagent_does_its_last_words_and_its_tokens_and_leads_to_its_tab() -> (
    None
):
    talk = with_child()
    talk.say("It is\ntoo hot.", session_id="c")
    talk.update("usage_update", session_id="c", used=4200, size=9000)
    async with running(talk.state, (100, 30)) as it:
        shown = it.screen
        assert "↪ Taster  ⠋ working" in shown
        assert "4.2k tokens" in shown
        assert "too hot." in shown
        talk.say(" No: cold.", session_id="c")
        error = {"code": -32603, "message": "lost its tongue"}
        failed = {"state": "idle", "stopReason": "error", "error": error}
        changes = talk.update("subagent_update", sessionId="c", state=failed)
        it.app.changed(it.app.tabs.agent, changes)
        await it.changed()
        shown = it.screen
        assert "✗ failed" in shown
        assert "lost its tongue" in shown
        await it.press("tab", "o")
        assert it.app.session is talk.state.sessions["c"]


async def test_a_tool_call_shows_the_subagent_that_it_links_to_and_leads_to_its_tab() -> None:
    talk = with_child()
    link = [{"type": "session", "sessionId": "c"}]
    talk.update("tool_call", toolCallId="task", title="Have it tasted", content=link)
    async with running(talk.state, (100, 30)) as it:
        assert it.screen.count("↪ Taster") == 1
        assert it.screen.index("Have it tasted") < it.screen.index("↪ Taster")
        await it.press("tab", "o")
        assert it.app.session is talk.state.sessions["c"]


async def test_a_question_is_asked_wherever_one_is_in_the_same_session_and_waits_elsewhere() -> (
    None
):
    talk = with_child()
    talk.update("subagent_update", session_id="c", sessionId="d", title="Blower")
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "other"})
    async with running(talk.state, (100, 40)) as it:
        show(it, "other")
        number = ask(talk, "d")
        await it.changed()
        shown = it.screen
        assert "asks for permission" not in shown
        assert "Blower waiting for you" in shown
        for session_id in "scd":
            it.asked.clear()
            show(it, session_id)
            await it.changed()
            asked = "asks for permission for its subagent Blower"
            assert asked in it.screen, session_id
            await it.wait_until_armed()
            await it.press("1")
            assert it.asked == [commands.AnswerPermission(number, "yes")], session_id
            cancel_question(talk, number)
            await it.changed()
            number = ask(talk, "d")


async def test_a_question_is_not_lost_when_the_tab_of_its_subagent_is_closed() -> None:
    talk = with_child()
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "other"})
    async with running(talk.state, (100, 30)) as it:
        show(it, "c")
        await it.changed()
        await it.press("alt+w")
        show(it, "other")
        number = ask(talk)
        await it.changed()
        await it.press("ctrl+s")
        assert it.app.session is talk.session
        assert "for its subagent Taster" in it.screen
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [commands.AnswerPermission(number, "yes")]


async def test_questions_of_a_session_that_nobody_opened_and_forms_are_asked_by_whose_they_are() -> (
    None
):
    talk = with_child()
    number = ask(talk, "ghost")
    async with running(talk.state, (100, 30)) as it:
        assert "for the unannounced session ghost" in it.screen
        await it.wait_until_armed()
        assert "cancel the question" in it.screen
        await it.press("1")
        assert it.asked == [commands.AnswerPermission(number, "yes")]
        cancel_question(talk, number)
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        talk.asks(
            "elicitation/create",
            sessionId="c",
            mode="form",
            message="How salty?",
            requestedSchema=schema,
        )
        await it.changed()
        shown = it.screen
        assert "for its subagent Taster" in shown
        assert "How salty?" in shown


def test_a_question_in_a_log_without_its_beginning_is_for_no_unannounced_session() -> None:
    talk = Conversation()
    ask(talk, "s")
    assert for_subagent(talk.state, "s") == ""
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "other"})
    assert for_subagent(talk.state, "s") == " for the unannounced session s"


async def test_escape_at_a_question_of_a_subagent_cancels_the_turn_of_the_tab_or_in_its_own_the_question() -> (
    None
):
    talk = with_child()
    number = ask(talk)
    async with running(talk.state, (100, 30)) as it:
        await it.wait_until_armed()
        assert "cancel the turn" in it.screen
        await it.press("escape")
        assert it.asked == [commands.Cancel("s")]
        show(it, "c")
        await it.changed()
        await it.wait_until_armed()
        assert "cancel the question" in it.screen
        await it.press("escape")
        assert it.asked[1:] == [commands.AnswerPermission(number, None)]


async def test_words_below_a_subagents_question_are_not_offered_to_be_sent_but_saved_for_later() -> (
    None
):
    talk = with_child()
    async with running(talk.state, (100, 30)) as it:
        assert "sent after this turn" in it.screen
        ask(talk)
        await it.changed()
        shown = it.screen
        assert "Answer above: only the agent talks to its subagent" in shown
        assert "sent after this turn" not in shown
        await it.wait_until_armed()
        it.clock.now += 1
        await it.write("wait")
        it.clock.now += 2
        await it.press("enter", "enter")
        assert it.asked == []
        assert "only the agent talks to its subagent" in it.screen
        assert it.prompt == "wait"


async def test_escape_on_a_line_cancels_the_subagent_alone_where_the_agent_offers_that() -> None:
    talk = with_child(capabilities={"cancel": {}})
    async with running(talk.state, (100, 40)) as it:
        assert "x stops it" in it.screen
        await it.press("tab", "escape")
        assert it.asked == [commands.Cancel("c")]
        number = ask(talk)
        await it.changed()
        await it.wait_until_armed()
        it.app.conversation.transcript.focus()
        await it.press("escape")
        assert it.asked[1:] == [commands.Cancel("c")], "also while it asks"
        cancel_question(talk, number)
        talk.update("subagent_update", sessionId="c", capabilities=None)
        await it.changed()
        await it.press("x")
        assert "no way to stop this alone" in it.screen
        await it.press("escape")
        assert it.asked[2:] == [commands.Cancel("s")]
        talk.update("subagent_update", sessionId="c", state={"state": "idle"})
        it.asked.clear()
        await it.changed()
        await it.press("x")
        assert "nothing to stop here" in it.screen, "it is done"
        assert it.asked == []


async def test_escape_in_the_tab_of_a_subagent_cancels_it_once_and_only_while_it_works() -> None:
    talk = with_child(capabilities={"cancel": {}}, title=None)
    async with running(talk.state, (100, 24)) as it:
        rows = it.rows()
        assert any("↪ c  ⠋ working" in row for row in rows), "without a title it has its id"
        assert "2 ⠋ c" in rows[0]
        show(it, "c")
        await it.changed()
        assert "Esc cancel" in it.row_of_keys
        talk.state.sessions["c"].closed = True  # as with its parent
        await it.changed()
        assert "lost" in it.screen
        assert "Esc cancel" not in it.row_of_keys
        await it.press("escape")
        assert (it.note, it.asked) == ("nothing to stop here", [])
        talk.state.sessions["c"].closed = False
        await it.changed()
        await it.press("escape")
        assert it.note == "asked c to stop"
        canceled = {"method": "session/cancel", "params": {"sessionId": "c"}}
        talk.frame(Direction.OUT, canceled)
        await it.changed()
        assert "Esc cancel" not in it.row_of_keys
        await it.press("escape")
        assert it.note == "asked to stop; waiting for the agent"
        talk.update("subagent_update", sessionId="c", state={"state": "idle"})
        await it.changed()
        await it.press("escape")
        assert it.note == "nothing to stop here"
        assert it.asked == [commands.Cancel("c")]


async def test_the_time_of_each_subagent_in_a_tool_call_runs_and_the_one_that_is_stopped_is_named() -> (
    None
):
    about = {"state": {"state": "running"}, "capabilities": {"cancel": {}}}
    talk = with_child(**about)
    talk.update("subagent_update", sessionId="d", title="Blower", **about)
    link = [{"type": "session", "sessionId": id} for id in "cd"]
    talk.update("tool_call", toolCallId="task", title="Have it tasted", content=link)
    async with running(talk.state, (100, 30)) as it:
        it.clock.now += 7200
        await it.until(lambda: it.screen.count(" working · 2h ") == 2)
        talk.say("Blown.", session_id="d")
        changes = talk.update("subagent_update", sessionId="d", state={"state": "idle"})
        it.app.changed(it.app.tabs.agent, changes)
        await it.changed()
        assert "Blown." in it.screen
        talk.update("subagent_update", sessionId="d", **about)
        await it.changed()
        await it.press("tab", "x")
        assert it.asked == [commands.Cancel("c")]
        assert it.note == "asked Taster to stop"


async def test_a_write_of_a_subagent_is_reviewed_with_its_name_and_undone_in_its_session() -> None:
    talk = with_child(title="Taster of all the teas of the house")
    child = talk.state.sessions["c"]
    path = f"{child.cwd}/a/long/way/down/to/where/the/notes/about/tea/are/notes.md"
    child.writes.append(FileWrite(7, 5.0, path, False, "one\n", "two\n", has_backup=True))
    async with running(talk.state, (80, 24)) as it:
        await it.press("f7")
        row = next(one for one in it.screen.splitlines() if "notes.md" in one)
        assert "↪ Taster of all the…" in row
        assert "Written by subagent Taster of all the teas of the house." in it.screen
        await it.press("u")
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == [commands.UndoWrite("c", 7)]


async def test_the_review_names_the_subagent_that_made_a_change_above_it() -> None:
    talk = with_child()
    talk.update("subagent_update", sessionId="d", title="Blower", state={"state": "running"})
    path = f"{talk.session.cwd}/notes.md"
    text = "".join(f"{number}\n" for number in range(20))
    for number, (id, old, new) in enumerate([("c", "3\n", "three\n"), ("d", "17\n", "hot\n")]):
        writes, after = talk.state.sessions[id].writes, text.replace(f"\n{old}", f"\n{new}")
        writes.append(FileWrite(number, 5.0 + number, path, False, text, after, has_backup=True))
        text = after
    async with running(talk.state, (80, 24)) as it:
        await it.press("f7")
        for columns in (80, 200):
            await it.pilot.resize_terminal(columns, 24)
            rows = [row.strip(" │▌") for row in it.rows()]
            taster, blower = (
                next(at for at, row in enumerate(rows) if row.endswith(f"↪ {name}"))
                for name in ("Taster", "Blower")
            )
            assert "three" in rows[taster + 1] + rows[taster + 2], columns
            assert "hot" in rows[blower + 1] + rows[blower + 2], columns


async def test_the_tab_of_a_subagent_shows_what_it_does() -> None:
    talk = with_child()
    talk.update("tool_call", session_id="c", toolCallId="t", title="Taste the soup")
    async with running(talk.state, (100, 30)) as it:
        await it.press("alt+2")
        shown = it.screen
        assert "⠋ working" in shown
        assert "ready" not in shown
        assert "◌ pending, never finished" not in shown
        number = ask(talk)
        await it.changed()
        assert "Taste the soup  ? waiting for you" in it.screen
        ended = {"state": "idle", "stopReason": "end_turn"}
        changes = talk.update("subagent_update", sessionId="c", state=ended)
        cancel_question(talk, number)
        it.app.changed(it.app.tabs.agent, changes)
        await it.changed()
        shown = it.screen
        assert "○ done" in shown
        assert "◌ pending, never finished" in shown


async def test_a_call_that_is_asked_about_is_not_left_although_no_subagent_was_announced() -> None:
    talk = Conversation.opened()
    talk.update("tool_call", toolCallId="t", title="Taste the soup")
    ask(talk, "s")
    async with running(talk.state, (100, 30)) as it:
        assert "Taste the soup  ? waiting for you" in it.screen
