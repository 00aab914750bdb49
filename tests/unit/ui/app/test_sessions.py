"""Several sessions: tabs, drafts, queues, and the list of those that the agent keeps."""

import re
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state import commands
from acp_tui.state.commands import SendPrompt
from acp_tui.store.drafts import Drafts, StoredDraft
from acp_tui.text import clean_title
from acp_tui.ui.sessions.tab_row import SessionTabs
from acp_tui.ui.tabs import marks
from tests.unit.state.conversation import STARTED, Conversation
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio

OFFERED = {
    "protocolVersion": 1,
    "agentInfo": {"name": "a", "version": "1", "title": "Agent"},
    "agentCapabilities": {
        "loadSession": True,
        "sessionCapabilities": {"list": {}, "delete": {}, "resume": {}, "fork": {}, "close": {}},
    },
}
KEPT = [
    {"sessionId": "k1", "cwd": "/work", "title": "Old tea", "updatedAt": "2020-01-01T10:00:00Z"},
    {"sessionId": "k2", "cwd": "/else", "title": "Coffee", "updatedAt": "2021-01-01T10:00:00Z"},
    {"sessionId": "k3", "cwd": "/work", "title": "New tea", "updatedAt": "2022-01-01T10:00:00Z"},
]


def connected(offered: dict[str, Any] = OFFERED) -> Conversation:
    talk = Conversation()
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1}, result=offered)
    return talk


def open_session(talk: Conversation, session_id: str, title: str = "") -> None:
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": session_id})
    if title:
        talk.update("session_info_update", session_id, title=title)


def two() -> Conversation:
    talk = connected()
    open_session(talk, "s", "Bread")
    open_session(talk, "z", "Butter")
    return talk


def listed(talk: Conversation) -> None:
    talk.call("session/list", {}, result={"sessions": KEPT})


def prompt(session_id: str, text: str) -> SendPrompt:
    return SendPrompt(session_id, (TextContent(text=text),))


async def test_what_is_opened_is_shown_in_a_tab_and_drafts_stay_with_their_session() -> None:
    talk = connected()
    open_session(talk, "s", "Bread")
    async with running(talk.state) as it:
        assert "1 ○" not in it.screen, "one session has no tabs"
        await it.write("old")
        await it.press("ctrl+t")
        assert it.asked == [commands.NewSession()]
        open_session(talk, "z", "Butter")
        await it.changed()
        assert it.prompt == ""
        assert "1 ○ Bread" in it.screen
        assert it.app.session is talk.state.sessions["z"]
        await it.write("new")
        await it.press("ctrl+pageup")
        assert it.prompt == "old"
        await it.press("alt+2")
        assert it.prompt == "new"
        await it.press("ctrl+pagedown")
        assert it.prompt == "old"


async def test_queues_of_all_sessions_are_sent_when_their_turn_ends() -> None:
    talk = two()
    id = talk.prompt()
    async with running(talk.state) as it:
        await it.press("alt+1", "l", "enter", "alt+2")
        assert "queued" not in it.screen
        await it.press("n", "enter")
        assert it.asked == [prompt("z", "n")]
        talk.answer(id, result={"stopReason": "end_turn"})
        await it.changed()
        assert it.asked[1:] == [prompt("s", "l")]


async def test_the_row_of_tabs_tells_which_is_shown_its_keys_and_what_goes_on() -> None:
    talk = two()
    async with running(talk.state, (120, 24)) as it:
        await it.press("alt+2")
        head = it.rows()[0]
        assert head.startswith(" 1 ○ Bread ▌2 ○ Butter ")
        assert head.endswith("Alt+1–2 switch ")
        (strip,) = it.app.screen._compositor.render_strips()[:1]
        ground = it.app.screen.styles.background.rich_color
        on_ground = [one.text for one in strip if one.style and one.style.bgcolor == ground]
        assert "".join(on_ground).rstrip() == "▌2 ○ Butter", "on the ground of the content"
        id = talk.prompt()
        options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
        call = {"toolCallId": "c", "title": "Knead"}
        number = talk.asks("session/request_permission", toolCall=call, options=options)
        await it.changed()
        shown = it.screen
        assert "◆ Bread (waiting for you)" in shown
        assert "◆ 1 Bread waiting for you  Ctrl+S goes there" in shown
        talk.settle(number, result={"outcome": {"outcome": "cancelled"}})
        await it.changed()
        await it.changed()
        talk.answer(id, result={"stopReason": "end_turn"})
        await it.changed()
        assert "● Bread" in it.screen
        await it.press("alt+1")
        assert "○ Bread" in it.screen
        talk.answer(talk.prompt(), error={"code": -32603, "message": "burnt"})
        await it.changed()
        assert "✗ Bread (failed)" in it.screen


