"""Sessions put in order, accounts and providers: what may still change in ACP."""

from typing import Any

import pytest

from acp_tui.state import commands
from tests.unit.state.conversation import STARTED, Conversation
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio

SESSIONS = {name: {} for name in ("list", "archive", "title", "status")}
OFFERED = {"sessionCapabilities": SESSIONS, "providers": {}, "auth": {"status": {}}}
MAIN: dict[str, Any] = {"providerId": "main", "supported": ["openai", "_own"], "required": False}
CONFIG = {"apiType": "openai", "baseUrl": "https://a.example"}


def talk_with(plan: dict[str, Any] | None = None) -> Conversation:
    talk = Conversation()
    talk.happened(STARTED)
    claimed = {"protocolVersion": 1, "clientCapabilities": {} if plan is None else {"plan": plan}}
    talk.call("initialize", claimed, result={"protocolVersion": 1, "agentCapabilities": OFFERED})
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
    return talk


def listed(talk: Conversation, **more: Any) -> None:
    one = {"sessionId": "k", "cwd": "/work", "title": "Old tea", **more}
    talk.call("session/list", {}, result={"sessions": [one]})


async def test_keys_of_the_list_put_sessions_in_order() -> None:
    talk = talk_with({})
    listed(talk)
    async with running(talk.state, (120, 24)) as it:
        await it.press("ctrl+o", "down")
        shown = it.screen
        assert "archive" in shown
        assert "Esc back" in shown
        await it.press("f2", "x", "escape")
        assert len(it.asked) == 1, "Esc leaves the title as it is"
        assert "Old tea" in it.screen
        await it.press("alt+a", "alt+s", "f2")
        assert "The session's title" in it.screen
        await it.press("ctrl+u", *"New", "enter")
        assert it.asked[1:] == [
            commands.ArchiveSession("k", archived=True),
            commands.AskStatus("k"),
            commands.RenameSession("k", "New"),
        ]
        talk.call("session/status", {"sessionId": "k"}, result={"status": "open"})
        await it.changed()
        assert "in memory" in it.screen
        listed(talk, archived=True)
        await it.changed()
        assert "archived" in it.screen
        talk.call("session/status", {"sessionId": "k"}, result={"status": "open"})
        await it.changed()
        assert "archived" in it.screen
        await it.press("alt+a")
        assert it.asked[4:] == [commands.ArchiveSession("k", archived=False)]


async def test_without_the_wish_nothing_of_it_is_shown() -> None:
    talk = talk_with()
    listed(talk)
    async with running(talk.state, (120, 30)) as it:
        await it.press("ctrl+o", "down", "f2")
        assert "archive" not in it.screen
        await it.press("escape", "f4")
        assert it.asked == [commands.ListSessions()]


async def test_accounts_and_providers_stand_among_the_options() -> None:
    talk = talk_with({})
    account = {"label": "Max", "active": True, "email": "ada@example.org"}
    status = {"state": "authenticated", "accounts": [account]}
    talk.call("auth/status", {}, result=status)
    given = [{**MAIN, "current": CONFIG}, {"id": "of another shape"}]
    talk.call("providers/list", {}, result={"providers": given})
    async with running(talk.state, (120, 24)) as it:
        await it.press("f4")
        assert it.asked == [commands.AskAccount()]
        shown = it.screen
        for words in (
            "signed in",
            "\u25cf Max",
            "ada@example.org",
            "openai  https://a.example",
            "1 can't be read",
        ):
            assert words in shown
        await it.press("enter", "enter")
        assert "The address of main" in it.screen
        await it.press("ctrl+u", *"http://b", "enter")
        assert "A header for main" in it.screen
        await it.press("K", "enter", *"a:b")
        shown = it.screen
        assert "The value of K" in shown
        assert "a:b" not in shown
        await it.press("f2")
        assert "a:b" in it.screen
        await it.press("enter")
        assert "given: K" in it.screen
        await it.press("x", "enter", "escape")
        assert "given: K" in it.screen
        await it.press("enter")
        headers = (("K", "a:b"),)
        assert it.asked[1:] == [commands.SetProvider("main", "openai", "http://b", headers)]
        await it.press("enter", "end", "up", "enter")
        assert it.asked[2:] == [commands.DisableProvider("main")]


async def test_a_subagent_has_a_tab_to_read_in() -> None:
    talk = talk_with({})
    async with running(talk.state, (120, 24)) as it:
        talk.update("subagent_update", sessionId="c", title="Taster", state={"state": "running"})
        await it.changed()
        shown = it.screen
        assert "↪ Taster" in shown
        assert "2 \u280b Taster" in shown
        await it.press("alt+2")
        assert "to read: only the agent talks to it" in it.screen
        await it.press("h", "enter")
        assert it.prompt == "h"
        assert "only the agent talks to its subagent" in it.screen
        await it.press("escape")
        assert "be canceled alone" in it.screen
        talk.update("subagent_update", sessionId="c", capabilities={"cancel": {}})
        await it.press("escape")
        assert it.asked == [commands.Cancel("c")]
        await it.press("ctrl+u", "alt+w")
        assert it.app.session is talk.state.sessions["s"]
        assert it.asked == [commands.Cancel("c")]


async def test_an_open_session_that_is_not_listed_has_its_title_and_status() -> None:
    talk = talk_with({})
    talk.update("session_info_update", title="Fresh tea")
    talk.call("session/status", {"sessionId": "s"}, result={"status": "open"})
    async with running(talk.state, (120, 24)) as it:
        await it.press("ctrl+o")
        assert "○ ready, in memory" in it.screen
        await it.press("f2", "!", "enter")
        assert it.asked[1:] == [commands.RenameSession("s", "Fresh tea!")]
