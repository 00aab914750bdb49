"""An agent dies and is started again: each session comes back by the best way that it offers."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.limits import Limits
from acp_tui.state.commands import Authenticate, NewSession, Restart
from acp_tui.state.entries import Entry, MessageEntry, NoticeEntry
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, hosting

pytestmark = pytest.mark.anyio

LOAD = {"loadSession": True}
RESUME = {"sessionCapabilities": {"resume": {}}}
NO = {"code": -32603, "message": "no"}


def dies(session_id: str = "s1") -> Script:
    """An agent that dies in the middle of its first turn."""
    return Script(session_id).handshake().prompt().chunk("half").kill()


def starts(capabilities: dict[str, Any], session_id: str = "s1") -> Script:
    return Script(session_id).initialize({"agentCapabilities": capabilities})


def goes_on(script: Script, text: str = "two") -> Script:
    """No prompt of before comes again, only the one that is sent now."""
    script.expect("session/prompt", {"prompt": [{"type": "text", "text": "next"}]})
    return script.chunk(text).end_turn()


def texts(entries: list[Entry]) -> list[str]:
    said = (one for one in entries if isinstance(one, MessageEntry | NoticeEntry))
    return [one.text if isinstance(one, MessageEntry) else one.title for one in said]


async def cut(host: Host) -> None:
    """A turn in which the agent dies; then it is started again."""
    await host.turn("first")
    await host.until(lambda: host.state.peer.process.exit)
    host.do(Restart())


async def test_by_resume_where_offered(tmp_path: Path) -> None:
    again = starts({**LOAD, **RESUME}).expect("session/resume", {"sessionId": "s1"})
    again = goes_on(again.reply("resume"))
    async with hosting(dies().argv(tmp_path, again), tmp_path) as host:
        await cut(host)
        await host.opened()
        await host.turn("next")
        said = ["first", "half", "The agent was restarted", "next", "two"]
        assert texts(host.entries) == said
    Played(tmp_path, run=2).check()
    assert len(Played(tmp_path, run=2).calls("session/prompt")) == 1


async def test_by_load_else_and_what_is_replayed_is_shown_once(tmp_path: Path) -> None:
    again = starts(LOAD).expect("session/load", {"sessionId": "s1", "cwd": str(tmp_path.resolve())})
    again.update("user_message_chunk", content={"type": "text", "text": "first"}).chunk("half")
    again = goes_on(again.reply("load"))
    async with hosting(dies().argv(tmp_path, again), tmp_path) as host:
        await cut(host)
        await host.opened()
        await host.turn("next")
        assert texts(host.entries) == ["first", "half", "The agent was restarted", "next", "two"]
    Played(tmp_path, run=2).check()


async def test_by_a_new_session_else_and_it_is_said_that_the_agent_forgot(tmp_path: Path) -> None:
    again = goes_on(starts({}, "s2").new_session())
    async with hosting(dies().argv(tmp_path, again), tmp_path) as host:
        await cut(host)
        await host.opened()
        await host.turn("next")
        assert texts(host.entries) == ["first", "half", "A new session begins here", "next", "two"]
        assert host.session.opening.continues == "s1"
    Played(tmp_path, run=2).check()


async def test_what_fails_is_told_and_the_next_way_is_tried(tmp_path: Path) -> None:
    again = starts({**LOAD, **RESUME}, "s2").expect("session/resume").reply("resume", error=NO)
    again.expect("session/load").reply("load", error=NO).new_session()
    async with hosting(dies().argv(tmp_path, again), tmp_path) as host:
        await cut(host)
        await host.opened()
        assert texts(host.entries)[2:] == [
            "Fake agent couldn't resume the session (session/resume)",
            "Fake agent couldn't load the session (session/load)",
            "A new session begins here",
        ]
    Played(tmp_path, run=2).check()


async def test_every_open_session_comes_back_in_its_place(tmp_path: Path) -> None:
    first = Script().handshake().chunk("one").expect("session/new", save="second")
    first.reply("second", {"sessionId": "s2"})
    more = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "two"}}
    first.notify("session/update", {"sessionId": "s2", "update": more}).kill()
    again = starts(RESUME).expect("session/resume", {"sessionId": "s1"}).reply("resume")
    again.expect("session/resume", {"sessionId": "s2"}, save="other").reply("other", error=NO)
    again.expect("session/new", save="third").reply("third", {"sessionId": "s3"})
    async with hosting(first.argv(tmp_path, again), tmp_path) as host:
        await host.opened()
        await host.until(lambda: host.said)
        host.do(NewSession())
        await host.until(lambda: host.state.peer.process.exit)
        host.do(Restart())
        await host.until(lambda: len(host.state.open_sessions()) == 2)
        assert list(host.state.sessions) == ["s1", "s3"]
        assert texts(host.state.sessions["s3"].entries)[0] == "two"
    Played(tmp_path, run=2).check()


async def test_a_sign_in_on_the_way_back_is_waited_for(tmp_path: Path) -> None:
    methods = [{"id": "key", "name": "Key"}]
    again = Script("s1").initialize({"agentCapabilities": RESUME, "authMethods": methods})
    again.expect("session/resume").reply("resume", error={"code": -32000, "message": "who?"})
    again.expect("authenticate").reply("authenticate").expect("session/resume").reply("resume")
    async with hosting(dies().argv(tmp_path, again), tmp_path) as host:
        await cut(host)
        await host.until(lambda: host.state.peer.sign_in)
        host.do(Authenticate("key"))
        await host.opened()
        assert texts(host.entries)[-1] == "The agent was restarted"
    Played(tmp_path, run=2).check()


async def test_a_load_in_which_the_agent_died_twice_is_not_tried_again(tmp_path: Path) -> None:
    dies_again = starts(LOAD).expect("session/load").kill()
    again = goes_on(starts(LOAD, "s2").new_session())
    argv = dies().argv(tmp_path, dies_again, dies_again, again)
    async with hosting(argv, tmp_path) as host:
        await cut(host)
        for _ in range(2):
            await host.until(lambda: host.state.peer.process.exit is None)
            await host.until(lambda: host.state.peer.process.exit)
            host.do(Restart())
        await host.opened()
        await host.turn("next")
        assert texts(host.entries) == ["first", "half", "A new session begins here", "next", "two"]
    Played(tmp_path, run=4).check()


async def test_a_load_in_which_the_agent_died_once_is_tried_again(tmp_path: Path) -> None:
    dies_once = starts(LOAD).expect("session/load").kill()
    again = goes_on(starts(LOAD).expect("session/load", save="load").reply("load", {}))
    async with hosting(dies().argv(tmp_path, dies_once, again), tmp_path) as host:
        await cut(host)
        await host.until(lambda: host.state.peer.process.exit is None)
        await host.until(lambda: host.state.peer.process.exit)
        host.do(Restart())
        await host.opened()
        await host.turn("next")
        assert texts(host.entries)[:3] == ["first", "half", "The agent was restarted"]
    Played(tmp_path, run=3).check()


async def test_a_load_that_was_given_up_is_not_tried_again(tmp_path: Path) -> None:
    hangs = starts(LOAD).expect("session/load").expect("never")
    again = goes_on(starts(LOAD, "s2").new_session())
    limits = Limits(load=0.2)
    async with hosting(dies().argv(tmp_path, hangs, again), tmp_path, limits=limits) as host:
        await cut(host)
        await host.until(lambda: host.state.peer.trouble)
        host.do(Restart())
        await host.opened()
        await host.turn("next")
        assert texts(host.entries)[-3:] == ["A new session begins here", "next", "two"]
    Played(tmp_path, run=3).check()