async def test_a_second_key_puts_away_what_the_agent_does_not_close_and_a_turn_is_asked_about() -> (
    None
):
    talk = two()
    async with running(talk.state) as it:
        await it.press("alt+w")
        assert it.asked == [commands.CloseSession("z")]
        talk.call("session/close", {"sessionId": "z"})
        await it.changed()
        assert it.app.session is talk.state.sessions["z"]
        await it.press("alt+w")
        assert it.asked == [commands.CloseSession("z")]
        assert it.app.session is talk.state.sessions["s"]
        await it.press("alt+w")
        assert "only session" in it.screen
        open_session(talk, "y")
        await it.changed()
        await it.press("alt+1")
        talk.prompt()
        await it.press("alt+w")
        assert "Its turn is canceled." in it.screen
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked[1:] == [commands.CloseSession("s")]


async def test_the_key_that_deletes_words_closes_nothing_however_often_it_is_pressed() -> None:
    talk = two()
    listed(talk)
    async with running(talk.state) as it:
        await it.press(*"a b", *["ctrl+w"] * 4)
        assert (it.prompt, it.asked) == ("", [])
        assert "Alt+W closes the session" in it.screen
        talk.update("agent_message_chunk", "z", content={"type": "text", "text": "Salted."})
        await it.changed()
        await it.press("tab", "alt+shift+w", "ctrl+w")
        assert "Alt+W closes the session" in it.note
        await it.press("ctrl+o", *"b k", *["ctrl+w"] * 3)
        assert it.asked == [commands.ListSessions()]
        assert "k3" not in it.screen
        assert "New tea" in it.screen


async def test_one_in_which_something_was_said_is_closed_after_a_yes_and_comes_back_with_what_was_written() -> (
    None
):
    talk = two()
    talk.update("agent_message_chunk", "z", content={"type": "text", "text": "Salted."})
    async with running(talk.state) as it:
        await it.press("alt+shift+w")
        assert "nothing was closed here" in it.screen
        await it.press("p", "alt+w")
        assert "Close this session?" in it.screen
        assert "Ctrl+O opens it again, if the agent keeps it." in it.screen
        await it.press("escape")
        assert (it.app.session, it.asked) == (talk.state.sessions["z"], [])
        await it.press("alt+w")
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == [commands.CloseSession("z")]
        talk.call("session/close", {"sessionId": "z"}, result={})
        await it.changed()
        assert (it.app.session, it.prompt) == (talk.state.sessions["s"], "")
        drafts = it.app.feature.drafts
        assert drafts._unsent() == {(): [StoredDraft("z", (), "p")]}
        await it.press("alt+shift+w")
        assert it.asked[1:] == [commands.OpenSession("z")]
        await it.press("alt+shift+w")
        assert it.asked[1:] == [commands.OpenSession("z")]
        talk.call("session/load", {"sessionId": "z", "cwd": "/work"}, result={})
        await it.changed()
        assert (it.app.session, it.prompt) == (talk.state.sessions["z"], "p")
        assert drafts._unsent() == {(): [StoredDraft("z", (), "p")]}


async def test_one_in_which_nothing_was_said_is_begun_again_with_what_was_written(
    tmp_path: Path,
) -> None:
    talk = two()
    async with running(talk.state, (100, 24)) as it:
        drafts = it.app.feature.drafts
        drafts.files = Drafts(tmp_path)
        await it.press("p", "alt+w")
        assert "closed; Alt+Shift+W opens it again with what you wrote" in it.screen
        closing = talk.call("session/close", {"sessionId": "z"})
        await it.press("alt+shift+w")
        assert "it is not closed yet" in it.screen
        talk.answer(closing, result={})
        await it.changed()
        assert (it.prompt, drafts._unsent()) == ("", {(): [StoredDraft(None, (), "p")]})
        opening = talk.call("session/new", {"cwd": "/work"})
        await it.press("alt+shift+w")
        assert it.asked[-1] == commands.NewSession()
        talk.answer(opening, result={"sessionId": "new"})
        await it.changed()
        assert (it.app.session, it.prompt) == (talk.state.sessions["new"], "p")
        assert drafts._unsent() == {(): [StoredDraft("new", (), "p")]}
        await it.press("alt+shift+w")
        assert "nothing was closed here" in it.screen


