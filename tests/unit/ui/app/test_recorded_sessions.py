"""The sessions of our own recordings, for an agent that keeps no list."""

from typing import Any

import pytest

from acp_tui.config.paths import archive_file
from acp_tui.session import commands
from tests.unit.archive.test_archive import record, state, wire
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.app.test_sessions import connected, open_session

pytestmark = pytest.mark.anyio

__all__ = ["state"]
PLACE = ("/w", "tea-agent", "--acp")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def listed(it: Running, words: str = "in our recordings") -> None:
    it.app.tabs.agent.place = PLACE
    await it.press("ctrl+o")
    await it.until(lambda: words in it.screen)


def talking(**capabilities: Any) -> Any:
    talk = connected({"protocolVersion": 1, "agentCapabilities": capabilities})
    open_session(talk, "now", "Bread")
    return talk


async def test_what_was_recorded_of_this_agent_here_is_listed_and_opened() -> None:
    record("one", wire("Fix the teapot"))
    record("two", wire("Not of this folder", "e"), cwd="/elsewhere")
    record("three", wire("Not of this agent", "o"), argv=["other"])
    async with running(talking(loadSession=True).state, (100, 24)) as it:
        await listed(it, "1 in our recordings")
        assert "Fix the teapot" in it.screen
        assert "Not of this" not in it.screen
        await it.press("down", "enter")
        assert it.asked == [commands.OpenSession("s", history=True)]


async def test_an_agent_that_opens_none_begins_anew_and_a_person_sends_what_it_is_told() -> None:
    record("one", wire("Fix the teapot"))
    async with running(talking().state, (100, 24)) as it:
        await listed(it, "Enter retells one to a new session")
        await it.press("down", "enter")
        await it.until(lambda: "Fix the teapot" in it.prompt)
        assert it.asked == [commands.NewSession()]
        assert "> I said: Fix the teapot\n>\n> You said: I look at the kettle." in it.prompt
        assert "You used a tool: Run tests" in it.prompt


async def test_an_index_that_cannot_be_read_is_told() -> None:
    record("one", wire())
    archive_file().mkdir()
    async with running(talking(loadSession=True).state, (100, 24)) as it:
        await listed(it, "our recordings can't be read")