async def test_one_that_the_agent_cannot_close_is_put_away_and_comes_back_without_it(
    tmp_path: Path,
) -> None:
    talk = connected({"protocolVersion": 1})
    open_session(talk, "s", "Bread")
    open_session(talk, "z", "Butter")
    async with running(talk.state, (100, 24)) as it:
        drafts = it.app.feature.drafts
        drafts.files = Drafts(tmp_path)
        await it.press("p", "alt+w")
        shown = it.screen
        assert "closed; Alt+Shift+W opens it again with what you wrote" in shown
        assert "Butter" not in shown
        assert it.app.session is talk.state.sessions["s"]
        assert (it.prompt, drafts._unsent()) == ("", {(): [StoredDraft(None, (), "p")]})
        await it.press("alt+shift+w")
        assert (it.app.session, it.prompt) == (talk.state.sessions["z"], "p")
        assert drafts._unsent() == {(): [StoredDraft("z", (), "p")]}
        await it.press("alt+shift+w")
        assert "nothing was closed here" in it.screen
        talk.update("agent_message_chunk", "z", content={"type": "text", "text": "Salted."})
        await it.changed()
        await it.press("alt+w")
        assert "The agent offers no way to open it again." in it.screen
        await it.press("escape")
        assert it.app.session is talk.state.sessions["z"]
        await it.press("alt+w")
        await it.wait_until_armed()
        await it.press("2")
        assert it.app.session is talk.state.sessions["s"]
        await it.press("alt+shift+w")
        assert it.app.session is talk.state.sessions["z"]
        opened_or_closed = (commands.OpenSession, commands.CloseSession)
        assert not any(isinstance(one, opened_or_closed) for one in it.asked)


async def test_what_was_written_in_a_closed_one_and_is_sent_elsewhere_waits_no_more() -> None:
    talk = two()
    async with running(talk.state) as it:
        await it.press("p", "alt+w")
        talk.call("session/close", {"sessionId": "z"}, result={})
        await it.changed()
        await it.press("up")
        assert it.prompt == "p"
        await it.press("enter")
        assert it.asked[-1] == prompt("s", "p")
        assert it.app.feature.drafts._unsent() == {}


ALIKE = [f"019a8f3e-77b2-7c41-8a55-0123456789{end}" for end in ("aa", "bb")]


async def test_sessions_without_a_title_are_called_by_the_agent_then_by_their_first_prompts() -> (
    None
):
    talk = connected()
    for session_id in ALIKE:
        open_session(talk, session_id)
    async with running(talk.state, (100, 24)) as it:
        agent = talk.state.peer.name
        assert f"1 ○ {agent}  2 ○ {agent} 2" in it.rows()[0].replace("▌", " ")
        assert not any(one[-4:] in it.screen for one in ALIKE)
        said = [{"type": "text", "text": "Warm the\n pot"}]
        talk.call("session/prompt", {"sessionId": ALIKE[0], "prompt": said})
        it.app.refresh_view()
        await it.until(lambda: "Warm the pot" in it.rows()[0])


async def test_a_session_has_the_title_that_only_the_list_tells() -> None:
    talk = connected()
    open_session(talk, "k2")
    open_session(talk, "k1")
    talk.update("agent_message_chunk", "k1", content={"type": "text", "text": "Hot."})
    listed(talk)
    async with running(talk.state) as it:
        assert "2 ○ Old tea" in it.screen
        assert "Old tea" in it.rows()[-2], "the status line"
        await it.press("alt+w")
        assert "Close this session?" in it.screen
        assert any("Old tea" in row for row in it.rows() if row.startswith("│")), "the question"


async def test_what_an_agent_without_a_list_can_do_is_said() -> None:
    reopens = "lists no sessions; --resume ID reopens one"
    talk = connected({"protocolVersion": 1})
    open_session(talk, "s", "Bread")
    async with running(talk.state, (100, 24)) as it:
        for capabilities, words in (
            ({"loadSession": True}, reopens),
            ({}, "lists no sessions and can't reopen any"),
            ({"sessionCapabilities": {"resume": {}}}, reopens),
        ):
            offered = {"protocolVersion": 1, "agentCapabilities": capabilities}
            talk.call("initialize", {"protocolVersion": 1}, result=offered)
            await it.press("ctrl+o")
            assert words in it.screen, capabilities
            await it.press("escape")


async def test_list_is_searched_and_its_keys_open_and_forget_sessions() -> None:
    talk = connected()
    open_session(talk, "s", "Bread")
    async with running(talk.state, (100, 24)) as it:
        await it.press("ctrl+o")
        assert it.asked == [commands.ListSessions()]
        listed(talk)
        await it.changed()
        rows = [row for row in it.rows() if "tea" in row or "Coffee" in row]
        assert [row.split()[1] for row in rows] == ["New", "Old", "Coffee"]
        shown = it.screen
        assert shown.index("Open") < shown.index("Bread")
        assert shown.index("Kept by Agent") < shown.index("New tea")
        assert "2022-01-01" in rows[0]
        await it.write("te ol")
        shown = it.screen
        assert "New tea" not in shown
        assert "Kept by Agent" not in shown
        await it.press("enter")
        assert it.asked[1:] == [commands.OpenSession("k1")]
        await it.pilot.pause()
        assert "Old tea" not in it.screen
        it.asked.clear()
        await it.press("ctrl+o", "down", "alt+r")
        assert it.asked[1:] == [commands.OpenSession("k3", history=False)]
        await it.press("ctrl+o", "down", "down", "alt+k")
        assert it.asked[3:] == [commands.ForkSession("k1")]
        await it.press("ctrl+o", "down", "f8")
        assert "The agent forgets it for good." in it.screen
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked[5:] == [commands.DeleteSession("k3")]
        talk.call("session/delete", {"sessionId": "k3"}, result={})
        await it.changed()
        shown = it.screen
        assert "New tea" not in shown
        assert "▌Old tea" in shown
        await it.press("ctrl+t")
        assert it.asked[6:] == [commands.NewSession()]


async def test_a_session_of_another_folder_is_opened_after_a_yes() -> None:
    """The agent says where a session belongs: that alone shall not open a folder to it."""
    talk = connected()
    open_session(talk, "s", "Bread")
    elsewhere = {"sessionId": "e", "cwd": "/work/sub/../..", "title": "Elsewhere"}
    below = {"sessionId": "b", "cwd": "/work/sub", "title": "Below"}
    talk.call("session/list", {}, result={"sessions": [elsewhere, below]})
    async with running(talk.state, (100, 30)) as it:
        await it.press("ctrl+o", *"bel", "enter")
        await it.app.workers.wait_for_complete()
        assert commands.OpenSession("b") in it.asked
        for answer, opened in (("1", False), ("2", True)):
            await it.press("ctrl+o", *"els", "enter")
            await it.app.workers.wait_for_complete()
            await it.wait_until_armed()
            shown = it.screen
            assert "Work in this folder?" in shown
            assert re.search(r"│ +/ +│", shown)
            await it.press(answer)
            assert (commands.OpenSession("e", folder="/") in it.asked) is opened
        assert commands.OpenSession("e") not in it.asked


async def test_long_list_shows_its_keys_and_the_mark_at_its_end() -> None:
    talk = connected()
    open_session(talk, "s", "Bread")
    many = [{"sessionId": f"k{n}", "cwd": "/work", "title": f"Tea {n}"} for n in range(40)]
    talk.call("session/list", {}, result={"sessions": many})
    async with running(talk.state, (80, 12)) as it:
        for rows in (12, 24):
            await it.pilot.resize_terminal(80, rows)
            await it.press("ctrl+o")
            assert "F8 delete" in it.screen
            assert "Esc back" in it.screen
            await it.press("up")
            assert any("▌Tea 39" in row for row in it.rows()), f"{rows} rows"
            await it.press("escape")


async def test_a_list_is_told_from_one_that_was_not_given_and_its_sessions_by_their_ends() -> None:
    talk = connected()
    open_session(talk, "s", "Bread")
    talk.call("session/list", {}, error={"code": -32603, "message": "no disk"})
    async with running(talk.state) as it:
        await it.press("ctrl+o")
        assert "Agent gave no list of its sessions" in it.screen
        talk.call("session/list", {}, result={"sessions": []})
        await it.changed()
        assert "Agent keeps no other session" in it.screen
        kept = [{"sessionId": f"{one}-and-more-of-it", "cwd": "/work"} for one in ALIKE]
        stew = {"sessionId": "k", "cwd": f"/{'deep/' * 30}kitchen", "title": "Stew"}
        talk.call("session/list", {}, result={"sessions": [*kept, stew]})
        await it.changed()
        shown = it.screen
        assert all(f"{one[-4:]}-and-more-of-it" in shown for one in ALIKE)
        (row,) = [row for row in it.rows() if "Stew" in row]
        assert re.search(r"….*deep/kitchen", row)


async def test_start_with_a_choice_shows_the_list_and_leaving_it_begins_anew() -> None:
    talk = connected()
    async with running(talk.state) as it:
        talk.call("session/list", {})
        await it.changed()
        assert "Sessions  " not in it.screen
        talk.answer(talk.id, result={"sessions": KEPT})
        await it.changed()
        shown = it.screen
        assert "Old tea" in shown
        assert "Esc new session" in shown
        assert it.asked == []
        await it.press("escape")
        assert it.asked == [commands.NewSession()]


async def test_session_that_is_loaded_is_shown_while_its_history_comes() -> None:
    talk = connected()
    open_session(talk, "s", "Bread")
    async with running(talk.state) as it:
        id = talk.call("session/load", {"sessionId": "k1", "cwd": "/work"})
        talk.update("agent_message_chunk", "k1", content={"type": "text", "text": "I said"})
        await it.changed()
        await it.until(lambda: "I said" in it.screen)
        await it.press("m", "enter")
        assert it.asked == []
        talk.answer(id, result={})
        await it.changed()
        assert it.asked == [prompt("k1", "m")]


async def test_what_lies_in_a_session_goes_on_in_the_one_that_takes_its_place() -> None:
    talk = two()
    talk.prompt()
    async with running(talk.state) as it:
        await it.press("alt+1", "l", "enter", "d", "alt+2", "s")
        talk.happened(ProcessExited(9.0, 1))
        await it.changed()
        talk.happened(STARTED)
        talk.call("initialize", {"protocolVersion": 1}, result=OFFERED)
        open_session(talk, "s2")
        open_session(talk, "z2")
        await it.changed()
        assert it.app.session is talk.state.sessions["z2"]
        assert it.prompt == "s"
        await it.press("alt+1")
        assert it.app.session is talk.state.sessions["s2"]
        assert it.prompt == "d"
        assert "queued: 1 prompt held" in it.screen
        assert it.asked == []


async def test_of_many_sessions_all_marks_are_in_view_or_it_is_said_how_many_are_not() -> None:
    talk = connected()
    for number in range(1, 13):
        open_session(talk, f"s{number}", f"A very long title {number}")
    async with running(talk.state) as it:
        await it.press("alt+6")
        head = it.rows()[0]
        assert all(f"{number} ○" in head for number in range(1, 13))
        assert "6 ○ A ver…le 6" in head
        await it.pilot.resize_terminal(50, 24)
        head = it.rows()[0]
        assert head.startswith(" ‹3  4 ○  5 ○ ▌6 ○ A ver…le 6  7 ○")
        assert head.rstrip().endswith(" 4›")
        await it.pilot.click("SessionTabs", (2, 0))
        assert it.app.session is talk.state.sessions["s3"]
        await it.press("alt+1")
        assert "‹" not in it.rows()[0]


async def test_the_names_of_many_tabs_are_each_made_once_for_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = Conversation.opened()
    for number in range(40):
        talk.update("subagent_update", sessionId=f"c{number}", title="Worker")
    made: list[str] = []

    def counted(title: str) -> str:
        made.append(title)
        return clean_title(title)

    async with running(talk.state, (120, 30)) as it:
        monkeypatch.setattr(marks, "clean_title", counted)
        named = marks.tab_names(it.app.tabs)
        assert list(named.values())[1:4] == ["Worker", "Worker 2", "Worker 3"]
        assert len(made) == len(named) == 41
        it.app.conversation.query_one(SessionTabs).render()
        assert len(made) == 2 * len(named)
